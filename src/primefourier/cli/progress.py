"""How a running sweep speaks: a live bar on a terminal, a line for each model in a pipe."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rich.progress import MofNCompleteColumn

from primefourier.cli.live_bar import LiveBar
from primefourier.cli.output import count

if TYPE_CHECKING:
    from primefourier.lab.record import Record
    from primefourier.lab.sweep import Progress


class ProgressView(LiveBar):
    """Shows how many models are measured; hand ``show`` and ``tell`` to the sweep."""

    def __init__(self) -> None:
        super().__init__(MofNCompleteColumn())

    def show(self, progress: Progress) -> None:
        """Show the counts; called at the beginning and after each model."""
        if progress.last is None:
            self._start = time.monotonic()
        finished = progress.total - progress.remaining
        note = self._note(progress)
        if self._live:
            self._move(finished, note, total=progress.total)
        elif progress.last is None:
            before = f", {progress.before} of them measured before" if progress.before else ""
            self.tell(f"{count(progress.total, 'model')}{before}")
        else:
            self.tell(f"[{finished}/{progress.total}] {describe(progress.last)}; {note}")

    def _note(self, progress: Progress) -> str:
        from primefourier.lab.sweep import format_seconds

        elapsed = time.monotonic() - self._start
        left = progress.time_left(elapsed)
        words = [] if not progress.failed else [f"{progress.failed} failed"]
        if left is None:
            return ", ".join([*words, "starting the workers" if progress.remaining else "done"])
        rate = 60 * (progress.done + progress.failed) / max(elapsed, 1e-9)
        words += [f"{rate:.0f} models a minute", f"about {format_seconds(left)} left"]
        return ", ".join(words if progress.remaining else [*words[:-1], "done"])


def describe(record: Record) -> str:
    """Tell one finished model in a line."""
    name = record.config.describe()
    if record.error is not None:
        return f"{name} FAILED: {record.reason}"
    measured = record.measured
    drops = dict(zip(record.config.primes, measured.drops, strict=True))
    relevant = ", ".join(f"{p}: {drops[p]:.2f}" for p in record.config.relevant) or "none"
    others = [drop for p, drop in drops.items() if p not in record.config.relevant]
    mean = f", others {sum(others) / len(others):.3f}" if others else ""
    return (
        f"{name} accuracy {measured.accuracy:.3f}, drops {relevant}{mean} "
        f"({record.provenance.seconds:.1f} s)"
    )
