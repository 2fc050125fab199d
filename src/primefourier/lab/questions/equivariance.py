"""Does training make a network equivariant? Four measures, before it and after each epoch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from primefourier.analysis import Interval
from primefourier.lab.probing import Probe
from primefourier.lab.questions.groups import Group
from primefourier.lab.record import Record


@dataclass(frozen=True)
class Measure:
    """Something that is measured after each epoch.

    Args:
        name: Its name in data.
        title: Its name for people.
        meaning: What its ends mean.
        read: Reads it off a probe, by epoch.
    """

    name: str
    title: str
    meaning: str
    read: Callable[[Probe], Sequence[float]]


MEASURES = (
    Measure(
        "share_apart",
        "answers that do not follow a shift",
        "0 if all follow",
        lambda probe: probe.share_apart,
    ),
    Measure(
        "shift_error",
        "shift error of the logits",
        "0 if equivariant, 1 if unrelated",
        lambda probe: probe.shift_error,
    ),
    Measure(
        "off_block_energy",
        "off-block energy of the gradient",
        "0 if no two blocks are coupled",
        lambda probe: probe.off_block_energy,
    ),
    Measure(
        "relevant_share",
        "gradient on relevant channels",
        "1 if on no others",
        lambda probe: probe.relevant_share,
    ),
)


@dataclass(frozen=True)
class EpochCurve:
    """One measure of a group of models, before training and after each epoch."""

    group: Group
    measure: Measure
    values: tuple[Interval, ...]


def epoch_curves(group: Group) -> list[EpochCurve]:
    """Return all measures of a group by epoch."""
    return [
        EpochCurve(group, measure, group.over_seeds(partial(_read, measure=measure)))
        for measure in MEASURES
    ]


def _read(record: Record, *, measure: Measure) -> Sequence[float]:
    assert record.probe is not None  # groups are made of probed models
    return measure.read(record.probe)
