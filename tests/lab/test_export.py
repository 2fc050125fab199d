import csv
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from lab_records import (
    EXP1,
    EXP2,
    configs_of,
    failed,
    measured,
    plausible,
    with_fields,
)
from prime_models import basis, input_range, modulus, primes
from primefourier.lab import LearnedTable
from primefourier.lab.config import ModelConfig
from primefourier.lab.export import COLUMNS, Format, record_rows, write_rows
from primefourier.lab.record import Record, RowAblation
from small_models import small_config

FORMATS: tuple[Format, ...] = ("jsonl", "csv", "parquet")
SQL = {str: "VARCHAR", int: "BIGINT", float: "DOUBLE", bool: "BOOLEAN"}
SQL |= {list[kind]: f"{name}[]" for kind, name in SQL.items()}  # type: ignore[valid-type]
ERROR = 'Traceback:\r\n  "α; β", it\'s\n\tbroken,\u2028\\n 🙂 | \x1b[0m'
RECORDS = [
    *plausible(EXP1[:3]),
    *plausible(EXP2[-2:]),
    *plausible([replace(EXP2[0], seed=2**63 - 1)]),
    failed(EXP1[3], ERROR),
    failed(EXP1[4], ""),
    *plausible(configs_of("exp2", moduli=(4,), ranges=(30,), primes=(3, 5))),
    *plausible(configs_of("exp2", moduli=(15,), ranges=(30,), primes=(3, 5))),
    measured(EXP2[8 * 5], [0.7, 0.0, 0.7, 0.7, -0.01, 0, 0, 0], accuracy=7 / 9),
]


def read(path: Path, kind: Format) -> list[dict[str, Any]]:
    """Read an export back with other tools than the one that wrote it, as far as possible."""
    if kind == "jsonl":
        with path.open(encoding="utf-8") as file:
            return [json.loads(line) for line in file]
    if kind == "csv":
        with path.open(encoding="utf-8", newline="") as file:
            return [
                {name: _from_text(value, COLUMNS[name]) for name, value in row.items()}
                for row in csv.DictReader(file)
            ]
    with duckdb.connect() as database:
        found = database.read_parquet(str(path))
        return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


def _from_text(text: str, kind: type) -> Any:
    if kind is str:
        return text
    return json.loads(text) if text else None


def save(
    records: list[Record], folder: Path, kind: Format, studies: dict[str, str] | None = None
) -> Path:
    path = folder / f"records.{kind}"
    write_rows(record_rows(records, studies or {}), path, kind)
    return path


