"""Encode a file: check everything first, then stream it to a file or a folder."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from numpy.typing import DTypeLike

from primefourier.bulk.each import PACKAGES, Each, EachOn, each_here
from primefourier.bulk.encode_batch import Recipe
from primefourier.bulk.errors import BulkError
from primefourier.bulk.file_output import write_file
from primefourier.bulk.folder_output import finished_before, write_folder
from primefourier.bulk.formats import Format, format_of, is_folder, output_format
from primefourier.bulk.job import Job, OnBad, fingerprint_of
from primefourier.bulk.job_files import REJECTS_NAME
from primefourier.bulk.places import check_places
from primefourier.bulk.summary import Progress, Summary
from primefourier.cluster import remote_client
from primefourier.encoding import PAPER_BASIS, PrimeBasis, encode


def encode_file(
    source: str | Path,
    *,
    out: str | Path,
    column: str | None = None,
    basis: PrimeBasis = PAPER_BASIS,
    dtype: DTypeLike = "float32",
    name: str = "code",
    format: Format | None = None,  # noqa: A002
    on_bad: OnBad = "error",
    rejects: str | Path | None = None,
    overwrite: bool = False,
    scheduler: str | None = None,
    watch: Callable[[Progress], None] = lambda _: None,
    tell: Callable[[str], None] = lambda _: None,
) -> Summary:
    """Encode a column of a file, batch by batch, in memory that does not grow with the file.

    Every code is the one that :func:`primefourier.encode` gives, bit for bit. The other columns are
    kept, except in .npy files.

    Args:
        source: A .parquet, .csv, .tsv, .jsonl, .ndjson or .npy file.
        out: The file to write, in any of these formats; or a folder (no ending, or a final slash),
            which gets one file for each part and can be continued after an interruption.
        column: What to encode: a column of integers of any type, or of texts of decimal integers
            of up to 10 000 digits. Not for .npy files, which have no columns.
        basis: The primes and the depth.
        dtype: float16, float32 or float64.
        name: What the column of codes is called.
        format: What is written into a folder: parquet (if nothing is said), csv, tsv, jsonl or npy.
        on_bad: "error" stops at the first row without an integer; "reject" leaves such rows out.
        rejects: Where such rows are listed, as JSON lines (if nothing is said: beside the output,
            or in the folder).
        overwrite: Whether existing output is replaced.
        scheduler: Address of a Dask scheduler whose workers shall encode.
        watch: Called with the progress, at the beginning and after each batch.
        tell: Called with sentences for the user.

    Returns:
        How many rows were written and left out, and where they are.

    Raises:
        BadRowError: At a bad row; it names file, row and value.
        BulkError: If input, output or options cannot be used.
        ClusterError: If the cluster cannot be used, or goes away.

    >>> import numpy as np
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/numbers.npy", np.arange(1000))
    ...     summary = encode_file(f"{folder}/numbers.npy", out=f"{folder}/codes.npy")
    ...     codes = np.load(f"{folder}/codes.npy")
    >>> summary.rows, codes.shape, bool((codes[7] == encode(7, PAPER_BASIS)).all())
    (1000, (1000, 16, 6, 2), True)
    """
    code = encode(0, basis, dtype)  # refuses what is no basis or dtype
    job = _job(
        Path(source),
        out,
        column=column,
        name=name,
        format=format,
        on_bad=on_bad,
        rejects=rejects,
        recipe=Recipe(basis, code.dtype.name),
    )
    check_places(job, overwrite=overwrite)
    if job.folder and not overwrite and (finished := finished_before(job)) is not None:
        return finished
    opened = job.open()
    with ExitStack() as stack:
        each: Each = each_here
        if scheduler is not None:
            client = remote_client(scheduler, packages=PACKAGES, tell=tell)
            each = EachOn(stack.enter_context(client))
        if job.folder:
            return write_folder(job, opened, each=each, overwrite=overwrite, watch=watch)
        return write_file(job, opened, each=each, watch=watch, tell=tell)


def _job(
    source: Path,
    out: str | Path,
    *,
    column: str | None,
    name: str,
    format: str | None,  # noqa: A002
    on_bad: OnBad,
    rejects: str | Path | None,
    recipe: Recipe,
) -> Job:
    """Check all that can be checked before the files are opened."""
    format_of(source)
    if not source.is_file():
        is_there = source.exists()
        raise BulkError(f"{source} is not a file" if is_there else f"there is no file {source}")
    folder, path = is_folder(out), Path(out)
    kind = output_format(out, format)
    if on_bad not in ("error", "reject"):
        raise BulkError(f"--on-bad must be error or reject, got {on_bad!r}")
    if rejects is not None and on_bad == "error":
        raise BulkError("--rejects goes with --on-bad reject; add that, or leave --rejects out")
    if not name:
        raise BulkError("--name must not be empty")
    listed: Path | None = None
    if on_bad == "reject":
        default = path / REJECTS_NAME if folder else path.with_suffix(".rejects.jsonl")
        listed = default if rejects is None else Path(rejects)
    return Job(
        source=source,
        column=column,
        out=path,
        folder=folder,
        format=kind,
        name=name,
        recipe=recipe,
        on_bad=on_bad,
        rejects=listed,
        fingerprint=fingerprint_of(source),
    )
