"""Encode columns of files of any size, batch by batch; needs the extra ``files``."""

from __future__ import annotations

import csv
import json
import math
import os
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import DTypeLike

from primefourier._checks import missing_extra
from primefourier._files import locked_file, writing
from primefourier.encoding import PAPER_BASIS, PrimeBasis, encode

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError as error:
    raise missing_extra("encoding files", error, "files") from error

_OUTPUTS = (".parquet", ".arrow", ".feather", ".npy")
_ROWS, _BYTES = 8192, 32 << 20  # a batch ends at whichever comes first
_INTEGER = re.compile(r"[ \t\r\n]*[+-]?[0-9]{1,10000}[ \t\r\n]*")


class FileError(ValueError):
    """A file that cannot be encoded, or options that do not fit it."""


def encode_file(
    source: str | Path,
    out: str | Path,
    *,
    columns: str | Sequence[str] | None = None,
    basis: PrimeBasis = PAPER_BASIS,
    dtype: DTypeLike = "float32",
    name: str = "code",
    on_progress: Callable[[int], object] = lambda _: None,
) -> int:
    """Encode columns of a file in memory that does not grow with it, and keep the others.

    Codes are bit for bit those of :func:`primefourier.encode`. The output gets its name when it is
    complete and on disk; an existing file is replaced.

    Args:
        source: A .parquet, .arrow, .feather, .csv, .tsv or .npy file.
        out: The .parquet, .arrow or .feather file to write, where codes are lists of ``basis.dim``
            numbers; or a .npy file of codes alone, (rows, P, D, 2) or (rows, columns, P, D, 2).
        columns: One or more columns of integers, or of texts of decimal integers of up to 10 000
            digits. Not needed for a file of one column, such as .npy, where it is called "n".
        basis: The primes and the depth.
        dtype: float16, float32 or float64.
        name: The name of the column of codes; with several columns, the end of each name, as in
            "a_code".
        on_progress: Called with the number of rows done, after each batch.

    Returns:
        The number of rows.

    Raises:
        FileError: If the input cannot be encoded; the first bad row is named.
        OSError: If the output cannot be written.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/numbers.npy", np.arange(1000))
    ...     rows = encode_file(f"{folder}/numbers.npy", f"{folder}/codes.npy")
    ...     codes = np.load(f"{folder}/codes.npy")
    >>> rows, codes.shape, bool((codes[7] == encode(7, PAPER_BASIS)).all())
    (1000, (1000, 16, 6, 2), True)
    """
    source, out, done = Path(source), Path(out), 0
    asked = [columns] if isinstance(columns, str) else list(columns or ())
    kind = encode(0, basis, dtype).dtype  # refuses a wrong basis or dtype
    fitting = _BYTES // (basis.dim * kind.itemsize * max(1, len(asked)))
    with closing(_read(source, max(1, min(_ROWS, fitting)))) as batches:
        schema = next(batches)
        has, chosen = schema.names, asked or schema.names
        if not {*chosen} <= {*has} or (not asked and len(has) != 1):
            raise FileError(
                f"columns must name columns of {source}, which has {has!s:.300}, got {asked}"
            )
        names = [name] if len(chosen) == 1 else [f"{column}_{name}" for column in chosen]
        if len({*has, *names}) < len(has) + len(names):
            every = f"{[*has, *names]!s:.300}"
            raise FileError(f"names of columns must differ, got {every}; use name for the codes")
        is_taken = out.is_dir() or (out.exists() and out.samefile(source))
        if is_taken or out.suffix.lower() not in _OUTPUTS:
            ends = ", ".join(_OUTPUTS)
            raise FileError(f"out must be another file, ending in {ends}, got {str(out)!r}")
        with writing(out), locked_file(out) as file:
            if out.suffix.lower() == ".npy":
                begun = _begin_npy(file, len(names), basis, kind)
            else:
                begun = _begin_table(file, out, schema, names, basis, kind)
            with begun as write:
                for batch in batches:
                    integers = _integers(batch, chosen, source, done)
                    write(batch, [encode(values, basis, kind) for values in integers])
                    done += batch.num_rows
                    on_progress(done)
    return done


