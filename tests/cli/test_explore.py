import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from primefourier.encoding import PAPER_BASIS
from read_page import read_page

Pfe = Callable[..., tuple[int, str, str]]
PFE = Path(sys.executable).with_name("pfe")


def explored(pfe: Pfe, path: Path, *words: str) -> dict[str, Any]:
    code, out, err = pfe("explore", *words, "--no-open", "--out", str(path))
    assert (code, err) == (0, "")
    assert out.startswith(f"Wrote {path} (")
    data: dict[str, Any] = json.loads(read_page(path).texts["data"])
    assert data["run"] is None
    return data


def test_it_begins_as_figure_1(pfe: Pfe, tmp_path: Path) -> None:
    data = explored(pfe, tmp_path / "e.html")
    assert data["start"] == {"a": "9", "b": "17", "n": "23", "operation": "add", "primes": None}
    assert data["basis"] == {"primes": list(map(str, PAPER_BASIS.primes)), "depth": 6}


def test_everything_can_be_given_and_integers_have_any_size(pfe: Pfe, tmp_path: Path) -> None:
    huge = "9" * 300
    words = (huge, "-7", "--modulus", f"{huge}1", "--operation", "multiply")
    data = explored(pfe, tmp_path / "e.html", *words, "--primes", "2,3", "--depth", "3")
    assert data["start"] == {
        "a": huge,
        "b": "-7",
        "n": f"{huge}1",
        "operation": "multiply",
        "primes": ["2", "3"],
    }
    assert data["basis"] == {"primes": ["2", "3"], "depth": 3}


def test_a_depth_alone_chooses_no_circles(pfe: Pfe, tmp_path: Path) -> None:
    data = explored(pfe, tmp_path / "e.html", "--depth", "2")
    assert data["start"]["primes"] is None
    assert data["basis"]["depth"] == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["1.5"], "an integer such as 9 or -17 is required, got '1.5'"),
        (["1", "2", "3"], "3"),
        (["--modulus", "1"], "--modulus must be at least 2, got 1"),
        (["--modulus", "-23"], "--modulus must be at least 2, got -23"),
        (["--operation", "divide"], '"add", "subtract", "multiply"'),
        (["--primes", "3,9"], "primes must be distinct primes, got 9 = 3²"),
        (["--primes", "5,3"], "primes must ascend"),
        (["--primes", "x"], "--primes takes primes with commas between them"),
        (["--depth", "0"], "depth must be an integer of at least 1, got 0"),
        (["--out", "e.txt"], "--out must end in .html, .htm"),
        (["--out", "none/e.html"], "there is no folder 'none'"),
    ],
)
def test_mistakes_are_told_before_anything_is_written(
    pfe: Pfe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = pfe("explore", *words, "--no-open")
    assert (code, out) == (2, "")
    assert message in err
    assert list(tmp_path.iterdir()) == []


def test_it_opens_a_page_in_the_current_folder(tmp_path: Path) -> None:
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/opened\n')
    browser.chmod(0o755)
    place = tmp_path / "here"
    place.mkdir()
    done = subprocess.run(
        [PFE, "explore", "-13", "15", "--modulus", "21"],
        cwd=place,
        env={**os.environ, "BROWSER": str(browser)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("Wrote explorer.html (")
    assert (tmp_path / "opened").read_text() == f"{(place / 'explorer.html').as_uri()}\n"
    assert json.loads(read_page(place / "explorer.html").texts["data"])["start"]["a"] == "-13"


def test_it_loads_neither_torch_nor_matplotlib_nor_numpys_friends(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom primefourier.cli.app import run\n"
        "code = run(['explore', '--no-open', '--out', sys.argv[1]])\n"
        "heavy = {'torch', 'matplotlib', 'dask', 'distributed', 'duckdb', 'pyarrow'}\n"
        "sys.exit(code or bool(heavy & set(sys.modules)))"
    )
    words = [sys.executable, "-c", program, str(tmp_path / "e.html")]
    subprocess.run(words, check=True, capture_output=True)
    assert (tmp_path / "e.html").is_file()
