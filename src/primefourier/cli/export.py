"""``pfe export``: the records of a folder for pandas, polars and others."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from primefourier.cli.output import print_text


def export(
    folder: Path,
    /,
    *,
    format: Literal["jsonl", "csv", "parquet"] = "jsonl",  # noqa: A002
    out: Path | None = None,
) -> None:
    """Write all records of a folder as one table, one model a row.

    Parameters
    ----------
    folder
        The --out of pfe run or pfe reproduce.
    format
        jsonl, csv (lists as JSON texts) or parquet.
    out
        The file to write (default: records.jsonl, .csv or .parquet in the folder).
    """
    from primefourier.lab.export import export_records
    from primefourier.lab.sweep import read_store

    with read_store(folder) as store:
        records = store.records()
    path = out or folder / f"records.{format}"
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(path.parent)!r}; create it first")
    export_records(records, path, format)
    print_text(f"Wrote {len(records)} records to {path}.")
