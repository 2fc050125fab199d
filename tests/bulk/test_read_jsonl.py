import json
from pathlib import Path

import pytest

from primefourier.bulk import BulkError
from primefourier.bulk.batch import Batch
from primefourier.bulk.read_jsonl import JsonlSource
from primefourier.bulk.source import Keep

KEEPS: tuple[Keep, ...] = ("columns", "lines", "nothing")


def read(path: Path, content: bytes, *, keep: Keep = "columns", rows: int = 100) -> list[Batch]:
    path.write_bytes(content)
    return list(JsonlSource(path, column="n", keep=keep, name="code").batches(rows))


def test_keys_become_columns(tmp_path: Path) -> None:
    content = b'{"n": 1, "a": "x"}\n\n{"b": [1], "n": 20}\r\n'
    (batch,) = read(tmp_path / "in.jsonl", content)
    assert batch.rows.to_pydict() == {"n": [1, 20], "a": ["x", None], "b": [None, "[1]"]}
    assert batch.values.to_pylist() == ["1", "20"]
    assert batch.lines is not None
    assert (batch.places.tolist(), batch.lines.tolist()) == ([1, 2], [1, 3])


def test_integers_of_any_size_and_texts_of_them_are_values(tmp_path: Path) -> None:
    big = "9" * 9000
    content = f'{{"n": {big}}}\n{{"n": "-{big}"}}\n'.encode()
    for keep in KEEPS:
        (batch,) = read(tmp_path / "in.jsonl", content, keep=keep)
        assert batch.values.to_pylist() == [big, f"-{big}"]


def test_lines_can_be_kept_as_they_stand(tmp_path: Path) -> None:
    (batch,) = read(tmp_path / "in.jsonl", b' {"n":1 , "a":1.50}\t\n', keep="lines")
    assert batch.rows.to_pydict() == {"line": ['{"n":1 , "a":1.50}']}


BAD = {
    b"\xff": "is not UTF-8",
    b"{": "is not JSON",
    b"[1]": "is not a JSON object",
    b"7": "is not a JSON object",
    b'{"m": 1}': "has no key 'n'",
    b'{"n": null}': "is null",
    b'{"n": 1.0}': "is a number with a fraction or an exponent, not an integer",
    b'{"n": 1e3}': "is a number with a fraction or an exponent, not an integer",
    b'{"n": true}': "is a boolean, not an integer",
    b'{"n": [1]}': "is a list, not an integer",
    b'{"n": {}}': "is an object, not an integer",
    b'{"n": "1.0"}': "is not a decimal integer",
    b'{"n": ""}': "is empty",
    b'{"n": NaN}': "is not JSON: NaN is not a JSON number",
    b'{"n": 1, "a": Infinity}': "is not JSON",
    b'{"n": 1} {"n": 2}': "is not JSON",
    b'{"n": ' + b"9" * 10_001 + b"}": "has more than 10000 digits",
    b'{"n": 1, "a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}": "is nested too deeply",
}


@pytest.mark.parametrize("keep", KEEPS)
def test_bad_lines_are_found_one_by_one(tmp_path: Path, keep: Keep) -> None:
    content = b'{"n": 1}\n' + b"\n".join(BAD) + b'\n{"n": 2}\n'
    (batch,) = read(tmp_path / "in.jsonl", content, keep=keep)
    assert batch.values.to_pylist() == ["1", "2"]
    assert [(bad.row, bad.line) for bad in batch.bad] == [(k, k) for k in range(2, len(BAD) + 2)]
    for bad, reason in zip(batch.bad, BAD.values(), strict=True):
        assert bad.reason.startswith(reason), bad
    shown = {bad.reason: bad.value for bad in batch.bad}
    assert shown["is a boolean, not an integer"] == "true"
    assert shown["is null"] is None
    assert shown["is a list, not an integer"] == '{"n": [1]}'


def test_what_cannot_be_a_column_is_bad_only_where_there_are_columns(tmp_path: Path) -> None:
    deep = json.dumps({"n": 1, "a": eval("[" * 150 + "]" * 150)}).encode()
    content = deep + b'\n{"n": 2, "\\ud800": 1}\n{"n": 3, "a": "\\ud800"}\n'
    (batch,) = read(tmp_path / "in.jsonl", content)
    assert [bad.reason for bad in batch.bad] == [
        "is nested too deeply",
        "has a key that is not valid Unicode",
    ]
    assert batch.rows.to_pydict() == {"n": [3], "a": ['"\\ud800"']}
    (batch,) = read(tmp_path / "in.jsonl", content, keep="lines")
    assert batch.bad == ()


def test_bad_rows_have_no_say_in_the_types(tmp_path: Path) -> None:
    (batch,) = read(tmp_path / "in.jsonl", b'{"n": 1, "a": 1}\n{"n": "x", "a": "y", "b": 1}\n')
    assert batch.rows.to_pydict() == {"n": [1], "a": [1]}


def test_lines_that_are_too_long_are_bad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("primefourier.bulk.read_jsonl.LONGEST", 50)
    monkeypatch.setattr("primefourier.bulk.lines.LONGEST", 50)
    content = b'{"n": 1, "a": "' + b"x" * 500 + b'"}\n{"n": 2}\n'
    (batch,) = read(tmp_path / "in.jsonl", content)
    assert batch.values.to_pylist() == ["2"]
    assert batch.bad[0].reason == "is longer than 16 MiB"


def test_batches_are_cut_at_the_same_rows_bad_ones_included(tmp_path: Path) -> None:
    content = b'{"n": 1}\nx\n\n{"n": 3}\n'
    batches = read(tmp_path / "in.jsonl", content, rows=2)
    assert [(batch.number, batch.count) for batch in batches] == [(0, 2), (1, 1)]


def test_a_key_of_the_codes_name_is_refused(tmp_path: Path) -> None:
    content = b'{"n": 1}\n{"n": 2, "code": 3}\n'
    with pytest.raises(BulkError, match=r"row 2 \(line 2\) has a key 'code' already"):
        read(tmp_path / "in.jsonl", content, keep="lines")
    with pytest.raises(BulkError, match="has a column 'code' already"):
        read(tmp_path / "in.jsonl", content)
    assert len(read(tmp_path / "in.jsonl", content, keep="nothing")) == 1


def test_a_file_without_good_rows_still_has_the_column(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(b"x\n")
    source = JsonlSource(path, column="n", keep="columns", name="code")
    assert source.schema.names == ["n"]
    assert [batch.rows.num_rows for batch in source.batches(5)] == [0]
    assert read(path, b"") == []
