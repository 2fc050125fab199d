"""Boxes: what float32 computes in any order lies in them, and each bound is attacked."""

import itertools
import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional

from primefourier.analysis.boxes import BOUNDS, UNITS, Box, NoProofError, gamma, read

UNIT = UNITS[torch.float32]
Operation = Callable[..., Tensor]


def moved(box: Box, generator: torch.Generator) -> Tensor:
    """Return float32 values anywhere in a box, often at its corners."""
    signs = torch.rand(box.middle.shape, generator=generator, dtype=torch.float64) * 4 - 2
    inside = (box.spread - 2.0**-23 * box.middle.abs()).clamp(min=0)  # float32 moves it, too
    return (box.middle + signs.clamp(-1, 1) * inside).float()


def box(*shape: int, seed: int, radius: float = 1e-5, scale: float = 1.0) -> Box:
    generator = torch.Generator().manual_seed(seed)
    middle = scale * torch.randn(*shape, generator=generator).double()
    return Box(middle, radius * torch.rand(*shape, generator=generator).double() + 1e-6 * scale)


X, Y, W, B = (box(5, 4, 6, seed=i) for i in range(4))
MATRIX, BIAS = Box(W.middle[0].float().double()), Box(B.middle[0, 0, :4].float().double())
UNARY: dict[str, Operation] = {
    "relu": torch.relu, "tanh": torch.tanh, "sigmoid": torch.sigmoid, "exp": torch.exp,
    "elu": functional.elu, "selu": functional.selu,
    "gelu": functional.gelu, "silu": functional.silu, "neg": torch.neg, "abs": torch.abs,
    "leaky_relu": functional.leaky_relu, "hardtanh": functional.hardtanh,
}  # fmt: skip
CASES: dict[str, tuple[Operation, tuple[object, ...]]] = {
    **{name: (function, (X,)) for name, function in UNARY.items()},
    "add": (torch.add, (X, Y)),
    "sub": (torch.sub, (X, Y)),
    "mul": (torch.mul, (X, Y)),
    "div": (torch.div, (X, Box(Y.middle.abs() + 0.5, Y.spread))),
    "linear": (functional.linear, (X, MATRIX, BIAS)),
    "matmul": (torch.matmul, (X, Box(Y.middle.mT, Y.spread.mT))),
    "sum": (torch.sum, (X, [-1])),
    "mean": (torch.mean, (X, [1, 2])),
    "linalg_vector_norm": (lambda x, p, dim: torch.linalg.vector_norm(x, p, dim), (X, 2, [-1])),
    "softmax": (torch.softmax, (box(5, 4, 6, seed=4, scale=10.0), -1)),
    "layer_norm": (functional.layer_norm, (X, [6], Box(BIAS.middle.new_ones(6)))),
    "scaled_dot_product_attention": (functional.scaled_dot_product_attention, (X, Y, W)),
    "clamp": (torch.clamp, (X, -0.1, 0.1)),
}
NUMBERS = torch.randn(5, 4, 6, generator=torch.Generator().manual_seed(9))
ODD = torch.arange(24).reshape(4, 6) % 2 == 1
EYE, STORED = torch.eye(6)[:4], torch.linspace(0.5, 1.5, 4)
SCALES = (0.0, 1e-45, 1e-40, 1e-38, 1e-30, 1e-22, 1e-19, 1e-10, 1.0, 1e6, 1e15, 1e20, 1e30, 1e38)
OPERATIONS: dict[str, tuple[Operation, Callable[[Tensor], tuple[object, ...]]]] = {
    **{name: (function, lambda x: (x,)) for name, function in UNARY.items()},
    "add": (torch.add, lambda x: (x, x.flip(0))),
    "sub": (torch.sub, lambda x: (x, 0.1)),
    "rsub": (torch.rsub, lambda x: (x, x.flip(0))),
    "mul": (torch.mul, lambda x: (x, x.flip(0))),
    "div": (torch.div, lambda x: (x.flip(0), x)),
    "sum": (torch.sum, lambda x: (x, [1, 2])),
    "mean": (torch.mean, lambda x: (x, [])),
    "linalg_vector_norm": (torch.linalg.vector_norm, lambda x: (x, 2, [])),
    "softmax": (torch.softmax, lambda x: (x, -1)),
    "linear": (functional.linear, lambda x: (x, EYE, STORED)),
    "matmul": (torch.matmul, lambda x: (x, x.mT)),
    "mm": (torch.mm, lambda x: (x[0], EYE.T)),
    "bmm": (torch.bmm, lambda x: (x, x.mT)),
    "addmm": (torch.addmm, lambda x: (STORED, x[0], EYE.T)),
    "layer_norm": (functional.layer_norm, lambda x: (x, [6], x[0, 0])),
    "batch_norm": (
        lambda x, weight, bias, average, variance, *_: functional.batch_norm(
            x, average, variance, weight, bias
        ),
        lambda x: (x, STORED, x[0, :, 0], x[1, :, 0], STORED, False, 0.1, 1e-5, True),
    ),
    "scaled_dot_product_attention": (
        functional.scaled_dot_product_attention,
        lambda x: (x, x.flip(0), x),
    ),
    "masked_fill": (Tensor.masked_fill, lambda x: (x, ODD, 0.1)),
    "where": (torch.where, lambda x: (ODD, x, -math.inf)),
    "to": (lambda x: x.float(), lambda x: (x,)),
    "clamp": (torch.clamp, lambda x: (x, -0.1, 0.1)),
    "clamp_min": (torch.clamp_min, lambda x: (x, 1e-12)),
}


