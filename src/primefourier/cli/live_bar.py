"""How long work speaks: a live bar on a terminal, lines in a pipe; always on standard error."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn

from primefourier.cli.output import visible


class LiveBar:
    """Shows how far work is, so that standard output stays for results.

    Use it as a context manager.

    Args:
        column: What stands behind the bar, before the note.
        total: How much there is to do, if that is known.
    """

    def __init__(self, column: ProgressColumn, *, total: float | None = None) -> None:
        console = Console(stderr=True)
        self._live = console.is_terminal
        self._start = time.monotonic()
        note = TextColumn("{task.fields[note]}", markup=False)
        self._bar = Progress(BarColumn(bar_width=30), column, note, console=console, transient=True)
        self._task = self._bar.add_task("", total=total, note="starting")

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

    def tell(self, text: str) -> None:
        """Say a sentence beside the bar."""
        if self._live:
            self._bar.console.print(visible(text), markup=False, highlight=False, soft_wrap=True)
        else:
            sys.stderr.write(visible(text) + "\n")
            sys.stderr.flush()

    def _move(self, completed: float, note: str, *, total: float | None = None) -> None:
        self._bar.update(self._task, completed=completed, note=note, total=total)
