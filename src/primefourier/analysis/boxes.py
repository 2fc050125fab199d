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
_OWN = UNITS[torch.float64]
CODE_UNITS = {torch.float16: 2.0**-11, torch.bfloat16: 2.0**-8, **UNITS, torch.float64: 3 * _OWN}
"""What codes of two devices may differ by: one unit in the last place of a code just below 1, and
three in float64. Codes on MPS, which has no float64, differ by more."""
_GROW = 1 + 1e-9
"""Covers the rounding of the radii themselves, in float64."""
_ELEMENTARY = 8
"""Elementary functions (exp, tanh, …) are taken to be within 8 units in the last place."""
_FAR = 2000.0
"""Numbers so far below the largest have no share in a softmax: exp(-1900) is 0 in every dtype."""
MEET = "the samples of a batch meet in one operation"


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

    def move(self, function: Callable[[Tensor], Tensor]) -> Box:
        """Return the box whose numbers are moved, of samples that nobody follows."""
        return Box(function(self.middle), None if self.radius is None else function(self.radius))

    def holds(self, values: Tensor) -> bool:
        """Return whether values lie in the box; those of -inf where its middle is."""
        near = (values - self.middle).abs() <= self.spread
        return bool((near | (values == self.middle)).all())

    def require_apart(self, *axes: int) -> None:
        """Raise NoProofError if samples lie along one of the axes, which an operation joins."""
        if self.axis is not None and self.axis in {axis % self.middle.ndim for axis in axes}:
            raise NoProofError(MEET)


def gamma(terms: int, unit: float) -> float:
    """Return γ(n), the relative error of a sum of n rounded terms, plus that of the own middle."""
    if terms * unit > 0.01:
        raise NoProofError(f"a sum of {terms} terms has too few digits")
    return terms * unit / (1 - terms * unit) + terms * _OWN / (1 - terms * _OWN)


def _smallest(unit: float) -> float:
    """Return the smallest normal number, below which devices may round to 0."""
    return 2.0**-126 if unit > _OWN else 2.0**-1022


def _require_finite(size: Tensor, unit: float, share: float = 0.5) -> None:
    """Raise NoProofError if a value or a partial sum of this size may overflow."""
    largest = torch.finfo(torch.float32 if unit > _OWN else torch.float64).max
    if not bool((size <= share * largest).all()):
        raise NoProofError("a value may overflow, or is infinite")


def _rounded(middle: Tensor, radius: Tensor, scale: Tensor, unit: float, steps: int = 1) -> Box:
    """Return the box of a result whose roundings are relative to a scale."""
    _require_finite(scale, unit)
    # four times what a flush to 0 takes: results that are denormal may also be read as 0 later
    own = gamma(steps, unit) * scale + 4 * steps * _smallest(unit) * (1 + scale)
    return Box(middle, (radius + own) * _GROW)


def read(box: Box, unit: float, *, convert: bool) -> Box:
    """Return an operand as an operation reads it: in its dtype, with denormals perhaps as 0."""
    # an operand that is converted has another dtype: integers, or 0-dim tensors of float64
    if box.radius is not None and not convert:  # results have this in their radius
        return box
    box = replace(box, middle=box.middle.double())
    size, infinite = box.size, box.middle.isinf()
    lost = ((size > 0) & (size < _smallest(unit))) * _smallest(unit)
    if convert:
        exact = (box.middle == box.middle.round()) & (size <= 1 / unit) & (box.spread == 0)
        lost = lost + torch.where(exact | infinite, 0, 2 * unit * size)
        _require_finite(torch.where(infinite, 0, size), unit, share=1)
    return replace(box, radius=(box.spread + lost) * _GROW) if bool(lost.any()) else box


def as_box(value: Box | float, unit: float) -> Box:
    """Return a box; a Python number is rounded to the dtype of the operation first."""
    if isinstance(value, Box):
        return value
    return read(Box(torch.tensor(float(value), dtype=torch.float64)), unit, convert=True)


def _pair(unit: float, left: Box | float, right: Box | float) -> tuple[Box, Box]:
    """Return two operands of an elementwise operation, whose samples must lie side by side."""
    a, b = as_box(left, unit), as_box(right, unit)
    if len({a.place, b.place} - {None}) > 1:
        raise NoProofError(MEET)
    return a, b


