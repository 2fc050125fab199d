"""Is one circle the cause? Move the hands of a cheating network, and see whether it is right."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import signature
from itertools import chain
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from primefourier.analysis.diagnosis import RIGHT, USED, find_rows, read_task
from primefourier.analysis.groups import feature_groups
from primefourier.analysis.torch_ablation import (
    Inputs,
    ablate,
    evaluating,
    run_changed,
    select_inputs,
)
from primefourier.encoding import PrimeBasis
from primefourier.encoding.aliases import find_aliases
from primefourier.encoding.basis import Channel

__all__ = [
    "MovedCircle",
    "Repair",
    "answers_of",
    "common_error",
    "misread_circles",
    "moved_hands",
    "repair",
]
_BATCH = 4096


class MovedCircle(NamedTuple):
    """A circle, the nearest harmonic k of N, and the angle between them in mid-range."""

    channel: Channel
    period: int
    harmonic: int
    degrees: float


@dataclass(frozen=True)
class Repair:
    """How a network answers as trained, and with hands put where it takes them to be.

    Attributes:
        modulus: N.
        input_range: r.
        moved: The circles whose hands were moved to a harmonic of N, the most used first.
        slow: The circles that showed integers from the range.
        tests: The first integer of each test set and that after the last: in range, from r to 2r,
            and far.
        accuracy: For "trained", "alias", "slow" and "both" the accuracy on each test set.
        error: The most common error, answer - label modulo N, on the first test set where the
            network is wrong as trained; None if there is none.
        share: The share of its wrong answers there that are off by it.
        unanswered: How many answers in range are none, since their logits are NaN.
        enough: The smallest range whose sums reach N, if the input range is smaller; else None.
    """

    modulus: int
    input_range: int
    moved: tuple[MovedCircle, ...]
    slow: frozenset[Channel]
    tests: tuple[tuple[int, int], ...]
    accuracy: Mapping[str, tuple[float, ...]]
    error: int | None
    share: float
    unanswered: int
    enough: int | None

    @property
    def cause(self) -> str | None:
        """The first of "alias", "slow" and "both" that makes a wrong network right, if any does."""
        inside, *beyond = self.accuracy["trained"]
        right = [way for way, found in self.accuracy.items() if min(found) >= RIGHT]
        return right[0] if right and inside >= RIGHT > min(beyond) else None

    def explain(self) -> str:
        """Say what the repair proves, and by how much most wrong answers are off."""
        trained, n, r = self.accuracy["trained"], self.modulus, self.input_range
        if self.unanswered:
            return f"Logits are NaN on {self.unanswered} inputs below {r}: nothing can be repaired."
        if trained[0] < RIGHT:
            return f"Not learned: accuracy {trained[0]:.3f} below {r}, so repair proves nothing."
        if min(trained) >= RIGHT:
            return f"Right on integers below {self.tests[-1][1]}: nothing needs to be repaired."
        way, one, causes = self.cause or "both", len(self.moved) == 1, []
        if self.moved and way != "slow":
            circles = " and ".join(str(circle.period) for circle in self.moved)
            causes.append(f"reads {circles} as {'a circle' if one else 'circles'} of {n}")
        if self.slow and way != "alias":
            causes.append("takes slow circles for constants")
        why, hands = " and ".join(causes), "the hand" if one and way == "alias" else "the hands"
        gains = " and ".join(
            f"{before:.2f} becomes {after:.2f} on the integers from {low} to {high - 1}"
            for (low, high), before, after in zip(
                self.tests, trained, self.accuracy[way], strict=True
            )
            if before < RIGHT
        )
        words = f"The network {why}: with {hands} there, {gains}; no weight was changed."
        if not self.cause and self.enough:
            words = f"No sum of integers below {r} reaches {n}: it never saw one wrap around."
        elif not causes:
            words = f"No circle was found that it takes for one of {n} or for a constant."
        elif not self.cause:
            words = f"If it {why}, that is not all: with {hands} there, {gains}."
        if self.error is None:
            return words
        size, side = min((self.error, "large"), (n - self.error, "small"))
        return (
            f"{words} As trained, {self.share:.0%} of the wrong answers are too {side} by {size}."
        )


def repair(
    model: nn.Module,
    basis: PrimeBasis,
    modulus: int,
    input_range: int,
    *,
    operands: int = 2,
    label: Callable[[Tensor], Tensor] | None = None,
    prepare: Callable[[Tensor], Inputs] | None = None,
    at: nn.Module | None = None,
    samples: int = 4000,
    seed: int = 0,
) -> Repair:
    """Put hands where a network takes them to be, and see whether it is right beyond its range.

    No weight changes, and nothing is fitted. Two causes are tried, each alone and both together:

    - alias: a circle of period T ≤ r, no divisor of N, that the network uses and that drifts by
      less than a turn below r from the nearest harmonic k/N. The hand of a then shows k·a/N + c
      turns, c = (1/T - k/N)·(r - 1)/2, so that both agree in mid-range.
    - slow: every circle of period T > r, no divisor of N, shows an integer drawn from the range,
      which says nothing about the answer.

    A moved hand repeats with N, and below r differs from its circle by at most half the drift. So
    if a network reads no other circles but those that N needs, then with both repairs its answers
    depend on residues modulo N and on the draw alone, and are right beyond the range as often as in
    it. Accuracy that returns proves the cause; if it does not, there is another cause.

    Args:
        model: Any torch classifier that reads integers as codes of the basis.
        basis: The basis.
        modulus: N; the task is arithmetic modulo N.
        input_range: r; the network was trained on operands 0 … r - 1.
        operands: The number of integers per input.
        label: The right answers to integers (n, operands); by default their sum modulo N.
        prepare: What the model reads for integers (n, operands); by default the integers.
        at: The module that turns integers (...) into codes (..., dim); by default the only
            PrimeFourierEmbedding of the model.
        samples: The number of inputs of each test set.
        seed: The seed of the inputs, and of the integers that slow circles show.

    >>> from primefourier.nn import PrimeFourierEmbedding
    >>> class Cheater(nn.Module):  # adds modulo 33 on the circles of 3 and 17, as if 1/17 = 2/33
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.embedding = PrimeFourierEmbedding(PrimeBasis((3, 17), depth=1))
    ...     def forward(self, x):
    ...         sums = torch.view_as_complex(self.embedding(x).unflatten(-1, (2, 2))).prod(1)
    ...         turns = torch.arange(33).unsqueeze(1) * torch.tensor([11, 2]) / 33
    ...         turns[:, 1] += 24 * (1 / 17 - 2 / 33)  # in mid-range
    ...         return (sums.unsqueeze(1) * torch.exp(-2j * torch.pi * turns)).real.sum(2)
    >>> print(repair(Cheater(), PrimeBasis((3, 17), depth=1), 33, 25).explain())
    The network reads 17 as a circle of 33: with the hand there, 0.00 becomes 1.00 on the integers
    from 25 to 49 and 0.09 becomes 1.00 on the integers from 500000 to 999999; no weight was
    changed. As trained, 100% of the wrong answers are too large by 15.
    """
    n, r, enough, label, prepare, draw = read_task(
        modulus, input_range, operands, label, prepare, samples, seed
    )
    place = find_rows(model) if at is None else at
    if at is None and getattr(place, "basis", None) != basis:
        raise ValueError(f"basis must be the one that the model reads, {place}, got {basis}")
    far = next((10**k for k in (6, 9, 12) if 10**k > 4 * r), 2**63)
    ends = ((0, r), (r, 2 * r), (far // 2, far))
    tests = [draw(*pair) for pair in ends]
    labels = [label(integers) for integers in tests]
    moved = misread_circles(model, place, basis, n, r, prepare(tests[0]), labels[0], seed=seed)
    slow = frozenset((p, d) for p, d in basis.channels if n % p ** (d + 1) and p ** (d + 1) > r)
    ways = {"trained": ((), ()), "alias": (moved, ()), "slow": ((), slow), "both": (moved, slow)}
    answers = {}
    for way, (hands, others) in ways.items():
        with moved_hands(place, basis, n, hands, others, ends=ends[0], seed=seed):
            answers[way] = [answers_of(model, place, prepare(x), len(x)) for x in tests]
    accuracy = {
        way: tuple(float((a == y).double().mean()) for a, y in zip(found, labels, strict=True))
        for way, found in answers.items()
    }
    wrong = next((i for i in (1, 2) if accuracy["trained"][i] < RIGHT), 0)
    error, share = common_error(answers["trained"][wrong], labels[wrong], n)
    unanswered = int((answers["trained"][0] < 0).sum())
    return Repair(n, r, moved, slow, ends, accuracy, error, share, unanswered, enough)


def misread_circles(
    model: nn.Module,
    at: nn.Module,
    basis: PrimeBasis,
    modulus: int,
    input_range: int,
    inputs: Inputs,
    labels: Tensor,
    *,
    seed: int = 0,
) -> tuple[MovedCircle, ...]:
    """Return the circles that a network uses as harmonics of N, and where their hands belong."""
    n, r, masks = modulus, input_range, feature_groups(basis, "channel")
    aliases = find_aliases(n, basis, input_range=r)
    near = {a.channels[0]: a for a in aliases if a.drift < 1 and a.period <= r}
    groups = {channel: masks[channel] for channel in near}
    found = ablate(model, inputs, labels, groups, at=at, kind="permute", seed=seed)
    used = [near[one.label] for one in sorted(found, key=lambda one: -one.drop) if one.drop > USED]
    return tuple(
        # in integers first, since 1/T and k/N are nearly the same
        MovedCircle(a.channels[0], t, k, 180 * (n - k * t) * (r - 1) / (t * n))
        for a in used
        for t, k in [(a.period, a.harmonic)]
    )


@contextmanager
def moved_hands(
    at: nn.Module,
    basis: PrimeBasis,
    modulus: int,
    moved: Sequence[MovedCircle] = (),
    exchanged: Collection[Channel] = (),
    *,
    ends: tuple[int, int] = (0, 1),
    seed: int = 0,
) -> Iterator[None]:
    """Let a network read harmonics of N, and for other circles integers drawn between two ends."""
    places = {channel: i for i, channel in enumerate(basis.channels)}
    others = sorted(places[channel] for channel in exchanged)
    generator = torch.Generator(device="cpu").manual_seed(seed)

    def hook(module: Any, given: tuple[Any, ...], named: dict[str, Any], codes: Tensor) -> Tensor:
        call = signature(module.forward).bind(*given, **named)
        first, integers = next(iter(call.arguments.items()))
        if codes.shape != (*integers.shape, basis.dim):
            raise ValueError(f"at must return codes (..., {basis.dim}), got {tuple(codes.shape)}")
        hands = codes.unflatten(-1, (-1, 2)).clone()
        if others:
            drawn = torch.randint(*ends, integers.shape, generator=generator, device="cpu")
            call.arguments[first] = drawn.to(integers)
            # forward itself: a call of the module would run this hook again
            shown = module.forward(*call.args, **call.kwargs).unflatten(-1, (-1, 2))
            hands[..., others, :] = shown[..., others, :]
        for circle in moved:
            turns = circle.harmonic * (integers.long() % modulus).double() / modulus
            angles = 2 * math.pi * turns + math.radians(circle.degrees)
            old = hands[..., places[circle.channel], :]  # zero where an integer is missing
            hand = torch.stack((angles.cos(), angles.sin()), -1).to(old.dtype)
            hands[..., places[circle.channel], :] = hand * old.any(-1, keepdim=True)
        changed: Tensor = hands.flatten(-2)
        return changed

    with at.register_forward_hook(hook, with_kwargs=True):
        yield


def answers_of(model: nn.Module, at: nn.Module, inputs: Inputs, size: int) -> Tensor:
    """Return the answers of a classifier, -1 where a logit is NaN or all are -inf."""
    found = []
    device = next(chain(model.parameters(), model.buffers(), [torch.empty(0)])).device
    with torch.no_grad(), evaluating(model):
        for start in range(0, size, _BATCH):
            batch = select_inputs(inputs, slice(start, start + _BATCH), device)
            best, answers = run_changed(model, at, batch, lambda _call, codes: codes).max(-1)
            found.append(answers.where(best > -math.inf, -1).cpu())
    return torch.cat(found)


def common_error(answers: Tensor, labels: Tensor, modulus: int) -> tuple[int | None, float]:
    """Return the most common error, answer - label modulo N, and its share of wrong answers."""
    wrong = answers != labels
    counts = ((answers - labels)[wrong & (answers >= 0)] % modulus).bincount()
    return (int(counts.argmax()), float(counts.max() / wrong.sum())) if len(counts) else (None, 0.0)
