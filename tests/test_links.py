"""No command writes through a link in its output folder, whatever file it writes.

A folder may come from a stranger's archive, where any name can be a link to a file elsewhere.
Each command runs where links have the names of files that it writes.
"""

import os
import shutil
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import pytest

from lab_records import configs_of, records_of, studies_of
from primefourier.cli.app import run
from primefourier.lab.store import write_store
from primefourier_paper import models_of, profile

LINKS: dict[str, Callable[[Path, Path], None]] = {
    "symbolic": lambda link, target: link.symlink_to(target),
    "hard": lambda link, target: os.link(target, link),
}
ENCODE = ["encode-file", "../in.csv", "--out", "c.arrow"]
MODEL = ["--moduli", "3", "--primes", "3,5", "--ranges", "9", "--epochs", "1"]
TRAIN = ["run", "exp2", *MODEL, "--workers", "0", "--out", "."]
FIGURES = ["figures/figure-03-block-diagonal.svg", "figures/figure-03-block-diagonal.png"]
ANEW = {
    "reproduce": (
        ["reproduce", "--profile", "smoke", "--out", "."],
        ["claims.json", "claims.md", "report.html", *FIGURES],
    ),
    "report": (["report", "."], ["report.html"]),
    "export-jsonl": (["export", "."], ["models.jsonl"]),
    "export-csv": (["export", ".", "--format", "csv"], ["models.csv"]),
    "export-parquet": (["export", ".", "--format", "parquet"], ["models.parquet"]),
    "circles": (["circles", "9", "17", "--modulus", "23", "--out", "c.pdf"], ["c.pdf"]),
    "explore": (["explore", "--no-open", "--out", "e.html"], ["e.html"]),
    "encode": (["encode", "5", "--out", "c.npy"], ["c.npy"]),
    "encode-file": (ENCODE, ["c.arrow"]),
}
"""Commands, and the files that they write anew: of figures the first."""
STORE = ["records.jsonl", "writer.lock"]
IN_PLACE = {
    **{f"run {name}": (TRAIN, name) for name in STORE},
    **{f"repair {name}": (["repair", "."], name) for name in STORE},
    **{f"status {name}": (["status", "."], name) for name in STORE},
    "encode-file": (ENCODE, ".c.arrow.unfinished"),
}
"""Commands, and a file that they change where it is."""


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Two stores with made-up numbers: of the smoke profile, and a small one."""
    folder = tmp_path_factory.mktemp("stores")
    small = configs_of("exp1", sizes=(2,), ranges=(30,))
    for name, configs in (("smoke", models_of(profile("smoke"))), ("small", small)):
        (folder / name).mkdir()
        with write_store(folder / name) as opened:
            opened.begin(studies_of(configs), "pfe reproduce --profile smoke")
            for record in records_of(configs):
                opened.add(record)
    return {name: folder / name for name in ("smoke", "small")}


@pytest.fixture
def folder(
    stores: dict[str, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> Path:
    """The folder in which the commands run: a copy of a store."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "in.csv").write_text("n\n1\n")
    reproduces = "reproduce" in request.node.name
    store = stores["smoke" if reproduces else "small"]
    monkeypatch.chdir(shutil.copytree(store, tmp_path / "folder"))
    return tmp_path / "folder"


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.slow
@pytest.mark.parametrize("command", ANEW)
def test_a_link_is_replaced_and_not_written_through(
    folder: Path, tmp_path: Path, command: str
) -> None:
    words, names = ANEW[command]
    before = contents(folder)
    for name, link in zip(names, cycle(LINKS.values()), strict=False):
        target = tmp_path / "outside" / name.replace("/", "-")
        target.write_text("of another program")
        (folder / name).parent.mkdir(exist_ok=True)
        link(folder / name, target)
    assert run(words) == 0
    written = {name for name in contents(folder) if name not in before and "lock" not in name}
    assert {name for name in written if "figures/" not in name} == {*names} - {*FIGURES}
    outside = contents(tmp_path / "outside")
    assert len(outside) == len(names)
    assert set(outside.values()) == {b"of another program"}
    for name in written:
        assert not (folder / name).is_symlink()
        assert (folder / name).read_bytes() != b"of another program"


@pytest.mark.parametrize(("case", "kind"), list(zip(IN_PLACE, cycle(LINKS))))
def test_a_link_is_not_changed_in_place(
    folder: Path, tmp_path: Path, case: str, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words, name = IN_PLACE[case]
    path, target = folder / name, tmp_path / "outside" / "target"
    if path.exists():
        path.rename(target)
    else:
        target.write_text("of another program")
    LINKS[kind](path, target)
    before = contents(tmp_path / "outside")
    code = run(words)
    assert contents(tmp_path / "outside") == before
    if code:
        message = capsys.readouterr().err
        assert f"{path.name} is a link or not a regular file" in message
        assert len(message.splitlines()) == 1


def test_only_what_has_to_be_is_refused(folder: Path, tmp_path: Path) -> None:
    """A store may be read through links, as where large files are kept elsewhere."""
    (folder / "records.jsonl").rename(tmp_path / "outside" / "records.jsonl")
    (folder / "records.jsonl").symlink_to(tmp_path / "outside" / "records.jsonl")
    before = contents(tmp_path / "outside")
    assert run(["status", "."]) == 0
    assert run(["export", "."]) == 0
    assert contents(tmp_path / "outside") == before


@pytest.mark.parametrize(
    "words", [ANEW["reproduce"][0], ["figures", "."]], ids=["reproduce", "figures"]
)
def test_a_folder_of_figures_elsewhere_is_refused(
    folder: Path, tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "figures").symlink_to(tmp_path / "outside")
    assert run(words) == 2
    assert "figures is a link; remove it" in capsys.readouterr().err
    assert list((tmp_path / "outside").iterdir()) == []


def test_nobody_waits_for_a_pipe_in_place_of_a_file(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "writer.lock").unlink()
    os.mkfifo(folder / "writer.lock")
    assert run(["status", "."]) == 0
    assert run(["repair", "."]) == 2
    assert "writer.lock is a link or not a regular file" in capsys.readouterr().err
