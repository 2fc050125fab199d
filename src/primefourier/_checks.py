"""What all packages share: checks of words and keys, missing packages, the number of cores."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from numbers import Real


def require_choice(value: object, choices: Sequence[str], name: str) -> None:
    """Raise ValueError if the value is not one of the choices, and suggest the nearest choice.

    >>> require_choice("zeros", ("zero", "mean"), "kind")
    Traceback (most recent call last):
    ValueError: kind must be 'zero' or 'mean', got 'zeros'; did you mean 'zero'?
    """
    if isinstance(value, str) and value in choices:
        return
    near = get_close_matches(str(value), choices, n=1)
    meant = f"; did you mean {near[0]!r}?" if near else ""
    *first, last = (repr(choice) for choice in choices)
    raise ValueError(f"{name} must be {', '.join(first)} or {last}, got {value!r}{meant}")


def require_number(value: object, name: str) -> None:
    """Raise TypeError if a value is not a real number, of Python or numpy.

    >>> require_number("0.5", "floor")
    Traceback (most recent call last):
    TypeError: floor must be a number, got a str, '0.5'
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, got a {type(value).__name__}, {value!r:.80}")


def refuse_unknown(keys: Iterable[str], known: Sequence[str], where: str) -> None:
    """Raise ValueError for the first unknown key, and suggest the nearest known key.

    >>> refuse_unknown({"range": 1}, ["ranges", "sizes"], "[exp1]")
    Traceback (most recent call last):
    ValueError: unknown key 'range' in [exp1]; did you mean 'ranges'?
    >>> refuse_unknown({"x": 1}, ["ranges", "sizes"], "[exp1]")
    Traceback (most recent call last):
    ValueError: unknown key 'x' in [exp1]; known keys are 'ranges', 'sizes'
    """
    for key in keys:
        if key not in known:
            near = get_close_matches(key, known, n=1)
            advice = f"did you mean {near[0]!r}?" if near else ""
            raise ValueError(
                f"unknown key {key!r} in {where}; "
                f"{advice or 'known keys are ' + ', '.join(map(repr, known))}"
            )


def printable(text: str) -> str:
    r"""Escape what cannot be printed, so that text from a file cannot act as anything but text.

    >>> printable("red \x1b[31m")
    'red \\x1b[31m'
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def plural(number: int, noun: str) -> str:
    """Write a number of things.

    >>> plural(1, "model"), plural(2, "model")
    ('1 model', '2 models')
    """
    return f"{number} {noun}{'s'[: number != 1]}"


def missing_extra(what: str, error: ImportError, extra: str) -> ImportError:
    """Return an ImportError that names the missing package and how to install it."""
    package = (error.name or "a package").partition(".")[0]
    return ImportError(
        f"{what} needs {package}, which is not installed; run pip install '.[{extra}]' in a clone",
        name=error.name,
    )


def usable_cores() -> int:
    """Return how many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
