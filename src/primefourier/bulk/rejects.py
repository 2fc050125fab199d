"""Bad rows as JSON lines: which file, row and line, what stands there, and why it is bad."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from primefourier.bulk.batch import BadRow
from primefourier.bulk.json_types import json_text


def reject_lines(source: Path, bad: Iterable[BadRow]) -> bytes:
    r"""Write bad rows as JSON lines.

    Args:
        source: The input.
        bad: Its bad rows.

    Returns:
        One line for each; ``line`` is there only if the format has lines.

    >>> reject_lines(Path("in.npy"), [BadRow(row=3, line=None, value=None, reason="is null")])
    b'{"file": "in.npy", "row": 3, "value": null, "reason": "is null"}\n'
    """
    return "".join(f"{json_text(_as_dict(source, one))}\n" for one in bad).encode()


def _as_dict(source: Path, bad: BadRow) -> dict[str, object]:
    line = {} if bad.line is None else {"line": bad.line}
    return {
        "file": str(source),
        "row": bad.row,
        **line,
        "value": bad.value,
        "reason": bad.reason,
    }
