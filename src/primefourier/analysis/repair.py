"""Is one circle the cause? Move the hands of a cheating network, and see whether it is right.

A network that reads a circle of period T as a harmonic k/N is right while both agree, below r. If
that is why it is wrong beyond, then the same weights must be right there once the hand stands where
the harmonic's would. Nothing is fitted: k and the offset follow from N, T and r.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from primefourier.analysis.groups import feature_groups
from primefourier.analysis.site import FeatureSite, Inputs, evaluating, select_inputs
from primefourier.analysis.torch_ablation import ablate
from primefourier.encoding import PrimeBasis, plan
from primefourier.encoding.aliases import find_aliases
from primefourier.encoding.basis import Channel

_BATCH = 4096


@dataclass(frozen=True)
class MovedCircle:
    """A circle that a network reads as a harmonic of N, and where its hand belongs.

    Attributes:
        channel: The circle, (prime, depth index).
        period: T.
        harmonic: k; k/N is nearest to 1/T.
        offset: The turns by which both differ in the middle of the range,
            (1/T - k/N) · (r - 1)/2.
        drop: The accuracy lost in range if the circle is replaced by another input's.
    """

    channel: Channel
    period: int
    harmonic: int
    offset: float
    drop: float

    @property
    def degrees(self) -> float:
        """The offset in degrees."""
        return 360 * self.offset


def needless_circles(modulus: int, basis: PrimeBasis, input_range: int) -> dict[str, set[Channel]]:
    """Return the circles whose period does not divide N: slow ones, with T > r, and fast ones."""
    periods = {(p, d): p ** (d + 1) for p, d in basis.channels}
    needless = {channel for channel, t in periods.items() if modulus % t}
    slow = {channel for channel in needless if periods[channel] > input_range}
    return {"slow": slow, "fast": needless - slow}


def place_hands(
    modulus: int, basis: PrimeBasis, input_range: int, drops: Mapping[Channel, float], used: float
) -> tuple[MovedCircle, ...]:
    """Return the used circles with a harmonic in reach, and where their hands belong.

    A circle is used if its drop is above a threshold, and in reach if it drifts by less than a turn
    from the nearest harmonic of the part of N that the basis sees.
    """
    seen = plan(modulus, basis).visible
    if seen < 2:
        return ()
    moved = []
    for alias in find_aliases(seen, basis, input_range=input_range):
        (channel,), k, t = alias.channels, alias.harmonic, alias.period
        if drops.get(channel, 0) > used and alias.drift < 1:
            # exact in integers, so that periods of any size keep their small difference
            offset = (seen - k * t) * (input_range - 1) / (2 * t * seen)
            moved.append(MovedCircle(channel, t, k, offset, drops[channel]))
    return tuple(sorted(moved, key=lambda circle: -circle.drop))


@contextmanager
def moved_hands(
    at: nn.Module,
    basis: PrimeBasis,
    modulus: int = 1,
    moved: Sequence[MovedCircle] = (),
    exchanged: Collection[Channel] = (),
    *,
    ends: tuple[int, int] = (0, 1),
    seed: int = 0,
) -> Iterator[None]:
    """Let a network read other hands for a while.

    Args:
        at: The module from integers (...) to codes (..., dim).
        basis: The basis of the codes.
        modulus: The part of N whose harmonics replace circles.
        moved: The circles that are replaced by a harmonic.
        exchanged: The circles that show other integers, drawn anew for each that is read.
        ends: These integers are drawn from the first to below the second.
        seed: The seed of the draws.
    """
    place = {channel: i for i, channel in enumerate(basis.channels)}
    others = sorted(place[channel] for channel in exchanged)
    generator = torch.Generator(device="cpu").manual_seed(seed)

    def hook(module: Any, given: tuple[Any, ...], named: dict[str, Any], codes: Tensor) -> Tensor:
        integers, *rest = given
        hands = codes.unflatten(-1, (-1, 2)).clone()
        if others:
            drawn = torch.randint(*ends, integers.shape, generator=generator, device="cpu")
            # forward itself, since a call would run this hook again
            shown = module.forward(drawn.to(integers), *rest, **named)
            hands[..., others, :] = shown.unflatten(-1, (-1, 2))[..., others, :]
        for circle in moved:
            turns = circle.harmonic * (integers % modulus).double() / modulus + circle.offset
            angles = 2 * math.pi * turns
            hand = torch.stack((angles.cos(), angles.sin()), -1).to(hands.dtype)
            hands[..., place[circle.channel], :] = hand
        return hands.flatten(-2)

    with at.register_forward_hook(hook, with_kwargs=True):
        yield


def answers_of(model: nn.Module, at: nn.Module, inputs: Inputs, size: int) -> Tensor:
    """Return the answers of a classifier, -1 where a logit is NaN or all are -inf."""
    site, found = FeatureSite(model, at), []
    device = next((x.device for x in (*model.parameters(), *model.buffers())), torch.device("cpu"))
    with torch.no_grad(), evaluating(model):
        for start in range(0, size, _BATCH):
            batch = select_inputs(inputs, slice(start, start + _BATCH), device)
            best, answers = site.run(batch, lambda _call, codes: codes).max(-1)
            found.append(answers.where(best > -math.inf, -1).cpu())
    return torch.cat(found)


def common_error(answers: Tensor, labels: Tensor, modulus: int) -> tuple[int, int] | None:
    """Return the most common error, answer - label modulo N, and how many answers have it."""
    wrong = (answers != labels) & (answers >= 0)
    if not wrong.any():
        return None
    counts = ((answers - labels)[wrong] % modulus).bincount(minlength=modulus)
    return int(counts.argmax()), int(counts.max())


def circle_drops(
    model: nn.Module,
    at: nn.Module,
    basis: PrimeBasis,
    inputs: Inputs,
    labels: Tensor,
    circles: Collection[Channel],
    *,
    seed: int = 0,
) -> dict[Channel, float]:
    """Return what replacing each circle by another input's costs."""
    masks = {c: mask for c, mask in feature_groups(basis, "channel").items() if c in circles}
    found = ablate(model, inputs, labels, masks, at=at, kind="permute", seed=seed) if masks else []
    return {ablation.label: ablation.drop for ablation in found}
