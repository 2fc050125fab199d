"""Encode columns of files: check everything first, then write one file or a folder."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from contextlib import closing, nullcontext
from importlib.metadata import version
from pathlib import Path
from typing import get_args

from numpy.typing import DTypeLike

from primefourier._checks import require_choice, usable_cores
from primefourier._files import locked_file, unfinished, writing
from primefourier.encoding import PAPER_BASIS, PrimeBasis, encode
from primefourier.files.job import Format, Job, OnBad, fingerprint_of, require_unchanged
from primefourier.files.output_folder import REJECTS_NAME, write_folder
from primefourier.files.reports import FileError, Progress, Summary, reject_lines
from primefourier.files.writers import open_writer

_INPUT_ENDINGS = (".parquet", ".arrow", ".feather", ".csv", ".tsv", ".jsonl", ".ndjson", ".npy")
_OUTPUT_ENDINGS: dict[str, Format] = {
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".npy": "npy",
}
_BATCH_BYTES, _BATCH_ROWS = 32 << 20, 65_536


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
        on_progress: Called with the progress, at the beginning and after each batch.

    Returns:
        The numbers of rows written and rejected, and the files.

    Raises:
        BadRowError: At a bad row, with file, row and value.
        FileError: If input or output cannot be used, or options do not fit together.
        ValueError: If an option has a wrong value.
        OSError: If a file cannot be read or written.

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
    place, ending = Path(out), Path(out).suffix.lower()
    folder = os.fspath(out).endswith(("/", os.sep)) or not ending or place.is_dir()
    if len(set(columns)) < len(columns):
        raise FileError(f"columns must differ, got {', '.join(map(repr, columns))}")
    require_choice(on_bad, get_args(OnBad), "on_bad")
    if format is not None:
        require_choice(format, get_args(Format), "format")
    if rejects is not None and (folder or on_bad == "error"):
        raise FileError(
            "rejects needs on_bad 'reject' and a file as output; a folder lists rejected rows in "
            f"{REJECTS_NAME}"
        )
    if not folder and len(inputs) > 1:
        raise FileError(f"several inputs need a folder as output, got {place}")
    found = "parquet" if folder else _OUTPUT_ENDINGS.get(ending)
    if found is None or (not folder and format not in (None, found)):
        raise FileError(
            f"out must end in {', '.join(_OUTPUT_ENDINGS)} as the format says, or be a folder, got "
            f"{str(place)!r}"
        )
    precision = encode(0, basis, dtype).dtype  # refuses a wrong basis or dtype
    bytes_per_row = basis.dim * precision.itemsize * max(len(columns), 1)
    job = Job(
        inputs=[fingerprint_of(path) for path in inputs],
        columns=columns,
        name=name,
        primes=list(basis.primes),
        depth=basis.depth,
        dtype=precision.name,
        format=format or found,
        on_bad=on_bad,
        rows=max(1, min(_BATCH_ROWS, _BATCH_BYTES // bytes_per_row)),
        version=version("primefourier"),
    )
    if folder:
        return write_folder(job, inputs, place, overwrite=overwrite, on_progress=on_progress)
    listed = None
    if on_bad == "reject":
        listed = place.with_suffix(".rejects.jsonl") if rejects is None else Path(rejects)
    _check_outputs(inputs[0], [place] if listed is None else [place, listed], overwrite=overwrite)
    return _write_one_file(job, inputs[0], place, listed, on_progress)


def _inputs(sources: Sequence[str | Path]) -> list[Path]:
    """Return the input files; those of a folder or a pattern are sorted by name."""
    found: list[Path] = []
    for source in map(Path, sources):
        if source.is_file():
            paths = [source]
        elif source.is_dir():
            paths = [path for path in source.iterdir() if path.name[0] not in "._"]
        else:
            paths = list(source.parent.glob(source.name))
        paths = [path for path in paths if path.suffix.lower() in _INPUT_ENDINGS and path.is_file()]
        if not paths:
            raise FileError(
                f"no file to encode found at {str(source)!r}; file names must end in "
                f"{', '.join(_INPUT_ENDINGS)}"
            )
        found += sorted(paths)
    if not found:
        raise FileError("source must name at least one file, got none")
    return found


def _check_outputs(source: Path, outputs: Sequence[Path], *, overwrite: bool) -> None:
    if len({path.resolve() for path in (source, *outputs)}) <= len(outputs):
        raise FileError(
            f"source, out and rejects must be different files, got {source} and "
            f"{' and '.join(map(str, outputs))}"
        )
    for path in outputs:
        if path.exists() and not overwrite:
            raise FileError(f"{path} exists already; overwrite it, or choose another place")


def _write_one_file(
    job: Job,
    source: Path,
    out: Path,
    rejects: Path | None,
    on_progress: Callable[[Progress], None],
) -> Summary:
    """Encode a file into another one, which appears when it is complete."""
    (schema, batches), progress, cores = job.open(source), Progress(), usable_cores()
    interrupted = unfinished(out).exists()
    # The list is opened after the output, so it gets its name before the output does.
    list_opened = nullcontext() if rejects is None else locked_file(rejects)
    with writing(out), locked_file(out) as file, list_opened as listed:
        if interrupted:
            logging.getLogger("primefourier.files").info(
                "an earlier run was interrupted; a single file cannot be continued, so it starts "
                "over; write to a folder for runs that can be continued"
            )
        on_progress(progress)
        with open_writer(job, file, schema) as write, closing(batches):
            for batch in batches:
                rows, codes, bad = job.encode(source, batch, cores)
                write(rows, codes)
                if listed is not None:
                    listed.write(reject_lines(source, bad))
                more = Progress(rows=rows.num_rows, rejected=len(bad))
                progress = progress.plus(more, share=batch.share)
                on_progress(progress)
        require_unchanged(source, job.inputs[0])
    if rejects is not None and not progress.rejected:
        rejects.unlink()
        rejects = None
    return Summary(progress.rows, progress.rejected, out, rejects)
