"""Boxes: what float32 computes in any order lies in them, and each bound is attacked."""

import itertools
from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from primefourier.analysis.boxes import BOUNDS, UNITS, Box, NoProofError, gamma

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
    for _ in range(200):
        given = [point(x, generator) for x in operands]
        away = (function(*given).double() - found.middle).abs()
        assert bool((away <= found.spread).all()), name
        widest = torch.maximum(widest, (away / found.spread).max())
    assert float(widest) > 0.01, "a bound that is never approached is no test"


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
    zero = Box(torch.zeros(2, 3).double(), torch.full((2, 3), 1e-9).double())
    with pytest.raises(NoProofError, match="a divisor may be 0"):
        BOUNDS["div"](UNIT, 1.0, zero)
    with pytest.raises(NoProofError, match="may overflow"):
        BOUNDS["mul"](UNIT, Box(torch.full((2,), 1e30).double()), 1e30)
    huge = Box(torch.full((2, 4), 1e38).double())
    signs = Box(torch.tensor([[1.0, -1.0, 1.0, -1.0]]).double())
    with pytest.raises(NoProofError, match="may overflow"):  # partial sums overflow, not the sum
        BOUNDS["linear"](UNIT, huge, Box(4 * signs.middle))
    off = Box(torch.tensor([-torch.inf]).double())
    with pytest.raises(NoProofError, match="may overflow"):  # NaN, although the bias is -inf
        BOUNDS["linear"](UNIT, huge, Box(4 * signs.middle), off)
    with pytest.raises(NoProofError, match="too few digits"):
        gamma(2**20, UNIT)
    with pytest.raises(NoProofError, match="samples of a batch meet"):
        BOUNDS["sum"](UNIT, Box(torch.zeros(4, 3).double(), None, 0), [0])
    with pytest.raises(NoProofError, match="samples of a batch meet"):
        BOUNDS["add"](
            UNIT, Box(torch.zeros(4, 4).double(), None, 0), Box(torch.zeros(4, 4), None, 1)
        )
    with pytest.raises(NoProofError, match="masked attention"):
        BOUNDS["scaled_dot_product_attention"](UNIT, X, Y, W, None, 0.0, True)


def test_a_bias_of_minus_infinity_switches_a_class_off() -> None:
    bias = Box(torch.tensor([0.5, -torch.inf]).double())
    found = BOUNDS["linear"](UNIT, X, Box(W.middle[0, :2]), bias)
    assert bool((found.middle[..., 1] == -torch.inf).all())
    assert bool((found.spread[..., 1] == 0).all())
    assert bool((found.spread[..., 0] > 0).all())
