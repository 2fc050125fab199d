"""Commands that draw: ``pfe circles``, ``explore``, ``figures`` and ``report``."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from primefourier import lab
from primefourier.encoding import PAPER_BASIS
from primefourier.lab.store import write_store
from read_page import read_page

Pfe = Callable[..., tuple[int, str, str]]
PFE = Path(sys.executable).with_name("pfe")


def test_circles_are_drawn(pfe: Pfe, tmp_path: Path) -> None:
    path = tmp_path / "circles.png"
    code, out, _ = pfe("circles", "-9", "17", "--modulus", "23", "--out", str(path))
    assert (code, out) == (0, f"Wrote {path}.\n")
    assert path.read_bytes().startswith(b"\x89PNG")
    path = tmp_path / "circles.SVG"
    words = ("circles", "1", "2", "--modulus", "6", "--primes", "2,3")
    assert pfe(*words, "--out", str(path))[0] == 0
    assert b"<svg" in path.read_bytes()


def explore(pfe: Pfe, path: Path, *words: str) -> dict[str, Any]:
    code, out, err = pfe("explore", *words, "--no-open", "--out", str(path))
    assert (code, err) == (0, "")
    assert re.match(rf"Wrote {path} \(\d\d\d kB\)\.\n", out)
    data: dict[str, Any] = json.loads(read_page(path).texts["data"])
    assert data["run"] is None
    return data


def test_explorer_starts_with_figure_1_or_with_any_values(pfe: Pfe, tmp_path: Path) -> None:
    data = explore(pfe, tmp_path / "e.html")
    assert data["start"] == {"a": "9", "b": "17", "n": "23", "operation": "add", "primes": None}
    assert data["basis"] == {"primes": list(map(str, PAPER_BASIS.primes)), "depth": 6}
    huge = "9" * 300
    words = (huge, "-7", "--modulus", f"{huge}1", "--operation", "multiply")
    data = explore(pfe, tmp_path / "e.html", *words, "--primes", "2,3", "--depth", "3")
    expected = {"a": huge, "b": "-7", "n": f"{huge}1", "operation": "multiply"}
    assert data["start"] == {**expected, "primes": ["2", "3"]}
    assert data["basis"] == {"primes": ["2", "3"], "depth": 3}


@pytest.mark.process
def test_the_browser_gets_the_address_of_the_page(small: Path, tmp_path: Path) -> None:
    """Python looks for browsers once per process."""
    folder, browser = tmp_path / "a b#c?é", tmp_path / "browser"
    folder.mkdir()
    browser.write_text(f'#!/bin/sh\nprintf "%s|" "$@" >> {tmp_path}/opened\n')
    browser.chmod(0o755)

    def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [PFE, *words], cwd=folder, capture_output=True, text=True, check=True,
            env={**os.environ, "BROWSER": str(browser), **environment},
        )  # fmt: skip

    assert run("report", str(small), "--open", "--out", "../r.html").stdout.count("\n") == 1
    assert (tmp_path / "opened").read_text() == f"{(tmp_path / 'r.html').as_uri()}|"
    done = run("explore", BROWSER="/nowhere/browser", PATH="/nowhere")
    page = folder / "explorer.html"
    assert done.stderr == f"No browser could be opened here; open this file in one: {page}\n"


@pytest.mark.slow
def test_every_figure_is_written_as_png_and_svg(pfe: Pfe, small: Path, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "new")  # a folder that the user names may be a link
    code, out, _ = pfe("figures", str(small), "--out", str(tmp_path / "link"))
    assert code == 0
    written = [Path(line.removeprefix("Wrote ")) for line in out.splitlines()]
    assert len({path.stem for path in written}) == len(written) / 2
    for path in written:
        begins = {".png": b"\x89PNG", ".svg": b"<?xml"}[path.suffix]
        assert path.read_bytes().startswith(begins)
    drawn = tmp_path / "new" / "figure-04-exp1-diagonal.svg"
    made_by = "Made by: pfe figures"
    assert f"<dc:description>{made_by}</dc:description>" in drawn.read_text()
    assert b"Description\0" + made_by.encode() in drawn.with_suffix(".png").read_bytes()


def test_the_report_holds_the_run(pfe: Pfe, paper: Path) -> None:
    code, out, err = pfe("report", str(paper))
    assert (code, err) == (0, "")
    path = paper / "report.html"
    assert re.fullmatch(
        rf"Wrote {path} \(\d\d\d kB\)\.\nOpen it in any browser, or add --open to this command\.\n",
        out,
    )
    page = read_page(path)
    assert page.texts["title"] == "paper: The paper, measured"
    data = json.loads(page.texts["data"])
    assert data["run"] == lab.open(paper).page_data()
    assert data["start"]["n"] == "23"
    assert not list(paper.glob(".*")), "no unfinished file is left"


def test_an_empty_run_has_a_report(pfe: Pfe, tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"a\xff<b>")
    folder.mkdir()
    with write_store(folder) as store:
        store.begin([], "pfe run")
    assert pfe("report", str(folder))[0] == 0
    page = read_page(folder / "report.html")
    assert page.texts["title"] == r"a\udcff<b>: An empty run"
    run = json.loads(page.texts["data"])["run"]
    assert run["counts"] == {"planned": 0, "measured": 0, "failed": 0, "waiting": 0}
    assert (run["name"], run["grids"], run["claims"]) == ("a\udcff<b>", [], [])
