"""Options that several commands share, and the conversion of words to values."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Group, Parameter
from cyclopts.validators import Number

from primefourier._checks import missing_extra
from primefourier.arithmetic.integers import format_integer
from primefourier.encoding import PAPER_BASIS, PrimeBasis

if TYPE_CHECKING:
    from concurrent.futures import Executor

_LOG = logging.getLogger("primefourier.lab")
_CONNECT_SECONDS = 20
MOST_CIRCLES = 10_000
"""The largest basis of the command line: primes times depth."""
MOST_DIGITS = 300_000
"""The longest integer of the command line; no basis of 10 000 circles distinguishes more."""
STANDARD_INPUT = "<standard input>"
"""The app replaces - by this word, since - looks like an option."""
PICTURES = (".png", ".svg", ".pdf")


def read_integer(word: str) -> int:
    """Convert a word to an integer of any size, without rounding.

    >>> read_integer("-1000")
    -1000
    >>> read_integer("3.5")
    Traceback (most recent call last):
    ValueError: an integer such as 9 or -17 is required, got '3.5'
    """
    if not re.fullmatch(r"\s*[-+]?[0-9]+\s*", word):
        raise ValueError(f"an integer such as 9 or -17 is required, got {word.strip()!r:.80}")
    if len(word) > MOST_DIGITS:
        raise ValueError(
            f"an integer of at most {MOST_DIGITS} digits is required, got {len(word)} characters"
        )
    return int(word)


def read_integers(words: str) -> tuple[int, ...]:
    """Convert integers with commas between them to a tuple.

    >>> read_integers("100,1000")
    (100, 1000)
    """
    try:
        return tuple(read_integer(word) for word in words.split(","))
    except ValueError:
        raise ValueError(
            f"integers with commas between them, such as 3,5,7, are required, got {words!r:.80}"
        ) from None


# The converters replace those of the command line library, which round 3.5 to 4.
def _convert_integer(_type: Any, tokens: Sequence[Any]) -> int:
    return read_integer(tokens[0].value)


def _convert_integers(_type: Any, tokens: Sequence[Any]) -> tuple[int, ...]:
    return read_integers(tokens[0].value)


@Parameter(converter=_convert_integers, n_tokens=1, negative=())
class Integers(tuple[int, ...]):
    """A list of integers, one word of the command line."""


FLAG = Parameter(negative=(), show_default=False)
"""An option without a value and without a --no- form."""
Integer = Annotated[int, Parameter(converter=_convert_integer, n_tokens=1)]
Positive = Annotated[Integer, Parameter(validator=Number(gte=1))]
Primes = Annotated[
    Integers | None,
    Parameter(help="Primes of the basis, such as 3,5,7 (default: the paper's 3 … 59)."),
]
Depth = Annotated[
    Integer | None, Parameter(help="Number of powers (depths) per prime (default: the paper's 6).")
]
Json = Annotated[bool, FLAG, Parameter(name="--json", help="Print JSON instead of a table.")]
Seeds = Annotated[
    Integers | None, Parameter(help="Seeds, such as 42,43; one model for each (default: 42).")
]
Folder = Annotated[Path, Parameter(help="The --out of pfe run.")]
NewestFolder = Annotated[
    Path | None,
    Parameter(help="The --out of pfe run (default: the newest run here or in results)."),
]
_AT = Parameter(group=Group("Where models are trained", sort_key=3))


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Machines:
    """Where models are trained: the options of every command that trains."""

    workers: Annotated[Integer | None, _AT, Parameter(validator=Number(gte=0))] = None
    """Worker processes; 0 trains in this process (default: one for each core). With a scheduler,
    how many models it gets at a time (default: 64)."""
    scheduler: Annotated[str | None, _AT] = None
    """Address of a Dask scheduler, or the path of its scheduler file."""
    device: Annotated[str, _AT] = "cpu"
    """Torch device of the workers, such as cuda."""

    def check(self) -> None:
        """Raise ValueError for options that cannot work, before any work is done."""
        if self.workers == 0 and self.scheduler is not None:
            raise ValueError("--workers 0 and --scheduler exclude each other; choose one")
        if self.scheduler is None:  # other machines may have other devices
            _check_device(self.device)

    @contextmanager
    def executor(self) -> Iterator[Executor | None]:
        """Connect to the scheduler, if there is one; a WorkerError if none answers."""
        if self.scheduler is None:
            yield None
            return
        try:
            from distributed import Client
        except ImportError as error:
            raise missing_extra("--scheduler", error, "cluster") from error
        from primefourier.lab.pool import WorkerError

        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # errors below say it better
        file, deadline = Path(self.scheduler), time.monotonic() + _CONNECT_SECONDS
        is_file = file.suffix == ".json"
        while is_file and not file.exists() and time.monotonic() < deadline:
            time.sleep(0.1)  # a scheduler that was just started may not have written it yet
        try:
            if is_file and not file.exists():  # for which Dask would wait without an end
                raise FileNotFoundError("there is no such file")
            where = {"scheduler_file" if is_file else "address": self.scheduler}
            client = Client(**where, timeout=_CONNECT_SECONDS)
        except Exception as error:
            raise WorkerError(
                f"no Dask scheduler answers at {self.scheduler!r}: {error}; start one as "
                "docs/cluster.md says, or use workers on this machine"
            ) from error
        with client:
            if not client.nthreads():
                _LOG.warning("%s has no workers yet; waiting for them", self.scheduler)
            yield client.get_executor()


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Sweep(Machines):
    """The options of commands that train a study."""

    out: Path | None = None
    """Folder for records and results; an existing sweep there is continued (default: results/NAME,
    of the file or experiment)."""
    plan: Annotated[bool, FLAG] = False
    """Print how many models are measured and how many remain; train and write nothing."""


def _check_device(device: str) -> None:
    import torch

    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise ValueError(f"--device {device!r} cannot be used here: {reason}") from None


def read_basis(primes: tuple[int, ...] | None, depth: int | None) -> PrimeBasis:
    """Return the basis that --primes and --depth name; by default the paper's.

    >>> read_basis((3, 5), None)
    PrimeBasis(primes=(3, 5), depth=6)
    """
    primes = PAPER_BASIS.primes if primes is None else primes
    depth = PAPER_BASIS.depth if depth is None else depth
    if len(primes) * depth > MOST_CIRCLES:
        raise ValueError(
            f"--primes and --depth must make at most {MOST_CIRCLES} circles, got "
            f"{len(primes)} primes at depth {format_integer(depth, 24)}"
        )
    return PrimeBasis(primes, depth)


def check_output(path: Path, suffixes: Sequence[str]) -> None:
    """Raise an error for a path that cannot be written, before any work is done."""
    if path.suffix.lower() not in suffixes:
        raise ValueError(f"--out must end in {', '.join(suffixes)}, got {str(path)!r}")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(path.parent)!r}; create it first")