def add(unit: float, left: Box | float, right: Box | float, *, alpha: float = 1) -> Box:
    """Bound left + alpha · right."""
    a, b = _pair(unit, left, right)
    if alpha != 1:
        b = multiply(unit, b, alpha)
    # scores and classes of -inf, which are switched off, stay so
    size = sum(torch.where(x.middle == -torch.inf, 0, x.size) for x in (a, b))
    return _rounded(a.middle + b.middle, a.spread + b.spread, torch.as_tensor(size), unit)


def subtract(unit: float, left: Box | float, right: Box | float, *, alpha: float = 1) -> Box:
    """Bound left - alpha · right."""
    return add(unit, left, right, alpha=-alpha)


def multiply(unit: float, left: Box | float, right: Box | float) -> Box:
    """Bound left · right."""
    a, b = _pair(unit, left, right)
    radius = a.size * b.spread + a.spread * b.middle.abs()
    return _rounded(a.middle * b.middle, radius, a.size * b.size, unit)


def divide(unit: float, left: Box | float, right: Box | float) -> Box:
    """Bound left / right, or left · (1 / right)."""
    a, b = _pair(unit, left, right)
    least = b.middle.abs() - b.spread
    if not bool((least > 1e-30).all()):
        raise NoProofError("a divisor may be 0")
    # the scale below is also that of left · (1 / right), which rounds the reciprocal
    quotient = a.middle / b.middle
    radius = (a.spread + quotient.abs() * b.spread) / least + 4 * _smallest(unit) * a.size
    return _rounded(quotient, radius, (a.size / least).maximum(1 / least), unit, 3)


def matmul(unit: float, left: Box, right: Box, bias: Box | None = None) -> Box:
    """Bound left @ right + bias, for every order of summation."""
    inner = left.middle.ndim - 1, max(0, right.middle.ndim - 2)
    left.require_apart(inner[0])
    right.require_apart(inner[1])
    places = {x.place for x in (left, right, bias) if x is not None} - {None}
    if right.place == (-1, right.turns) or len(places) > 1:
        raise NoProofError(MEET)
    terms = left.middle.shape[-1] + 2
    rate = gamma(terms, unit)
    weight, size = right.middle.abs(), left.size
    radius = (left.spread + rate * size) @ weight
    if right.radius is not None:
        radius = radius + size @ right.radius * (1 + rate)
    middle = left.middle @ right.middle
    least = 4 * terms * _smallest(unit) * (1 + float(size.max()) + float(right.size.max()))
    # radius / rate is at least the sum of all absolute terms, in every order
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
    return matmul(unit, x, weight.move(lambda t: t.T), bias)


def _increasing(function: Callable[[Tensor], Tensor], least: float = 1.0) -> Callable[..., Box]:
    """Return the bound of an increasing function, with an error relative to its size and least."""

    def bound(unit: float, x: Box) -> Box:
        # between the values at both ends, since it increases
        low, high = function(x.middle - x.spread), function(x.middle + x.spread)
        scale = low.abs().maximum(high.abs()) + least
        return _rounded((low + high) / 2, (high - low).abs() / 2, scale, unit, 4 * _ELEMENTARY)

    return bound


def _lipschitz(function: Callable[..., Tensor], most: float, steps: int = 0) -> Callable[..., Box]:
    """Return the bound of a function that changes by at most a constant times its input."""

    def bound(unit: float, x: Box, *options: Any, **named: Any) -> Box:
        middle = function(x.middle, *options, **named)
        if not steps and not options and not named:  # exact everywhere
            return Box(middle, None if x.radius is None else most * x.radius * _GROW)
        numbers = [one for one in (*options, *named.values()) if isinstance(one, int | float)]
        scale = torch.tensor(sum(map(abs, numbers), 0.0)) + (x.size + 1 if steps else 0)
        return _rounded(middle, most * x.spread, scale, unit, steps + 1)

    return bound


def leaky_relu(unit: float, x: Box, slope: float = 0.01) -> Box:
    """Bound a leaky ReLU."""
    most = max(1.0, abs(slope))
    return _rounded(functional.leaky_relu(x.middle, slope), most * x.spread, most * x.size, unit, 2)


