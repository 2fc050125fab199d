import json

import pytest

from primefourier.cli.output import print_json, print_table, print_text, shorten


def test_json_keeps_integers_exact(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"n": 10**40, "text": "≥"})
    assert json.loads(capsys.readouterr().out) == {"n": 10**40, "text": "≥"}
    with pytest.raises(ValueError, match="not JSON compliant"):
        print_json(float("nan"))


def test_tables_are_not_folded_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(["name", "n"], [["x" * 300, "1"], ["[bold]y", "22"]], left=["name"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["name", "n"]
    assert lines[2].startswith("x" * 300)
    assert lines[3].startswith("[bold]y"), "text is shown as it is"
    assert lines[3].endswith("22")


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
