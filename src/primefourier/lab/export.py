"""Write records for other tools: JSON lines, CSV or Parquet, all with the same columns."""

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

COLUMNS = {
    "key": "VARCHAR",
    "status": "VARCHAR",
    "study": "VARCHAR",
    "model": "VARCHAR",
    "modulus": "BIGINT",
    "input_range": "BIGINT",
    "primes": "BIGINT[]",
    "depth": "BIGINT",
    "operation": "VARCHAR",
    "embedding": "VARCHAR",
    "network": "VARCHAR",
    "seed": "BIGINT",
    "epochs": "BIGINT",
    "batch_size": "BIGINT",
    "learning_rate": "DOUBLE",
    "samples": "BIGINT",
    "trainer": "VARCHAR",
    "config": "VARCHAR",
    "degenerate": "BOOLEAN",
    "train_size": "BIGINT",
    "test_size": "BIGINT",
    "diverged": "BOOLEAN",
    "accuracy": "DOUBLE",
    "accuracy_by_epoch": "DOUBLE[]",
    "beyond": "VARCHAR[]",
    "accuracy_beyond": "DOUBLE[]",
    "row_names": "VARCHAR[]",
    "relevant": "VARCHAR[]",
    "drops": "DOUBLE[]",
    "lost": "BIGINT[]",
    "gained": "BIGINT[]",
    "p_values": "DOUBLE[]",
    "noise_floor": "DOUBLE",
    "relevant_drop": "DOUBLE",
    "other_drop": "DOUBLE",
    "mean_drops": "DOUBLE[]",
    "permute_drops": "DOUBLE[]",
    "optimal_drops": "DOUBLE[]",
    "error": "VARCHAR",
    "finished": "VARCHAR",
    "seconds": "DOUBLE",
    "machine": "VARCHAR",
    "device": "VARCHAR",
    "commit": "VARCHAR",
    "versions": "VARCHAR",
}
"""The columns of an export, with their types in SQL. Lists have one entry per row, in the order
of ``row_names``, or one per epoch; fields that a model's parts lack are empty, and those that do
not fit the type of their column stand in ``config`` alone."""

_NOT_OF_DIVERGED = (
    *("accuracy", "accuracy_beyond", "p_values", "relevant_drop", "other_drop"),
    *(name for name in COLUMNS if name.endswith("drops")),
)
"""Columns that are empty for a network that diverged, so that no mean counts it. Its counts, and
``accuracy_by_epoch``, in which NaN answers are wrong, are not."""

_FIELDS = {
    "embedding": ("primes", "depth"),
    "task": ("modulus", "input_range", "operation", "samples"),
    "training": ("epochs", "batch_size", "learning_rate", "trainer"),
}
"""Columns that hold fields of a model's parts."""
_BEGIN_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def export_records(
    records: Sequence[Record],
    path: Path | str,
    kind: Format | None = None,
    *,
    studies: Mapping[str, str] | None = None,
) -> None:
    """Write all records to one file, completely or not at all.

    Args:
        records: The records.
        path: The file; an existing one is replaced.
        kind: jsonl, csv (lists as JSON texts, and an apostrophe before texts that a spreadsheet
            would read as a formula) or parquet; by default the suffix of the file.
        studies: The studies of each model, by key.

    Raises:
        OSError: If the file cannot be written.
        ValueError: If a Parquet file cannot hold a number, such as one beyond 64 bits.
    """
    path = Path(path)
    chosen = kind or path.suffix.removeprefix(".").lower()
    require_choice(chosen, FORMATS, "format")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(path.parent)!r}; create it first")
    write_file(path, partial(_WRITERS[chosen], record_rows(records, studies or {})))


def record_rows(records: Iterable[Record], studies: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return one row per record, with the values of all columns."""
    return [_flatten(record, studies.get(record.config.key)) for record in records]


def _flatten(record: Record, study: str | None) -> dict[str, Any]:
    data, config = record.to_dict(), record.config
    row: dict[str, Any] = dict.fromkeys(COLUMNS)
    recipe = data["config"]
    for part, names in _FIELDS.items():
        fields = recipe[part]
        row |= {name: fields[name] for name in names if _fits(fields.get(name), COLUMNS[name])}
    known = data | (data["measurement"] or {}) | data["provenance"]
    row |= {name: known[name] for name in COLUMNS if name in known}
    row |= {
        "study": study,
        "model": config.describe(),
        "embedding": recipe["embedding"]["name"],
        "network": recipe["network"]["name"],
        "seed": config.seed,
        "config": json.dumps(recipe),
        "degenerate": config.degenerate,
        "versions": json.dumps(record.provenance.versions),
        "beyond": None,
        "accuracy_beyond": None,
    }
    if (measured := record.measurement) is not None:
        row["relevant_drop"], row["other_drop"] = split_drops(record)
        row["beyond"] = list(measured.beyond)
        row["accuracy_beyond"] = list(measured.accuracy_beyond.values())
        row |= {f"{kind}_drops": list(record.row_drops(kind)) for kind in measured.ablations}
    if record.diverged:
        row |= dict.fromkeys(_NOT_OF_DIVERGED)
    for name, value in row.items():
        if isinstance(
            value, str
        ):  # JSON can name halves of surrogate pairs, UTF-8 cannot hold them
            row[name] = value.encode(errors="backslashreplace").decode()
    return row


def _fits(value: object, kind: str) -> bool:
    """Return whether a column can hold a field of a part, which may be anybody's."""
    if kind.endswith("[]"):
        return isinstance(value, list) and all(_fits(item, kind[:-2]) for item in value)
    if kind == "BIGINT":
        return type(value) is int and -(2**63) <= value < 2**63
    return type(value) is (str if kind == "VARCHAR" else float)


def _write_jsonl(rows: Iterable[dict[str, Any]], file: BinaryIO) -> None:
    for row in rows:
        file.write(f"{json.dumps(row, ensure_ascii=False, allow_nan=False)}\n".encode())


def _write_csv(rows: Iterable[dict[str, Any]], file: BinaryIO) -> None:
    text = StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS)
    writer.writeheader()
    writer.writerows({name: _as_cell(value) for name, value in row.items()} for row in rows)
    file.write(text.getvalue().encode())


def _as_cell(value: Any) -> Any:
    """Write lists as JSON, and an apostrophe before texts that a spreadsheet reads as formulas."""
    if isinstance(value, str) and value.startswith(_BEGIN_FORMULAS):
        return f"'{value}"
    return json.dumps(value) if isinstance(value, list | bool) else value


def _write_parquet(rows: Sequence[dict[str, Any]], file: BinaryIO) -> None:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise missing_extra("Parquet export", error, "lab") from error
    types = {
        "VARCHAR": pa.string(),
        "BIGINT": pa.int64(),
        "DOUBLE": pa.float64(),
        "BOOLEAN": pa.bool_(),
    }
    types |= {f"{name}[]": pa.list_(kind) for name, kind in types.items()}
    schema = pa.schema([(name, types[kind]) for name, kind in COLUMNS.items()])
    try:
        table = pa.Table.from_pylist(rows, schema)
    except (pa.ArrowException, OverflowError) as error:
        raise ValueError(
            f"a Parquet file cannot hold a record: {str(error)[:200]}; export to jsonl"
        ) from error
    parquet.write_table(table, file)


_WRITERS: dict[str, Callable[[Sequence[dict[str, Any]], BinaryIO], None]] = {
    "jsonl": _write_jsonl,
    "csv": _write_csv,
    "parquet": _write_parquet,
}
