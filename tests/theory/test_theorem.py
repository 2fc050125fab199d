"""Theorem 3.1: the action, its commutant by structure, by SVD and by averaging, and distances."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given

import primefourier as pf
from primefourier import PAPER_BASIS, PrimeBasis, theory
from primefourier.theory import (
    Check,
    assert_equivariant,
    check_theorem,
    commutant_dimension,
    coupling_singular_values,
    equivariance_error,
    equivariant_basis,
    off_block_energy,
    project_to_equivariant,
    rotation,
    spread_shifts,
    theorem,
)
from strategies import BASES, NUMBERS

TEN_BASES = [
    PrimeBasis((3,), 1), PrimeBasis((3,), 4), PrimeBasis((3, 5), 2), PrimeBasis((3, 5, 7), 2),
    PrimeBasis((59,), 6), PrimeBasis((53, 59), 6), PrimeBasis((2,), 1), PrimeBasis((2,), 3),
    PrimeBasis((2, 3, 5), 2), PrimeBasis((3, 5, 7, 11), 3),
]  # fmt: skip
BASIS = PrimeBasis((3, 5), 2)
RANDOM = np.random.default_rng(0).normal(size=(BASIS.dim, BASIS.dim))


@given(BASES, NUMBERS, NUMBERS)
def test_rotations_add_and_represent_the_integers(basis: PrimeBasis, a: int, b: int) -> None:
    R, codes = rotation(a, basis), [pf.encode(n, basis, "float64").ravel() for n in (b, a + b)]
    np.testing.assert_allclose(R @ codes[0], codes[1], rtol=0, atol=1e-15)
    np.testing.assert_allclose(R @ rotation(b, basis), rotation(a + b, basis), rtol=0, atol=2e-15)
    np.testing.assert_allclose(R @ R.T, np.eye(basis.dim), rtol=0, atol=1e-15)
    np.testing.assert_array_equal(rotation(a + basis.range, basis), R)


def test_the_product_group_rotates_each_block_by_its_own_steps() -> None:
    steps = np.array([[1, 4], [0, 7]])
    got = rotation(steps.tolist(), BASIS).reshape(4, 2, 4, 2)
    for block, (step, period) in enumerate(zip(steps.flat, (3, 9, 5, 25), strict=True)):
        angle = 2 * np.pi * step / period
        turn = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        np.testing.assert_allclose(got[block, :, block], turn, atol=1e-15)
    np.testing.assert_array_equal(rotation([[11, 11], [11, 11]], BASIS), rotation(11, BASIS))


@pytest.mark.parametrize("basis", TEN_BASES, ids=str)
def test_the_commutant_by_structure_equals_the_dense_null_space(basis: PrimeBasis) -> None:
    maps, eye = equivariant_basis(basis), np.eye(basis.dim)
    expected = 2 * len(basis.channels) + 2 * (basis.primes[0] == 2)
    assert len(maps) == commutant_dimension(basis) == expected
    np.testing.assert_allclose(np.einsum("iab,jab->ij", maps, maps), np.eye(expected), atol=1e-15)
    assert max(equivariance_error(W, basis) for W in maps) < 1e-14
    turns = [rotation(b, basis) for b in spread_shifts(basis)]
    dense = np.concatenate([np.kron(eye, R.T) - np.kron(R, eye) for R in turns])  # W R = R W
    values = np.linalg.svd(dense, compute_uv=False)
    assert int(np.sum(values < 1e-12)) == expected
    by_pairs = np.sort(coupling_singular_values(basis, spread_shifts(basis)), axis=None)
    np.testing.assert_allclose(by_pairs, np.sort(values), rtol=0, atol=1e-12)


def test_the_shift_by_one_alone_is_ill_conditioned() -> None:
    values = coupling_singular_values(PAPER_BASIS, spread_shifts(PAPER_BASIS))
    assert int(np.sum(values < 1e-13)) == 192
    assert values[values >= 1e-13].min() > 0.1
    alone = coupling_singular_values(PAPER_BASIS, (1,))
    assert 1e-11 < np.sort(alone, axis=None)[192] < 1e-9
    deep = PrimeBasis((53, 59), depth=10)
    zeros = {
        shifts: int(np.sum(coupling_singular_values(deep, shifts) < 1e-13))
        for shifts in ((1,), spread_shifts(deep))
    }
    assert zeros[1,] > zeros[spread_shifts(deep)] == 2 * len(deep.channels)


@pytest.mark.parametrize(
    ("basis", "group"),
    [
        (PrimeBasis((3, 5), 1), range(15)),
        (PrimeBasis((2, 3), 2), range(36)),
        (PrimeBasis((2, 3), 1), [[[i], [j]] for i, j in product(range(2), range(3))]),
    ],
    ids=["Z", "Z with the prime 2", "product group"],
)
def test_the_projection_is_the_average_over_the_group(basis: PrimeBasis, group: Any) -> None:
    W = np.random.default_rng(1).normal(size=(basis.dim, basis.dim))
    average = np.mean([R @ W @ R.T for R in (rotation(b, basis) for b in group)], axis=0)
    np.testing.assert_allclose(project_to_equivariant(W, basis), average, atol=1e-14)


def test_the_error_over_the_whole_group_is_the_distance_from_the_commutant() -> None:
    assert equivariance_error(rotation(7, BASIS), BASIS) < 1e-15
    assert equivariance_error(np.zeros((8, 8)), BASIS) == 0
    errors = [equivariance_error(RANDOM, BASIS, shifts=[b]) for b in range(BASIS.range)]
    distance = np.linalg.norm(RANDOM - project_to_equivariant(RANDOM, BASIS))
    expected = np.sqrt(2) * distance / np.linalg.norm(RANDOM)
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(expected, rel=1e-12)
    assert equivariance_error(RANDOM, BASIS) > 0.5


def test_a_coupling_that_the_shift_by_one_misses_is_found() -> None:
    W = np.zeros((192, 192))
    W[-2:, -14:-12] = np.eye(2)  # from the block of period 53^6 to that of 59^6
    assert equivariance_error(W, PAPER_BASIS, shifts=[1]) < 1e-9
    assert equivariance_error(W, PAPER_BASIS) > 0.1


def test_off_block_energy_is_the_share_outside_the_blocks() -> None:
    assert off_block_energy(rotation(7, BASIS), BASIS) == off_block_energy(0.0 * RANDOM, BASIS) == 0
    assert off_block_energy(np.ones((8, 8)), BASIS) == pytest.approx(0.75)
    W = np.eye(8)
    W[0, 5] = 1e-9
    assert off_block_energy(W, BASIS) == pytest.approx(1e-18 / 8, rel=1e-9)


@pytest.mark.parametrize("measure", [off_block_energy, equivariance_error])
def test_measures_are_independent_of_scale_and_type(measure: Callable[..., float]) -> None:
    expected = measure(RANDOM, BASIS)
    for scale in (1e200, 1e-200):
        assert measure(RANDOM * scale, BASIS) == pytest.approx(expected)
    weight = torch.nn.Parameter(torch.from_numpy(RANDOM))
    assert measure(weight, BASIS) == expected
    assert measure(weight.to(torch.bfloat16), BASIS) == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("measure", [off_block_energy, equivariance_error, assert_equivariant])
def test_what_cannot_be_measured_is_refused(measure: Callable[..., object]) -> None:
    for W, words in (
        (RANDOM * np.nan, "must have finite entries"),
        (np.stack([RANDOM, RANDOM]), r"one linear map .* got shape \(2, 8, 8\)"),
        (np.zeros((3, 8)), r"has shape \(..., 8, 8\), got \(3, 8\)"),
    ):
        with pytest.raises(ValueError, match=words):
            measure(W, BASIS)
    with pytest.raises(TypeError, match="floats are required, got an array of complex128"):
        measure(RANDOM * 1j, BASIS)
    with pytest.raises(TypeError, match="basis must be a PrimeBasis"):
        measure(RANDOM, (3, 5))


def test_other_maps_and_wrong_shifts_are_refused() -> None:
    assert_equivariant(rotation(7, BASIS), BASIS)
    with pytest.raises(AssertionError, match=r"error is .* above the tolerance 1e-06; 0\.\d+ of"):
        assert_equivariant(RANDOM, BASIS)
    with pytest.raises(ValueError, match="at least one shift"):
        assert_equivariant(RANDOM, BASIS, shifts=())
    with pytest.raises(ValueError, match=r"one for each block, shape \(2, 2\), got shape \(3,\)"):
        rotation([1, 2, 3], BASIS)  # type: ignore[list-item]


@pytest.mark.parametrize(
    "basis",
    [
        PAPER_BASIS,
        PrimeBasis((2,), 1),
        PrimeBasis((3,), 1),
        PrimeBasis((2, 3, 59), 12),
        PrimeBasis((2, 2**31 - 1), 5),
        PrimeBasis((5, 7, 11), 1),
    ],
    ids=lambda basis: f"{len(basis.primes)}x{basis.depth}",
)
def test_all_checks_hold(basis: PrimeBasis) -> None:
    checks = check_theorem(basis)
    assert [check.statement for check in checks if not check.holds] == []
    assert {check.kind for check in checks} == {"exact", "numerical"}
    if basis == PAPER_BASIS:
        (note,) = [check.note for check in checks if check.relation is None]
        assert "1.5e-10 rad only: ill-conditioned" in note


def wrong_for_15(a: Any, b: Any, n: int, basis: PrimeBasis) -> Any:
    """Answer all sums modulo 15 wrongly, and those of other moduli rightly."""
    return theory.exact_sum_logits(a, b, n, basis) * (-1 if n == 15 else 1)


def test_a_check_compares_with_its_bound() -> None:
    def holds(relation: theorem.Relation | None) -> list[bool]:
        return [Check("", "exact", value, relation, 2).holds for value in (1, 2, 3)]

    assert holds("=") == [False, True, False]
    assert holds("≤") == [True, True, False]
    assert holds("≥") == [False, True, True]
    assert holds(None) == [True, True, True]
    assert not Check("", "numerical", float("nan"), "≤", 1).holds


@pytest.mark.parametrize(
    ("name", "wrong", "failed"),
    [
        ("project_to_equivariant", lambda W, basis: W * 0.5, 4),
        ("rotation", lambda b, basis: rotation(b, basis).T, 2),
        ("exact_sum_logits", wrong_for_15, 1),
    ],
)
def test_checks_fail_if_the_mathematics_is_wrong(
    monkeypatch: pytest.MonkeyPatch, name: str, wrong: Callable[..., Any], failed: int
) -> None:
    monkeypatch.setattr(theorem, name, wrong)
    assert sum(not check.holds for check in check_theorem(PrimeBasis((3, 5, 7), 1))) == failed
    with pytest.raises(ValueError, match="dimension must be at most 2000, got 2400"):
        check_theorem(PrimeBasis((3, 5, 7), depth=400))
