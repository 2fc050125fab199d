import numpy as np
import pytest
import torch

import primefourier as pf
from primefourier import PAPER_BASIS, PrimeBasis
from primefourier.theory import logit_channels, logit_gap, rotation, zero_training_logits

SEVEN = PrimeBasis((2, 3, 5, 7, 11, 13), 3)


def test_logit_maps_equal_brute_force_for_every_modulus_up_to_210() -> None:
    """L·R(1) = S·L fixes row c as row 0 times R(1)^-c, and after N rows it has to close."""
    for n in range(2, 211):
        found = logit_channels(n, SEVEN)
        closing = rotation(n, SEVEN) - np.eye(SEVEN.dim)
        values = np.linalg.svd(closing, compute_uv=False)
        assert int(np.sum(values < 1e-12)) == found.dimension
        _, _, rows = np.linalg.svd(closing)
        null = rows[SEVEN.dim - found.dimension :]  # rows l with R(N)·l = l, so l·R(N) = l too
        seen = np.flatnonzero(np.abs(null).sum(axis=0) > 1e-9)
        used = {SEVEN.channels[i // 2] for i in seen}
        assert used == set(found.channels)
        assert used == {(p, d) for p, d in SEVEN.channels if n % p ** (d + 1) == 0}


@pytest.mark.parametrize("n", [2, 4, 6, 8, 12, 15])
def test_logit_maps_span_all_solutions_of_the_dense_system(n: int) -> None:
    basis = PrimeBasis((2, 3, 5), 2)
    shift = np.roll(np.eye(n), 1, axis=0)
    system = np.kron(np.eye(n), rotation(1, basis).T) - np.kron(shift, np.eye(basis.dim))
    _, values, rows = np.linalg.svd(system)
    solutions = rows[values < 1e-10]
    maps = logit_channels(n, basis).maps().reshape(-1, n * basis.dim)
    assert len(solutions) == len(maps) == np.linalg.matrix_rank(maps)
    np.testing.assert_allclose(maps @ solutions.T @ solutions, maps, atol=1e-9)


@pytest.mark.parametrize("n", [2, 12, 77, 210, 125, 231])
def test_adding_shifts_the_logits(n: int) -> None:
    maps = logit_channels(n, SEVEN).maps()
    for b in (1, -5, 10**30):
        expected = np.roll(maps, b % n, axis=1)
        np.testing.assert_allclose(maps @ rotation(b, SEVEN), expected, atol=1e-15)


def test_a_modulus_that_the_basis_cannot_see_has_no_maps() -> None:
    found = logit_channels(17, SEVEN)
    assert found.channels == ()
    assert found.maps().shape == (0, 17, SEVEN.dim)


@pytest.mark.parametrize("n", [2, 4, 15, 21, 27, 60, 105, 128, 231])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_classifier_without_training_is_right_for_every_pair(n: int, dtype: str) -> None:
    basis = PrimeBasis.for_modulus(n)
    codes = pf.encode(range(n), basis, dtype)
    logits = zero_training_logits(codes[:, None], codes[None], n, basis)
    assert (logits.argmax(-1) == np.add.outer(np.arange(n), np.arange(n)) % n).all()
    if dtype == "float64":
        top = np.partition(logits, -2, axis=-1)
        lead = (top[..., -1] - top[..., -2]).min()
        assert lead >= logit_gap(n) * (1 - 1e-9)


def test_it_is_right_far_beyond_the_modulus() -> None:
    a, b = 10**100 + 3, -(7**90)
    logits = zero_training_logits(
        pf.encode(a, PAPER_BASIS), pf.encode(b, PAPER_BASIS), 3**2 * 59, PAPER_BASIS
    )
    assert logits.argmax() == (a + b) % (9 * 59)


def test_flat_codes_of_torch_are_classified_too() -> None:
    codes = torch.from_numpy(pf.encode(range(15), PAPER_BASIS)).flatten(1).to(torch.bfloat16)
    logits = zero_training_logits(codes[:, None], codes[None], 15, PAPER_BASIS)
    assert (logits.argmax(-1) == np.add.outer(np.arange(15), np.arange(15)) % 15).all()


def test_what_it_cannot_see_is_an_error_with_advice() -> None:
    codes = pf.encode(1, PAPER_BASIS)
    with pytest.raises(ValueError, match=r"(?s)cannot classify modulo 61.*add the prime 61"):
        zero_training_logits(codes, codes, 61, PAPER_BASIS)
    with pytest.raises(ValueError, match="modulus must be an integer of at least 2, got 1"):
        zero_training_logits(codes, codes, 1, PAPER_BASIS)


def test_codes_of_another_basis_are_refused() -> None:
    with pytest.raises(ValueError, match="codes of this basis have shape"):
        zero_training_logits(np.zeros((3, 3)), np.zeros((3, 3)), 15, PAPER_BASIS)
