import pyarrow as pa
import pytest

from primefourier.bulk.gather import Gather


def test_rows_are_counted_over_the_whole_file() -> None:
    gather = Gather(2)
    for line in (2, 3, 5):
        gather.add(line, [str(line)], str(line), size=1)
        if gather.full:
            first = gather.take(pa.record_batch({"n": [row[0] for row in gather.rows]}), 0.5)
    gather.add_bad(6, "x", "is bad")
    second = gather.take(pa.record_batch({"n": ["5"]}), 1.0)
    assert (first.number, first.count, first.places.tolist()) == (0, 2, [1, 2])
    assert (second.number, second.count, second.places.tolist()) == (1, 2, [3])
    assert second.lines is not None
    assert second.lines.tolist() == [5]
    assert [(bad.row, bad.line) for bad in second.bad] == [(4, 6)]


def test_large_rows_make_a_batch_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("primefourier.bulk.gather.MOST_BYTES", 100)
    gather = Gather(1000)
    gather.add(1, [], "1", size=60)
    assert not gather.full
    gather.add(2, [], "2", size=60)
    assert gather.full
