from pathlib import Path

from primefourier.bulk import Progress, Summary


def test_progress_adds_up() -> None:
    progress = Progress().after(rows=3, rejected=1, share=0.25, before=4)
    progress = progress.after(rows=2, rejected=0, share=0.5)
    assert progress == Progress(rows=5, rejected=1, share=0.5, before=4)


def test_a_summary_can_be_json() -> None:
    summary = Summary(rows=2, rejected=1, out=Path("a"), rejects=Path("b"), parts=1)
    assert summary.as_dict() == {
        "rows": 2,
        "rejected": 1,
        "out": "a",
        "rejects": "b",
        "parts": 1,
        "parts_before": 0,
        "started_over": False,
    }
