"""How far a sweep is, and how long it will take."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from primefourier.lab.config import ModelConfig
from primefourier.lab.cost import model_flops
from primefourier.lab.record import Record


@dataclass
class Progress:
    """Counts of a running sweep; time left goes by arithmetic, since models differ in size.

    Args:
        total: Models asked for.
        before: Those that an earlier run had measured.
        work: Floating-point operations of the others.
        done: Models measured now.
        failed: Models that failed now.
        finished_work: Operations of both.
    """

    total: int
    before: int
    work: int
    done: int = 0
    failed: int = 0
    finished_work: int = 0
    last: Record | None = field(default=None, repr=False)

    @classmethod
    def of(cls, total: int, pending: Iterable[ModelConfig]) -> Progress:
        """Begin to count a sweep of which some models are pending."""
        waiting = list(pending)
        return cls(total, total - len(waiting), sum(map(model_flops, waiting)))

    def count(self, record: Record) -> None:
        """Note that a model is finished."""
        self.done += record.error is None
        self.failed += record.error is not None
        self.finished_work += model_flops(record.config)
        self.last = record

    @property
    def remaining(self) -> int:
        """Models that are not finished."""
        return self.total - self.before - self.done - self.failed

    def time_left(self, elapsed: float) -> float | None:
        """Return the seconds that remain at the speed so far, or None before the first model.

        >>> Progress(total=4, before=0, work=100, finished_work=25).time_left(10.0)
        30.0
        """
        if not self.finished_work:
            return None
        return elapsed * (self.work - self.finished_work) / self.finished_work


def format_seconds(seconds: float) -> str:
    """Write a duration as people say it.

    >>> format_seconds(8.2), format_seconds(75), format_seconds(3700)
    ('8 s', '1 min 15 s', '1 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
