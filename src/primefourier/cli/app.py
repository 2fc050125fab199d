"""The commands of ``pfe``, and how their errors reach the user."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from io import TextIOWrapper

from cyclopts import App, CycloptsError
from rich.console import Console

import primefourier
from primefourier.cli.bench import bench
from primefourier.cli.circles import circles
from primefourier.cli.claims import claims
from primefourier.cli.decode import STANDARD_INPUT, decode
from primefourier.cli.encode import encode
from primefourier.cli.encode_file import encode_file
from primefourier.cli.explore import explore
from primefourier.cli.export import export
from primefourier.cli.figures import figures
from primefourier.cli.output import visible
from primefourier.cli.plan import plan
from primefourier.cli.questions import questions
from primefourier.cli.repair import repair
from primefourier.cli.report import report
from primefourier.cli.reproduce import reproduce
from primefourier.cli.run import run as run_command
from primefourier.cli.status import status
from primefourier.cli.theory import theory
from primefourier.cli.verify import verify
from primefourier.cli.version import version

DONE, FAILED, WRONG_USAGE = 0, 1, 2

app = App(
    name="pfe",
    help="Prime Fourier Embeddings: integers as prime-indexed (cos, sin) pairs.",
    version=primefourier.__version__,
    help_format="plaintext",
    suppress_keyboard_interrupt=False,
)
_GROUPS: dict[str, tuple[Callable[..., object], ...]] = {
    "Encoding and theory": (
        encode,
        encode_file,
        decode,
        plan,
        theory,
        circles,
        explore,
        version,
    ),
    "The paper's experiments": (
        reproduce,
        run_command,
        status,
        claims,
        questions,
        figures,
        report,
        export,
        repair,
        verify,
        bench,
    ),
}
for group, commands in _GROUPS.items():
    for command in commands:
        app.command(command, group=group)


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code: 0 done, 1 failed, 2 wrong usage."""
    sys.set_int_max_str_digits(0)  # integers of any size are the point
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # terminals that cannot show a sign show ?
    errors = Console(stderr=True, soft_wrap=True)
    try:
        words = list(arguments)
        if words[:1] == ["decode"]:  # there - is a file, not the beginning of an option
            words = [STANDARD_INPUT if word == "-" else word for word in words]
        code = app(words, exit_on_error=False, print_error=False, result_action="return_value")
    except CycloptsError as error:
        name = " ".join(["pfe", *(error.command_chain or ())])
        errors.print(visible(f"error: {error}"), markup=False, highlight=False)
        errors.print(f"{name} --help shows how it is used.", markup=False, highlight=False)
        return WRONG_USAGE
    except KeyboardInterrupt:
        errors.print("Stopped.")
        return FAILED
    except BrokenPipeError:  # the reader, such as head, has seen enough
        sys.stdout = None
        return DONE
    except (ValueError, TypeError, OSError, ImportError, OverflowError) as error:
        errors.print(visible(f"error: {error}"), markup=False, highlight=False)
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