def point(operand: object, generator: torch.Generator) -> object:
    """Return a point of an operand; weights, which have no radius, are exact."""
    if not isinstance(operand, Box):
        return operand
    return operand.middle.float() if operand.radius is None else moved(operand, generator)


@pytest.mark.parametrize("name", CASES)
def test_float32_stays_in_the_box_from_every_point_of_the_operands(name: str) -> None:
    function, operands = CASES[name]
    found = BOUNDS[name](UNIT, *operands)
    exact = [x.middle if isinstance(x, Box) else x for x in operands]
    assert torch.allclose(found.middle, function(*exact), rtol=1e-4, atol=1e-4)
    generator, widest = torch.Generator().manual_seed(0), torch.zeros(())
    for _ in range(100):
        given = [point(x, generator) for x in operands]
        away = (function(*given).double() - found.middle).abs()
        assert bool((away <= found.spread).all()), name
        widest = torch.maximum(widest, (away / found.spread).max())
    assert float(widest) > 0.01, "a bound that is never approached is no test"


def test_products_of_wide_boxes_have_the_products_of_their_corners() -> None:
    wide = Box(torch.tensor([1.0, -2.0]).double(), torch.tensor([3.0, 5.0]).double())
    for name, other in (("mul", wide), ("matmul", replace(wide))):
        found = BOUNDS[name](UNIT, wide, other)
        for corner in itertools.product((-1, 1), repeat=2):
            given = wide.middle + torch.tensor(corner) * wide.spread
            assert found.holds(given * given if name == "mul" else given @ given)


def test_a_sum_stays_in_the_box_in_every_order() -> None:
    """All 720 orders of six terms whose sum nearly cancels, one float32 addition at a time."""
    terms = torch.tensor([2.0**24, 1.0, -(2.0**24), 3.5, 2.0**-3, -4.25])
    found = BOUNDS["linear"](UNIT, Box(terms.double()[None]), Box(torch.ones(1, 6).double()))
    results = set()
    for order in itertools.permutations(range(6)):
        value = torch.zeros(())
        for i in order:
            value = value + terms[i]
        results.add(float(value))
    assert len(results) > 3
    assert all(abs(value - float(found.middle)) <= float(found.spread) for value in results)


