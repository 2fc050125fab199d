"""Decoding and arithmetic by torch operations: Python's integers, and the stated gradients."""

import math
import operator
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from torch import Tensor

import primefourier as pf
from primefourier import PAPER_BASIS, PrimeBasis
from primefourier.nn import (
    CircleProduct,
    add_codes,
    decode_codes,
    multiply_codes,
    negate_codes,
    power_codes,
    scale_codes,
    settle_residues,
    subtract_codes,
)
from strategies import BASES as ANY_BASES
from strategies import NUMBERS

FLAT = PrimeBasis(PAPER_BASIS.primes, 1)
SMALL = PrimeBasis((2, 3, 5), 2)
BASES = st.sampled_from(
    [FLAT, PAPER_BASIS, SMALL, PrimeBasis((2, 59), 3), PrimeBasis((3,), 39), PrimeBasis((2,), 1)]
)
"""Among them 3^39, the largest power of 3 below 2^62, and the prime 2."""


def code(values: Any, basis: PrimeBasis, dtype: str = "float32") -> Tensor:
    return torch.from_numpy(pf.encode(values, basis, dtype)).flatten(-3)


def integer(codes: Tensor, basis: PrimeBasis) -> int:
    return int(pf.decode(codes, basis).value)


@settings(max_examples=15)
@given(BASES, NUMBERS, NUMBERS)
def test_sums_and_products_are_those_of_python(basis: PrimeBasis, a: int, b: int) -> None:
    x, y = code(a, basis), code(b, basis)
    assert integer(CircleProduct(basis)(x, y), basis) == (a + b) % basis.range
    assert integer(add_codes(x, y, basis), basis) == (a + b) % basis.range
    assert integer(subtract_codes(x, y, basis), basis) == (a - b) % basis.range
    assert integer(negate_codes(x, basis), basis) == -a % basis.range
    assert integer(multiply_codes(x, y, basis), basis) == a * b % basis.range
    assert integer(scale_codes(x, b, basis), basis) == a * b % basis.range


@settings(max_examples=15)
@given(BASES, NUMBERS, NUMBERS)
def test_powers_and_inverses_are_those_of_python(basis: PrimeBasis, a: int, n: int) -> None:
    if n < 0:
        assume(math.gcd(a, basis.range) == 1)
    found = power_codes(code(a, basis), n, basis)
    assert integer(found, basis) == pow(a, n, basis.range)


@pytest.mark.parametrize("exponent", [-3, 0, 7])
def test_every_power_modulo_900(exponent: int) -> None:
    found = power_codes(code(range(900), SMALL), exponent, SMALL).unflatten(-1, SMALL.shape)
    for i, (p, periods) in enumerate(zip(SMALL.primes, SMALL.periods, strict=True)):
        known = [a for a in range(900) if exponent >= 0 or a % p]
        lost = [*{*range(900)} - {*known}]
        right = code([pow(a, exponent, periods[-1]) for a in known], SMALL)
        torch.testing.assert_close(found[known, i], right.unflatten(-1, SMALL.shape)[:, i])
        assert not found[lost, i].any(), "no inverse: zero, which no decoder takes for a number"


def test_results_are_exact_codes_in_the_dtype_of_the_input() -> None:
    """Errors do not add up: thirty squarings of rough codes end in a perfect code."""
    for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        x = code(7, FLAT).to(dtype)
        for _ in range(30):
            x = multiply_codes(x, x, FLAT)
        assert x.dtype == dtype
        right = code(pow(7, 2**30, FLAT.range), FLAT, "float64").to(dtype)
        torch.testing.assert_close(x, right, rtol=torch.finfo(dtype).eps, atol=0)


def test_operands_broadcast() -> None:
    a, b = code(range(5), SMALL)[:, None], code([-1, 10**30], SMALL)
    for operation, right in (
        (add_codes, operator.add),
        (subtract_codes, operator.sub),
        (multiply_codes, operator.mul),
    ):
        expected = [[right(x, y) % 900 for y in (-1, 10**30)] for x in range(5)]
        assert decode_codes(operation(a, b, SMALL), SMALL).value.tolist() == expected
    assert multiply_codes(a[:0], b, SMALL).shape == (0, 2, 12)


def test_what_has_no_angle_stays_unknown() -> None:
    x = code([7, 7, 7], SMALL)
    x[0, 4:6] = 0  # the circle of period 3
    x[1, 4] = torch.inf
    x[2, 4] = torch.nan
    x.requires_grad_()
    for found in (
        multiply_codes(x, x, SMALL),
        scale_codes(x, 2, SMALL),
        power_codes(x, 3, SMALL),
        multiply_codes(power_codes(code(3, SMALL), -1, SMALL).expand(3, -1), x, SMALL),
    ):
        rows = found.unflatten(-1, SMALL.shape)
        assert not rows[:, 1].any()
        torch.testing.assert_close(rows[:, [0, 2]].norm(dim=-1), torch.ones(3, 2, 2))
        assert decode_codes(found, SMALL).mask.all()
        (gradient,) = torch.autograd.grad(found.sum(), x, allow_unused=True)
        assert gradient.isfinite().all()
        with pytest.raises(ValueError, match="its norm is 0"):
            pf.decode(found.detach(), SMALL)


