"""Boxes: tensors known up to rounding, and what each operation of a network does to them.

A box holds every value that an IEEE device can compute, in any order of summation, with or without
fused multiply-add. Each operation carries |computed - middle| <= radius forward: what its operands
may differ by, and what its own roundings add, γ(n) = nu / (1 - nu) for a sum of n terms with the
unit u of its dtype. Middles are computed in float64, whose rounding is counted as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

UNITS = {torch.float32: 2.0**-24, torch.float64: 2.0**-53}
"""Half a unit in the last place of 1, for the dtypes whose arithmetic is bounded."""
CODE_UNITS = {torch.float16: 2.0**-11, torch.bfloat16: 2.0**-8, **UNITS}
"""One unit in the last place of a code just below 1: what codes of two devices may differ by."""
_OWN = UNITS[torch.float64]
_GROW = 1 + 1e-9
"""Covers the rounding of the radii themselves, in float64."""
_ELEMENTARY = 8
"""Elementary functions (exp, tanh, …) are taken to be within 8 units in the last place."""


class NoProofError(Exception):
    """Why a bound or a graph is missing; its text completes "there is no proof, since …"."""


@dataclass(frozen=True)
class Box:
    """All values that a device can compute for a tensor.

    Args:
        middle: The center in float64; or integers and booleans, which are exact.
        radius: The largest difference from it; None if there is none.
        axis: The axis along which the samples of a batch lie; None for what all samples share, and
            where nobody follows the samples.
        turns: How often the samples follow each other along that axis.
    """

    middle: Tensor
    radius: Tensor | None = None
    axis: int | None = None
    turns: int = 1

    @property
    def spread(self) -> Tensor:
        """The radius as a tensor."""
        return torch.zeros_like(self.middle) if self.radius is None else self.radius

    @property
    def size(self) -> Tensor:
        """The largest absolute value."""
        return self.middle.abs() if self.radius is None else self.middle.abs() + self.radius

    @property
    def is_float(self) -> bool:
        """Whether it holds real numbers, and neither integers nor booleans."""
        return self.middle.is_floating_point()

    @property
    def place(self) -> tuple[int, int] | None:
        """Where samples lie, counted from the last axis; None for what all samples share."""
        return None if self.axis is None else (self.axis - self.middle.ndim, self.turns)

    def require_apart(self, *axes: int) -> None:
        """Raise NoProofError if samples lie along one of the axes, which an operation joins."""
        if self.axis is not None and self.axis in {axis % self.middle.ndim for axis in axes}:
            raise NoProofError("the samples of a batch meet in one operation")


def gamma(terms: int, unit: float) -> float:
    """Return γ(n), the relative error of a sum of n rounded terms, plus that of the own middle."""
    if terms * unit > 0.01:
        raise NoProofError(f"a sum of {terms} terms has too few digits")
    return terms * unit / (1 - terms * unit) + terms * _OWN / (1 - terms * _OWN)


def _smallest(unit: float) -> float:
    """Return the smallest normal number, below which devices may round to 0."""
    return 2.0**-126 if unit > _OWN else 2.0**-1022


def _require_finite(size: Tensor, unit: float) -> None:
    """Raise NoProofError if a value or a partial sum of this size may overflow."""
    largest = torch.finfo(torch.float32 if unit > _OWN else torch.float64).max
    if not bool((size < largest / 2).all()):
        raise NoProofError("a value may overflow")


def _rounded(middle: Tensor, radius: Tensor, scale: Tensor, unit: float, steps: int = 1) -> Box:
    """Return the box of a result whose roundings are relative to a scale."""
    _require_finite(scale, unit)
    own = gamma(steps, unit) * scale + steps * _smallest(unit) * (1 + scale)
    return Box(middle, (radius + own) * _GROW)


def as_box(value: Box | float, unit: float) -> Box:
    """Return a box; a Python number is rounded to the dtype of the operation first."""
    if isinstance(value, Box):
        return value
    number = torch.tensor(float(value), dtype=torch.float64)
    return Box(number, unit * number.abs())


def _pair(unit: float, left: Box | float, right: Box | float) -> tuple[Box, Box]:
    """Return two operands of an elementwise operation, whose samples must lie side by side."""
    a, b = as_box(left, unit), as_box(right, unit)
    if len({a.place, b.place} - {None}) > 1:
        raise NoProofError("the samples of a batch meet in one operation")
    return a, b


def add(unit: float, left: Box | float, right: Box | float, *, alpha: float = 1) -> Box:
    """Bound left + alpha · right."""
    a, b = _pair(unit, left, right)
    if alpha != 1:
        b = multiply(unit, b, alpha)
    radius = a.spread + b.spread
    return _rounded(a.middle + b.middle, radius, a.size + b.size, unit)


def subtract(unit: float, left: Box | float, right: Box | float, *, alpha: float = 1) -> Box:
    """Bound left - alpha · right."""
    return add(unit, left, right, alpha=-alpha)


def multiply(unit: float, left: Box | float, right: Box | float) -> Box:
    """Bound left · right."""
    a, b = _pair(unit, left, right)
    radius = a.size * b.spread + a.spread * b.middle.abs()
    return _rounded(a.middle * b.middle, radius, a.size * b.size, unit)


def divide(unit: float, left: Box | float, right: Box | float) -> Box:
    """Bound left / right."""
    a, b = _pair(unit, left, right)
    least = b.middle.abs() - b.spread
    if not bool((least > 1e-30).all()):
        raise NoProofError("a divisor may be 0")
    quotient = a.middle / b.middle
    radius = (a.spread + quotient.abs() * b.spread) / least
    return _rounded(quotient, radius, (a.size / least).maximum(1 / least), unit)


def matmul(unit: float, left: Box, right: Box, bias: Box | None = None) -> Box:
    """Bound left @ right + bias, for every order of summation."""
    inner = left.middle.ndim - 1, max(0, right.middle.ndim - 2)
    left.require_apart(inner[0])
    right.require_apart(inner[1])
    if right.place == (-1, right.turns) or len({left.place, right.place} - {None}) > 1:
        raise NoProofError("the samples of a batch meet in one operation")
    terms = left.middle.shape[-1] + 2
    rate = gamma(terms, unit)
    weight, size = right.middle.abs(), left.size
    radius = (left.spread + rate * size) @ weight
    if right.radius is not None:
        radius = radius + size @ right.radius * (1 + rate)
    middle = left.middle @ right.middle
    least = terms * _smallest(unit) * (1 + float(size.max()) + float(right.size.max()))
    _require_finite(radius / rate, unit)  # also for a class that its bias switches off
    if bias is not None:
        middle = middle + bias.middle
        radius = radius + bias.spread + rate * bias.size
    unused = middle == -torch.inf  # a class that is switched off by its bias stays switched off
    radius = torch.where(unused, 0, (radius + least) * _GROW)
    _require_finite(radius / rate, unit)
    return Box(middle, radius)


def linear(unit: float, x: Box, weight: Box, bias: Box | None = None) -> Box:
    """Bound a linear layer."""
    if weight.axis is not None or (bias is not None and bias.axis is not None):
        raise NoProofError("the weights of a layer depend on the batch")
    flipped = None if weight.radius is None else weight.radius.T
    return matmul(unit, x, Box(weight.middle.T, flipped), bias)


def addmm(unit: float, bias: Box, left: Box, right: Box) -> Box:
    """Bound bias + left @ right."""
    return matmul(unit, left, right, bias)


def _increasing(function: Callable[[Tensor], Tensor], least: float = 1.0) -> Callable[..., Box]:
    """Return the bound of an increasing function, with an error relative to its size and least."""

    def bound(unit: float, x: Box) -> Box:
        low, high = function(x.middle - x.spread), function(x.middle + x.spread)
        scale = low.abs().maximum(high.abs()) + least
        return _rounded((low + high) / 2, (high - low).abs() / 2, scale, unit, 4 * _ELEMENTARY)

    return bound


def _lipschitz(function: Callable[..., Tensor], most: float, steps: int = 0) -> Callable[..., Box]:
    """Return the bound of a function that changes by at most a constant times its input."""

    def bound(unit: float, x: Box, *options: float | None, **named: Any) -> Box:
        middle = function(x.middle, *options, **named)
        if not steps and not options and not named:  # exact everywhere
            return Box(middle, None if x.radius is None else most * x.radius * _GROW)
        scale = x.size + sum((abs(float(one)) for one in options if one is not None), 1.0)
        return _rounded(middle, most * x.spread, scale, unit, steps + 1)

    return bound


def _leaky(unit: float, x: Box, slope: float = 0.01) -> Box:
    """Bound a leaky ReLU."""
    most = max(1.0, abs(slope))
    return _rounded(functional.leaky_relu(x.middle, slope), most * x.spread, most * x.size, unit, 2)


def total(
    unit: float, x: Box, axes: Sequence[int] | int | None = None, keepdim: bool = False, **_: Any
) -> Box:
    """Bound a sum over axes."""
    over = range(x.middle.ndim) if axes is None else [axes] if isinstance(axes, int) else axes
    over = list(over) or list(range(x.middle.ndim))
    x.require_apart(*over)
    terms = math.prod(x.middle.shape[axis] for axis in over)
    middle, radius, size = (t.sum(over, keepdim=keepdim) for t in (x.middle, x.spread, x.size))
    return _rounded(middle, radius, size, unit, terms)


def mean(
    unit: float, x: Box, axes: Sequence[int] | int | None = None, keepdim: bool = False, **_: Any
) -> Box:
    """Bound a mean over axes."""
    summed = total(unit, x, axes, keepdim)
    return divide(unit, summed, x.middle.numel() / summed.middle.numel())


def norm(
    unit: float, x: Box, order: float = 2, axes: Any = None, keepdim: bool = False, **_: Any
) -> Box:
    """Bound the Euclidean norm, which changes by at most the norm of a change."""
    if order != 2 or axes is None:
        raise NoProofError("there is no bound for this norm")
    x.require_apart(*axes)
    terms = math.prod(x.middle.shape[axis] for axis in axes)
    middle, radius = (
        torch.linalg.vector_norm(t, dim=axes, keepdim=keepdim) for t in (x.middle, x.spread)
    )
    return _rounded(middle, radius, middle + radius, unit, terms + 4)


def softmax(unit: float, x: Box, axis: int, dtype: Any = None, half: bool = False) -> Box:
    """Bound a softmax, computed at once or in blocks that are rescaled."""
    if half or dtype not in (None, torch.float32, torch.float64):
        raise NoProofError("there is no bound for a softmax in another dtype")
    x.require_apart(axis)
    top = (x.middle + x.spread).amax(axis, keepdim=True)
    low, high = (x.middle - x.spread - top).exp(), (x.middle + x.spread - top).exp()
    least = low / (low + high.sum(axis, keepdim=True) - high)
    most = high / (high + low.sum(axis, keepdim=True) - low)
    # each exponent is rounded relative to its size, the sum to its length
    steps = x.middle.shape[axis] + 4 * _ELEMENTARY + math.ceil(4 * float(x.size.max()))
    return _rounded((least + most) / 2, (most - least) / 2, most, unit, steps)


def layer_norm(
    unit: float, x: Box, shape: Sequence[int], weight: Any = None, bias: Any = None,
    eps: float = 1e-5, *_: Any,
) -> Box:  # fmt: skip
    """Bound a layer norm: the variance of the differences from the mean, as Welford's."""
    axes = list(range(-len(shape), 0))
    x.require_apart(*axes)
    centered = subtract(unit, x, mean(unit, x, axes, True))
    variance = mean(unit, multiply(unit, centered, centered), axes, True)
    deviation = _root(unit, add(unit, variance, eps))
    found = divide(unit, centered, deviation)
    found = found if weight is None else multiply(unit, found, weight)
    return found if bias is None else add(unit, found, bias)


