"""The equivariant layer: exactly the maps of the theorem, and able to learn a shift."""

import numpy as np
import pytest
import torch

import primefourier as pf
from primefourier import PAPER_BASIS, PrimeBasis
from primefourier.nn import EquivariantLinear
from primefourier.theory import assert_equivariant, equivariant_basis, rotation

BASIS = PrimeBasis((2, 3, 5), 2)


def test_every_block_has_two_parameters() -> None:
    layer = EquivariantLinear(PAPER_BASIS)
    assert sum(parameter.numel() for parameter in layer.parameters()) == 192
    assert (layer.in_features, layer.out_features) == (192, 192)
    assert repr(EquivariantLinear(BASIS)) == (
        "EquivariantLinear(in_features=12, out_features=12, primes=(2, 3, 5), depth=2)"
    )


def test_every_weight_is_equivariant_and_equals_its_matrix() -> None:
    torch.manual_seed(0)
    layer = EquivariantLinear(BASIS, dtype=torch.float64)
    matrix = layer.matrix()
    assert_equivariant(matrix.detach().numpy(), BASIS, tolerance=1e-14)
    x = torch.randn(4, 5, 12, dtype=torch.float64)
    torch.testing.assert_close(layer(x), x @ matrix.T)


def test_every_equivariant_map_is_a_weight() -> None:
    basis = PrimeBasis((3, 5), 2)
    target = np.einsum("i,iab->ab", np.arange(1.0, 9.0), equivariant_basis(basis))
    layer = EquivariantLinear(basis, dtype=torch.float64)
    blocks = target.reshape(4, 2, 4, 2)[np.arange(4), :, np.arange(4), :]
    with torch.no_grad():
        layer.weight.copy_(torch.from_numpy(blocks[:, :, 0].reshape(basis.shape)))
    np.testing.assert_allclose(layer.matrix().detach().numpy(), target, atol=1e-15)


def test_the_code_of_b_as_a_weight_adds_b() -> None:
    layer = EquivariantLinear(BASIS, dtype=torch.float64)
    b = 10**20
    with torch.no_grad():
        layer.weight.copy_(torch.from_numpy(pf.encode(b, BASIS, "float64")))
    np.testing.assert_array_equal(layer.matrix().detach().numpy(), rotation(b, BASIS))
    out = layer(torch.from_numpy(pf.encode([1, 2], BASIS, "float64")).flatten(1))
    assert pf.decode(out, BASIS).value.tolist() == [(1 + b) % 900, (2 + b) % 900]


def test_other_widths_are_refused_and_empty_batches_accepted() -> None:
    with pytest.raises(ValueError, match=r"codes must have shape \(..., 12\), got \(3, 7\)"):
        EquivariantLinear(BASIS)(torch.zeros(3, 7))
    assert EquivariantLinear(BASIS)(torch.empty(0, 12)).shape == (0, 12)
