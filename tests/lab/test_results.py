"""A run: read once, everything derived computed once, files written to its folder."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lab_records import EXP1, configs_of, failed, plausible, with_probe
from primefourier import lab
from primefourier.lab import results
from primefourier.lab.results import newest_run
from primefourier.lab.store import write_store

CONFIGS = EXP1[:4]


def write_run(folder: Path) -> Path:
    """Write a store with two probed models, one that failed and one that waits."""
    folder.mkdir(parents=True, exist_ok=True)
    with write_store(folder) as store:
        store.begin(CONFIGS, "pfe run exp1 --sizes 4 --ranges 100")
        for record in map(with_probe, plausible(CONFIGS[:2])):
            store.add(record)
        store.add(failed(CONFIGS[2]))
    return folder


def test_a_folder_is_opened_by_its_name(tmp_path: Path) -> None:
    write_run(tmp_path)
    for folder in (tmp_path, str(tmp_path)):
        run = lab.open(folder)
        assert run.planned == CONFIGS
        assert [record.config for record in run.records] == CONFIGS[:3]
        assert (run.folder, list(run.commands)) == (
            tmp_path,
            ["pfe run exp1 --sizes 4 --ranges 100"],
        )
    assert repr(run) == f"Run({str(tmp_path)!r}: 2 of 4 models measured)"


def test_models_are_counted_by_experiment(tmp_path: Path) -> None:
    run = lab.open(write_run(tmp_path))
    counts = {"planned": 4, "measured": 2, "failed": 1, "waiting": 1}
    assert run.counts == {**counts, "probed": 2}
    assert run.summary() == {"exp1": counts}
    assert run.failures == [run.records[2]]


def test_the_store_is_read_once_and_claims_are_judged_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    for name in ("read_store", "judge_claims", "answer_questions"):
        original = getattr(results, name)

        def counted(*args: object, _name: str = name, _original: object = original) -> object:
            calls.append(_name)
            return _original(*args)  # type: ignore[operator]

        monkeypatch.setattr(results, name, counted)
    run = lab.open(write_run(tmp_path))
    assert run.claims() is run.claims("zero")
    run.save_claims()
    run.save_questions()
    run.report()
    run.page_data()
    assert sorted(calls) == ["answer_questions", "judge_claims", "read_store"]


def test_files_go_to_the_folder_of_the_run(tmp_path: Path) -> None:
    configs = configs_of("exp1", sizes=(4,), ranges=(100,))
    run = lab.Run(configs, [*map(with_probe, plausible(configs))], folder=tmp_path)
    written = [*run.save_claims(), *run.save_questions(), run.report()]
    assert [path.name for path in written] == [
        "claims.json", "claims.md", "questions.json", "questions.md", "report.html",
    ]  # fmt: skip
    assert {path.parent for path in written} == {tmp_path}
    assert len(json.loads(written[0].read_text())) == 14
    run.export(tmp_path / "records.csv")
    assert (tmp_path / "records.csv").read_text().startswith("key,status,experiment")
    with pytest.raises(ValueError, match="format must be 'jsonl', 'csv' or 'parquet', got 'xlsx'"):
        run.export(tmp_path / "records.xlsx")
    assert lab.Run(configs, plausible(configs), folder=tmp_path / "none").save_questions() == []


def test_figures_are_not_written_through_a_link(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    run = lab.open(write_run(tmp_path / "run"))
    (run.folder / "figures").symlink_to(elsewhere)
    with pytest.raises(ValueError, match="figures is a link; remove it"):
        run.figures()
    assert list(elsewhere.iterdir()) == []


def test_the_newest_run_is_found_here_and_in_results(tmp_path: Path) -> None:
    assert newest_run(tmp_path) is None
    older = write_run(tmp_path / "results" / "older")
    newer = write_run(tmp_path / "results" / "newer")
    os.utime(older / "records.sqlite", (1, 1))
    assert newest_run(tmp_path) == newer
    shutil.copy(older / "records.sqlite", tmp_path)
    os.utime(newer / "records.sqlite", (2, 2))
    assert newest_run(tmp_path) == tmp_path


def test_claims_are_read_without_torch_dask_and_matplotlib(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom primefourier import lab\n"
        "run = lab.open(sys.argv[1])\nrun.claims(), run.summary(), run.page_data()\n"
        "print(sorted({'torch', 'dask', 'distributed', 'matplotlib', 'duckdb'} & {*sys.modules}))"
    )
    words = [sys.executable, "-c", program, str(write_run(tmp_path))]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"


def test_an_unknown_name_of_the_laboratory_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"'primefourier\.lab' has no attribute 'opened'"):
        _ = lab.opened
