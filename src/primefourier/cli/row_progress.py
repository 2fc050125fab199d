"""How a file that is being encoded speaks: a live bar on a terminal, in a pipe a line at times."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bar

from primefourier.cli.output import count

if TYPE_CHECKING:
    from primefourier.bulk import Progress

_PAUSE = 10.0
"""Seconds between two lines in a pipe."""


class RowProgressView:
    """Shows the progress on standard error, so that standard output stays for results.

    Use it as a context manager and hand ``show`` and ``tell`` to what does the work.
    """

    def __init__(self) -> None:
        console = Console(stderr=True)
        self._live = console.is_terminal
        self._start = self._said = time.monotonic()
        self._bar = Bar(
            BarColumn(bar_width=30),
            TextColumn("{task.percentage:.0f} %"),
            TextColumn("{task.fields[note]}", markup=False),
            console=console,
            transient=True,
        )
        self._task = self._bar.add_task("", total=1.0, note="starting")

    def __enter__(self) -> RowProgressView:
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
        """Show the counts; called at the beginning and after each batch."""
        now = time.monotonic()
        note = describe_rows(progress, now - self._start)
        if self._live:
            self._bar.update(self._task, completed=progress.share, note=note)
        elif now - self._said >= _PAUSE:
            self._said = now
            sys.stderr.write(f"[{progress.share:.0%}] {note}\n")
            sys.stderr.flush()

    def tell(self, text: str) -> None:
        """Say a sentence beside the progress."""
        if self._live:
            self._bar.console.print(text, markup=False, highlight=False, soft_wrap=True)
        else:
            sys.stderr.write(text + "\n")
            sys.stderr.flush()


def describe_rows(progress: Progress, elapsed: float) -> str:
    """Tell in words how far it is, and how fast.

    >>> from primefourier.bulk import Progress
    >>> describe_rows(Progress(rows=3000, rejected=1, share=0.5, before=1001), elapsed=2.0)
    '3000 rows, 1 rejected, 1000 rows a second'
    """
    words = [count(progress.rows, "row")]
    if progress.rejected:
        words.append(f"{progress.rejected} rejected")
    new = progress.rows + progress.rejected - progress.before
    if new and elapsed > 0:
        words.append(f"{new / elapsed:.0f} rows a second")
    return ", ".join(words)