def _joined(x: Box, axes: Sequence[int] | int | None) -> tuple[list[int], int]:
    """Return the axes that an operation joins, all if none are named, and how many numbers."""
    over = [axes] if isinstance(axes, int) else list(axes or range(x.middle.ndim))
    x.require_apart(*over)
    return over, math.prod(x.middle.shape[axis] for axis in over)


def total(
    unit: float, x: Box, axes: Sequence[int] | int | None = None, keepdim: bool = False,
    *, dtype: Any = None,  # noqa: ARG001, the operand has been converted
) -> Box:  # fmt: skip
    """Bound a sum over axes."""
    over, terms = _joined(x, axes)
    middle, radius, size = (t.sum(over, keepdim=keepdim) for t in (x.middle, x.spread, x.size))
    return _rounded(middle, radius, size, unit, terms)


def mean(unit: float, x: Box, axes: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Box:
    """Bound a mean over axes."""
    return divide(unit, total(unit, x, axes, keepdim, dtype=dtype), _joined(x, axes)[1])


def norm(
    unit: float, x: Box, order: float = 2, axes: Any = None, keepdim: bool = False,
    *, dtype: Any = None,  # noqa: ARG001
) -> Box:  # fmt: skip
    """Bound the Euclidean norm, which changes by at most the norm of a change."""
    if order != 2:
        raise NoProofError("there is no bound for this norm")
    over, terms = _joined(x, axes)
    middle, radius = (
        torch.linalg.vector_norm(t, dim=over, keepdim=keepdim) for t in (x.middle, x.spread)
    )
    _require_finite((middle + radius).square(), unit)
    radius = radius + math.sqrt(4 * terms * _smallest(unit))  # squares may be flushed to 0
    return _rounded(middle, radius, middle + radius, unit, terms + 4)


def softmax(unit: float, x: Box, axis: int, dtype: Any = None) -> Box:  # noqa: ARG001
    """Bound a softmax, computed at once or in blocks that are rescaled."""
    x.require_apart(axis)
    low, high = x.middle - x.spread, x.middle + x.spread
    far = high < low.amax(axis, keepdim=True) - _FAR  # also -inf
    size = torch.where(far, 0, x.size)
    _require_finite(size, unit)
    peak, count = high.amax(axis, keepdim=True), x.middle.shape[axis]
    # from above a share is at least 1e-300; from below it may be 0
    low, high = (low - peak).exp(), (high - peak).exp().clamp(min=1e-300)
    low = torch.where(low < 1e-300, 0, low)
    slack = 4 * count * _OWN  # of the sums, from which one term is taken away again
    least = low / (low + high.sum(axis, keepdim=True) * (1 + slack) - high)
    others = (low.sum(axis, keepdim=True) * (1 - slack) - low).clamp(min=0)
    most = high / (high + others)
    # an exponent is rounded relative to its size, the sum to its length, each block once more
    steps = 3 * count + 6 * _ELEMENTARY + math.ceil(8 * float(size.max()))
    return _rounded((least + most) / 2, (most - least) / 2, most, unit, steps)


def layer_norm(
    unit: float, x: Box, shape: Sequence[int], weight: Any = None, bias: Any = None,
    eps: float = 1e-5, *_: Any,
) -> Box:  # fmt: skip
    """Bound a layer norm: the variance of the differences from the mean, as Welford's."""
    # it holds for x / σ - mean / σ as well, but not for a variance of mean(x²) - mean(x)²
    axes = list(range(-len(shape), 0))
    average = mean(unit, x, axes, True)
    centered = subtract(unit, x, average)
    centered = _rounded(centered.middle, centered.spread, x.size + average.size, unit, 4)
    variance = mean(unit, multiply(unit, centered, centered), axes, True)
    deviation = _root(unit, add(unit, variance, eps))
    found = divide(unit, centered, deviation)
    found = found if weight is None else multiply(unit, found, weight)
    return found if bias is None else add(unit, found, bias)


def attention(
    unit: float, query: Box, key: Box, value: Box, mask: Any = None, dropout: float = 0.0,
    causal: bool = False, *, scale: float | None = None, enable_gqa: bool = False,
) -> Box:  # fmt: skip
    """Bound softmax(QKᵀ · scale) V."""
    if mask is not None or dropout or causal or enable_gqa:
        raise NoProofError("there is no bound for masked attention")
    for box in (query, key, value):
        box.require_apart(-1, -2)
    turned = replace(key.move(lambda t: t.mT), axis=key.axis, turns=key.turns)
    factor = query.middle.shape[-1] ** -0.5 if scale is None else abs(scale)
    _require_finite(query.size @ turned.size, unit)  # before they are scaled
    # factors before or after the product, also of the square root
    middle, spread, size = (t * factor for t in (query.middle, query.spread, query.size))
    middle = -middle if scale is not None and scale < 0 else middle
    scaled = replace(_rounded(middle, spread, size, unit, 8), axis=query.axis, turns=query.turns)
    scores = matmul(unit, scaled, turned)
    return matmul(unit, softmax(unit, replace(scores, axis=query.axis), -1), value)


def batch_norm(
    unit: float, x: Box, weight: Any, bias: Any, average: Any, variance: Any, training: bool,
    _: float, eps: float, *__: Any,
) -> Box:  # fmt: skip
    """Bound a batch norm with stored statistics."""
    if training or average is None:
        raise NoProofError(f"{MEET}, a batch norm")
    shape, one = (-1, *[1] * (x.middle.ndim - 2)), torch.ones(1, dtype=torch.float64)
    parts = [weight or Box(one), bias or Box(0 * one), average, variance]
    if any(part.axis is not None for part in parts):
        raise NoProofError(f"{MEET}, a batch norm")
    # one number for each channel, the second axis
    scale, offset, average, variance = (part.move(lambda t: t.reshape(shape)) for part in parts)
    factor = divide(unit, scale, _root(unit, add(unit, variance, eps)))
    found = add(unit, multiply(unit, subtract(unit, x, average), factor), offset)
    size = (x.size + average.size) * factor.size + offset.size  # factors may be folded
    return _rounded(found.middle, found.spread, size, unit, 8)


_root = _increasing(lambda value: value.clamp(min=0).sqrt(), 0.0)


def where(unit: float, mask: Box, left: Box | float, right: Box | float) -> Box:
    """Bound a choice by a constant mask."""
    if mask.axis is not None or mask.radius is not None:
        raise NoProofError("a mask depends on the input")
    (a, b), here = _pair(unit, left, right), mask.middle != 0
    return Box(torch.where(here, a.middle, b.middle), torch.where(here, a.spread, b.spread))


BOUNDS: dict[str, Callable[..., Box]] = {
    "linear": linear, "matmul": matmul, "mm": matmul, "bmm": matmul,
    "addmm": lambda unit, bias, left, right: matmul(unit, left, right, bias),
    "add": add, "sub": subtract, "mul": multiply, "div": divide,
    "sum": total, "mean": mean, "linalg_vector_norm": norm, "softmax": softmax,
    "layer_norm": layer_norm, "batch_norm": batch_norm, "scaled_dot_product_attention": attention,
    "rsub": lambda unit, left, right, alpha=1: subtract(unit, right, left, alpha=alpha),
    "where": where, "masked_fill": lambda unit, x, mask, fill: where(unit, mask, fill, x),
    "to": lambda _, x, *__, **___: x,  # has been converted when it was read
    "leaky_relu": leaky_relu,
    "neg": _lipschitz(torch.neg, 1), "abs": _lipschitz(torch.abs, 1),
    "relu": _lipschitz(torch.relu, 1), "clamp": _lipschitz(torch.clamp, 1),
    "clamp_min": _lipschitz(torch.clamp_min, 1), "hardtanh": _lipschitz(functional.hardtanh, 1),
    "exp": _increasing(torch.exp, 0.0), "tanh": _increasing(torch.tanh),
    "sigmoid": _increasing(torch.sigmoid),
    "elu": _increasing(functional.elu, 2.0), "selu": _increasing(functional.selu, 2.0),
    "gelu": _lipschitz(functional.gelu, 1.2, 4 * _ELEMENTARY),
    "silu": _lipschitz(functional.silu, 1.2, 4 * _ELEMENTARY),
}  # fmt: skip
"""The operations with a bound, by their names in torch's graphs."""
