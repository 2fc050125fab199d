"""Repairs of networks whose cause is built in, and of networks that were trained."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from built_networks import RANGE, N, Network
from primefourier import PrimeBasis, lab
from primefourier.analysis import diagnose, repair
from primefourier.analysis.repairs import moved_hands
from primefourier.nn import PrimeFourierEmbedding

PRIMES = (3, 7, 11, 13, 23)


def built(depth: int = 1, *, alias: float = 0.0, slow: bool = False) -> Network:
    """Return a network that reads 1/23 as 10/231 and knows where that is right, or slow circles."""
    return Network(*PRIMES[3:], depth=depth, alias=alias, slow=slow)


@pytest.fixture(scope="module")
def cheater() -> Any:
    """A network like that of the README, with first powers: it reads 17 as a circle of 33."""
    config = lab.ModelConfig(
        embedding=lab.PrimeFourier((3, 5, 11, 17), 1),
        task=lab.ModularArithmetic("add", modulus=33, input_range=100),
        training=lab.Training(epochs=40),
        seed=42,
    )
    return lab.train(config)


def test_a_trained_network_is_right_with_one_hand_moved(cheater: Any) -> None:
    found = repair(cheater, cheater.embedding.basis, 33, 100)
    ((channel, period, harmonic, degrees),) = found.moved
    assert (channel, period, harmonic) == ((17, 0), 17, 2)
    assert degrees == pytest.approx(360 * (1 / 17 - 2 / 33) * 99 / 2)
    assert (found.cause, found.slow) == ("alias", frozenset())
    assert found.accuracy["trained"][1] < 1 / 33 < 0.99 < min(found.accuracy["alias"])
    assert (found.error, found.share > 0.6) == (12, True)
    low, high = (found.accuracy[way][1] for way in ("trained", "alias"))
    assert found.explain().startswith(
        f"The network reads 17 as a circle of 33: with the hand there, {low:.2f} becomes "
        f"{high:.2f} on the integers from 100 to 199 and "
    )
    assert "no weight was changed" in found.explain()
    assert found.explain().endswith("of the wrong answers are too large by 12.")


def test_repair_and_diagnosis_agree_and_change_nothing(cheater: Any) -> None:
    cheater.train()
    before = {name: value.clone() for name, value in cheater.state_dict().items()}
    found = repair(cheater, cheater.embedding.basis, 33, 100)
    assert all(module.training for module in cheater.modules())
    assert not any(m._forward_hooks for m in cheater.modules())
    assert all(torch.equal(value, before[name]) for name, value in cheater.state_dict().items())
    verdict = diagnose(cheater, modulus=33, input_range=100, beyond=(200, 10**6))
    known = [verdict.accuracy, *verdict.beyond.values()]
    assert found.accuracy["trained"] == tuple(known), "the same seed draws the same integers"
    assert verdict.unneeded == (17,)


@pytest.mark.parametrize(
    ("options", "input_range", "cause", "words"),
    [
        ({"alias": 5.0}, RANGE, "alias", "reads 23 as a circle of 231: with the hand there"),
        ({"depth": 6, "slow": True}, 150, "slow", "takes slow circles for constants: with"),
        (
            {"alias": 5.0, "depth": 6, "slow": True},
            150,
            "both",
            "reads 23 as a circle of 231 and takes slow circles for constants: with the hands",
        ),
    ],
)
def test_a_cause_that_is_built_in_is_found(
    options: dict[str, Any], input_range: int, cause: str, words: str
) -> None:
    model = built(**options)
    found = repair(model, model.embedding.basis, N, input_range)
    assert found.accuracy["trained"][0] >= 0.99 > min(found.accuracy["trained"])
    assert (found.cause, [c.period for c in found.moved]) == (cause, [23] * ("alias" in options))
    assert {p ** (d + 1) > input_range for p, d in found.slow} <= {True}
    assert f"The network {words}" in found.explain()


class Answers(nn.Module):
    """Reads codes of 3 and 11, and answers as a function of the integers says."""

    def __init__(self, answer: Any, depth: int = 1) -> None:
        super().__init__()
        self.embedding = PrimeFourierEmbedding(PrimeBasis((3, 11), depth))
        self.answer = answer

    def forward(self, x: Tensor) -> Tensor:
        logits = nn.functional.one_hot(self.answer(x) % 33, 33).float()
        codes = self.embedding(x=x)  # named, as some models do
        assert isinstance(codes, Tensor)
        return logits + 0 * codes.sum((1, 2)).unsqueeze(1)


@pytest.mark.parametrize(
    ("answer", "depth", "input_range", "words"),
    [
        (lambda x: x.sum(1), 1, 100, "Right on integers below 1000000: nothing needs to be"),
        (lambda x: 0 * x.sum(1), 1, 100, "Not learned: accuracy 0.03"),
        (lambda x: x.sum(1) + (x > 99).any(1), 1, 100, "No circle was found that it takes for"),
        (lambda x: x.sum(1) + (x > 99).any(1), 4, 100, "If it takes slow circles for constants, "),
        (lambda x: x.clamp(max=9).sum(1), 1, 10, "No sum of integers below 10 reaches 33: it"),
    ],
)
def test_what_cannot_be_repaired_is_said(
    answer: Any, depth: int, input_range: int, words: str
) -> None:
    model = Answers(answer, depth)
    found = repair(model, model.embedding.basis, 33, input_range)
    assert found.cause is None
    assert words in found.explain()
    assert ("too large by 1." in found.explain()) == ("> 99" in words or found.error == 1)


def test_nan_is_no_answer() -> None:
    class Diverged(Answers):
        def forward(self, x: Tensor) -> Tensor:
            return super().forward(x) * math.nan

    model = Diverged(lambda x: x.sum(1))
    found = repair(model, model.embedding.basis, 33, 100)
    assert (found.unanswered, found.accuracy["trained"], found.cause) == (4000, (0, 0, 0), None)
    assert found.explain() == "Logits are NaN on 4000 inputs below 100: nothing can be repaired."


def test_an_untrained_network_has_nothing_to_repair() -> None:
    basis = PrimeBasis((3, 11), 1)
    model = nn.Sequential(PrimeFourierEmbedding(basis), nn.Flatten(), nn.Linear(8, 33))
    assert repair(model, basis, 33, 100).explain().startswith("Not learned: accuracy 0.0")


def test_codes_of_another_module_and_missing_integers_are_read() -> None:
    """An embedding of one's own takes ``at``; a padded operand stays without a hand."""

    class Codes(nn.Module):
        def __init__(self, embedding: nn.Module) -> None:
            super().__init__()
            self.inner = [embedding]  # in a list, so that it is no submodule

        def forward(self, x: Tensor) -> Tensor:
            codes = self.inner[0](x)
            assert isinstance(codes, Tensor)
            return codes.masked_fill((x < 0).unsqueeze(-1), 0)

    model: Any = built(alias=5.0)
    basis = model.embedding.basis
    expected = repair(model, basis, N, RANGE)
    model.embedding, model.embedding.basis = Codes(model.embedding), basis
    assert repair(model, basis, N, RANGE, at=model.embedding) == expected
    x = torch.tensor([-1, 24])
    with moved_hands(model.embedding, basis, N, expected.moved):
        moved = model.embedding(x).unflatten(-1, (-1, 2))
    (circle,) = expected.moved
    turns = 10 * 24 / 231 + circle.degrees / 360
    assert moved[0].eq(0).all()
    hand = torch.tensor([math.cos(math.tau * turns), math.sin(math.tau * turns)])
    assert torch.allclose(moved[1, 4], hand, atol=1e-6)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"basis": PrimeBasis((3, 7), 1)}, "basis must be the one that the model reads"),
        ({"modulus": 1}, "modulus"),
        ({"input_range": 2**63}, "input_range must be at most"),
        ({"samples": 3}, "samples"),
        ({"seed": -1}, "seed"),
        ({"label": 5}, "label must be a function of integers"),
        ({"at": nn.Linear(2, 2)}, "at must be a submodule"),
    ],
)
def test_wrong_arguments_are_refused(changes: dict[str, Any], words: str) -> None:
    model = built()
    options = {"basis": model.embedding.basis, "modulus": N, "input_range": RANGE, **changes}
    with pytest.raises((TypeError, ValueError), match=words):
        repair(model, options.pop("basis"), options.pop("modulus"), options.pop("input_range"),
               **options)  # fmt: skip
