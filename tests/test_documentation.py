"""Every example in README, ARCHITECTURE and docs is run: Python blocks, and commands.

Data is read, and scripts for machines that are not here are checked as far as their shell goes.
"""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    [
        ROOT / "README.md",
        ROOT / "ARCHITECTURE.md",
        ROOT / "CHANGELOG.md",
        *(ROOT / "docs").rglob("*.md"),
    ]
)
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
BIN = Path(sys.executable).parent


def blocks(page: Path, language: str) -> list[str]:
    return [body for kind, body in BLOCK.findall(page.read_text()) if kind == language]


def page_name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_python_examples_run_and_print_what_they_say(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run the blocks of a page in order; a line that ends in ``# → text`` must give text."""
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {"__name__": "example"}
    for body in blocks(page, "python"):
        for statement, said in _statements(body):
            if said is None:
                exec(compile(statement, page_name(page), "exec"), scope)
            else:
                shown = eval(compile(statement, page_name(page), "eval"), scope)
                assert repr(shown) == said or str(shown) == said


def _statements(body: str) -> list[tuple[str, str | None]]:
    """Split a block at the lines that say what they give."""
    parts: list[tuple[str, str | None]] = []
    plain: list[str] = []
    for line in body.splitlines():
        code, arrow, said = line.partition("# → ")
        if arrow:
            parts += [("\n".join(plain), None), (code.strip(), said.strip())]
            plain = []
        else:
            plain.append(line)
    return [*parts, ("\n".join(plain), None)]


@pytest.fixture
def background(tmp_path: Path) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Programs that a page starts with &, and that end with its test."""
    started: list[subprocess.Popen[bytes]] = []
    yield started
    for program in reversed(started):
        os.killpg(program.pid, signal.SIGKILL)
        program.wait()


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_command_examples_run(
    page: Path, tmp_path: Path, background: list[subprocess.Popen[bytes]]
) -> None:
    if "$ pfe" in (text := page.read_text()) and "results/paper" in text:
        shutil.copytree(ROOT / "results" / "paper", tmp_path / "results" / "paper")
    for body in blocks(page, "console"):
        lines = body.splitlines()
        for i, line in enumerate(lines):
            if line.startswith("$ dask "):
                program = [str(BIN / "dask"), *shlex.split(line.removesuffix("&"))[2:]]
                with (tmp_path / "dask.log").open("ab") as log:
                    background.append(
                        subprocess.Popen(
                            program, cwd=tmp_path, stdout=log, stderr=log, start_new_session=True
                        )
                    )
                continue
            if not line.startswith("$ pfe "):
                assert not line.startswith("$ ") or line.startswith(("$ make ", "$ pip ")), line
                continue
            words = line[2:].replace("pfe ", f"{shlex.quote(str(BIN / 'pfe'))} ")
            done = subprocess.run(
                ["bash", "-o", "pipefail", "-c", words],
                cwd=tmp_path,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr
            told = _told(lines[i + 1 :])
            if told:
                assert _squeeze(told) in _squeeze(done.stdout), done.stdout


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_data_and_scripts_can_be_read(page: Path) -> None:
    for body in blocks(page, "toml"):
        tomllib.loads(body)
    for body in blocks(page, "yaml"):
        assert all(isinstance(part, dict) for part in yaml.safe_load_all(body))
    for body in blocks(page, "bash"):
        subprocess.run(["bash", "-n"], input=body, text=True, check=True)
        for line in body.splitlines():
            for program in ("dask scheduler", "dask worker", "pfe reproduce"):
                if program in line:
                    _check_options(program, line)


def _check_options(program: str, line: str) -> None:
    """Make sure that a program knows the options that a script gives it."""
    command, subcommand = program.split()
    help_text = subprocess.run(
        [str(BIN / command), subcommand, "--help"], capture_output=True, text=True, check=True
    ).stdout
    for option in re.findall(r" (--[\w-]+)", line.partition(program)[2]):
        name = option.removeprefix("--no-").removeprefix("--")
        assert name in help_text, f"{program} has no option {option}"


def _told(lines: list[str]) -> str:
    """Return the output that a page shows below a command, up to the next command."""
    shown = []
    for line in lines:
        if line.startswith("$ "):
            break
        shown.append(line)
    return "\n".join(shown)


def _squeeze(text: str) -> str:
    return "\n".join(" ".join(line.split()) for line in text.strip().splitlines())


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_make_targets_and_links_exist(page: Path) -> None:
    text = page.read_text()
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"`make (\w+)`|^\$? ?make (\w+)", text, re.MULTILINE):
        assert f"\n{max(target)}:" in makefile
    for link in re.findall(r"\]\((?!http)([^)#]+)", text):
        assert (page.parent / link).exists(), link
