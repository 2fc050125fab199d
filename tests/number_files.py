"""Files of integers for tests, and how their codes are read back."""

import csv
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

import primefourier as pf

BASIS = pf.PrimeBasis((3, 5), depth=2)
TABLES = ("parquet", "arrow", "csv", "tsv", "jsonl")
INPUTS = (*TABLES, "npy")
OUTPUTS = ("parquet", "arrow", "npy")


def write_input(path: Path, numbers: Sequence[int], **others: Sequence[Any]) -> Path:
    """Write numbers as column n, and other columns, in the format the path ends in."""
    sys.set_int_max_str_digits(0)
    texts = [str(number) for number in numbers]
    small = all(-(2**63) <= number < 2**63 for number in numbers)
    if path.suffix == ".npy":
        np.save(path, np.array(numbers, dtype=np.int64))
    elif path.suffix in (".parquet", ".arrow"):
        column = pa.array(numbers, pa.int64()) if small else pa.array(texts, pa.string())
        write_table(path, pa.table({"n": column, **others}))
    elif path.suffix == ".jsonl":
        with path.open("w", encoding="utf-8", newline="") as file:
            for i, number in enumerate(numbers):
                row = {"n": number, **{name: values[i] for name, values in others.items()}}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
    else:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, "excel-tab" if path.suffix == ".tsv" else "excel")
            writer.writerow(["n", *others])
            writer.writerows(zip(texts, *others.values(), strict=True))
    return path


def write_table(path: Path, table: pa.Table, batch: int | None = None) -> Path:
    """Write a table as Parquet or Arrow, in groups of some rows."""
    if path.suffix == ".parquet":
        pq.write_table(table, path, row_group_size=batch)
    else:
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=batch)
    return path


def read_table(path: Path) -> pa.Table:
    """Read a table that was written."""
    if path.suffix == ".parquet":
        return pq.read_table(path)
    with pa.ipc.open_file(path) as file:
        return file.read_all()


def read_codes(path: Path, *, basis: pf.PrimeBasis = BASIS, name: str = "code") -> NDArray[Any]:
    """Read the codes of an output as an array of shape (rows, P, D, 2)."""
    if path.suffix == ".npy":
        return np.asarray(np.load(path))
    codes = read_table(path)[name].combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return np.asarray(codes).reshape(-1, *basis.shape)


def assert_codes(
    path: Path,
    numbers: Sequence[int],
    *,
    basis: pf.PrimeBasis = BASIS,
    dtype: str = "float32",
    name: str = "code",
) -> None:
    """Compare the codes of an output with those of the library, bit for bit."""
    found = read_codes(path, basis=basis, name=name)
    wanted = pf.encode(list(numbers), basis, dtype).reshape(-1, *basis.shape)
    assert found.dtype == wanted.dtype == np.dtype(dtype)
    assert found.shape == wanted.shape
    assert found.tobytes() == wanted.tobytes()


def names(folder: Path) -> list[str]:
    """Return what is in a folder, hidden files included, the lock left out."""
    return sorted(path.name for path in folder.iterdir() if path.name != ".writer.lock")
