import pytest
from rich.progress import MofNCompleteColumn

from primefourier.cli.live_bar import LiveBar


def test_a_pipe_gets_sentences_and_no_bar(capsys: pytest.CaptureFixture[str]) -> None:
    with LiveBar(MofNCompleteColumn(), total=3) as bar:
        bar.tell("a [bold] sentence \x1b[2J")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "a [bold] sentence \\x1b[2J\n"


def test_a_terminal_gets_both(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    with LiveBar(MofNCompleteColumn(), total=3) as bar:
        bar._move(2, "on its way")
        bar.tell("a [bold] sentence " + "x" * 150)
    shown = capsys.readouterr().err
    assert "2/3" in shown
    assert "on its way" in shown
    assert "a [bold] sentence " + "x" * 150 in shown