def _integers(batch: Any, columns: Sequence[str], path: Path, before: int) -> list[object]:
    """Return the exact integers of columns; the first row without one is an error."""
    found: list[object] = []
    bad: list[tuple[int, str, object]] = []
    for column in columns:
        values = batch.column(column)
        if pa.types.is_integer(values.type) and not values.null_count:
            found.append(values.to_numpy(zero_copy_only=False))
            continue
        # of all other types, texts and decimals alone can look like integers
        with _reading(path):  # a date may be beyond the years of Python
            texts = values.to_pylist()
        bad += [(i, column, t) for i, t in enumerate(texts) if not _INTEGER.fullmatch(str(t))]
        if not bad:
            found.append([int(Decimal(text)) for text in texts])  # int stops at 4300 digits
    if bad:
        row, column, text = min(bad)
        where = f"row {before + row + 1} of {path}, column {column!r} ({batch[column].type})"
        raise FileError(
            f"{where}: an integer of at most 10000 digits is required, got {text!r:.60}; "
            "correct or drop the row"
        )
    return found


def _read(path: Path, rows: int) -> Generator[Any, None, None]:
    """Yield the schema of a file, then its rows in batches."""
    with _reading(path):
        before, batches = path.stat(), _open(path, rows)
        schema = next(batches)
        if not schema.names:  # decoded here
            raise ValueError("it has no columns")
        yield schema
        for batch in batches:
            batch.validate(full=True)  # the offsets and texts of a damaged file can be anything
            yield batch
        after = path.stat()
        if not os.path.samestat(before, after) or before.st_mtime_ns != after.st_mtime_ns:
            raise ValueError("it was changed meanwhile; try again when it is complete")


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Turn whatever is wrong with a file into a FileError: libraries raise errors of many kinds."""
    try:
        yield
    except Exception as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise FileError(f"cannot read {path}: {reason.strip().splitlines()[0]}") from error


def _open(path: Path, rows: int) -> Iterator[Any]:
    """Yield the schema of a file, then record batches as they are in it."""
    match path.suffix.lower():
        case ".parquet":
            # pre_buffer would hold whole row groups in memory
            with pq.ParquetFile(path, pre_buffer=False, page_checksum_verification=True) as file:
                schema = file.schema_arrow
                for i, field in enumerate(schema):  # each batch has its own dictionary
                    if pa.types.is_dictionary(field.type):
                        schema = schema.set(i, field.with_type(field.type.value_type))
                yield schema
                groups = map(file.metadata.row_group, range(file.num_row_groups))
                size = sum(group.total_byte_size for group in groups)
                fitting = _BYTES * file.metadata.num_rows // max(1, size)
                yield from file.iter_batches(max(1, min(rows, fitting)))
        case ".arrow" | ".feather":
            # not a memory map, which ends the process when somebody cuts the file
            with pa.OSFile(str(path)) as opened, pa.ipc.open_file(opened) as file:
                yield file.schema
                for batch in map(file.get_batch, range(file.num_record_batches)):
                    yield from (batch[i : i + rows] for i in range(0, batch.num_rows, rows))
        case ".npy":
            array = np.lib.format.open_memmap(path, mode="r")  # for its header; never unpickles
            if array.ndim != 1 or array.dtype.kind not in "iu":
                shape = f"{array.dtype} of shape {array.shape}"
                raise ValueError(f"integers in one dimension are required, got {shape}")
            native = array.dtype.newbyteorder("=")
            yield (schema := pa.schema([("n", pa.from_numpy_dtype(native))]))
            with path.open("rb") as opened:
                opened.seek(array.offset)
                for i in range(0, array.size, rows):
                    part = np.fromfile(opened, array.dtype, min(rows, array.size - i))
                    yield pa.record_batch([pa.array(part.astype(native))], schema=schema)
        case ".csv" | ".tsv" as ending:
            parts = _read_csv(path, "," if ending == ".csv" else "\t", rows)
            yield (schema := pa.schema([(name, pa.string()) for name in next(parts)[0]]))
            for held in parts:
                columns = [pa.array(column, pa.string()) for column in zip(*held, strict=True)]
                yield pa.record_batch(columns, schema=schema)
        case _:
            raise ValueError("it must end in .parquet, .arrow, .feather, .csv, .tsv or .npy")


def _read_csv(path: Path, delimiter: str, most: int) -> Iterator[list[list[str]]]:
    """Yield the row that names the columns, then lists of the rows that are not blank, as texts.

    In a file with one column a blank line before others is a row whose value is missing.
    """
    # Arrow's reader rounds integers beyond 64 bits, reads "1"2 as 12, and takes the rest of the
    # file for one field where a quote is not closed.
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.reader(file, delimiter=delimiter, strict=True)
        try:
            yield [names := next(rows, [])]
            held, size, blank = [], 0, 0
            for row in rows:
                if not row:
                    blank += len(names) == 1
                    continue
                if len(row) != len(names):
                    raise csv.Error(f"{len(names)} fields are required, got {len(row)}")
                held += [[""]] * blank
                blank = 0
                held.append(row)
                size += sum(map(len, row))
                if len(held) >= most or size > _BYTES:
                    yield held
                    held, size = [], 0
            if held:
                yield held
        except csv.Error as error:
            raise ValueError(f"line {rows.line_num}: {error}; correct or drop it") from error


@contextmanager
def _begin_npy(file: BinaryIO, columns: int, basis: PrimeBasis, dtype: Any) -> Iterator[Any]:
    """Begin a .npy file of codes alone, whose header gets the number of rows at the end."""
    shape = basis.shape if columns == 1 else (columns, *basis.shape)
    header = {"descr": dtype.str, "fortran_order": False, "shape": (0, *shape)}
    np.lib.format.write_array_header_1_0(file, header)
    start = file.tell()
    yield lambda _, codes: file.write(np.stack(codes, axis=1).data)
    rows = (file.tell() - start) // (math.prod(shape) * dtype.itemsize)
    file.seek(0)  # the new header has the same length: numpy leaves room for a larger number
    np.lib.format.write_array_header_1_0(file, header | {"shape": (rows, *shape)})


@contextmanager
def _begin_table(
    file: BinaryIO, path: Path, schema: Any, names: Sequence[str], basis: PrimeBasis, dtype: Any
) -> Iterator[Any]:
    """Begin a Parquet or Arrow file; the metadata of codes name their basis."""
    kind = pa.list_(pa.from_numpy_dtype(dtype), basis.dim)
    about = {b"primefourier": json.dumps(basis.to_dict())}
    fields = [pa.field(name, kind, metadata=about) for name in names]
    full = pa.schema([*schema, *fields], schema.metadata)

    def write(batch: Any, codes: Sequence[Any]) -> None:
        flat = (pa.array(code.reshape(-1)) for code in codes)
        lists = [pa.FixedSizeListArray.from_arrays(values, type=kind) for values in flat]
        sink.write_batch(pa.record_batch([*batch.columns, *lists], schema=full))

    try:
        if path.suffix.lower() == ".parquet":  # codes are too random for a dictionary
            kept = schema.names
            sink = pq.ParquetWriter(file, full, use_dictionary=kept, write_page_checksum=True)
        else:
            sink = pa.ipc.new_file(file, full)
        with sink:
            yield write
    except pa.ArrowException as error:  # such as types that Parquet does not have
        raise FileError(f"{path} cannot hold the columns of the input: {error}") from error
