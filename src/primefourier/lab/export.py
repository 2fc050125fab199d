"""Records as a table for other tools: rows of plain values, as JSON lines, CSV or Parquet."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any, BinaryIO, Literal, get_args

from primefourier._checks import missing_extra, require_choice
from primefourier._files import write_file
from primefourier.lab.cells import split_drops
from primefourier.lab.record import Record

Format = Literal["jsonl", "csv", "parquet"]
FORMATS: tuple[Format, ...] = get_args(Format)

COLUMNS: dict[str, Any] = {
    "key": str, "status": str, "study": str, "model": str,
    "modulus": int, "input_range": int, "primes": list[int], "depth": int, "operation": str,
    "embedding": str, "network": str, "seed": int,
    "epochs": int, "batch_size": int, "learning_rate": float, "samples": int, "trainer": str,
    "test_every": int,
    "config": str, "degenerate": bool, "train_size": int, "test_size": int, "diverged": bool,
    "accuracy": float, "accuracy_by_epoch": list[float], "train_accuracy_by_epoch": list[float],
    "beyond": list[str], "accuracy_beyond": list[float],
    "row_names": list[str], "relevant": list[str],
    "drops": list[float], "lost": list[int], "gained": list[int], "p_values": list[float],
    "noise_floor": float, "relevant_drop": float, "other_drop": float,
    "mean_drops": list[float], "permute_drops": list[float],
    "error": str, "finished": str, "seconds": float,
    "machine": str, "device": str, "commit": str, "versions": str,
}  # fmt: skip
"""The columns with the types of their values; every value may be missing. Lists have one entry per
row, in the order of ``row_names``, or one per epoch that was tested. Fields that a model's parts
lack are empty, and those of another type stand in ``config`` alone."""

_NOT_OF_DIVERGED = (
    *("accuracy", "accuracy_beyond", "p_values", "relevant_drop", "other_drop"),
    *(name for name in COLUMNS if name.endswith("drops")),
)
"""Columns that are empty for a network that diverged, so that no mean counts it. Its counts, and
``accuracy_by_epoch``, in which NaN answers are wrong, are not."""
_FIELDS = {
    "embedding": ("primes", "depth"),
    "task": ("modulus", "input_range", "operation", "samples"),
    "training": ("epochs", "batch_size", "learning_rate", "test_every"),
}
"""Columns that hold fields of a model's parts."""
_BEGIN_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def record_rows(records: Iterable[Record], studies: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return one row per record: the value of every column, None where there is none."""
    return [_row(record, studies.get(record.config.key)) for record in records]


def _row(record: Record, study: str | None) -> dict[str, Any]:
    data, config, measured = record.to_dict(), record.config, record.measurement
    recipe = data["config"]
    # Parts may be anybody's, so that a field may be anything.
    found = {
        name: value
        for part, names in _FIELDS.items()
        for name in names
        if _fits(value := recipe[part].get(name), COLUMNS[name])
    }
    found |= data | (data["measurement"] or {}) | data["provenance"]
    found |= {
        "study": study,
        "model": config.describe(),
        "embedding": recipe["embedding"]["name"],
        "network": recipe["network"]["name"],
        "seed": config.seed,
        "config": json.dumps(recipe),
        "degenerate": config.degenerate,
        "versions": json.dumps(record.provenance.versions),
    }
    if measured is not None:
        found["relevant_drop"], found["other_drop"] = split_drops(record)
        found["beyond"] = list(measured.beyond)
        found["accuracy_beyond"] = list(measured.accuracy_beyond.values())
        found |= {f"{kind}_drops": list(record.row_drops(kind)) for kind in measured.ablations}
    if record.diverged:
        found |= dict.fromkeys(_NOT_OF_DIVERGED)
    return {name: _writable(found.get(name)) for name in COLUMNS}


def _fits(value: Any, kind: Any) -> bool:
    """Return whether a value has the type of a column; integers must have 64 bits."""
    if items := get_args(kind):
        return isinstance(value, list) and all(_fits(item, *items) for item in value)
    return type(value) is kind and (kind is not int or -(2**63) <= value < 2**63)


def _writable(value: Any) -> Any:
    """Write out halves of surrogate pairs, which JSON can name and UTF-8 cannot hold."""
    if isinstance(value, list):
        return list(map(_writable, value))
    return value.encode(errors="backslashreplace").decode() if isinstance(value, str) else value


def write_rows(
    rows: Sequence[Mapping[str, Any]], path: Path | str, kind: Format | None = None
) -> None:
    """Write rows to one file, completely or not at all; by default its suffix is the format."""
    path = Path(path)
    chosen = kind or path.suffix.removeprefix(".").lower()
    require_choice(chosen, FORMATS, "format")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(path.parent)!r}; create it first")
    write_file(path, partial(_WRITERS[chosen], rows))


def _write_jsonl(rows: Sequence[Mapping[str, Any]], file: BinaryIO) -> None:
    for row in rows:
        file.write(f"{json.dumps(row, ensure_ascii=False, allow_nan=False)}\n".encode())


def _write_csv(rows: Sequence[Mapping[str, Any]], file: BinaryIO) -> None:
    text = StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    writer.writerows(map(_as_cell, row.values()) for row in rows)
    file.write(text.getvalue().encode())


def _as_cell(value: Any) -> Any:
    """Write lists as JSON, and an apostrophe before texts that a spreadsheet reads as formulas."""
    if isinstance(value, str) and value.startswith(_BEGIN_FORMULAS):
        return f"'{value}"
    return json.dumps(value) if isinstance(value, list | bool) else value


def _write_parquet(rows: Sequence[Mapping[str, Any]], file: BinaryIO) -> None:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise missing_extra("Parquet export", error, "lab") from error
    # Not inferred, so that columns without a value have their types too.
    types = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    types |= {list[kind]: pa.list_(item) for kind, item in types.items()}  # type: ignore[valid-type]
    schema = pa.schema([(name, types[kind]) for name, kind in COLUMNS.items()])
    try:
        table = pa.Table.from_pylist(rows, schema)
    except (pa.ArrowException, OverflowError) as error:
        raise ValueError(
            f"a Parquet file cannot hold a record: {str(error)[:200]}; export to jsonl"
        ) from error
    parquet.write_table(table, file)


_WRITERS: dict[str, Callable[[Sequence[Mapping[str, Any]], BinaryIO], None]] = {
    "jsonl": _write_jsonl,
    "csv": _write_csv,
    "parquet": _write_parquet,
}
