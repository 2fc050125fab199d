"""Arithmetic on codes equals Python's on integers, and passes the stated gradients."""

import copy
import math
import operator
import pickle
from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from torch import Tensor

import primefourier as pf
from primefourier import PAPER_BASIS, PrimeBasis
from primefourier.nn import (
    CircleProduct,
    EquivariantLinear,
    add_codes,
    decode_codes,
    multiply_codes,
    negate_codes,
    power_codes,
    scale_codes,
    settle_residues,
    subtract_codes,
)
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


@given(BASES, NUMBERS, NUMBERS)
def test_sums_and_products_are_those_of_python(basis: PrimeBasis, a: int, b: int) -> None:
    x, y = code(a, basis), code(b, basis)
    assert integer(CircleProduct(basis)(x, y), basis) == (a + b) % basis.range
    assert integer(add_codes(x, y, basis), basis) == (a + b) % basis.range
    assert integer(subtract_codes(x, y, basis), basis) == (a - b) % basis.range
    assert integer(negate_codes(x, basis), basis) == -a % basis.range
    assert integer(multiply_codes(x, y, basis), basis) == a * b % basis.range
    assert integer(scale_codes(x, b, basis), basis) == a * b % basis.range


@given(BASES, NUMBERS, NUMBERS)
def test_powers_and_inverses_are_those_of_python(basis: PrimeBasis, a: int, n: int) -> None:
    if n < 0:
        assume(math.gcd(a, basis.range) == 1)
    found = power_codes(code(a, basis), n, basis)
    assert integer(found, basis) == pow(a, n, basis.range)


@pytest.mark.parametrize("exponent", [-3, -1, 0, 1, 2, 3, 7])
def test_every_power_modulo_900(exponent: int) -> None:
    found = power_codes(code(range(900), SMALL), exponent, SMALL)
    for a, row in enumerate(found.unflatten(-1, SMALL.shape)):
        for p, circles, periods in zip(SMALL.primes, row, SMALL.periods, strict=True):
            if exponent < 0 and a % p == 0:
                assert not circles.any(), "no inverse: zero, which no decoder takes for a number"
            else:
                right = code(pow(a, exponent, periods[-1]), SMALL).unflatten(-1, SMALL.shape)
                torch.testing.assert_close(circles, right[SMALL.primes.index(p)])


def test_results_are_exact_codes_in_the_dtype_of_the_input() -> None:
    """Errors do not add up: a hundred squarings of rough codes end in a perfect code."""
    for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        x = code(7, FLAT).to(dtype)
        for _ in range(100):
            x = multiply_codes(x, x, FLAT)
        assert x.dtype == dtype
        right = code(pow(7, 2**100, FLAT.range), FLAT, "float64").to(dtype)
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


def turn(z: Tensor, angle: Tensor) -> Tensor:
    """Turn one block by an angle."""
    c, s = torch.cos(angle), torch.sin(angle)
    return torch.stack([c * z[0] - s * z[1], s * z[0] + c * z[1]])


def derivative_in_turns(operation: Any, a: int) -> float:
    """Return d(angle of the output) / d(angle of the input) at the code of a, by autograd."""
    z = code(a, BLOCK, "float64")
    _, jvp = torch.autograd.functional.jvp(
        lambda angle: operation(turn(z, angle)),
        torch.tensor(0.0).double(),
        torch.tensor(1.0).double(),
    )
    w = operation(z)
    assert abs(float(jvp @ w)) < 1e-9, "the output stays on the circle"
    return float(w[0] * jvp[1] - w[1] * jvp[0])


@pytest.mark.parametrize("a", range(11))
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


@pytest.mark.parametrize("k", [-4, -1, 2, 5])
def test_gradients_are_those_of_the_relaxed_power(k: int) -> None:
    """Finite differences of z^k, the smooth function that the operation rounds."""
    z = code(3, BLOCK, "float64").requires_grad_()
    weights = torch.tensor([0.3, -1.7], dtype=torch.float64)
    (found,) = torch.autograd.grad(scale_codes(z, k, BLOCK) @ weights, z)
    start, step = complex(*z.tolist()), 1e-6
    for i, direction in enumerate((1, 1j)):
        ends = [(start + sign * step * direction) ** k for sign in (1, -1)]
        change = (ends[0] - ends[1]) / (2 * step)
        expected = weights[0] * change.real + weights[1] * change.imag
        assert float(found[i]) == pytest.approx(float(expected), abs=1e-6)


