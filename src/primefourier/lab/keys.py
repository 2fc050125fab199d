"""Keys of settings: the unknown ones are refused, with the name that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches


def refuse_unknown(keys: Iterable[str], known: Sequence[str], where: str) -> None:
    """Raise ValueError for the first key that is not known.

    >>> refuse_unknown({"range": 1}, ["ranges", "sizes"], "[exp1]")
    Traceback (most recent call last):
    ValueError: unknown key 'range' in [exp1]; did you mean 'ranges'?
    >>> refuse_unknown({"x": 1}, ["ranges", "sizes"], "[exp1]")
    Traceback (most recent call last):
    ValueError: unknown key 'x' in [exp1]; known are 'ranges', 'sizes'
    """
    for key in keys:
        if key not in known:
            near = get_close_matches(key, known, n=1)
            advice = f"did you mean {near[0]!r}?" if near else ""
            raise ValueError(
                f"unknown key {key!r} in {where}; "
                f"{advice or 'known are ' + ', '.join(map(repr, known))}"
            )
