import csv
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import duckdb

Pfe = Callable[..., tuple[int, str, str]]
Smoke = tuple[Path, subprocess.CompletedProcess[str]]


def test_all_formats_hold_every_model(smoke: Smoke, pfe: Pfe, tmp_path: Path) -> None:
    for kind in ("jsonl", "csv", "parquet"):
        path = tmp_path / f"out.{kind}"
        code, out, _ = pfe("export", str(smoke[0]), "--format", kind, "--out", str(path))
        assert (code, "Wrote 21 records" in out) == (0, True)
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    with (tmp_path / "out.csv").open(newline="") as file:
        table = list(csv.DictReader(file))
    assert [row["key"] for row in rows] == [row["key"] for row in table]
    assert [json.loads(row["drops"]) for row in table] == [row["drops"] for row in rows]
    with duckdb.connect() as database:
        found = database.read_parquet(str(tmp_path / "out.parquet"))
        assert [row[0] for row in found.project("drops").fetchall()] == [r["drops"] for r in rows]


def test_the_ending_names_the_format(smoke: Smoke, pfe: Pfe, tmp_path: Path) -> None:
    path = str(tmp_path / "x.csv")
    assert pfe("export", str(smoke[0]), "--out", path)[0] == 0
    assert (tmp_path / "x.csv").read_text().startswith("key,status,experiment")
    code, _, err = pfe("export", str(smoke[0]), "--format", "jsonl", "--out", path)
    assert (code, "do not agree" in err) == (2, True)


def test_bad_requests_are_told(smoke: Smoke, pfe: Pfe, tmp_path: Path) -> None:
    assert pfe("export", str(smoke[0]), "--format", "xlsx")[0] == 2
    code, _, err = pfe("export", str(smoke[0]), "--out", str(tmp_path / "no" / "x.jsonl"))
    assert (code, "there is no folder" in err) == (2, True)
