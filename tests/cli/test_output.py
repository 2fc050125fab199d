import json

import pytest

from primefourier.cli.output import (
    print_json,
    print_prose,
    print_table,
    print_text,
    shorten,
    write_seconds,
)


def test_json_keeps_integers_exact(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"n": 10**40, "text": "≥"})
    assert json.loads(capsys.readouterr().out) == {"n": 10**40, "text": "≥"}
    with pytest.raises(ValueError, match="not JSON compliant"):
        print_json(float("nan"))


def test_json_holds_no_character_that_steers_a_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    value = {"\x7f\x9b31m": ["\u202e", "\ud800", "\U000e0001", "é ≥ 🙂\n\t"]}
    print_json(value)
    out = capsys.readouterr().out
    assert json.loads(out) == value
    assert out == (
        '{"\\u007f\\u009b31m": ["\\u202e", "\\ud800", "\\udb40\\udc01", "é ≥ 🙂\\n\\t"]}\n'
    )


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
    print_prose("  " + "word " * 30 + "x" * 100)
    lines = capsys.readouterr().out.splitlines()
    assert [line.startswith("  ") for line in lines] == [True] * len(lines)
    assert lines[-1].strip() == "x" * 100
    assert max(map(len, lines[:-1])) <= 80


def test_durations_have_two_units() -> None:
    assert [write_seconds(s) for s in (0.4, 59.4, 59.6, 3599, 3600, 7322)] == [
        "0 s", "59 s", "1 min", "59 min 59 s", "1 h", "2 h 2 min",
    ]  # fmt: skip


def test_text_is_printed_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    print_text("[a] b")
    assert capsys.readouterr().out == "[a] b\n"


def test_control_characters_are_written_out(capsys: pytest.CaptureFixture[str]) -> None:
    print_text("a\x1b[2Jb\u202ec\ud800d\te\nf")
    assert capsys.readouterr().out == "a\\x1b[2Jb\\u202ec\\ud800d\te\nf\n"
    print_table(["x"], [["\x1b]0;title\x07"]])
    assert "\x1b" not in capsys.readouterr().out


def test_long_integers_are_shortened() -> None:
    assert shorten(123456) == "123456"
    assert shorten(-(10**50)) == "-10000000…00000000 (51 digits)"
