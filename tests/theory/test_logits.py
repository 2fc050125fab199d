"""Equivariant maps to logits: brute force for every modulus, and the exact classifier."""

from typing import Any

import numpy as np
import pytest
import torch

import primefourier as pf
from primefourier import PAPER_BASIS, PrimeBasis
from primefourier.theory import exact_sum_logits, logit_channels, logit_gap, rotation

SEVEN = PrimeBasis((2, 3, 5, 7, 11, 13), 3)


def test_logit_maps_equal_brute_force() -> None:
    """L·R(1) = S·L fixes row c as row 0 times R(1)^-c, and after N rows it it must close."""
    for n in [*range(2, 60), 77, 125, 210]:
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


def test_a_modulus_that_the_basis_cannot_see_has_no_maps() -> None:
    found = logit_channels(17, SEVEN)
    assert found.channels == ()
    assert found.maps().shape == (0, 17, SEVEN.dim)


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_exact_sums_are_correct_for_every_pair(dtype: str) -> None:
    for n in (2, 4, 15, 27, 60, 105, 128):
        basis = PrimeBasis.for_modulus(n)
        codes = pf.encode(range(n), basis, dtype)
        logits = exact_sum_logits(codes[:, None], codes[None], n, basis)
        assert (logits.argmax(-1) == np.add.outer(np.arange(n), np.arange(n)) % n).all()
        top = np.partition(logits, -2, axis=-1)
        lead = (top[..., -1] - top[..., -2]).min()
        assert dtype == "float16" or lead >= logit_gap(n) * (1 - 1e-9)


def test_the_classifier_accepts_huge_integers_and_flat_torch_codes() -> None:
    a, b, n = 10**100 + 3, -(7**90), 9 * 59
    code_a, code_b = (
        torch.from_numpy(pf.encode(x, PAPER_BASIS)).flatten().bfloat16() for x in (a, b)
    )
    assert exact_sum_logits(code_a, code_b, n, PAPER_BASIS).argmax() == (a + b) % n


@pytest.mark.parametrize(
    ("codes", "modulus", "basis", "words"),
    [
        (pf.encode(1, PAPER_BASIS), 61, PAPER_BASIS, "(?s)modulo 61.*add the prime 61"),
        (pf.encode(1, SEVEN), 17 * 3, SEVEN, "(?s)cannot classify modulo 51.*add the prime 17"),
        (np.zeros((3, 3)), 15, PAPER_BASIS, "codes of this basis have shape"),
    ],
)
def test_what_cannot_be_classified_is_refused(
    codes: Any, modulus: int, basis: PrimeBasis, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        exact_sum_logits(codes, codes, modulus, basis)
