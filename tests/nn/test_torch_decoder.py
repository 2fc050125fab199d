"""Decoding by torch operations gives what ``decode`` gives, and Python's integers."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

import primefourier as pf
from primefourier import PAPER_BASIS, PrimeBasis
from primefourier.nn import decode_codes, settle_residues
from strategies import BASES, NUMBERS

SMALL = PrimeBasis((2, 3, 5), 2)
BARELY = PrimeBasis((2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47), 1)  # range < 2^63
HALVES = PrimeBasis((5, 2**31 - 1), 1)
LARGE = PrimeBasis((2, 4611686018427387847), 1)  # 2^62 - 57; the range is just below 2^63
FITTING = BASES.filter(lambda basis: basis.periods[-1][-1] < 2**63)


def code(values: Any, basis: PrimeBasis, dtype: str = "float32") -> Tensor:
    return torch.from_numpy(pf.encode(values, basis, dtype)).flatten(-3)


@given(FITTING, NUMBERS, st.booleans())
def test_values_are_those_of_python(basis: PrimeBasis, number: int, signed: bool) -> None:
    found = decode_codes(code(number, basis, "float64"), basis, signed=signed)
    right = number % basis.range
    if signed and right > basis.range // 2:
        right -= basis.range
    assert found.value.item() == right
    assert isinstance(found.value, Tensor) == (basis.range < 2**63)
    assert found.residues.tolist() == [number % row[-1] for row in basis.periods]
    assert found.margin > 0.99
    assert not found.mask


@pytest.mark.parametrize("basis", [SMALL, BARELY, HALVES, PAPER_BASIS])
@pytest.mark.parametrize("noise", [0.0, 0.01, 1.0])
def test_noisy_codes_are_read_as_decode_reads_them(basis: PrimeBasis, noise: float) -> None:
    generator = np.random.default_rng(0)
    numbers = generator.integers(2**62, size=200)
    exact = pf.encode(numbers, basis, "float64").reshape(200, -1)
    points = torch.from_numpy(exact + noise * generator.normal(size=exact.shape))
    found = decode_codes(points, basis)
    known = pf.decode(points, basis, min_margin=0, norm_tolerance=np.inf)
    assert found.value.tolist() == known.value.tolist()
    np.testing.assert_array_equal(found.residues, known.residues)
    np.testing.assert_allclose(
        found.margin, known.margin, rtol=0, atol=1e-6 if basis == HALVES else 1e-12
    )


@pytest.mark.parametrize("basis", [BARELY, HALVES, PrimeBasis((2, 3), 19), PrimeBasis((7,), 22)])
def test_no_step_overflows_at_the_ends_of_int64(basis: PrimeBasis) -> None:
    numbers = [basis.range - 1, basis.range - 2, basis.range // 2, basis.range // 3, 1, 0]
    found = decode_codes(code(numbers, basis, "float64"), basis)
    assert found.value.dtype == torch.int64
    assert found.value.tolist() == numbers
    signed = decode_codes(code(numbers, basis, "float64"), basis, signed=True)
    assert signed.value.tolist() == [-1, -2, *numbers[2:]]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float8_e4m3fn])
def test_narrow_codes_suffice(dtype: torch.dtype) -> None:
    numbers = [3**100, -1, 0]
    found = decode_codes(code(numbers, PAPER_BASIS).to(dtype), PAPER_BASIS)
    assert found.value.tolist() == [n % PAPER_BASIS.range for n in numbers]


def test_unclear_codes_are_masked() -> None:
    x = code([5] * 6, SMALL)
    x[1, 8:] = 0  # both circles of 5, which would pass for the number 0
    x[2, 3] = torch.nan
    x[3, 3] = torch.inf
    x[4, 4:6] = torch.tensor([-1.0, 0.01])  # nearly between the digits 1 and 2 of 3
    x[5] *= 100  # only angles count
    found = decode_codes(x, SMALL)
    assert found.mask.tolist() == [False, True, True, True, False, False]
    assert found.margin[1:5].tolist() == pytest.approx([0, 0, 0, 0.03 / math.pi], abs=1e-5)
    assert decode_codes(x, SMALL, min_margin=0.5).mask.tolist() == [0, 1, 1, 1, 1, 0]
    assert found.value[[0, 5]].tolist() == [5, 5]


def test_batches_of_every_shape_keep_it() -> None:
    for basis in (SMALL, PAPER_BASIS):
        for shape in ((), (0,), (3,), (2, 3)):
            found = decode_codes(torch.ones(*shape, basis.dim), basis)
            assert found.value.shape == found.margin.shape == found.mask.shape == shape
            assert found.residues.shape == (*shape, len(basis.primes))


def test_margins_name_the_digit_that_is_unclear() -> None:
    x = code(7, SMALL)
    x[6:8] = torch.tensor([0.0, 1.0])
    margins = settle_residues(x, SMALL)[1]
    assert (margins > 0.99).tolist() == [[True, True], [True, False], [True, True]]


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match=r"codes must have shape \(..., 12\), got \(3, 7\)"):
        decode_codes(torch.zeros(3, 7), SMALL)
    with pytest.raises(TypeError, match="codes must be a torch tensor, got a list"):
        decode_codes([1.0], SMALL)  # type: ignore[arg-type]
    deep = PrimeBasis((59,), 12)
    with pytest.raises(ValueError, match=r"below 2\^63, got 59\^12 .* use primefourier.decode"):
        decode_codes(code(3, deep), deep)
    with pytest.raises(ValueError, match="cannot separate the residues modulo 2147483647"):
        decode_codes(code(3, HALVES), HALVES)
    with pytest.raises(ValueError, match="cannot separate the residues modulo 46116"):
        decode_codes(torch.ones(4, dtype=torch.float64), LARGE)
    with pytest.raises(ValueError, match=r"min_margin must be a number between .* got an int, 2"):
        decode_codes(code(3, SMALL), SMALL, min_margin=2)