def without_nulls(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row as a CSV file has it, where an empty text stands for a missing one."""
    return {k: "" if v is None and COLUMNS[k] is str else v for k, v in row.items()}


@pytest.mark.parametrize("kind", FORMATS)
def test_a_file_holds_every_figure_of_every_record(tmp_path: Path, kind: Format) -> None:
    studies = {record.config.key: f"study {i}" for i, record in enumerate(RECORDS[1:])}
    rows = read(save(RECORDS, tmp_path, kind, studies), kind)
    assert len(rows) == len(RECORDS)
    for row, record in zip(rows, RECORDS, strict=True):
        assert list(row) == list(COLUMNS)
        config, m = record.config, record.measurement
        expected: dict[str, Any] = dict.fromkeys(COLUMNS)
        training = config.to_dict()["training"]
        expected |= {
            "study": studies.get(config.key), "model": config.describe(),
            "modulus": modulus(config), "input_range": input_range(config),
            "primes": list(primes(config)), "depth": basis(config).depth, "operation": "add",
            "samples": 80_000, "embedding": "prime-fourier", "network": "row-classifier",
            "seed": config.seed, "epochs": config.training.epochs, "batch_size": 1024,
            "learning_rate": 3e-3, "test_every": training["test_every"],
            "config": json.dumps(config.to_dict()),
            "key": config.key, "status": "done" if m else "failed", "error": record.error,
            "degenerate": 2 * (input_range(config) - 1) < modulus(config),
            "finished": "2026-01-02T03:04:05+00:00", "seconds": 1.5, "machine": "a machine",
            "device": "cpu", "commit": "abc", "versions": '{"python": "3.11"}',
        }  # fmt: skip
        if m is not None:
            drops = [(a - b) / m.test_size for a, b in zip(m.lost, m.gained, strict=True)]
            pairs = list(zip(primes(config), drops, strict=True))
            mine = [drop for p, drop in pairs if modulus(config) % p == 0]
            rest = [drop for p, drop in pairs if modulus(config) % p]
            expected |= {
                "beyond": [], "accuracy_beyond": [],
                "row_names": list(map(str, primes(config))),
                "relevant": [str(p) for p in primes(config) if modulus(config) % p == 0],
                "train_size": m.train_size, "test_size": m.test_size, "diverged": False,
                "accuracy": m.correct / m.test_size,
                "accuracy_by_epoch": [c / m.test_size for c in m.correct_by_epoch],
                "train_accuracy_by_epoch": [], "trainer": "fast",
                "drops": drops, "lost": list(m.lost), "gained": list(m.gained),
                "p_values": list(m.p_values), "noise_floor": 2 * (0.5 / m.test_size) ** 0.5,
                "relevant_drop": pytest.approx(sum(mine) / len(mine)) if mine else None,
                "other_drop": pytest.approx(sum(rest) / len(rest)) if rest else None,
            }  # fmt: skip
        if kind == "csv":
            expected = without_nulls(expected)
        assert row == expected


@pytest.mark.parametrize("kind", FORMATS)
def test_nothing_to_export_is_an_empty_table(tmp_path: Path, kind: Format) -> None:
    path = save([], tmp_path, kind)
    assert read(path, kind) == []
    if kind == "csv":
        assert path.read_text(encoding="utf-8").strip() == ",".join(COLUMNS)
    if kind == "parquet":
        with duckdb.connect() as database:
            found = database.read_parquet(str(path))
            types = dict(zip(found.columns, map(str, found.types), strict=True))
            assert types == {name: SQL[kind] for name, kind in COLUMNS.items()}


@pytest.mark.parametrize("kind", FORMATS)
def test_fields_that_the_parts_of_a_model_lack_are_empty(tmp_path: Path, kind: Format) -> None:
    config = replace(small_config(batch_size=None), embedding=LearnedTable(30, row_count=2))
    (row,) = read(save([measured(config, [0.5, 0.25])], tmp_path, kind), kind)
    assert (row["embedding"], row["modulus"], row["input_range"]) == ("learned-table", 5, 30)
    assert (row["primes"], row["depth"], row["batch_size"]) == (None, None, None)
    assert (row["row_names"], row["relevant"]) == (["row 1", "row 2"], None)
    assert (row["relevant_drop"], row["other_drop"]) == (None, sum(row["drops"]) / 2)
    assert ModelConfig.from_dict(json.loads(row["config"])) == config


@pytest.mark.parametrize("kind", FORMATS)
def test_accuracy_beyond_the_range_and_other_ablations_are_columns(
    tmp_path: Path, kind: Format
) -> None:
    config = with_fields(
        small_config(), beyond=(100, 10**30), beyond_samples=4, ablations=("zero", "mean")
    )
    counts = measured(small_config(), [0.5, 0.25, 0.0]).measured
    half = RowAblation(counts.correct, (counts.test_size // 2, 0, 0), (0, 0, 0))
    counts = replace(counts, beyond={"100": (3, 4), str(10**30): (1, 4)}, ablations={"mean": half})
    record = replace(failed(config), error=None, measurement=counts)
    (row,) = read(save([record], tmp_path, kind), kind)
    assert row["beyond"] == ["100", str(10**30)]
    assert row["accuracy_beyond"] == [0.75, 0.25]
    assert row["mean_drops"] == [0.5, 0.0, 0.0]
    assert row["permute_drops"] is None


STRANGE = {
    "modulus": "7; DROP TABLE", "depth": 1.5, "primes": [3, "x"], "epochs": 2**70, "samples": True,
    "learning_rate": "fast", "test_every": ["x"], "accuracy": 0.99, "key": "x", "status": "done",
    "error": "no", "drops": [1.0], "seconds": "x", "study": "exp1", "seed": -1,
}  # fmt: skip
"""Fields that somebody else's parts may have."""


@pytest.mark.parametrize("kind", FORMATS)
def test_strange_fields_of_unknown_parts_stand_in_the_recipe_alone(
    tmp_path: Path, kind: Format
) -> None:
    recipe = json.loads(json.dumps(small_config().to_dict()))
    for part in ("embedding", "task", "training"):
        recipe[part] = {"name": "mine", "version": 7, **STRANGE}
    config = ModelConfig.from_dict(recipe)
    assert not config.known
    (row,) = read(save([failed(config, "why")], tmp_path, kind), kind)
    assert json.loads(row["config"]) == recipe
    assert (row["key"], row["status"], row["error"]) == (config.key, "failed", "why")
    assert (row["embedding"], row["network"], row["seed"]) == ("mine", "row-classifier", 42)
    empty = "" if kind == "csv" else None
    assert (row["study"], row["test_every"]) == (empty, None)
    names = ("modulus", "depth", "primes", "epochs", "samples", "learning_rate", "accuracy")
    assert [row[name] for name in (*names, "drops")] == [None] * 8


def test_without_pyarrow_the_error_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"needs pyarrow, .* pip install '\.\[lab\]' in a clone"):
        save(RECORDS, tmp_path, "parquet")
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_written_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="format must be 'jsonl', 'csv' or 'parquet', got 'xml'"):
        write_rows([], tmp_path / "x", "xml")  # type: ignore[arg-type]
    with pytest.raises(OSError, match="cannot be written: Is a directory; choose another place"):
        write_rows([], tmp_path, "csv")
    with pytest.raises(FileNotFoundError, match="create it first"):
        write_rows([], str(tmp_path / "no" / "x.csv"))


