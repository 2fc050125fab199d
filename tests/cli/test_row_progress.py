import pytest

from primefourier.bulk import Progress
from primefourier.cli.row_progress import RowProgressView, describe_rows


def test_a_pipe_gets_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([0.0, 0.0, 5.0, 11.0, 12.0])
    monkeypatch.setattr("primefourier.cli.row_progress.time.monotonic", lambda: next(clock))
    with RowProgressView() as view:
        view.show(Progress())
        view.show(Progress(rows=5, share=0.1))
        view.show(Progress(rows=22, rejected=1, share=0.25, before=1))
        view.show(Progress(rows=30, share=0.5))
        view.tell("a sentence")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "[25%] 22 rows, 1 rejected, 2 rows a second\na sentence\n"


def test_the_rate_leaves_out_what_was_done_before() -> None:
    assert describe_rows(Progress(rows=10, before=10), 1.0) == "10 rows"
    assert describe_rows(Progress(rows=1), 0.5) == "1 row, 2 rows a second"
