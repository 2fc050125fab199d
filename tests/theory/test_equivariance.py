import numpy as np
import pytest
import torch

from primefourier import PAPER_BASIS, PrimeBasis
from primefourier.theory import (
    assert_equivariant,
    equivariance_error,
    off_block_energy,
    project_to_equivariant,
    rotation,
)

BASIS = PrimeBasis((3, 5), 2)
RANDOM = np.random.default_rng(0).normal(size=(BASIS.dim, BASIS.dim))


def test_rotations_are_equivariant_and_random_maps_are_not() -> None:
    assert equivariance_error(rotation(7, BASIS), BASIS) < 1e-15
    assert equivariance_error(RANDOM, BASIS) > 0.5
    assert equivariance_error(np.zeros((8, 8)), BASIS) == 0


def test_over_the_whole_group_it_measures_the_distance_from_the_commutant() -> None:
    errors = [equivariance_error(RANDOM, BASIS, shifts=[b]) for b in range(BASIS.range)]
    distance = np.linalg.norm(RANDOM - project_to_equivariant(RANDOM, BASIS))
    expected = np.sqrt(2) * distance / np.linalg.norm(RANDOM)
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(expected, rel=1e-12)


def test_a_coupling_that_the_shift_by_one_forgives_is_found() -> None:
    W = np.zeros((192, 192))
    W[-2:, -14:-12] = np.eye(2)  # from the block of period 53^6 to that of 59^6
    assert equivariance_error(W, PAPER_BASIS, shifts=[1]) < 1e-9
    assert equivariance_error(W, PAPER_BASIS) > 0.1


def test_the_assertion_carries_the_numbers() -> None:
    assert_equivariant(rotation(7, BASIS), BASIS)
    with pytest.raises(
        AssertionError, match=r"its error is .* above the tolerance 1e-06; 0\.\d+ of"
    ):
        assert_equivariant(RANDOM, BASIS)


def test_off_block_energy_counts_what_is_outside() -> None:
    assert off_block_energy(rotation(7, BASIS), BASIS) == 0
    assert off_block_energy(np.ones((8, 8)), BASIS) == pytest.approx(0.75)
    assert off_block_energy(np.zeros((8, 8)), BASIS) == 0


def test_small_couplings_are_not_lost_to_rounding() -> None:
    W = np.eye(8)
    W[0, 5] = 1e-9
    assert off_block_energy(W, BASIS) == pytest.approx(1e-18 / 8, rel=1e-9)
    for scale in (1e200, 1e-200):
        assert off_block_energy(RANDOM * scale, BASIS) == pytest.approx(
            off_block_energy(RANDOM, BASIS)
        )
        assert equivariance_error(RANDOM * scale, BASIS) == pytest.approx(
            equivariance_error(RANDOM, BASIS)
        )


def test_what_cannot_be_measured_is_refused() -> None:
    for measure in (off_block_energy, equivariance_error, assert_equivariant):
        with pytest.raises(ValueError, match="must have finite entries"):
            measure(RANDOM * np.nan, BASIS)
        with pytest.raises(TypeError, match="floats are required, got an array of complex128"):
            measure(RANDOM * 1j, BASIS)
        with pytest.raises(ValueError, match=r"one linear map at a time .* got shape \(2, 8, 8\)"):
            measure(np.stack([RANDOM, RANDOM]), BASIS)
        with pytest.raises(TypeError, match="basis must be a PrimeBasis"):
            measure(RANDOM, (3, 5))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least one shift"):
        assert_equivariant(RANDOM, BASIS, shifts=())


def test_a_trained_weight_can_be_measured_as_it_is() -> None:
    weight = torch.nn.Parameter(torch.from_numpy(RANDOM))
    assert equivariance_error(weight, BASIS) == equivariance_error(RANDOM, BASIS)
    assert off_block_energy(weight.to(torch.bfloat16), BASIS) == pytest.approx(
        off_block_energy(RANDOM, BASIS), rel=0.02
    )
