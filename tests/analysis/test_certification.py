"""Certificates: proved for all integers by a finite check, or refused, or a counterexample."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from primefourier import CharacterBasis, PrimeBasis
from primefourier.analysis import certify
from primefourier.nn import PrimeFourierEmbedding
from primefourier.theory import exact_product_logits

BASIS = PrimeBasis((3, 5), depth=1)


class Adder(nn.Module):
    """Exact logits of (a + b) mod 15 from the circles of 3 and 5; reads codes."""

    def __init__(self) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(15))
        self.wrong: tuple[int, int] | None = None

    def forward(self, codes: Tensor) -> Tensor:
        a, b = codes.unflatten(2, (2, 2)).unbind(1)
        turned = torch.complex(*a.unbind(-1)) * torch.complex(*b.unbind(-1))
        sums = torch.arange(15)[:, None] / torch.tensor([3, 5])
        logits = (turned[:, None] * torch.polar(torch.ones(15, 2), -2 * torch.pi * sums)).real.sum(
            2
        )
        if self.wrong is not None:
            here = PrimeFourierEmbedding(BASIS)(torch.tensor([self.wrong]))
            logits[(codes - here).abs().amax((1, 2)) < 1e-3, 7] += 100
        return logits + self.bias


class Reader(nn.Module):
    """The same, from integers through an embedding called once per operand."""

    def __init__(self, basis: PrimeBasis = BASIS) -> None:
        super().__init__()
        self.embedding = PrimeFourierEmbedding(basis)
        self.adder = Adder()

    def forward(self, x: Tensor) -> Tensor:
        first, second = self.embedding(x[:, 0]), self.embedding(x[:, 1])
        found: Tensor = self.adder(torch.stack([first, second], dim=1)[..., :4])
        return found


def add(x: Tensor) -> Tensor:
    return x.sum(1) % 15


@pytest.mark.parametrize("model", [Adder(), Reader()])
def test_an_exact_network_is_proved(model: nn.Module) -> None:
    found = certify(model, BASIS, add, batch_size=50)
    assert found.proved
    assert (found.modulus, found.cases, found.wrong) == (15, 225, 0)
    assert found.margin > 0.4
    assert found.rounding < 1e-5
    assert found.explain().startswith("Proved for all integers: right on all 225 tuples")


def test_a_single_wrong_logit_is_found() -> None:
    model = Adder()
    model.wrong = (14, 2)
    found = certify(model, BASIS, add)
    assert not found.proved
    assert (found.wrong, found.counterexample, found.expected, found.answer) == (1, (14, 2), 1, 7)
    assert "For (14, 2) the answer is 7, not 1." in found.explain()


def test_a_network_that_is_right_only_by_rounding_is_not_proved() -> None:
    model = Adder()
    with torch.no_grad():  # an offset of all logits hides the differences below float32's digits
        model.bias.fill_(1e7)
    found = certify(model, BASIS, add)
    assert (found.proved, found.wrong) == (False, 0)
    assert 0 < found.margin <= 2 * found.rounding
    assert found.explain().startswith("Not proved: right on all 225 tuples")


def test_a_circle_whose_period_does_not_divide_the_modulus_is_refused() -> None:
    with pytest.raises(ValueError, match="reads a circle of period 7, which does not divide 15"):
        certify(Reader(PrimeBasis((3, 5, 7), depth=1)), BASIS, add)


MOVES: dict[str, Callable[[Tensor], Tensor]] = {
    "long": lambda x: x.long(),
    "to": lambda x: x.to(torch.int64),
    "clone and detach": lambda x: x.clone().detach(),
    "flip": lambda x: x.flip(1),
    "stack of columns": lambda x: torch.stack([x[:, 1], x[:, 0]], dim=1),
    "reshape": lambda x: x.reshape(-1).view(-1, 2).swapaxes(0, 1).mT.contiguous(),
}


@pytest.mark.parametrize("move", MOVES.values(), ids=MOVES)
def test_integers_may_be_moved_on_their_way_to_the_embedding(
    move: Callable[[Tensor], Tensor],
) -> None:
    class Moving(Reader):
        def forward(self, x: Tensor) -> Tensor:
            return super().forward(move(x))

    assert certify(Moving(), BASIS, add).proved


class Clamped(PrimeFourierEmbedding):
    """Codes of integers up to 1000."""

    def forward(
        self,
        x: Tensor,
        padding_mask: Tensor | None = None,
        *,
        attention_mask: Tensor | None = None,
    ) -> Tensor:
        return super().forward(x.clamp(max=1000), padding_mask, attention_mask=attention_mask)


TABLE = torch.arange(4000)
CHEATS: dict[str, Callable[[Tensor], Tensor]] = {
    "sum": lambda x: x + (x.sum(1, keepdim=True) > 10**6),
    "int8": lambda x: x.to(torch.int8),
    "int32": lambda x: x.to(torch.int32),
    "int": lambda x: x.clone().int(),
    "write": lambda x: x.clone().fill_(3),
    "bytes": lambda x: x.view(torch.int32)[:, ::2],
    "table": lambda x: TABLE[x],
    "unwrapped": lambda x: x.as_subclass(Tensor).clamp(max=100),
    "small window": lambda x: torch.where(x.as_subclass(Tensor).abs() > 10**5, 0, x),
}


@pytest.mark.parametrize("cheat", CHEATS.values(), ids=CHEATS)
def test_integers_used_outside_the_embedding_are_refused(cheat: Callable[[Tensor], Tensor]) -> None:
    class Cheat(Reader):
        def forward(self, x: Tensor) -> Tensor:
            return super().forward(cheat(x))

    with pytest.raises(ValueError, match=r"computes with its integers|not the same for integers"):
        certify(Cheat(), BASIS, add)


def test_embeddings_that_do_more_are_refused() -> None:
    clamped, hooked, limited = Reader(), Reader(), Reader()
    clamped.embedding = Clamped(BASIS)
    hooked.embedding.register_forward_hook(
        lambda module, given, codes: codes * (given[0] < 9)[:, None]
    )
    limited.embedding = PrimeFourierEmbedding(BASIS, num_embeddings=15)
    for model, words in ((clamped, "got a Clamped"), (hooked, "hooks"), (limited, "table of 15")):
        with pytest.raises(ValueError, match=words):
            certify(model, BASIS, add)


def test_chance_is_no_rounding() -> None:
    class Noisy(Adder):
        def forward(self, codes: Tensor) -> Tensor:
            return super().forward(codes) + 0.01 * torch.randn(len(codes), 1)

    with pytest.raises(ValueError, match="not the same every time"):
        certify(Noisy(), BASIS, add)


def test_a_network_that_fails_for_single_inputs_is_not_proved() -> None:
    class Social(Adder):
        def forward(self, codes: Tensor) -> Tensor:
            return super().forward(codes).roll(int(len(codes) < 2), 1)

    assert not certify(Social(), BASIS, add).proved


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"label": lambda x: x.sum(1) % 7}, "label must depend only on the operands modulo 15"),
        ({"label": lambda x: x.sum(1).fmod(15).abs()}, "label must depend only on the operands"),
        ({"label": lambda x: x.sum(1) % 15 + 1}, "labels must be classes 0 … 14 .* got 1 … 15"),
        ({"label": lambda x: x % 15}, r"one integer for each of 1000 tuples .* shape \(1000, 2\)"),
        ({"basis": PrimeBasis((3, 5, 7, 11, 13, 17, 19), depth=1)}, "checks at most 5000000 cases"),
        ({"most_cases": 0}, "most_cases must be an integer of at least 1, got 0"),
        ({"most_cases": 224}, r"at most 224 cases, got 225 = 15\^2"),
        ({"model": nn.Flatten(0)}, r"logits of shape \(225, classes\)"),
    ],
)
def test_what_cannot_be_proved_is_refused(options: dict[str, Any], words: str) -> None:
    arguments: dict[str, Any] = {"model": Adder(), "basis": BASIS, "label": add} | options
    with pytest.raises(ValueError, match=words):
        certify(**arguments)


def test_products_are_certified_without_overflow() -> None:
    class Product(nn.Module):
        def forward(self, codes: Tensor) -> Tensor:
            angles = torch.atan2(codes[..., 1], codes[..., 0]) / (2 * torch.pi) * 3
            return nn.functional.one_hot(angles.round().long().prod(1) % 3, 3).float()

    found = certify(Product(), PrimeBasis((3,), 1), lambda x: x.prod(1) % 3)
    assert (found.proved, found.counterexample) == (True, None)


class Multiplier(nn.Module):
    """Exact logits of a·b mod 35 from codes of characters; one pair can be made wrong."""

    basis = CharacterBasis((5, 7))

    def __init__(self, wrong: tuple[int, int] | None = None) -> None:
        super().__init__()
        self.wrong = wrong

    def forward(self, codes: Tensor) -> Tensor:
        a, b = codes.unbind(1)
        logits = torch.from_numpy(exact_product_logits(a, b, 35, self.basis))
        if self.wrong is not None:
            here = torch.from_numpy(self.basis.encode(self.wrong, "float64")).flatten(1)
            logits[(codes - here).abs().amax((1, 2)) < 1e-3, 8] += 100
        return logits


def test_a_network_of_characters_is_proved_or_refuted() -> None:
    def multiply(x: Tensor) -> Tensor:
        return (x % 35).prod(1) % 35

    found = certify(Multiplier(), Multiplier.basis, multiply)
    assert (found.proved, found.modulus, found.cases) == (True, 35, 35**2)
    assert certify(Multiplier((30, 14)), Multiplier.basis, multiply).counterexample == (30, 14)
    with pytest.raises(ValueError, match="depend only on the operands modulo 35"):
        certify(Multiplier(), Multiplier.basis, lambda x: x.sum(1) % 33)
