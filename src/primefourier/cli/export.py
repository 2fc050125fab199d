"""``pfe export``: the records of a folder for pandas, polars and others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from primefourier.cli.output import count, print_text

if TYPE_CHECKING:
    from primefourier.lab.export import Format


def export(folder: Path, /, *, format: str | None = None, out: Path | None = None) -> None:  # noqa: A002
    """Write all records of a folder as one table, one model a row.

    Parameters
    ----------
    folder
        The --out of pfe run or pfe reproduce.
    format
        jsonl, csv (lists as JSON texts) or parquet (default: what --out ends in, or else jsonl).
    out
        The file to write (default: records.jsonl, .csv or .parquet in the folder).
    """
    from primefourier.lab.export import FORMATS, export_records
    from primefourier.lab.sweep import read_store

    ending = "" if out is None else out.suffix.removeprefix(".").lower()
    kind = format or (ending if ending in FORMATS else "jsonl")
    if format and ending in FORMATS and ending != format:
        raise ValueError(f"--format {format} and --out {out} do not agree; leave one of them out")
    with read_store(folder) as store:
        records = store.records()
    path = out or folder / f"records.{kind}"
    export_records(records, path, cast("Format", kind))
    print_text(f"Wrote {count(len(records), 'record')} to {path}.")
