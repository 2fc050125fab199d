"""Write records for other tools: JSON lines, CSV or Parquet, all with the same columns."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from secrets import token_hex
from typing import Any, Literal, get_args

from primefourier.analysis.choices import require_choice
from primefourier.lab.experiments import EXPERIMENTS
from primefourier.lab.probing import KINDS
from primefourier.lab.questions.equivariance import MEASURES
from primefourier.lab.record import Record
from primefourier.lab.results.cells import split_drops

Format = Literal["jsonl", "csv", "parquet"]
FORMATS: tuple[Format, ...] = get_args(Format)

COLUMNS = {
    "key": "VARCHAR",
    "status": "VARCHAR",
    "experiment": "VARCHAR",
    "modulus": "BIGINT",
    "input_range": "BIGINT",
    "primes": "BIGINT[]",
    "depth": "BIGINT",
    "operation": "VARCHAR",
    "embedding": "VARCHAR",
    "seed": "BIGINT",
    "epochs": "BIGINT",
    "batch_size": "BIGINT",
    "learning_rate": "DOUBLE",
    "pairs": "BIGINT",
    "trainer": "VARCHAR",
    "degenerate": "BOOLEAN",
    "train_size": "BIGINT",
    "test_size": "BIGINT",
    "accuracy": "DOUBLE",
    "accuracy_by_epoch": "DOUBLE[]",
    "converged": "BOOLEAN",
    "drops": "DOUBLE[]",
    "lost": "BIGINT[]",
    "gained": "BIGINT[]",
    "p_values": "DOUBLE[]",
    "noise_floor": "DOUBLE",
    "relevant_drop": "DOUBLE",
    "other_drop": "DOUBLE",
    "mean_drops": "DOUBLE[]",
    "permute_drops": "DOUBLE[]",
    "block_zero_drops": "DOUBLE[]",
    "block_mean_drops": "DOUBLE[]",
    "block_permute_drops": "DOUBLE[]",
    "share_apart": "DOUBLE[]",
    "shift_error": "DOUBLE[]",
    "off_block_energy": "DOUBLE[]",
    "relevant_share": "DOUBLE[]",
    "error": "VARCHAR",
    "finished": "VARCHAR",
    "seconds": "DOUBLE",
    "machine": "VARCHAR",
    "device": "VARCHAR",
    "commit": "VARCHAR",
    "versions": "VARCHAR",
}
"""The columns of an export, with their types in Parquet; lists have one entry a row, in the order
of ``primes``, or one an epoch. Those of probes (``mean_drops`` to ``relevant_share``) have one a
row, one a block, by prime and then by depth, or one before training and one an epoch."""


def export_records(records: Sequence[Record], path: Path, kind: Format) -> None:
    """Write all records to a file, whole or not at all.

    Args:
        records: What to write.
        path: Where; an existing file is replaced.
        kind: jsonl, csv (lists as JSON texts) or parquet.
    """
    require_choice(kind, FORMATS, "format")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(path.parent)!r}; create it first")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name a file in it, such as records.{kind}")
    rows = [_flatten(record) for record in records]
    unfinished = path.with_name(f".{path.name}.{token_hex(4)}.unfinished")  # two may write at once
    try:
        _WRITERS[kind](rows, unfinished)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _flatten(record: Record) -> dict[str, Any]:
    data = record.to_dict()
    row: dict[str, Any] = dict.fromkeys(COLUMNS)
    known = data | data["config"] | (data["measurement"] or {}) | data["provenance"]
    row |= {name: known[name] for name in COLUMNS if name in known}
    row["degenerate"] = record.config.degenerate
    row["versions"] = json.dumps(record.provenance.versions)
    if (measured := record.measurement) is not None:
        row["relevant_drop"], row["other_drop"] = split_drops(record)
        if (experiment := EXPERIMENTS.get(record.config.experiment)) is not None:
            row["converged"] = max(measured.accuracy_by_epoch) > experiment.threshold
    if (probe := record.probe) is not None:
        row |= {f"{kind}_drops": list(probe.row_drops(kind)) for kind in KINDS[1:]}
        row |= {f"block_{kind}_drops": list(probe.block_drops(kind)) for kind in KINDS}
        row |= {measure.name: list(measure.read(probe)) for measure in MEASURES}
    return row


def _write_jsonl(rows: Iterable[dict[str, Any]], path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")


def _write_csv(rows: Iterable[dict[str, Any]], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        for row in rows:
            writer.writerow(
                {k: json.dumps(v) if isinstance(v, list | bool) else v for k, v in row.items()}
            )


def _write_parquet(rows: Sequence[dict[str, Any]], path: Path) -> None:
    try:
        import duckdb
    except ImportError as error:
        raise ImportError(
            "Parquet export needs duckdb, which is not installed; run "
            "pip install 'primefourier[lab]', or export to jsonl or csv"
        ) from error
    columns = ", ".join(f'"{name}" {kind}' for name, kind in COLUMNS.items())
    with duckdb.connect() as database:
        database.execute(f"CREATE TABLE records ({columns})")
        values = [list(row.values()) for row in rows]
        if values:
            marks = ", ".join("?" * len(COLUMNS))
            database.executemany(f"INSERT INTO records VALUES ({marks})", values)
        database.table("records").write_parquet(str(path))


_WRITERS: dict[str, Callable[[Sequence[dict[str, Any]], Path], None]] = {
    "jsonl": _write_jsonl,
    "csv": _write_csv,
    "parquet": _write_parquet,
}
