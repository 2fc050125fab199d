"""``pfe explore``, and opening pages in a browser."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from primefourier.cli.browser import write_size
from primefourier.encoding import PAPER_BASIS
from read_page import read_page

Pfe = Callable[..., tuple[int, str, str]]


def explore(pfe: Pfe, path: Path, *words: str) -> dict[str, Any]:
    code, out, err = pfe("explore", *words, "--no-open", "--out", str(path))
    assert (code, err) == (0, "")
    assert out.startswith(f"Wrote {path} (")
    data: dict[str, Any] = json.loads(read_page(path).texts["data"])
    assert data["run"] is None
    return data


def test_explorer_starts_with_figure_1(pfe: Pfe, tmp_path: Path) -> None:
    data = explore(pfe, tmp_path / "e.html")
    assert data["start"] == {"a": "9", "b": "17", "n": "23", "operation": "add", "primes": None}
    assert data["basis"] == {"primes": list(map(str, PAPER_BASIS.primes)), "depth": 6}
    data = explore(pfe, tmp_path / "e.html", "--depth", "2")
    assert (data["start"]["primes"], data["basis"]["depth"]) == (None, 2)


def test_every_first_value_can_be_given_at_any_size(pfe: Pfe, tmp_path: Path) -> None:
    huge = "9" * 300
    words = (huge, "-7", "--modulus", f"{huge}1", "--operation", "multiply")
    data = explore(pfe, tmp_path / "e.html", *words, "--primes", "2,3", "--depth", "3")
    expected = {"a": huge, "b": "-7", "n": f"{huge}1", "operation": "multiply"}
    assert data["start"] == {**expected, "primes": ["2", "3"]}
    assert data["basis"] == {"primes": ["2", "3"], "depth": 3}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["1.5"], "an integer such as 9 or -17 is required, got '1.5'"),
        (["1", "2", "3"], "3"),
        (["--modulus", "1"], "--modulus must be at least 2, got 1"),
        (["--operation", "divide"], '"add", "subtract", "multiply"'),
        (["--primes", "5,3"], "primes must ascend"),
        (["--primes", "x"], "integers with commas between them"),
        (["--out", "e.txt"], "--out must end in .html, .htm"),
        (["--out", "none/e.html"], "there is no folder 'none'"),
    ],
)
def test_wrong_input_is_refused_before_anything_is_written(
    pfe: Pfe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = pfe("explore", *words, "--no-open")
    assert (code, out) == (2, "")
    assert message in err
    assert list(tmp_path.iterdir()) == []


def run_explore(place: Path, browser: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run ``pfe explore`` in a new process, because Python looks for browsers once per process."""
    return subprocess.run(
        [sys.executable, "-m", "primefourier", "explore", "-13", "15", "--modulus", "21"],
        cwd=place,
        env={**os.environ, "BROWSER": browser, **environment},
        capture_output=True,
        text=True,
        check=True,
    )


@pytest.mark.process
def test_browser_gets_the_address_of_the_page(tmp_path: Path) -> None:
    folder, browser = tmp_path / "a b#c?é", tmp_path / "browser"
    folder.mkdir()
    browser.write_text(f'#!/bin/sh\nprintf "%s|" "$@" > {tmp_path}/opened\n')
    browser.chmod(0o755)
    done = run_explore(folder, str(browser))
    assert done.stdout.startswith("Wrote explorer.html (")
    assert done.stderr == ""
    page = folder / "explorer.html"
    assert (tmp_path / "opened").read_text() == f"{page.as_uri()}|"
    assert json.loads(read_page(page).texts["data"])["start"]["a"] == "-13"


@pytest.mark.process
def test_without_a_browser_the_path_is_printed(tmp_path: Path) -> None:
    page = (tmp_path / "explorer.html").resolve()
    for program in ("/bin/false", "/nowhere/browser"):
        done = run_explore(tmp_path, program, PATH="/nowhere")
        assert done.stderr == f"No browser could be opened here; open this file in one: {page}\n"


def test_sizes_are_rounded() -> None:
    assert [write_size(n) for n in (0, 1499, 999_400, 4_960_000)] == [
        *("0 kB", "1 kB", "999 kB", "5.0 MB"),
    ]