BLOCK = PrimeBasis((11,), 1)


def derivative_in_turns(operation: Any, a: int) -> float:
    """Return d(angle of the output) / d(angle of the input) at the code of a, by autograd."""
    angle = torch.tensor(2 * math.pi * a / 11, dtype=torch.float64, requires_grad=True)
    w = operation(torch.stack([angle.cos(), angle.sin()]))
    du, dv = (torch.autograd.grad(x, angle, retain_graph=True)[0].item() for x in w)
    u, v = w.tolist()
    assert abs(du * u + dv * v) < 1e-9, "the output stays on the circle"
    return float(u * dv - v * du)


@pytest.mark.parametrize("a", [0, 1, 3, 10])
def test_gradients_are_the_centred_derivatives(a: int) -> None:
    def centred(n: int) -> int:
        return (n + 5) % 11 - 5

    b = code(7, BLOCK, "float64")
    cases = [
        (lambda z: scale_codes(z, 9 + 11 * 10**20, BLOCK), centred(9)),
        (lambda z: multiply_codes(z, b, BLOCK), centred(7)),
        (lambda z: multiply_codes(b, z, BLOCK), centred(7)),
        (lambda z: multiply_codes(z, z, BLOCK), 2 * centred(a)),
        (lambda z: power_codes(z, 3, BLOCK), centred(3 * a * a)),
        (lambda z: power_codes(z, 0, BLOCK), 0),
    ]
    if a:
        cases.append((lambda z: power_codes(z, -1, BLOCK), centred(-pow(a, -2, 11))))
    for operation, slope in cases:
        assert derivative_in_turns(operation, a) == pytest.approx(slope, abs=1e-9)


def test_smooth_operations_have_their_true_gradients() -> None:
    torch.manual_seed(0)
    a, b = (torch.randn(3, 12, dtype=torch.float64, requires_grad=True) for _ in range(2))
    assert torch.autograd.gradcheck(lambda x, y: add_codes(x, y, SMALL), (a, b))
    assert torch.autograd.gradcheck(lambda x, y: subtract_codes(x, y, SMALL), (a, b))
    assert torch.autograd.gradcheck(lambda x: negate_codes(x, SMALL), (a,))


BARELY = PrimeBasis((2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47), 1)  # range < 2^63
HALVES = PrimeBasis((5, 2**31 - 1), 1)
LARGE = PrimeBasis((2, 4611686018427387847), 1)  # 2^62 - 57; the range is just below 2^63
FITTING = ANY_BASES.filter(lambda basis: basis.periods[-1][-1] < 2**63)


@settings(max_examples=30)
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
    clear = settle_residues(code(7, SMALL) * torch.arange(1, 13).ge(9), SMALL)[1] > 0.99
    assert clear.tolist() == [[False, False], [False, False], [True, True]]


DEEP, WIDE = PrimeBasis((5,), 27), PrimeBasis((59,), 12)  # 2^62 < 5^27 < 2^63 < 59^12
X: Any = code(3, SMALL)


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: add_codes(X, code(3, BLOCK), SMALL), ValueError, r"\(..., 12\), got .* basis"),
        (lambda: negate_codes(X, FLAT), ValueError, r"shape \(..., 32\), got \(12,\); .* basis"),
        (lambda: multiply_codes(X, X, FLAT), ValueError, "codes must have shape"),
        (lambda: scale_codes(X, 2, FLAT), ValueError, "codes must have shape"),
        (lambda: scale_codes(X, True, SMALL), TypeError, "factor must be an integer"),
        (lambda: power_codes(X, cast(Any, 2.0), SMALL), TypeError, "exponent must be an integer"),
        (lambda: add_codes(X.long(), X, SMALL), TypeError, "must be floats, got a tensor of torch"),
        (lambda: multiply_codes(X, X, cast(Any, (2, 3, 5))), TypeError, "must be a PrimeBasis"),
        (lambda: scale_codes(code(3, DEEP), 2, DEEP), ValueError, r"below 2\^62, got 5\^27"),
        (lambda: decode_codes(torch.zeros(3, 7), SMALL), ValueError, r"\(..., 12\), got \(3, 7\)"),
        (lambda: decode_codes(cast(Any, [1.0]), SMALL), TypeError, "a torch tensor, got a list"),
        (lambda: decode_codes(code(3, WIDE), WIDE), ValueError, r"2\^63, got 59\^12 .*use"),
        (lambda: decode_codes(code(3, HALVES), HALVES), ValueError, "cannot separate the residues"),
        (lambda: decode_codes(code(3, LARGE, "float64"), LARGE), ValueError, "separate .* 4611"),
        (lambda: decode_codes(X, SMALL, min_margin=2), ValueError, "min_margin must .* an int, 2"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused(
    call: Callable[[], object], kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        call()
