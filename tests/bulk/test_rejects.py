import json
from pathlib import Path

from primefourier.bulk import BadRow
from primefourier.bulk.rejects import reject_lines


def test_each_bad_row_is_a_line_of_json() -> None:
    bad = [BadRow(1, 2, 'a "b"\n\ud800', "is odd"), BadRow(5, None, None, "is null")]
    first, second = reject_lines(Path("ü.csv"), bad).decode().splitlines()
    assert json.loads(first) == {
        "file": "ü.csv",
        "row": 1,
        "line": 2,
        "value": 'a "b"\n\ud800',
        "reason": "is odd",
    }
    assert json.loads(second) == {"file": "ü.csv", "row": 5, "value": None, "reason": "is null"}
    assert reject_lines(Path("a.csv"), []) == b""
