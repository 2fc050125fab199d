"""Progress output on standard error: a bar on a terminal, plain lines in a pipe."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Column

from primefourier._checks import plural
from primefourier.cli.output import visible, write_seconds

if TYPE_CHECKING:
    from primefourier import files
    from primefourier.lab import sweep
    from primefourier.lab.record import Record

_PAUSE = 10.0
"""Seconds between two lines about rows in a pipe."""


class ProgressBar:
    """Shows how far a command is.

    Use it as a context manager, and pass ``show_models`` or ``show_rows`` as the callback of the
    function that does the work. Log messages appear above the bar, because rich redirects standard
    error while the bar is live.
    """

    def __init__(self) -> None:
        console = Console(stderr=True)
        self._live = console.is_terminal
        text = TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True))
        self._bar = Progress(BarColumn(None), text, console=console, transient=True, expand=True)
        self._task = self._bar.add_task("starting", total=1.0)
        self._start = self._printed = time.monotonic()

    def __enter__(self) -> Self:
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

    def show_models(self, progress: sweep.Progress) -> None:
        """Show the counts of a sweep; call it at the beginning and after each model."""
        if progress.last is None:
            self._start = time.monotonic()
        finished, total = progress.total - progress.remaining, progress.total
        note = _describe_sweep(progress, time.monotonic() - self._start)
        if self._live:
            share = finished / max(total, 1)
            self._bar.update(self._task, completed=share, description=f"{finished}/{total} {note}")
        elif progress.last is None:
            before = f", {progress.before} of them measured before" if progress.before else ""
            _print_line(f"{plural(total, 'model')}{before}")
        else:
            _print_line(f"[{finished}/{total}] {describe_model(progress.last)}; {note}")

    def show_rows(self, progress: files.Progress) -> None:
        """Show how many rows are encoded; call it at the beginning and after each batch."""
        now = time.monotonic()
        text = f"{progress.share:.0%} {_describe_rows(progress, now - self._start)}"
        if self._live:
            self._bar.update(self._task, completed=progress.share, description=text)
        elif now - self._printed >= _PAUSE:
            self._printed = now
            _print_line(text)


def describe_model(record: Record) -> str:
    """Describe a finished model in one line."""
    name = record.config.describe()
    if record.error is not None:
        return f"{name} FAILED: {record.reason}"
    measured = record.measured
    drops = dict(zip(measured.row_names, measured.drops, strict=True))
    wanted = measured.relevant or ()
    relevant = ", ".join(f"{row}: {drops[row]:.2f}" for row in wanted) or "none"
    others = [drop for row, drop in drops.items() if row not in wanted]
    mean = f", others {sum(others) / len(others):.3f}" if others else ""
    beyond = [f"{accuracy:.3f}" for accuracy in measured.accuracy_beyond.values()]
    return (
        f"{name} accuracy {measured.accuracy:.3f}{', beyond ' * bool(beyond)}{' '.join(beyond)}, "
        f"drops {relevant}{mean} ({record.provenance.seconds:.1f} s)"
    )


def _describe_sweep(progress: sweep.Progress, elapsed: float) -> str:
    words = [f"{progress.failed} failed"] if progress.failed else []
    left = progress.time_left(elapsed)
    if left is not None:
        rate = 60 * (progress.done + progress.failed) / max(elapsed, 1e-9)
        words.append(f"{rate:.0f} models per minute")
    if not progress.remaining:
        words.append("done")
    else:
        words.append("starting" if left is None else f"about {write_seconds(left)} left")
    return ", ".join(words)


def _describe_rows(progress: files.Progress, elapsed: float) -> str:
    words = [plural(progress.rows, "row")]
    if progress.rejected:
        words.append(f"{progress.rejected} rejected")
    new = progress.rows + progress.rejected - progress.before
    if new and elapsed > 0:
        words.append(f"{new / elapsed:.0f} rows per second")
    return ", ".join(words)


def _print_line(text: str) -> None:
    sys.stderr.write(visible(text) + "\n")
    sys.stderr.flush()
