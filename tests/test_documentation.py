"""Every example in README, ARCHITECTURE and docs is run: Python blocks, and pfe commands."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_command_examples_run(page: Path, tmp_path: Path) -> None:
    for body in blocks(page, "console"):
        lines = body.splitlines()
        for i, line in enumerate(lines):
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
