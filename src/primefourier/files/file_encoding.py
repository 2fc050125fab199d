"""Encode columns of files: check everything first, then write one file or a folder."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from importlib.metadata import version
from pathlib import Path
from typing import get_args

import numpy as np
from numpy.typing import DTypeLike

from primefourier._checks import require_choice
from primefourier._files import locked_file, unfinished, writing
from primefourier.cluster import usable_cores
from primefourier.encoding import PAPER_BASIS, PrimeBasis, encode
from primefourier.files.job import Format, Job, OnBad, fingerprint_of, require_unchanged
from primefourier.files.output_folder import REJECTS_NAME, write_folder
from primefourier.files.reports import BadRowError, FileError, Progress, Summary, reject_lines
from primefourier.files.writers import open_writer

_INPUT_ENDINGS = (".parquet", ".arrow", ".feather", ".csv", ".tsv", ".jsonl", ".ndjson", ".npy")
_OUTPUT_ENDINGS: dict[str, Format] = {
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".npy": "npy",
}
_FILE_BYTES, _FILE_ROWS = 32 << 20, 65_536
_PART_BYTES, _PART_ROWS = 64 << 20, 262_144


def encode_file(
    source: str | Path | Sequence[str | Path],
    *,
    out: str | Path,
    column: str | Sequence[str] | None = None,
    basis: PrimeBasis = PAPER_BASIS,
    dtype: DTypeLike = "float32",
    name: str = "code",
    format: Format | None = None,  # noqa: A002
    on_bad: OnBad = "error",
    rejects: str | Path | None = None,
    overwrite: bool = False,
    scheduler: str | None = None,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Summary:
    """Encode columns of files, batch by batch, in memory that does not grow with the files.

    Codes are bit for bit those of :func:`primefourier.encode`. The other columns are kept, except
    in .npy files. Messages for the user go to the logger "primefourier.files".

    Args:
        source: A .parquet, .arrow, .feather, .csv, .tsv, .jsonl, .ndjson or .npy file; or, if
            ``out`` is a folder, several of them, a folder of them, or a pattern such as "in/*.csv".
        out: The .parquet, .arrow, .feather or .npy file to write; or a folder (no ending, or a
            final slash), which gets one file per part. The same call again continues a folder
            after an interruption.
        column: One or more columns of integers of any type, or of texts of decimal integers of up
            to 10 000 digits. Not for .npy files, which have no columns.
        basis: The primes and the depth.
        dtype: float16, float32 or float64.
        name: The name of the column of codes; with several columns, the suffix of each name, as in
            "a_code".
        format: The format in a folder: parquet (default), arrow or npy.
        on_bad: "error" stops at the first row without an integer; "reject" leaves such rows out.
        rejects: The file that lists such rows as JSON lines (default: beside the output). A folder
            always lists them in ``_rejects.jsonl``.
        overwrite: Whether to replace existing output.
        scheduler: Address of a Dask scheduler whose workers encode one input file at a time each;
            requires a folder.
        on_progress: Called with the progress, at the beginning and after each batch.

    Returns:
        The numbers of rows written and rejected, and the files.

    Raises:
        BadRowError: At a bad row, with file, row and value.
        FileError: If input or output cannot be used, or options do not fit together.
        ValueError: If an option has a wrong value.
        OSError: If a file cannot be read or written.
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
    inputs = _inputs([source] if isinstance(source, str | os.PathLike) else source)
    columns = [column] if isinstance(column, str) else list(column or ())
    folder = _is_folder(out)
    _check_options(columns, name, on_bad, rejects)
    if not folder and len(inputs) > 1:
        raise FileError(f"several inputs need a folder as output, got the file {os.fspath(out)}")
    if folder and rejects is not None:
        raise FileError(f"a folder lists rejected rows in {REJECTS_NAME}; leave rejects out")
    if not folder and scheduler is not None:
        raise FileError(f"a cluster needs a folder as output, got the file {os.fspath(out)}")
    precision = encode(0, basis, dtype).dtype.name  # refuses a wrong basis or dtype
    job = Job(
        inputs=[fingerprint_of(path) for path in inputs],
        columns=columns,
        name=name,
        primes=list(basis.primes),
        depth=basis.depth,
        dtype=precision,
        format=_format(out, format, folder=folder),
        on_bad=on_bad,
        rows=_rows_per_batch(basis, precision, len(columns), folder=folder),
        version=version("primefourier"),
    )
    place = Path(out)
    if folder:
        return write_folder(
            job, inputs, place, overwrite=overwrite, scheduler=scheduler, on_progress=on_progress
        )
    listed = None
    if on_bad == "reject":
        listed = place.with_suffix(".rejects.jsonl") if rejects is None else Path(rejects)
    _check_places(inputs[0], place, listed, overwrite=overwrite)
    return _write_one_file(job, inputs[0], place, listed, on_progress)


def _check_options(
    columns: Sequence[str], name: str, on_bad: str, rejects: str | Path | None
) -> None:
    if len(set(columns)) < len(columns):
        raise FileError(f"columns must differ, got {', '.join(map(repr, columns))}")
    if not name:
        raise FileError("name must not be empty")
    require_choice(on_bad, get_args(OnBad), "on_bad")
    if rejects is not None and on_bad == "error":
        raise FileError("rejects goes with on_bad 'reject'; add that, or leave rejects out")


