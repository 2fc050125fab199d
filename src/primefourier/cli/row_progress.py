"""How a file that is being encoded speaks: a live bar on a terminal, in a pipe a line at times."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rich.progress import TextColumn

from primefourier.cli.live_bar import LiveBar
from primefourier.cli.output import count

if TYPE_CHECKING:
    from primefourier.bulk import Progress

_PAUSE = 10.0
"""Seconds between two lines in a pipe."""


class RowProgressView(LiveBar):
    """Shows how many rows are encoded; hand ``show`` and ``tell`` to what does the work."""

    def __init__(self) -> None:
        super().__init__(TextColumn("{task.percentage:.0f} %"), total=1.0)
        self._said = self._start

    def show(self, progress: Progress) -> None:
        """Show the counts; called at the beginning and after each batch."""
        now = time.monotonic()
        note = describe_rows(progress, now - self._start)
        if self._live:
            self._move(progress.share, note)
        elif now - self._said >= _PAUSE:
            self._said = now
            self.tell(f"[{progress.share:.0%}] {note}")


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