def attention(
    unit: float, query: Box, key: Box, value: Box, mask: Any = None, dropout: float = 0.0,
    causal: bool = False, *, scale: float | None = None, **_: Any,
) -> Box:  # fmt: skip
    """Bound softmax(QKᵀ · scale) V."""
    if mask is not None or dropout or causal:
        raise NoProofError("there is no bound for masked attention")
    for box in (query, key, value):
        box.require_apart(-1, -2)
    turned = replace(key, middle=key.middle.mT, radius=key.spread.mT)
    scores = matmul(unit, query, turned)
    scores = multiply(unit, scores, scale or query.middle.shape[-1] ** -0.5)
    return matmul(unit, softmax(unit, replace(scores, axis=query.axis), -1), value)


def batch_norm(
    unit: float, x: Box, weight: Any, bias: Any, average: Any, variance: Any, training: bool,
    _: float, eps: float, *__: Any,
) -> Box:  # fmt: skip
    """Bound a batch norm with stored statistics."""
    if training or average is None:
        raise NoProofError("the samples of a batch meet in one operation, a batch norm")
    shape = (-1, *[1] * (x.middle.ndim - 2))
    spread, shift = (variance.middle + eps).rsqrt(), average.middle
    factor = (spread if weight is None else spread * weight.middle).reshape(shape)
    offset = torch.zeros_like(shift) if bias is None else bias.middle
    shift, offset = shift.reshape(shape), offset.reshape(shape)
    scale = (x.size + shift.abs()) * factor.abs() + offset.abs()  # also for folded factors
    middle = (x.middle - shift) * factor + offset
    return _rounded(middle, x.spread * factor.abs(), scale, unit, 2 * _ELEMENTARY)


