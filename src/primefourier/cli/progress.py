"""How a running sweep speaks: a live bar on a terminal, a line for each model in a pipe."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar

from primefourier.cli.output import count, visible

if TYPE_CHECKING:
    from primefourier.lab.record import Record
    from primefourier.lab.sweep import Progress


class ProgressView:
    """Shows a sweep on standard error, so that standard output stays for results.

    Use it as a context manager and hand ``show`` to the sweep.
    """

    def __init__(self) -> None:
        console = Console(stderr=True)
        self._live = console.is_terminal
        self._start = time.monotonic()
        self._bar = Bar(
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}", markup=False),
            console=console,
            transient=True,
        )
        self._task = self._bar.add_task("", total=None, note="starting")

    def __enter__(self) -> ProgressView:
        if self._live:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live:
            self._bar.stop()

    def show(self, progress: Progress) -> None:
        """Show the counts; called at the beginning and after each model."""
        if progress.last is None:
            self._start = time.monotonic()
        finished = progress.total - progress.remaining
        note = self._note(progress)
        if self._live:
            self._bar.update(self._task, total=progress.total, completed=finished, note=note)
        elif progress.last is None:
            before = f", {progress.before} of them measured before" if progress.before else ""
            _say(f"{count(progress.total, 'model')}{before}")
        else:
            _say(f"[{finished}/{progress.total}] {describe(progress.last)}; {note}")

    def tell(self, text: str) -> None:
        """Say a sentence beside the progress."""
        if self._live:
            self._bar.console.print(visible(text), markup=False, highlight=False)
        else:
            _say(text)

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
        return f"{name} FAILED: {record.error.strip().splitlines()[-1]}"
    measured = record.measured
    drops = dict(zip(record.config.primes, measured.drops, strict=True))
    relevant = ", ".join(f"{p}: {drops[p]:.2f}" for p in record.config.relevant) or "none"
    others = [drop for p, drop in drops.items() if p not in record.config.relevant]
    mean = f", others {sum(others) / len(others):.3f}" if others else ""
    return (
        f"{name} accuracy {measured.accuracy:.3f}, drops {relevant}{mean} "
        f"({record.provenance.seconds:.1f} s)"
    )


def _say(text: str) -> None:
    sys.stderr.write(visible(text) + "\n")
    sys.stderr.flush()
