"""Train measured models again, and compare them with their records bit for bit."""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import zip_longest

from primefourier._checks import usable_cores
from primefourier.arithmetic.integers import as_integer
from primefourier.lab.cost import longest_first
from primefourier.lab.pool import train_models
from primefourier.lab.record import Record

_ROUNDING = ("machine", "device", "python", "numpy", "torch")  # what decides how sums are rounded
_SOURCE = ("primefourier", "commit")  # with files of parts, what decides which sums are computed


@dataclass(frozen=True)
class Retrained:
    """A stored record, and the record of the same model trained again."""

    record: Record
    again: Record

    @property
    def same(self) -> bool:
        """Whether the measurements are equal."""
        return not self.difference

    @property
    def difference(self) -> str:
        """The first number that differs, stored → new; empty if there is none."""
        if self.again.error is not None:
            return f"failed: {self.again.reason}"
        # numbers that the record's version did not count cannot differ
        known = bool(self.record.measured.train_correct_by_epoch)  # not in version 0.2
        numbers = (_numbers(one, training=known) for one in (self.record, self.again))
        pairs = zip_longest(*numbers, fillvalue=("nothing", ""))
        for (name, then), (new_name, now) in pairs:
            if name != new_name:
                return f"{name} → {new_name}"
            if then != now:
                return f"{name}: {then} → {now}"
        return ""

    @property
    def changed(self) -> dict[str, tuple[str | None, str | None]]:
        """Machine, device, versions, commit and files that differ: stored value and new value."""
        then, now = _circumstances(self.record), _circumstances(self.again)
        return {name: (then[name], now.get(name)) for name in then if then[name] != now.get(name)}

    @property
    def rounding_may_differ(self) -> bool:
        """Whether the machine, the device or a version that decides rounding has changed."""
        return not self.changed.keys().isdisjoint(_ROUNDING)

    @property
    def source_differs(self) -> bool:
        """Whether another version or commit of this package, or another file of a part, made it."""
        return not self.changed.keys() <= {*_ROUNDING}


def choose_sample(records: Iterable[Record], count: int, *, seed: int) -> list[Record]:
    """Choose some of the measured records at random; they keep their order.

    The same seed chooses the same models, whatever their order, and a larger sample contains the
    smaller ones.

    Args:
        records: The records to choose from; those of failed models are ignored.
        count: How many, at least 1; all, if there are fewer.
        seed: Any integer.
    """
    count = as_integer(count, "count", at_least=1)
    seed = as_integer(seed, "seed")
    measured = [record for record in records if record.error is None]

    def place(record: Record) -> bytes:
        # by key, so that the order of the records does not matter
        return hashlib.sha256(f"{seed} {record.config.key}".encode()).digest()

    chosen = {record.config.key for record in sorted(measured, key=place)[:count]}
    return [record for record in measured if record.config.key in chosen]


def verify_records(
    records: Sequence[Record],
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    device: str = "cpu",
) -> Generator[Retrained, None, None]:
    """Train measured models again from their configs, and yield each check as it arrives.

    Long models come first. Nothing is written. Closing the generator ends the workers.

    Args:
        records: Records of measured models, one for each model.
        workers: Worker processes on this machine; 0 trains in this process; by default one for
            each core.
        executor: Where to train instead, see :func:`primefourier.lab.run`.
        device: The torch device of the workers.

    Raises:
        ValueError: If a model failed, or has more than one record.
    """
    stored = {record.config.key: record for record in records if record.error is None}
    if len(stored) < len(records):
        raise ValueError(
            f"records of different measured models are required, got {len(records)} records of "
            f"{len(stored)} measured models; choose_sample ignores models that failed"
        )
    if workers is not None:
        workers = as_integer(workers, "workers", at_least=0)
    elif executor is None:
        workers = usable_cores()
    return _train_again(stored, workers, executor, device)


def _train_again(
    stored: dict[str, Record], workers: int | None, executor: Executor | None, device: str
) -> Generator[Retrained, None, None]:
    configs = longest_first(record.config for record in stored.values())
    training = train_models(configs, workers=workers, executor=executor, device=device)
    with closing(training) as records:
        for again in records:
            yield Retrained(stored[again.config.key], again)


def _numbers(record: Record, *, training: bool) -> Iterator[tuple[str, object]]:
    """Yield the name and value of every number that a model's config asks for."""
    numbers = asdict(record.measured)
    if not training:
        del numbers["train_correct_by_epoch"]
    kinds = numbers["ablations"]
    asked = {kind: counts for kind, counts in kinds.items() if kind in record.config.ablations}
    return _leaves("", {**numbers, "ablations": asked})


def _leaves(name: str, value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _leaves(f"{name} {key}".strip(), part)
    elif isinstance(value, list | tuple):
        for i, part in enumerate(value):
            yield from _leaves(f"{name}[{i}]", part)
    else:
        yield name, value


def _circumstances(record: Record) -> dict[str, str | None]:
    made = record.provenance
    known = {"machine": made.machine, "device": made.device, "commit": made.commit}
    found = {name: known.get(name, made.versions.get(name)) for name in _ROUNDING + _SOURCE}
    return found | {f"file of the {name}": digest[:9] for name, digest in made.parts.items()}