_root = _increasing(lambda value: value.clamp(min=0).sqrt(), 0.0)


def masked_fill(unit: float, x: Box, mask: Box, value: Any) -> Box:
    """Bound the filling of constant places with a number."""
    if mask.axis is not None:
        raise NoProofError("a mask depends on the input")
    fill = as_box(value, unit)
    middle = torch.where(mask.middle, fill.middle, x.middle)
    return Box(middle, torch.where(mask.middle, fill.spread.nan_to_num(0, 0), x.spread))


def where(unit: float, mask: Box, left: Box | float, right: Box | float) -> Box:
    """Bound a choice by a constant mask."""
    if mask.axis is not None:
        raise NoProofError("a mask depends on the input")
    a, b = _pair(unit, left, right)
    radius = torch.where(mask.middle, a.spread.nan_to_num(0, 0), b.spread.nan_to_num(0, 0))
    return Box(torch.where(mask.middle, a.middle, b.middle), radius)


def convert(unit: float, x: Box, *_: Any, **__: Any) -> Box:
    """Bound the rounding to a dtype."""
    return _rounded(x.middle, x.spread, x.size, unit)


BOUNDS: dict[str, Callable[..., Box]] = {
    "linear": linear, "matmul": matmul, "mm": matmul, "bmm": matmul, "addmm": addmm,
    "add": add, "sub": subtract, "mul": multiply, "div": divide, "sum": total,
    "mean": mean, "linalg_vector_norm": norm, "softmax": softmax, "layer_norm": layer_norm,
    "batch_norm": batch_norm, "scaled_dot_product_attention": attention,
    "masked_fill": masked_fill, "where": where, "to": convert, "leaky_relu": _leaky,
    "neg": _lipschitz(torch.neg, 1), "abs": _lipschitz(torch.abs, 1),
    "relu": _lipschitz(torch.relu, 1), "clamp": _lipschitz(torch.clamp, 1),
    "clamp_min": _lipschitz(torch.clamp_min, 1), "hardtanh": _lipschitz(functional.hardtanh, 1),
    "exp": _increasing(torch.exp, 0.0), "tanh": _increasing(torch.tanh),
    "sigmoid": _increasing(torch.sigmoid),
    "elu": _increasing(functional.elu), "selu": _increasing(functional.selu),
    "gelu": _lipschitz(functional.gelu, 1.2, 4 * _ELEMENTARY),
    "silu": _lipschitz(functional.silu, 1.2, 4 * _ELEMENTARY),
}  # fmt: skip
"""The operations with a bound, by their names in torch's graphs."""
