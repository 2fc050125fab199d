"""Train measured models again, and tell whether their records say what they should."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, fields

from primefourier.arithmetic.integers import as_integer
from primefourier.cluster import remote_client, usable_cores
from primefourier.lab.cost import longest_first
from primefourier.lab.probing import Probe
from primefourier.lab.provenance import Provenance
from primefourier.lab.record import Measurement, Record
from primefourier.lab.sweep.engine import train
from primefourier.lab.sweep.places import PACKAGES

_ROUNDING = ("machine", "device", "python", "numpy", "torch")
"""What decides how sums are rounded."""
_SOURCE = ("primefourier", "commit")
"""What decides which sums are taken."""
_MOST_ROWS = 3
"""Rows whose counts are told one by one; where one differs, often all do."""


@dataclass(frozen=True)
class Check:
    """A record, and the record of the same model trained again.

    Args:
        record: The stored record.
        again: The new one.
    """

    record: Record
    again: Record

    @property
    def same(self) -> bool:
        """Whether both hold the same measurement, and the same probe if there is one."""
        return (
            self.again.error is None
            and self.again.measurement == self.record.measurement
            and self.again.probe == self.record.probe
        )

    @property
    def difference(self) -> str:
        """Tell in words what differs, stored → new; nothing if both are the same."""
        if self.again.error is not None:
            return f"failed: {self.again.reason}"
        then, now, primes = self.record.measured, self.again.measured, self.record.config.primes
        return ", ".join(_differences(then, now, primes) + self._in_probes())

    def _in_probes(self) -> list[str]:
        then, now = self.record.probe, self.again.probe
        unequal = [
            field.name
            for field in fields(Probe)
            if getattr(then, field.name, None) != getattr(now, field.name, None)
        ]
        return [f"{', '.join(unequal)} of the probe"] if unequal else []

    @property
    def changed(self) -> dict[str, tuple[str | None, str | None]]:
        """What of machine, device, versions and commit is not the stored record's: both values."""
        then, now = _circumstances(self.record.provenance), _circumstances(self.again.provenance)
        return {name: (then[name], now[name]) for name in then if then[name] != now[name]}

    @property
    def rounding_may_differ(self) -> bool:
        """Whether the machine, the device or a version that decides rounding is another."""
        return not self.changed.keys().isdisjoint(_ROUNDING)

    @property
    def source_differs(self) -> bool:
        """Whether the record was made by another version or commit of this package."""
        return not self.changed.keys().isdisjoint(_SOURCE)


def choose_sample(records: Iterable[Record], count: int, *, seed: int) -> list[Record]:
    """Return some of the measured records, chosen at random, in the order in which they came.

    The same seed chooses the same models, in whatever order they come, and a larger sample holds
    the smaller ones.

    Args:
        records: To choose from; those of models that failed are passed over.
        count: How many, at least 1; all, if there are fewer.
        seed: Any integer.
    """
    count = as_integer(count, "count", at_least=1)
    seed = as_integer(seed, "seed")
    measured = [record for record in records if record.error is None]
    drawn = sorted(measured, key=lambda record: _lot(record, seed))[:count]
    chosen = {record.config.key for record in drawn}
    return [record for record in measured if record.config.key in chosen]


def verify_records(
    records: Sequence[Record],
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    device: str = "cpu",
    tell: Callable[[str], None] = lambda _: None,
) -> Generator[Check, None, None]:
    """Train measured models again from their configs, and yield each check as it arrives.

    Long models come first. Nothing is written. Closing the generator ends the workers.

    Args:
        records: Of models that were measured, each once.
        workers: Worker processes on this machine; 0 trains in this process; by default one for
            each core.
        scheduler: The address of a Dask scheduler to use instead, or the file it wrote.
        device: The torch device of the workers.
        tell: Called with a sentence about something that the user should know meanwhile.

    >>> from primefourier.lab.config import ModelConfig
    >>> from primefourier.lab.run_model import run_model
    >>> config = ModelConfig(experiment="e", modulus=3, input_range=9, primes=(3, 5), epochs=2)
    >>> (check,) = verify_records([run_model(config)], workers=0)
    >>> check.same, check.difference
    (True, '')
    """
    for record in records:
        if record.error is not None:
            raise ValueError(
                f"measured records are required, but {record.config.describe()} failed; "
                "choose_sample passes over such models"
            )
    stored = {record.config.key: record for record in records}
    if len(stored) < len(records):
        raise ValueError(
            f"one record of each model is required, got {len(records)} of {len(stored)}; check "
            "them folder by folder"
        )
    workers = usable_cores() if workers is None else as_integer(workers, "workers", at_least=0)
    return _checks(stored, workers, scheduler, device, tell)


def _checks(
    stored: dict[str, Record],
    workers: int,
    scheduler: str | None,
    device: str,
    tell: Callable[[str], None],
) -> Generator[Check, None, None]:
    with ExitStack() as stack:
        client = None
        if scheduler is not None:
            client = stack.enter_context(remote_client(scheduler, packages=PACKAGES, tell=tell))
        for probe in (True, False):
            chosen = [r.config for r in stored.values() if (r.probe is not None) is probe]
            if not chosen:
                continue
            training = train(longest_first(chosen), workers, client, device=device, probe=probe)
            with closing(training) as records:
                for again in records:
                    yield Check(stored[again.config.key], again)


def _lot(record: Record, seed: int) -> str:
    """Draw a model's lot: a hash, which does not depend on the other models."""
    return hashlib.sha256(f"{seed} {record.config.key}".encode()).hexdigest()


def _differences(then: Measurement, now: Measurement, primes: Sequence[int]) -> list[str]:
    totals = [
        ("training pairs", then.train_size, now.train_size),
        ("test pairs", then.test_size, now.test_size),
        ("final correct answers", then.correct, now.correct),
    ]
    rows = [
        (f"{name} of row {prime}:", stored, new)
        for name, before, after in (
            ("lost", then.lost, now.lost),
            ("gained", then.gained, now.gained),
        )
        for prime, stored, new in zip(primes, before, after, strict=True)
    ]
    in_rows = _unequal(rows)
    words = _unequal(totals) + in_rows[:_MOST_ROWS]
    if len(in_rows) > _MOST_ROWS:
        words.append(f"{len(in_rows) - _MOST_ROWS} more of rows")
    return words + _in_epochs(then.correct_by_epoch, now.correct_by_epoch)


def _unequal(counts: Iterable[tuple[str, int, int]]) -> list[str]:
    return [f"{name} {before} → {after}" for name, before, after in counts if before != after]


def _in_epochs(then: Sequence[int], now: Sequence[int]) -> list[str]:
    if len(then) != len(now):
        return [f"epochs {len(then)} → {len(now)}"]
    pairs = enumerate(zip(then, now, strict=True), start=1)
    unequal = [epoch for epoch, (before, after) in pairs if before != after]
    return [f"first differs in epoch {unequal[0]}"] if unequal else []


def _circumstances(provenance: Provenance) -> dict[str, str | None]:
    """Return what may explain another measurement, by name."""
    known = {
        "machine": provenance.machine,
        "device": provenance.device,
        "commit": provenance.commit,
    }
    return {name: known.get(name, provenance.versions.get(name)) for name in _ROUNDING + _SOURCE}