def _inputs(sources: Sequence[str | Path]) -> list[Path]:
    """Return the input files; those of a folder or a pattern are sorted by name."""
    found: list[Path] = []
    for source in map(Path, sources):
        more = [source]
        if source.is_dir():
            inside = [path for path in sorted(source.iterdir()) if path.name[0] not in "._"]
            more = [path for path in inside if path.suffix.lower() in _INPUT_ENDINGS]
        elif not source.exists() and any(sign in source.name for sign in "*?["):
            more = sorted(source.parent.glob(source.name))
        if not more:
            raise FileError(f"there is no file to encode in {source}")
        found += more
    if not found:
        raise FileError("source must name at least one file, got none")
    for path in found:
        if path.suffix.lower() not in _INPUT_ENDINGS:
            raise FileError(f"{_must_end_in(_INPUT_ENDINGS)}, got {str(path)!r}")
        if not path.is_file():
            raise FileError(
                f"{path} is not a file" if path.exists() else f"there is no file {path}"
            )
    return found


def _must_end_in(endings: Sequence[str]) -> str:
    return f"the name of a file must end in {', '.join(endings[:-1])} or {endings[-1]}"


def _is_folder(out: str | Path) -> bool:
    """Return whether an output is a folder: no ending, a final slash, or an existing folder."""
    text = os.fspath(out)
    if not text:
        raise FileError("out must name a file or a folder, got nothing")
    slash = text.endswith(("/", os.sep))
    if Path(text).suffix.lower() in _OUTPUT_ENDINGS and Path(text).is_dir() and not slash:
        raise FileError(f"{text} is a folder; add a / to write into it, or choose another name")
    return slash or not Path(text).suffix or Path(text).is_dir()


def _format(out: str | Path, wanted: Format | None, *, folder: bool) -> Format:
    """Return the format to write: as requested, by the ending of the name, or else Parquet."""
    if wanted is not None:
        require_choice(wanted, get_args(Format), "format")
    if folder:
        return wanted or "parquet"
    found = _OUTPUT_ENDINGS.get(Path(out).suffix.lower())
    if found is None:
        raise FileError(f"{_must_end_in([*_OUTPUT_ENDINGS])}, got {os.fspath(out)!r}")
    if wanted not in (None, found):
        raise FileError(
            f"format {wanted} and out {os.fspath(out)} do not agree; leave format out, or give a "
            "folder"
        )
    return found


def _rows_per_batch(basis: PrimeBasis, dtype: str, columns: int, *, folder: bool) -> int:
    """Return the number of rows in a batch, so that their codes take a few dozen MiB."""
    size, most = (_PART_BYTES, _PART_ROWS) if folder else (_FILE_BYTES, _FILE_ROWS)
    bytes_per_row = basis.dim * np.dtype(dtype).itemsize * max(columns, 1)
    return max(1, min(most, size // bytes_per_row))


def _check_places(source: Path, out: Path, rejects: Path | None, *, overwrite: bool) -> None:
    """Refuse a folder that does not exist, the input itself, and existing files."""
    for place in (out, rejects):
        if place is None:
            continue
        if _is_same(source, place):
            raise FileError(f"the output must be another file than the input, got {place} for both")
        if not place.parent.is_dir():
            raise FileError(f"there is no folder {str(place.parent)!r}; create it first")
        if place.exists() and not overwrite:
            raise FileError(f"{place} exists already; overwrite it, or choose another place")
    if rejects is not None and _is_same(out, rejects):
        raise FileError(f"out and rejects must be different files, got {out} for both")


def _is_same(one: Path, other: Path) -> bool:
    if one.exists() and other.exists():
        return one.samefile(other)
    return os.path.abspath(one) == os.path.abspath(other)  # noqa: PTH100


def _write_one_file(
    job: Job,
    source: Path,
    out: Path,
    rejects: Path | None,
    on_progress: Callable[[Progress], None],
) -> Summary:
    """Encode a file into another one, which appears when it is complete."""
    (schema, batches), progress, cores = job.open(source), Progress(), usable_cores()
    with ExitStack() as stack:
        interrupted = unfinished(out).exists()
        file = stack.enter_context(locked_file(out))
        if interrupted:
            logging.getLogger("primefourier.files").info(
                "an earlier run was interrupted; a single file cannot be continued, so it starts "
                "over; write to a folder for runs that can be continued"
            )
        on_progress(progress)
        listed = None
        with open_writer(job, out, file, schema) as write, closing(batches):
            for batch in batches:
                rows, codes, bad = job.encode(batch, cores)
                if bad and rejects is None:
                    raise BadRowError(source, bad[0])
                write(rows, codes)
                if bad and rejects is not None:
                    # entered after the output, so it gets its name before the output does
                    listed = listed or stack.enter_context(locked_file(rejects))
                    with writing(rejects):
                        listed.write(reject_lines(source, bad))
                more = Progress(rows=rows.num_rows, rejected=len(bad))
                progress = progress.plus(more, share=batch.share)
                on_progress(progress)
        require_unchanged(source, job.inputs[0])
        if rejects is not None and not progress.rejected:
            rejects.unlink(missing_ok=True)  # it belongs to the output that is replaced
    listed_at = rejects if progress.rejected else None
    return Summary(progress.rows, progress.rejected, out, listed_at, started_over=interrupted)
