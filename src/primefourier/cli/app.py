"""The commands of ``pfe``, their error messages and exit codes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from io import TextIOWrapper

from cyclopts import App, CycloptsError
from rich.console import Console

import primefourier
from primefourier.cli.options import MOST_DIGITS, STANDARD_INPUT
from primefourier.cli.output import show_messages, visible
from primefourier.plugins import installed

DONE, FAILED, WRONG_USAGE = 0, 1, 2

_LAB = "The laboratory"
_NUMBERS = "Encoding and theory"
_COMMANDS = {
    **dict.fromkeys(("encode", "encode-file", "decode", "plan"), ("numbers", _NUMBERS)),
    "theory": ("checks", _NUMBERS),
    "verify": ("checks", _LAB),
    "demo": ("demo", _LAB),
    **dict.fromkeys(("circles", "explore"), ("pages", _NUMBERS)),
    **dict.fromkeys(("figures", "report"), ("pages", _LAB)),
    **dict.fromkeys(("summary", "status", "export", "repair"), ("results", _LAB)),
    "run": ("train", _LAB),
}
"""The module of each command, which is imported when the command is used, and its heading."""
_OF_PAPER = ("reproduce", "claims", "run exp1", "run control", "run exp2")
"""Commands of the package in the folder paper."""


def make_app() -> App:
    """Return the commands of this package and of installed plugins."""
    app = App(
        name="pfe",
        help="Prime Fourier Embeddings: integers as prime-indexed (cos, sin) pairs.\n\n"
        "Start with `pfe demo cheat`: a network that cheats, and one that is proved.",
        version=primefourier.__version__,
        help_format="markdown",
        suppress_keyboard_interrupt=False,
    )
    for name, (module, group) in _COMMANDS.items():
        # a text, so that cyclopts imports the module only when the command is used
        place = f"primefourier.cli.{module}:{name.replace('-', '_')}"
        app.command(place, name=name, group=group)
    for plugin in installed():
        for name, command in plugin.commands().items():
            words = name.split()
            parent = app["run"] if words[0] == "run" else app
            parent.command(command, name=words[-1], group=plugin.heading or _LAB)
    return app


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code: 0 done, 1 failed, 2 wrong usage."""
    sys.set_int_max_str_digits(MOST_DIGITS)  # Python's own limit is 4300
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without a character shows ?
    words = list(arguments)
    if words[:1] == ["decode"]:  # here - names standard input
        words = [STANDARD_INPUT if word == "-" else word for word in words]
    try:
        with show_messages():
            app = make_app()
            if words[:1] in ([], ["--help"], ["-h"]):  # the list shows a line of every help text
                for name in _COMMANDS:
                    app[name]
            _require_package(app, words)
            code = app(words, exit_on_error=False, print_error=False, result_action="return_value")
    except CycloptsError as error:
        name = " ".join(["pfe", *(error.command_chain or ())])
        _print_error(f"error: {error}\nRun {name} --help for its usage.")
        return WRONG_USAGE
    except KeyboardInterrupt:
        _print_error("Stopped.")
        return FAILED
    except BrokenPipeError:  # the reader, such as head, has ended
        sys.stdout = None
        return FAILED if words[:1] in (["run"], ["reproduce"]) else DONE  # these are not finished
    except OSError as error:
        named = error.filename is not None  # then without the system's number
        _print_error(f"error: {error.filename}: {error.strerror}" if named else f"error: {error}")
        return WRONG_USAGE
    except (ValueError, TypeError, ImportError, OverflowError) as error:
        _print_error(f"error: {error}")
        return WRONG_USAGE
    except RuntimeError as error:
        if not type(error).__module__.startswith("primefourier."):
            raise  # a bug, to be reported with its traceback
        _print_error(f"error: {error}")
        return FAILED
    except MemoryError:
        _print_error("error: this needs more memory than there is; use a smaller basis")
        return WRONG_USAGE
    return code if isinstance(code, int) else DONE


def _require_package(app: App, words: Sequence[str]) -> None:
    """Raise ValueError for a command of the paper's package if that is not installed."""
    first, second = [*words, "", ""][:2]
    name = f"run {second}" if first == "run" else first
    if name in _OF_PAPER and not (second in app["run"] if first == "run" else first in app):
        raise ValueError(
            f"pfe {name} needs the package primefourier-paper, which is not installed; run "
            "pip install ./paper in a clone"
        )


def _print_error(text: str) -> None:
    errors = Console(stderr=True)
    errors.soft_wrap = not errors.is_terminal  # on a terminal, lines break between words
    errors.print(visible(text), markup=False, highlight=False)
