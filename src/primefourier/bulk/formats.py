"""Which files can be read and written, by the ending of their names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, get_args

from primefourier.bulk.errors import BulkError

Format = Literal["parquet", "csv", "tsv", "jsonl", "npy"]
FORMATS: tuple[Format, ...] = get_args(Format)

_ENDINGS: dict[str, Format] = {
    ".parquet": "parquet",
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".npy": "npy",
}


def format_of(path: Path) -> Format:
    """Return the format that a file's name ends in.

    Raises:
        BulkError: If it is none of the known ones.

    >>> format_of(Path("numbers.ndjson"))
    'jsonl'
    >>> format_of(Path("numbers.xlsx"))
    Traceback (most recent call last):
    primefourier.bulk.errors.BulkError: a file's name must end in .parquet, .csv, .tsv, .jsonl,
    .ndjson or .npy, got 'numbers.xlsx'
    """
    found = _ENDINGS.get(path.suffix.lower())
    if found is None:
        *first, last = _ENDINGS
        raise BulkError(
            f"a file's name must end in {', '.join(first)} or {last}, got {str(path)!r}"
        )
    return found


def is_folder(out: str | Path) -> bool:
    """Tell whether an output is meant as a folder: no ending, a final slash, or one that is there.

    >>> is_folder("codes"), is_folder("codes.v2/"), is_folder("codes.parquet")
    (True, True, False)
    """
    text = os.fspath(out)
    if not text:
        raise BulkError("--out must name a file or a folder, got nothing")
    if Path(text).suffix.lower() in _ENDINGS and Path(text).is_dir() and not text.endswith("/"):
        raise BulkError(f"{text} is a folder; give a file another name, or add a / to mean it")
    return text.endswith(("/", os.sep)) or not Path(text).suffix or Path(text).is_dir()


def output_format(out: str | Path, wanted: str | None) -> Format:
    """Return the format to write: what --format says, what the name ends in, or else Parquet.

    Raises:
        BulkError: If both are given and differ, or one is unknown.

    >>> output_format("codes/", None), output_format("codes/", "npy"), output_format("a.csv", None)
    ('parquet', 'npy', 'csv')
    """
    if wanted is not None and wanted not in FORMATS:
        raise BulkError(f"--format must be one of {', '.join(FORMATS)}, got {wanted!r}")
    if is_folder(out):
        return next(name for name in FORMATS if name == (wanted or "parquet"))
    found = format_of(Path(out))
    if wanted not in (None, found):
        raise BulkError(
            f"--format {wanted} and --out {os.fspath(out)} do not agree; leave --format out, or "
            "give a folder"
        )
    return found