def test_smooth_operations_have_their_true_gradients() -> None:
    torch.manual_seed(0)
    a, b = (torch.randn(3, 12, dtype=torch.float64, requires_grad=True) for _ in range(2))
    assert torch.autograd.gradcheck(lambda x, y: add_codes(x, y, SMALL), (a, b))
    assert torch.autograd.gradcheck(lambda x, y: subtract_codes(x, y, SMALL), (a, b))
    assert torch.autograd.gradcheck(lambda x: negate_codes(x, SMALL), (a,))


def test_the_product_respects_addition_in_both_operands() -> None:
    """Turned by any weight of the equivariant layer, either operand turns the result alike."""
    torch.manual_seed(0)
    product, layer = CircleProduct(SMALL), EquivariantLinear(SMALL)
    a, b = torch.randn(2, 4, 12)
    torch.testing.assert_close(product(layer(a), b), layer(product(a, b)))
    torch.testing.assert_close(product(a, layer(b)), layer(product(a, b)))


def test_gradient_descent_finds_a_factor_through_rounding() -> None:
    """A learned shift behind an exact product: the straight-through gradient points the way."""
    basis = PrimeBasis((7,), 1)
    layer = EquivariantLinear(basis)
    with torch.no_grad():
        layer.weight.copy_(code(0, basis).reshape(1, 1, 2))
    x = code(range(7), basis)
    y = code([2 * (a + 1) for a in range(7)], basis)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.05)
    for _ in range(50):
        loss = (scale_codes(layer(x), 2, basis) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert settle_residues(layer(x), basis)[0].flatten().tolist() == [1, 2, 3, 4, 5, 6, 0]


def test_copies_of_the_module_are_complete_and_other_bases_refused() -> None:
    module = CircleProduct(SMALL)
    assert list(module.parameters()) == []
    for again in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        again.load_state_dict(module.state_dict())
        assert torch.equal(
            again(code(3, SMALL), code(4, SMALL)), module(code(3, SMALL), code(4, SMALL))
        )
    with pytest.raises(ValueError, match=r"saved with primes \(2, 3, 5\) and depth 2"):
        CircleProduct(BLOCK).load_state_dict(module.state_dict())


def test_wrong_arguments_are_refused() -> None:
    x = code(3, SMALL)
    calls: list[Callable[[], Tensor]] = [
        lambda: add_codes(x, code(3, BLOCK), SMALL),
        lambda: negate_codes(x, FLAT),
        lambda: multiply_codes(x, code(3, FLAT), SMALL),
        lambda: scale_codes(x, 2, FLAT),
    ]
    for call in calls:
        with pytest.raises(
            ValueError, match=r"codes must have shape \(..., .*\), got .* the basis"
        ):
            call()
    with pytest.raises(TypeError, match=r"codes must be floats, got a tensor of torch\.int64"):
        add_codes(torch.zeros(12, dtype=torch.int64), x, SMALL)
    for bad in (2.0, True, "2"):
        with pytest.raises((TypeError, ValueError), match="must be an integer"):
            scale_codes(x, bad, SMALL)  # type: ignore[arg-type]
        with pytest.raises((TypeError, ValueError), match="must be an integer"):
            power_codes(x, bad, SMALL)  # type: ignore[arg-type]
    deep = PrimeBasis((5,), 27)  # 2^62 < 5^27 < 2^63
    with pytest.raises(ValueError, match=r"needs periods below 2\^62, got 5\^27"):
        multiply_codes(code(3, deep), code(3, deep), deep)
    with pytest.raises(TypeError, match="basis must be a PrimeBasis"):
        multiply_codes(x, x, (2, 3, 5))  # type: ignore[arg-type]
