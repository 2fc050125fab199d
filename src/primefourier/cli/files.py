"""``pfe encode-file``: encode columns of whole files."""

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

from primefourier._checks import plural
from primefourier.cli.options import FLAG, Depth, Json, Primes, read_basis
from primefourier.cli.output import print_json, print_text
from primefourier.cli.progress import ProgressBar

if TYPE_CHECKING:
    from primefourier.files import Summary


def encode_file(
    *sources: Path,
    out: str,
    column: Annotated[list[str] | None, Parameter(negative=())] = None,
    primes: Primes = None,
    depth: Depth = None,
    dtype: Literal["float16", "float32", "float64"] = "float32",
    name: str = "code",
    format: Literal["parquet", "arrow", "npy"] | None = None,  # noqa: A002
    on_bad: Literal["error", "reject"] = "error",
    rejects: Path | None = None,
    overwrite: Annotated[bool, FLAG] = False,
    scheduler: str | None = None,
    json: Json = False,
) -> int:
    """Encode columns of files of any size, in memory that does not grow with them.

    Reads .parquet, .arrow, .feather, .csv, .tsv, .jsonl, .ndjson and .npy files.

    Writes .parquet, .arrow, .feather and .npy files.

    Other columns are kept, except in .npy files, which hold the codes alone.

    Parameters
    ----------
    sources
        The file to read; or, if the output is a folder, several files or folders of them.
    out
        File to write; or folder, such as codes/: the same command again continues a stopped run.
    column
        A column of integers, or of texts of decimal integers; may be repeated. Not for .npy files.
    dtype
        Precision of the codes.
    name
        Name of the column of codes; with several columns, each is called COLUMN_NAME.
    format
        Format of the files in a folder (default: parquet).
    on_bad
        At a row without an integer, error stops; reject leaves it out.
    rejects
        File that lists such rows (default: OUT.rejects.jsonl; in a folder always _rejects.jsonl).
    overwrite
        Replace existing output.
    scheduler
        Dask scheduler whose workers encode a file each: tcp://10.0.0.1:8786, or --scheduler-file.
    """
    basis = read_basis(primes, depth)

    from primefourier import files

    try:
        with _terminable(), ProgressBar() as bar:
            summary = files.encode_file(
                sources,
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
                on_progress=bar.show_rows,
            )
    except KeyboardInterrupt:
        folder = Path(out, "_job.json").exists()
        again = "Run the same command again to continue." if folder else "Nothing was written."
        sys.stderr.write(f"Stopped. {again}\n")
        return 1
    if json:
        print_json(summary.as_dict())
    else:
        _print_summary(summary)
    return 0


def _print_summary(summary: Summary) -> None:
    """Print how many rows were written, and how many rejected."""
    rows, parts = plural(summary.rows, "row"), ""
    if summary.parts is not None:
        before = f", {summary.parts_before} of them before" if summary.parts_before else ""
        parts = f" in {plural(summary.parts, 'part')}{before}"
    if summary.parts and summary.parts == summary.parts_before:
        print_text(f"{summary.out} was finished before: {rows} in {plural(summary.parts, 'part')}.")
    else:
        print_text(f"Wrote {rows} to {summary.out}{parts}.")
    if summary.rejected:
        print_text(
            f"Rejected {plural(summary.rejected, 'row')}; {summary.rejects} lists them with "
            "reasons."
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
