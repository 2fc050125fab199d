import pytest
import torch

from primefourier import PrimeBasis
from primefourier.nn import EquivariantLinear, PrimeFourierEmbedding, ShuffledPrimeFourier
from primefourier.nn.basis_module import BasisModule, require_tensor

BASIS = PrimeBasis((2, 3, 59), 4)


@pytest.mark.parametrize("kind", [EquivariantLinear, PrimeFourierEmbedding, ShuffledPrimeFourier])
@pytest.mark.parametrize("other", [PrimeBasis((2, 3, 53), 4), PrimeBasis((2, 3, 59), 5)])
def test_the_state_of_another_basis_is_refused(
    kind: type[EquivariantLinear], other: PrimeBasis
) -> None:
    state = kind(BASIS).state_dict()
    kind(BASIS).load_state_dict(state)
    with pytest.raises(ValueError, match=r"saved with primes \(2, 3, 59\) and depth 4"):
        kind(other).load_state_dict(state)


def test_the_state_is_made_of_tensors() -> None:
    state = BasisModule(BASIS).to(torch.bfloat16).state_dict()
    assert {name: value.tolist() for name, value in state.items()} == {
        "_extra_state": [4, 2, 3, 59]
    }


def test_primes_beyond_64_bits_are_refused() -> None:
    with pytest.raises(ValueError, match=r"primes below 2\^63"):
        BasisModule(PrimeBasis((9223372036854775837,), 1))


def test_lists_are_refused_by_every_module() -> None:
    for module in (
        PrimeFourierEmbedding(BASIS),
        EquivariantLinear(BASIS),
        ShuffledPrimeFourier(BASIS),
    ):
        with pytest.raises(TypeError, match="must be a torch tensor, got a list"):
            module([1, 2])
    with pytest.raises(TypeError, match="padding_mask must be a torch tensor, got a list"):
        PrimeFourierEmbedding(BASIS)(torch.arange(2), padding_mask=[True, False])
    require_tensor(torch.zeros(1), "x")
