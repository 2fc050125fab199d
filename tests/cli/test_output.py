"""Text, tables and JSON; progress and log messages: a bar on a terminal, plain lines in a pipe."""

import json
import logging
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from primefourier.cli.output import (
    ProgressBar,
    describe_model,
    print_json,
    print_prose,
    print_table,
    print_text,
    show_messages,
)
from primefourier.lab.measurement import measure
from small_models import small_config

PFE = Path(sys.executable).with_name("pfe")


def test_json_is_exact_and_holds_no_character_that_steers_a_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    value = {"\x7f\x9b31m": ["\u202e", "\ud800", "\U000e0001", "é ≥ 🙂\n\t"], "n": 10**40}
    print_json(value)
    out = capsys.readouterr().out
    assert json.loads(out) == value
    assert out.startswith(
        '{"\\u007f\\u009b31m": ["\\u202e", "\\ud800", "\\udb40\\udc01", "é ≥ 🙂\\n\\t"]'
    )
    with pytest.raises(ValueError, match="not JSON compliant"):
        print_json(float("nan"))


def test_tables_fit_80_columns_and_break_no_word(capsys: pytest.CaptureFixture[str]) -> None:
    words = "some words that are wrapped " * 5
    print_table(["name", "n"], [[words, "1"], ["[bold]y", "22"]], left=["name"])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert " ".join(lines).split().count("wrapped") == 5
    assert lines[-1].startswith("[bold]y"), "text is shown as it is"
    assert lines[-1].endswith("22")
    print_table(["path", "n"], [["x" * 100, "9" * 50]], left=["path"])
    line = capsys.readouterr().out.splitlines()[2]
    assert line == "x" * 100 + "  " + "9" * 50


def test_prose_is_wrapped_at_words(capsys: pytest.CaptureFixture[str]) -> None:
    print_prose("  " + "word " * 30 + "x" * 100, hang=2)
    lines = capsys.readouterr().out.splitlines()
    assert [len(line) - len(line.lstrip()) for line in lines] == [2, *[4] * (len(lines) - 1)]
    assert lines[-1].strip() == "x" * 100
    assert max(map(len, lines[:-1])) <= 80


def test_control_characters_are_written_out(capsys: pytest.CaptureFixture[str]) -> None:
    print_text("[a] \x1b[2Jb\u202ec\ud800d\te\nf")
    assert capsys.readouterr().out == "[a] \\x1b[2Jb\\u202ec\\ud800d\te\nf\n"
    print_table(["x"], [["\x1b]0;title\x07"]])
    assert "\x1b" not in capsys.readouterr().out


def shown_on_terminal(*words: str) -> tuple[str, str]:
    """Run ``pfe`` with a terminal as standard error: its standard output, and what is shown."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    with subprocess.Popen(
        [str(PFE), *words], stdout=subprocess.PIPE, stderr=theirs, env=environment
    ) as child:
        os.close(theirs)
        shown = b""
        try:
            while chunk := os.read(ours, 4096):
                shown += chunk
        except OSError:  # the other end is closed
            pass
        assert child.stdout is not None
        printed = child.stdout.read().decode()
    os.close(ours)
    assert child.returncode == 0
    return printed, re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.decode())


@pytest.mark.process
def test_terminal_shows_bar_that_fits_80_columns(tmp_path: Path) -> None:
    words = ("--sizes", "2", "--ranges", "20", "--epochs", "1", "--workers", "0")
    printed, shown = shown_on_terminal("run", "exp1", *words, "--out", str(tmp_path / "out"))
    assert "Measured 2 of 2 models" in printed
    assert re.search(r"2/2 [\d,]+ models per minute, done", shown)
    assert "[1/2]" not in shown
    assert max(len(line) for line in re.split(r"[\r\n]", shown)) <= 80


def test_pipe_gets_line_about_rows_every_ten_seconds(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([0.0, 5.0, 11.0, 12.0])
    monkeypatch.setattr("primefourier.cli.output.time.monotonic", lambda: next(clock))
    with ProgressBar() as bar:
        for rows in (5, 33, 40):
            bar.show_rows(rows)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "33 rows, 3 per second\n"


def test_messages_go_to_standard_error_above_the_bar(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = logging.getLogger("primefourier.lab")
    with show_messages():
        log.info("a [bold] sentence \x1b[2J")
    log.warning("nobody listens")
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "a [bold] sentence \\x1b[2J\n")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    with show_messages(), ProgressBar() as bar:
        bar.show_rows(7)
        log.warning("a [bold] sentence")
    shown = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", capsys.readouterr().err)
    assert shown.index("a [bold] sentence\n") < shown.rindex("7 rows")


def test_model_line_has_accuracy_and_drops() -> None:
    text = describe_model(measure(small_config()))
    assert text.startswith(
        "a+b mod 5 r=30 |P|=3 depth=2 epochs=2 batch_size=100 seed=42 accuracy 0."
    )
    assert ", drops 5: " in text
    assert ", others " in text
    assert "drops none, others" in describe_model(measure(small_config(modulus=11)))
    assert "others" not in describe_model(measure(small_config(primes=(5,))))
    failed = describe_model(measure(small_config(), device="nonsense"))
    assert "FAILED: RuntimeError" in failed