def test_what_has_no_bound_is_refused() -> None:
    zero, near = torch.zeros(2, 3).double(), torch.full((2, 3), 1e-3).double()
    huge = Box(torch.full((2, 4), 1e38).double())
    signs = Box(torch.tensor([[4.0, -4.0, 4.0, -4.0]]).double())
    off = Box(torch.tensor([-torch.inf]).double())
    rows, columns = (Box(torch.zeros(4, 4).double(), None, axis) for axis in (0, 1))
    names: list[tuple[str, tuple[object, ...], str]] = [
        ("div", (1.0, Box(zero, near)), "a divisor may be 0"),
        ("div", (1.0, Box(near, 2 * near)), "a divisor may be 0"),
        ("mul", (Box(torch.full((2,), 1e30).double()), 1e30), "may overflow"),
        ("linear", (huge, signs), "may overflow"),  # partial sums, not the sum
        ("linear", (huge, signs, off), "may overflow"),  # NaN, although the bias is -inf
        ("sum", (rows, [0]), "samples of a batch meet"),
        ("sum", (rows, [-2]), "samples of a batch meet"),
        ("add", (rows, columns), "samples of a batch meet"),
        ("matmul", (Box(rows.middle), columns), "samples of a batch meet"),
        ("matmul", (rows, columns), "samples of a batch meet"),
        ("linear", (Box(rows.middle), rows), "depend on the batch"),
        ("softmax", (Box(torch.full((2, 3), -math.inf).double()), -1), "infinite"),
        ("scaled_dot_product_attention", (X, Y, W, None, 0.0, True), "masked attention"),
    ]
    for name, operands, words in names:
        with pytest.raises(NoProofError, match=words):
            BOUNDS[name](UNIT, *operands)
    with pytest.raises(NoProofError, match="too few digits"):
        gamma(2**20, UNIT)
    assert gamma(100, UNIT) >= 100 * UNIT, "one rounding for each term"


def test_a_bias_of_minus_infinity_switches_a_class_off() -> None:
    bias = Box(torch.tensor([0.5, -torch.inf]).double())
    found = BOUNDS["linear"](UNIT, X, Box(W.middle[0, :2]), bias)
    assert bool((found.middle[..., 1] == -torch.inf).all())
    assert bool((found.spread[..., 1] == 0).all())
    assert bool((found.spread[..., 0] > 0).all())


# From denormals to overflow, and from other dtypes


@contextmanager
def flushing(flush: bool) -> Iterator[None]:
    """Read and write denormals as 0, as some devices do."""
    torch.set_flush_denormal(flush)  # False on a processor without such a mode
    try:
        yield
    finally:
        torch.set_flush_denormal(False)


def bound(name: str, *operands: object) -> Box:
    """Return the bound of an operation in float32 on operands of any dtype."""

    def given(x: object) -> object:
        if not isinstance(x, Tensor):
            return x
        box = Box(x.double() if x.is_floating_point() else x)
        return read(box, UNIT, convert=x.dtype != torch.float32)

    return BOUNDS[name](UNIT, *map(given, operands))


@pytest.mark.parametrize("name", BOUNDS)
def test_numbers_of_every_size_are_bounded_or_refused(name: str) -> None:
    function, place = OPERATIONS[name]
    for scale, flush in itertools.product(SCALES, (False, True)):
        operands = place(NUMBERS * scale)
        try:
            found = bound(name, *operands)
        except NoProofError as error:
            true = "divisor|digits" if scale <= 1 else "divisor|digits|overflow"
            if re.search(true, str(error)):
                continue
            raise
        with flushing(flush):
            computed = function(*operands)
        assert found.holds(computed.double()), (scale, flush)


MIXED = {
    "an integer that float32 does not have": torch.tensor(2**24 + 1),
    "a negative one": torch.tensor(-(2**31) - 1),
    "a 0-dim float64": torch.tensor(0.1, dtype=torch.float64),
    "a large 0-dim float64": torch.tensor(2.0**24 + 1, dtype=torch.float64),
    "a Python number": 0.1,
    "a denormal": 1e-40,
}


@pytest.mark.parametrize("other", MIXED)
def test_an_operand_of_another_dtype_is_rounded_first(other: str) -> None:
    number = MIXED[other]
    orders: dict[str, tuple[tuple[object, ...], ...]] = {
        **dict.fromkeys(("add", "sub", "mul", "div"), ((NUMBERS, number),)),
        "masked_fill": ((NUMBERS, ODD, number),),
        "where": ((ODD, NUMBERS, number), (ODD, number, NUMBERS)),
    }
    for name, operands in ((name, one) for name, many in orders.items() for one in many):
        if name == "div" and other == "a denormal":
            with pytest.raises(NoProofError, match="a divisor may be 0"):
                bound(name, *operands)
            continue
        computed = OPERATIONS[name][0](*operands)
        assert computed.dtype == torch.float32
        assert bound(name, *operands).holds(computed.double())
    wide = Box(NUMBERS.double() * 1e3, torch.full_like(NUMBERS, 1e-9).double())
    rounded = read(wide, UNIT, convert=True)  # a result of float64 that float32 reads
    assert rounded.holds(wide.middle.float().double())


