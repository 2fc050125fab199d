import numpy as np
import pytest
from hypothesis import given

import primefourier as pf
from primefourier import PAPER_BASIS, PrimeBasis
from primefourier.theory import rotation, spread_shifts
from strategies import BASES, NUMBERS


@given(BASES, NUMBERS, NUMBERS)
def test_rotation_adds(basis: PrimeBasis, a: int, b: int) -> None:
    turned = rotation(b, basis) @ pf.encode(a, basis, "float64").reshape(-1)
    np.testing.assert_allclose(
        turned, pf.encode(a + b, basis, "float64").reshape(-1), rtol=0, atol=1e-15
    )


@given(BASES, NUMBERS, NUMBERS)
def test_rotation_is_a_representation(basis: PrimeBasis, a: int, b: int) -> None:
    R = rotation(a, basis)
    np.testing.assert_allclose(R @ rotation(b, basis), rotation(a + b, basis), rtol=0, atol=2e-15)
    np.testing.assert_allclose(R @ R.T, np.eye(basis.dim), rtol=0, atol=1e-15)
    np.testing.assert_array_equal(rotation(a + basis.range, basis), R)


def test_the_product_group_turns_blocks_one_by_one() -> None:
    basis = PrimeBasis((3, 5), depth=2)
    steps = np.array([[1, 4], [0, 7]])
    got = rotation(steps.tolist(), basis).reshape(4, 2, 4, 2)
    for block, (step, period) in enumerate(zip(steps.flat, (3, 9, 5, 25), strict=True)):
        angle = 2 * np.pi * step / period
        turn = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        np.testing.assert_allclose(got[block, :, block], turn, atol=1e-15)
    np.testing.assert_array_equal(
        rotation(np.full((2, 2), 11).tolist(), basis), rotation(11, basis)
    )


def test_other_shapes_of_shifts_are_refused() -> None:
    with pytest.raises(ValueError, match=r"one for each block, shape \(2, 2\), got shape \(3,\)"):
        rotation([1, 2, 3], PrimeBasis((3, 5), 2))  # type: ignore[list-item]


def test_spread_shifts_turn_every_block_far() -> None:
    angles = [pf.encode(b, PAPER_BASIS, "float64")[..., 1] for b in spread_shifts(PAPER_BASIS)]
    assert np.abs(np.stack(angles)).max(axis=0).min() > 0.05
    assert spread_shifts(PAPER_BASIS)[0] == 1
