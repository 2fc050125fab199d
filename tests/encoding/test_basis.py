import pickle
from typing import Any

import numpy as np
import pytest

import primefourier as pf
from primefourier import PrimeBasis


def test_the_paper_basis_is_the_papers() -> None:
    assert len(pf.PAPER_BASIS.primes) == 16
    assert (pf.PAPER_BASIS.primes[0], pf.PAPER_BASIS.primes[-1]) == (3, 59)
    assert pf.PAPER_BASIS.depth == 6
    assert pf.PAPER_BASIS.dim == 192
    assert 7.8e125 < pf.PAPER_BASIS.range < 8e125


def test_sizes_follow_from_primes_and_depth() -> None:
    basis = PrimeBasis((2, 59), depth=12)
    assert basis.shape == (2, 12, 2)
    assert basis.dim == 48
    assert basis.periods[1][-1] == 59**12
    assert type(basis.periods[1][-1]) is int
    assert basis.range == 118**12
    assert basis.channels[:2] == ((2, 0), (2, 1))
    assert len(basis.channels) == 24


def test_a_basis_is_a_frozen_hashable_value() -> None:
    basis = PrimeBasis((3, 5), 2)
    assert basis == PrimeBasis(primes=[3, 5], depth=np.int64(2))  # type: ignore[arg-type]
    assert hash(basis) == hash(PrimeBasis((3, 5), 2))
    assert type(basis.depth) is int
    assert pickle.loads(pickle.dumps(basis)) == basis
    with pytest.raises(AttributeError):
        basis.depth = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("modulus", "primes", "depth"),
    [(2, (2,), 1), (15, (3, 5), 1), (360, (2, 3, 5), 3), (2**61 - 1, (2**61 - 1,), 1)],
)
def test_for_modulus_is_the_smallest_that_sees_it(
    modulus: int, primes: tuple[int, ...], depth: int
) -> None:
    basis = PrimeBasis.for_modulus(modulus)
    assert (basis.primes, basis.depth) == (primes, depth)
    assert pf.plan(modulus, basis).complete
    if depth > 1:
        assert not pf.plan(modulus, PrimeBasis(primes, depth - 1)).complete


@pytest.mark.parametrize(
    ("primes", "depth", "kind", "words"),
    [
        ((9,), 1, ValueError, "got 9 = 3²; use depth for prime powers"),
        ((3, 15), 1, ValueError, "got 15 = 3 · 5"),
        ((1,), 1, ValueError, "got 1; the smallest prime is 2"),
        ((-3,), 1, ValueError, "got -3; the smallest prime is 2"),
        (((2**61 - 1) * (2**31 - 1),), 1, ValueError, "which is composite"),
        ((3, 3), 1, ValueError, "got 3 twice"),
        ((5, 3), 1, ValueError, "got 5 before 3; pass them sorted"),
        ((), 1, ValueError, "at least one prime"),
        ((3,), 0, ValueError, "depth must be an integer of at least 1, got 0"),
        ((3,), -1, ValueError, "got -1"),
        ((3,), 1.5, TypeError, "depth must be an integer of at least 1, got a float"),
        ((3,), True, TypeError, "got a bool"),
        ((3.0,), 1, TypeError, "integers are required, got a float"),
        ("3,5", 1, TypeError, "got a str"),
        ([[3, 5], [7, 11]], 1, ValueError, r"one sequence, got an array of shape \(2, 2\)"),
        (7, 1, ValueError, "one sequence"),
    ],
)
def test_a_wrong_basis_is_refused_in_words(
    primes: Any, depth: Any, kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        PrimeBasis(primes, depth)


@pytest.mark.parametrize("modulus", [0, 1, -6])
def test_moduli_below_two_have_no_basis(modulus: int) -> None:
    with pytest.raises(ValueError, match=f"at least 2, got {modulus}"):
        PrimeBasis.for_modulus(modulus)