def test_integers_are_converted_before_they_are_bounded() -> None:
    fourteen = torch.full((3,), 14)
    found = bound("exp", fourteen)
    exact = fourteen.double().exp()
    assert bool(((found.middle - exact).abs() <= found.spread).all())
    assert float(found.spread.min()) >= 8 * 2.0**-24 * float(exact[0]), "8 units in the last place"
    assert bound("to", fourteen).radius is None
    assert bound("mul", NUMBERS, torch.tensor(True)).holds(NUMBERS.double())
    assert bound("to", torch.tensor([2**24 + 1])).holds(torch.tensor([2.0**24], dtype=torch.double))


def test_a_quotient_may_be_a_product_with_the_reciprocal() -> None:
    x = NUMBERS.flatten()
    for divisor in torch.linspace(1, 2, 300, dtype=torch.float64).tolist():
        product = x * float(np.float32(1) / np.float32(divisor))
        assert bound("div", x, divisor).holds(product.double())


def test_scores_of_minus_infinity_have_no_share_in_a_softmax() -> None:
    off = torch.ones(6, 6, dtype=torch.bool).triu(1)
    scores = 20 * NUMBERS[:, :1].expand(5, 6, 6)
    for fill in (-math.inf, -1e9, torch.finfo(torch.float32).min):
        masked = bound("masked_fill", scores, off, fill)
        found = BOUNDS["softmax"](UNIT, masked, -1)
        computed = scores.masked_fill(off, fill).softmax(-1)
        assert found.holds(computed.double())
        assert float(found.size[:, off].max()) < 1e-30
        added = bound("add", scores, torch.zeros(6, 6).masked_fill(off, -math.inf))
        assert BOUNDS["softmax"](UNIT, added, -1).holds(computed.double())


def test_a_softmax_of_wide_boxes_stays_in_its_box() -> None:
    """One entry that may be anything, between others whose shares its own decides."""
    middle = torch.tensor([[0.0, -40.0, -80.0]], dtype=torch.float64)
    wide = Box(middle, torch.tensor([[40.0, 1e-6, 60.0]], dtype=torch.float64))
    found = BOUNDS["softmax"](UNIT, wide, -1)
    for first, last in itertools.product((-40.0, 0.0, 40.0), (-140.0, -20.0)):
        values = torch.tensor([[first, -40.0, last]])
        assert found.holds(values.softmax(-1).double())


@pytest.mark.parametrize(("average", "deviation"), [(0.0, 1.0), (1e3, 0.1), (1e2, 1e-3)])
def test_a_layer_norm_is_bounded_in_both_usual_forms(average: float, deviation: float) -> None:
    x = NUMBERS * deviation + average
    found = bound("layer_norm", x, [6])
    mean = x.mean(-1, keepdim=True)
    factor = torch.rsqrt((x - mean).square().mean(-1, keepdim=True) + 1e-5)
    for computed in (functional.layer_norm(x, (6,)), x * factor - mean * factor):
        assert found.holds(computed.double())


@pytest.mark.parametrize("scale", [None, 0.0, -3.0, 1e-3])
def test_the_scale_of_attention_is_the_one_that_is_given(scale: float | None) -> None:
    computed = functional.scaled_dot_product_attention(NUMBERS, NUMBERS, NUMBERS, scale=scale)
    boxes = [Box(NUMBERS.double())] * 3
    found = BOUNDS["scaled_dot_product_attention"](UNIT, *boxes, scale=scale)
    assert found.holds(computed.double())
    with pytest.raises(NoProofError, match="masked attention"):
        BOUNDS["scaled_dot_product_attention"](UNIT, *boxes, enable_gqa=True)


def test_no_axes_are_all_axes() -> None:
    samples = Box(NUMBERS.double(), None, 0)
    for name, options in (("sum", ([],)), ("mean", ([],)), ("linalg_vector_norm", (2, []))):
        with pytest.raises(NoProofError, match="samples of a batch meet"):
            BOUNDS[name](UNIT, samples, *options)
    statistics = [replace(samples, axis=None) for _ in range(2)]
    with pytest.raises(NoProofError, match="samples of a batch meet"):
        BOUNDS["batch_norm"](UNIT, samples, samples, None, *statistics, False, 0.1, 1e-5, True)
