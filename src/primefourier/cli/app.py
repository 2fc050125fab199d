"""The commands of ``pfe``, their error messages and exit codes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from io import TextIOWrapper

from cyclopts import App, CycloptsError
from rich.console import Console

import primefourier
from primefourier.cli.browser import explore
from primefourier.cli.checks import bench, theory, verify, version
from primefourier.cli.files import encode_file
from primefourier.cli.numbers import STANDARD_INPUT, circles, decode, encode, plan
from primefourier.cli.options import MOST_DIGITS
from primefourier.cli.output import show_messages, visible
from primefourier.cli.repair import repair
from primefourier.cli.results import export, figures, report, status, summary
from primefourier.cli.train import reproduce
from primefourier.cli.train import run as run_command
from primefourier.cli.verdicts import claims, questions

DONE, FAILED, WRONG_USAGE = 0, 1, 2

app = App(
    name="pfe",
    help="Prime Fourier Embeddings: integers as prime-indexed (cos, sin) pairs.",
    version=primefourier.__version__,
    help_format="markdown",
    suppress_keyboard_interrupt=False,
)
_GROUPS: dict[str, tuple[Callable[..., object], ...]] = {
    "Encoding and theory": (
        *(encode, encode_file, decode, plan, theory, circles, explore, version),
    ),
    "The laboratory": (
        *(run_command, summary, reproduce, status, claims, questions, figures, report, export),
        *(repair, verify, bench),
    ),
}
for group, commands in _GROUPS.items():
    for command in commands:
        app.command(command, group=group)


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code: 0 done, 1 failed, 2 wrong usage."""
    sys.set_int_max_str_digits(MOST_DIGITS)  # Python's own limit is 4300
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without a character shows ?
    errors = Console(stderr=True)
    errors.soft_wrap = not errors.is_terminal  # on a terminal, lines break between words
    try:
        words = list(arguments)
        if words[:1] == ["decode"]:  # here - names standard input
            words = [STANDARD_INPUT if word == "-" else word for word in words]
        with show_messages():
            code = app(words, exit_on_error=False, print_error=False, result_action="return_value")
    except CycloptsError as error:
        name = " ".join(["pfe", *(error.command_chain or ())])
        errors.print(visible(f"error: {error}"), markup=False, highlight=False)
        errors.print(f"Run {name} --help for its usage.", markup=False, highlight=False)
        return WRONG_USAGE
    except KeyboardInterrupt:
        errors.print("Stopped.")
        return FAILED
    except BrokenPipeError:  # the reader, such as head, has ended
        sys.stdout = None
        return DONE
    except (ValueError, TypeError, OSError, ImportError, OverflowError) as error:
        text = str(error)
        if isinstance(error, OSError) and error.filename is not None:
            text = f"{error.filename}: {error.strerror}"  # without the system's number
        errors.print(visible(f"error: {text}"), markup=False, highlight=False)
        return WRONG_USAGE
    except RuntimeError as error:
        if not type(error).__module__.startswith("primefourier."):
            raise  # a bug, to be reported with its traceback
        errors.print(visible(f"error: {error}"), markup=False, highlight=False)
        return FAILED
    except MemoryError:
        errors.print("error: this needs more memory than there is; use a smaller basis")
        return WRONG_USAGE
    return code if isinstance(code, int) else DONE
