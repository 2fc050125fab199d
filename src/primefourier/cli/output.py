"""Output of commands: text, tables and JSON; messages and progress on standard error."""

from __future__ import annotations

import json
import logging
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self
from unicodedata import category

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Column, Table

from primefourier._checks import plural
from primefourier._files import write_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from primefourier.lab import sweep
    from primefourier.lab.record import Record

_PAUSE = 10.0
"""Seconds between two lines about rows in a pipe."""


def print_json(value: object) -> None:
    """Print one JSON document on standard output; control characters are escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    sys.stdout.write(_escape(text, json.dumps) + "\n")


def print_text(text: str) -> None:
    """Print text as it is; use it for lines with paths and commands, which are not wrapped."""
    sys.stdout.write(visible(text) + "\n")


def print_prose(text: str, *, hang: int = 0) -> None:
    """Print sentences, wrapped at words to the width of the terminal, 80 columns in a pipe.

    Further lines of a paragraph are indented as its first, and by ``hang`` more.
    """
    width = Console().width  # 80 in a pipe
    for line in text.split("\n"):
        indent = " " * (len(line) - len(line.lstrip()) + hang)
        print_text(textwrap.fill(line, width, subsequent_indent=indent, break_long_words=False))


def print_error(text: str) -> None:
    """Print a line on standard error at once."""
    sys.stderr.write(visible(text) + "\n")
    sys.stderr.flush()


def visible(text: str) -> str:
    r"""Escape control characters, which could make text from a file control a terminal.

    >>> visible("red \x1b[31m, \u202ebackwards\n")
    'red \\x1b[31m, \\u202ebackwards\n'
    """
    return _escape(text, ascii)


def _escape(text: str, quote: Callable[[str], str]) -> str:
    if text.isprintable():  # nearly always, and soon seen
        return text
    return "".join(
        quote(char)[1:-1] if category(char) in ("Cc", "Cf", "Cs") and char not in "\n\t" else char
        for char in text
    )


def print_table(
    columns: Sequence[str], rows: Sequence[Sequence[RenderableType]], *, left: Sequence[str] = ()
) -> None:
    """Print a table as wide as the terminal, 80 columns in a pipe.

    Columns named in ``left`` hold text, which is wrapped at words. The others hold numbers, flush
    right. Neither words nor numbers are broken: if they do not fit, the table is wider.
    """
    console = Console(soft_wrap=True, highlight=False)
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for i, column in enumerate(columns):
        if column in left:
            table.add_column(visible(column))
        else:  # a number cut into two lines would be read as two numbers
            least = max(cell_len(str(row[i])) for row in rows)
            table.add_column(visible(column), justify="right", min_width=least)
    for row in rows:
        table.add_row(*(visible(cell) if isinstance(cell, str) else cell for cell in row))
    # rich would break words to fit; its own minimum, without a limit, is where it would not
    unlimited = console.options.update(width=sys.maxsize)
    console.width = max(console.width, console.measure(table, options=unlimited).minimum)
    console.print(table, markup=False)


def save_figure(figure: Figure, out: Path) -> None:
    """Write a picture; the ending of its name is the format."""
    write_file(out, partial(figure.savefig, format=out.suffix.lower().removeprefix(".")))


def write_seconds(seconds: float) -> str:
    """Write a duration.

    >>> write_seconds(8.2), write_seconds(75), write_seconds(120), write_seconds(3700)
    ('8 s', '1 min 15 s', '2 min', '1 h 1 min')
    """
    whole = round(seconds)
    units = [(whole // 3600, "h"), (whole % 3600 // 60, "min"), (whole % 60, "s")]
    if whole >= 3600:
        units.pop()
    return " ".join(f"{number} {unit}" for number, unit in units if number) or "0 s"


@contextmanager
def show_messages() -> Iterator[None]:
    """Print what the library logs on standard error while a command runs."""
    logger, handler = logging.getLogger("primefourier"), _Messages()
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


class _Messages(logging.Handler):
    """Prints messages without level and time."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print one message."""
        print_error(self.format(record))


class ProgressBar:
    """Shows how far a command is: a bar on a terminal, plain lines in a pipe.

    Use it as a context manager, and pass ``show_models`` or ``show_rows`` as the callback of the
    function that does the work. Log messages appear above the bar, because rich redirects standard
    error while the bar is live.
    """

    def __init__(self) -> None:
        from rich.progress import BarColumn, Progress, TextColumn

        console = Console(stderr=True)
        self._live = console.is_terminal
        text = TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True))
        self._bar = Progress(
            BarColumn(None), text, console=console, transient=True, expand=True,
            disable=not self._live,
        )  # fmt: skip
        self._task = self._bar.add_task("starting", total=1.0)
        self._start = self._printed = time.monotonic()

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def show(self, share: float | None, text: str) -> None:
        """Show a share of the work, if it is known; nothing in a pipe."""
        self._bar.update(
            self._task, completed=share, total=None if share is None else 1.0, description=text
        )

    def show_models(self, progress: sweep.Progress) -> None:
        """Show the counts of a sweep; call it at the beginning and after each model."""
        if progress.last is None:  # workers are started; what came before is not training time
            self._start = time.monotonic()
        finished, total = progress.total - progress.remaining, progress.total
        note = _describe_sweep(progress, time.monotonic() - self._start)
        self.show(finished / max(total, 1), f"{finished}/{total} {note}")
        if self._live:
            return
        if progress.last is None:
            before = f", {progress.before} of them measured before" if progress.before else ""
            print_error(f"{plural(total, 'model')}{before}")
        else:
            print_error(f"[{finished}/{total}] {describe_model(progress.last)}; {note}")

    def show_rows(self, rows: int) -> None:
        """Show how many rows are encoded; call it after each batch."""
        now = time.monotonic()
        text = f"{plural(rows, 'row')}, {rows / max(now - self._start, 1e-9):.0f} per second"
        self.show(None, text)
        if not self._live and now - self._printed >= _PAUSE:
            self._printed = now
            print_error(text)


def describe_model(record: Record) -> str:
    """Describe a finished model in one line."""
    name, seconds = record.config.describe(), f"({record.provenance.seconds:.1f} s)"
    if record.error is not None:
        return f"{name} FAILED: {record.reason}"
    measured = record.measured
    if measured.diverged:
        return (
            f"{name} DIVERGED: logits are NaN on {measured.nan_answers} of {measured.test_size} "
            f"test examples {seconds}"
        )
    drops = dict(zip(measured.row_names, measured.drops, strict=True))
    wanted = measured.relevant or ()
    relevant = ", ".join(f"{row}: {drops[row]:.2f}" for row in wanted) or "none"
    others = [drop for row, drop in drops.items() if row not in wanted]
    mean = f", others {sum(others) / len(others):.3f}" if others else ""
    beyond = " ".join(f"{accuracy:.3f}" for accuracy in measured.accuracy_beyond.values())
    far = f", beyond {beyond}" if beyond else ""
    return f"{name} accuracy {measured.accuracy:.3f}{far}, drops {relevant}{mean} {seconds}"


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
