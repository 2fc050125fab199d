"""``pfe encode-file``: encode a column of a whole file."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from primefourier.cli.options import Depth, Json, Primes, read_basis
from primefourier.cli.output import count, print_json, print_text
from primefourier.cli.row_progress import RowProgressView

if TYPE_CHECKING:
    from primefourier.bulk import Summary


def encode_file(
    source: Path,
    /,
    *,
    out: str,
    column: str | None = None,
    primes: Primes = None,
    depth: Depth = None,
    dtype: Literal["float16", "float32", "float64"] = "float32",
    name: str = "code",
    format: Literal["parquet", "csv", "tsv", "jsonl", "npy"] | None = None,  # noqa: A002
    on_bad: Literal["error", "reject"] = "error",
    rejects: Path | None = None,
    overwrite: Annotated[bool, Parameter(negative=(), show_default=False)] = False,
    scheduler: str | None = None,
    json: Json = False,
) -> int:
    """Encode a column of a file of any size, in memory that does not grow with it.

    Files are .parquet, .csv, .tsv, .jsonl, .ndjson or .npy; any of them can become any other.

    Other columns are kept, except in .npy files, which hold the codes alone.

    Parameters
    ----------
    source
        The file to read.
    out
        File to write; or folder, such as codes/: the same command again continues a stopped run.
    column
        The column of integers, or of texts of decimal integers; not for .npy files.
    dtype
        Precision of the codes.
    name
        What the column of codes is called.
    format
        What is written into a folder (default: parquet).
    on_bad
        At a row without an integer, error stops; reject leaves it out.
    rejects
        Where such rows are listed (default: OUT.rejects.jsonl, or _rejects.jsonl in the folder).
    overwrite
        Replace what is there.
    scheduler
        Dask scheduler whose workers encode: tcp://10.0.0.1:8786, or its --scheduler-file.
    """
    basis = read_basis(primes, depth)

    from primefourier import bulk

    try:
        with _terminable(), RowProgressView() as view:
            summary = bulk.encode_file(
                source,
                out=out,
                column=column,
                basis=basis,
                dtype=dtype,
                name=name,
                format=format,
                on_bad=on_bad,
                rejects=rejects,
                overwrite=overwrite,
                scheduler=scheduler,
                watch=view.show,
                tell=view.tell,
            )
    except KeyboardInterrupt:
        folder = Path(out, "_job.json").exists()
        again = "Run the same command again to continue." if folder else "Nothing was written."
        sys.stderr.write(f"Stopped. {again}\n")
        return 1
    if json:
        print_json(summary.as_dict())
    else:
        _tell(summary)
    return 0


def _tell(summary: Summary) -> None:
    """Say what was written and what was not."""
    rows, parts = count(summary.rows, "row"), ""
    if summary.parts is not None:
        before = f", {summary.parts_before} of them before" if summary.parts_before else ""
        parts = f" in {count(summary.parts, 'part')}{before}"
    if summary.parts and summary.parts == summary.parts_before:
        print_text(f"{summary.out} was finished before: {rows} in {count(summary.parts, 'part')}.")
    else:
        print_text(f"Wrote {rows} to {summary.out}{parts}.")
    if summary.rejected:
        print_text(
            f"Rejected {count(summary.rejected, 'row')}; {summary.rejects} tells which and why."
        )


@contextmanager
def _terminable() -> Iterator[None]:
    """Let SIGTERM, which batch systems send, stop the work as Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
