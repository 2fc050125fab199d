import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lab_records import EXP1, PAPER, failed, plausible
from primefourier.cli.browser import write_size
from primefourier.lab.report.run_data import run_as_data
from primefourier.lab.sweep import read_store
from primefourier.lab.sweep.store import write_store
from read_page import read_page

Pfe = Callable[..., tuple[int, str, str]]
PFE = Path(sys.executable).with_name("pfe")


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the whole paper, with two models failed and two waiting."""
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
    with write_store(folder) as store:
        store.begin(EXP1[:4], "pfe run exp1 --sizes 4 --ranges 100")
        for record in plausible(EXP1[:4]):
            store.add(record)
    return folder


def test_the_page_holds_the_run(paper: Path, pfe: Pfe) -> None:
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
    with read_store(paper) as store:
        expected = run_as_data(store.planned(), store.records(), store.commands(), paper)
    assert data["run"] == expected
    assert data["run"]["counts"] == {"planned": 750, "measured": 746, "failed": 2, "waiting": 2}
    assert data["start"]["n"] == "23"
    assert not list(paper.glob(".*")), "no half file is left"


def test_another_file_and_json(small: Path, pfe: Pfe, tmp_path: Path) -> None:
    path = tmp_path / "mine.html"
    code, out, _ = pfe("report", str(small), "--out", str(path), "--json")
    assert code == 0
    assert json.loads(out) == {"file": str(path), "bytes": path.stat().st_size}
    assert [file.name for file in tmp_path.iterdir()] == ["mine.html"]


def test_an_empty_run_gives_a_page(pfe: Pfe, tmp_path: Path) -> None:
    with write_store(tmp_path) as store:
        store.begin([], "pfe run")
    assert pfe("report", str(tmp_path))[0] == 0
    run = json.loads(read_page(tmp_path / "report.html").texts["data"])["run"]
    assert run["counts"] == {"planned": 0, "measured": 0, "failed": 0, "waiting": 0}
    assert len(run["grids"]) == 3


def test_a_folder_whose_name_is_no_text_gives_a_page(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"a\xff<b>")
    folder.mkdir()
    with write_store(folder) as store:
        store.begin(EXP1[:1], "pfe run")
    subprocess.run([PFE, "report", folder], check=True, capture_output=True)
    page = read_page(folder / "report.html")
    assert page.texts["title"] == r"a\udcff<b>: Prime Fourier Embeddings"
    assert json.loads(page.texts["data"])["run"]["name"] == "a\udcff<b>"


def test_it_is_opened_on_demand(small: Path, tmp_path: Path) -> None:
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


def test_mistakes_are_told_before_anything_is_written(
    small: Path, pfe: Pfe, tmp_path: Path
) -> None:
    folder = tmp_path / "folder.html"
    folder.mkdir()
    for words, message in (
        ([str(tmp_path / "none")], "there is no folder"),
        ([str(folder)], "holds no sweep"),
        ([str(small), "--out", str(tmp_path / "x.pdf")], "--out must end in .html, .htm"),
        ([str(small), "--out", str(tmp_path / "no" / "x.html")], "there is no folder"),
        ([str(small), "--out", str(folder)], "is a folder; name a file in it"),
        ([str(small), "--out", "/proc/x.html"], "/proc/x.html cannot be written"),
    ):
        code, out, err = pfe("report", *words)
        assert (code, out) == (2, "")
        assert message in err
    assert list(tmp_path.rglob("*")) == [folder]


def test_a_file_that_would_be_too_large_is_told_and_the_old_one_stays(
    small: Path, tmp_path: Path
) -> None:
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
