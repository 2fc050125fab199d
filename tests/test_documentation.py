"""Every example in README, ARCHITECTURE and docs is run: Python blocks, and commands.

A Python block that begins with the name of a file is also written to it, for the commands.
Commands of ``pfe`` run in this process, which saves its start; a line with a pipe runs in a shell.
"""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from primefourier.cli.app import run

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(p for name in ("docs", "findings", "paper") for p in (ROOT / name).rglob("*.md")),
    ]
)
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
BIN = Path(sys.executable).parent
TRAINING = ("run", "reproduce", "verify")
"""Commands that start worker processes, unless ``--workers`` or ``--scheduler`` is given."""
DRAWING = ("figures", "report", "circles", "explore", "export")
"""Commands whose files no later command reads: what several pages show, one of them runs."""
SHOWN: set[str] = set()
PUBLISHED: dict[str, str] = {}
"""What commands that only read published results have printed."""


def blocks(page: Path, language: str) -> list[str]:
    return [body for kind, body in BLOCK.findall(page.read_text()) if kind == language]


DEMOS = sorted(
    {
        line
        for page in PAGES
        for body in blocks(page, "console")
        for line in re.findall(r"^\$ (pfe demo .*)$", body, re.MULTILINE)
    }
)


def pages_with(language: str) -> pytest.MarkDecorator:
    """Run a test for each page that has a block of a language."""
    pages = [page for page in PAGES if blocks(page, language)]
    return pytest.mark.parametrize("page", pages, ids=lambda page: str(page.relative_to(ROOT)))


@pages_with("python")
def test_python_examples_run_and_print_what_they_say(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run the blocks of a page in order; a line that ends in ``# → text`` must give text."""
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {"__name__": "example"}
    for body in blocks(page, "python"):
        for statement, expected in _statements(body):
            if expected is None:
                exec(compile(statement, str(page), "exec"), scope)
            else:
                shown = eval(compile(statement, str(page), "eval"), scope)
                assert expected in (repr(shown), str(shown))


def _statements(body: str) -> list[tuple[str, str | None]]:
    """Split a block at the lines that show a value."""
    parts: list[tuple[str, str | None]] = []
    plain: list[str] = []
    for line in body.splitlines():
        code, arrow, expected = line.partition("# → ")
        if arrow:
            parts += [("\n".join(plain), None), (code.strip(), expected.strip())]
            plain = []
        else:
            plain.append(line)
    return [*parts, ("\n".join(plain), None)]


@pytest.fixture
def background() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Programs that a page starts with &, and that end with its test."""
    started: list[subprocess.Popen[bytes]] = []
    yield started
    for program in reversed(started):
        os.killpg(program.pid, signal.SIGKILL)
        program.wait()


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a command of one page has trained, which the same command of another continues."""
    return tmp_path_factory.mktemp("trained")


@pytest.mark.process
@pages_with("console")
def test_command_examples_run_and_print_what_they_say(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    background: list[subprocess.Popen[bytes]],
    trained: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    text = page.read_text()
    judged = " ".join(re.findall(r"^\$ pfe claims .*", text, re.M)).split()
    if "$ pfe" in text and "paper/results" in text:
        judged.append("paper/results")
    for folder in {*judged}:
        if (ROOT / folder / "records.jsonl").is_file():
            shutil.copytree(ROOT / folder, tmp_path / folder)
    for body in blocks(page, "python"):
        if name := re.match(r"# (\w+\.py)\n", body):
            Path(name[1]).write_text(body)
    for body in blocks(page, "console"):
        for part in re.split(r"^(?=\$ )", body, flags=re.MULTILINE)[1:]:
            line, _, expected = part.removeprefix("$ ").partition("\n")
            if line in DEMOS:  # run below
                assert not expected.strip()
                continue
            if line.startswith("dask "):
                with Path("dask.log").open("ab") as log:
                    words = [str(BIN / "dask"), *shlex.split(line.removesuffix("&"))[1:]]
                    background.append(
                        subprocess.Popen(words, stdout=log, stderr=log, start_new_session=True)
                    )
            elif line.startswith("printf "):
                subprocess.run(["bash", "-c", line], check=True)
            elif line.startswith("pfe run exp") and not Path("results/mine").exists():
                kept = trained / re.sub(r"\W", "-", line)
                if kept.exists():
                    shutil.copytree(kept, "results/mine")
                assert _squeeze(expected) in _squeeze(_pfe(line, capsys))
                if Path("results/mine").exists():
                    shutil.copytree("results/mine", kept, dirs_exist_ok=True)
            elif line.startswith("pfe ") and line not in SHOWN:
                if line.split()[1] in DRAWING:
                    SHOWN.add(line)
                assert _squeeze(expected) in _squeeze(_pfe(line, capsys))
            else:
                assert line in SHOWN or line.startswith(("make ", "pip ")), line


@pytest.mark.process
@pytest.mark.parametrize("line", DEMOS)
def test_demonstrations_run(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They train for long, so each has a test of its own, and runs once if two pages show it."""
    monkeypatch.chdir(tmp_path)
    shown = _pfe(line, capsys)
    assert "Proved" in shown
    for words in DEMONSTRATED[line]:
        assert re.search(words, " ".join(shown.split())), words


DEMONSTRATED = {
    "pfe demo cheat": (
        r"below 100 (1\.0000|0\.99[5-9]\d) 1\.0000 100 to 200 0\.0[123]\d\d 1\.0000 ",
        r" 5·10\^17 to 10\^18 0\.\d{4} 1\.0000 8 primes, 6 powers: Uses 17, ",
        r"right on all 1089 tuples of 2 residues modulo 33\.",
        r"with the hands there, 0\.02 becomes 1\.00 .* are too large by 12\.",
    ),
    "pfe demo huge": (
        r"right on all 16752 tuples .* and so modulo 961380175077106319535\.",
        r" 1000 of 1000 sums of integers of 100 digits are right\.",
        r" 61 3721 0 1\.0000 ",
    ),
}
"""Demonstrations, and what README says of what they show."""


def _pfe(line: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Run one line, which may write to a file or contain a pipe, and return what it prints."""
    if line in PUBLISHED:
        return PUBLISHED[line]
    if " | " in line:
        program = shlex.quote(str(BIN / "pfe"))
        bash = ["bash", "-o", "pipefail", "-c", line.replace("pfe ", f"{program} ")]
        return subprocess.run(bash, capture_output=True, text=True, check=True).stdout
    command, arrow, file = re.fullmatch(r"pfe (.*?)(?: (>>?) (\S+))?", line).groups()  # type: ignore[union-attr]
    words = shlex.split(command)
    if words[0] in TRAINING and not {"--workers", "--scheduler"} & {*words}:
        words += ["--workers", "0"]
    code = run(words)
    printed = capsys.readouterr()
    assert code == 0, f"{line}: {printed.err}"
    if line.startswith("pfe claims paper/results"):
        PUBLISHED[line] = printed.out
    if arrow is None:
        return printed.out
    with Path(file).open("a" if arrow == ">>" else "w") as opened:
        opened.write(printed.out)
    return ""


def _squeeze(text: str) -> str:
    return "\n".join(" ".join(line.split()) for line in text.strip().splitlines())


def test_links_and_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for page in PAGES:
        text = page.read_text()
        for link in re.findall(r"\]\((?!http)([^)#]+)", text):
            assert (page.parent / link).exists(), f"{page.name}: {link}"
        for target in re.findall(r"`make (\w+)`|^\$? ?make (\w+)", text, re.MULTILINE):
            assert f"\n{max(target)}:" in makefile, page.name
