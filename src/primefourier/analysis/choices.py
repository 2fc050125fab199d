"""Options that are one of a few words, and what to say when the word is another."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches


def require_choice(value: object, choices: Sequence[str], name: str) -> None:
    """Refuse a word that is not among the choices, and name the one that was probably meant.

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