@pytest.mark.parametrize("kind", FORMATS)
def test_half_of_a_surrogate_pair_is_written_out(tmp_path: Path, kind: Format) -> None:
    record = plausible(EXP2[:1])[0]
    odd = replace(record.provenance, machine="\ud800 ü", versions={"\udc80": "x"})
    names = replace(record.measured, relevant=None, row_names=tuple("\udfff1234567"))
    record = replace(record, provenance=odd, measurement=names)
    (row,) = read(save([record], tmp_path, kind), kind)
    assert row["machine"] == r"\ud800 ü"
    assert row["row_names"][:2] == [r"\udfff", "1"]
    assert json.loads(row["versions"]) == {"\udc80": "x"}


def test_a_number_that_parquet_cannot_hold_is_reported(tmp_path: Path) -> None:
    record = plausible(EXP2[:1])[0]
    odd = replace(record, provenance=replace(record.provenance, seconds=10**400))
    with pytest.raises(ValueError, match=r"a Parquet file cannot hold a record: .*; export"):
        save([odd], tmp_path, "parquet")
    assert list(tmp_path.iterdir()) == []
    for kind in FORMATS[:2]:
        (row,) = read(save([odd], tmp_path, kind), kind)
        assert row["seconds"] == 10**400


def test_no_text_of_a_csv_file_begins_a_formula(tmp_path: Path) -> None:
    texts = ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(1)", "\t=1", "\r=1"]
    records = [failed(replace(EXP2[0], seed=i), text) for i, text in enumerate(texts)]
    rows = read(save(records, tmp_path, "csv"), "csv")
    assert [row["error"] for row in rows] == [f"'{text}" for text in texts]
    rows = read(save(records, tmp_path, "jsonl"), "jsonl")
    assert [row["error"] for row in rows] == texts
