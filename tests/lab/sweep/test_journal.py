import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from primefourier.lab.sweep.journal import append_rows, read_journal, write_journal

ROWS = [("a", 1, None), ("ü\n\x00", 2**70, "x"), ("", 0, "é" * 1000)]


def test_rows_come_back_in_their_order(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    assert read_journal(path).tables == {}
    append_rows(path, "one", ROWS[:2])
    append_rows(path, "two", ROWS[2:])
    append_rows(path, "one", ROWS[2:])
    journal = read_journal(path)
    assert journal.tables == {"one": ROWS, "two": ROWS[2:]}
    assert (journal.damaged, journal.torn) == (0, False)
    write_journal(path, {"three": ROWS})
    assert read_journal(path).tables == {"three": ROWS}
    assert [p.name for p in tmp_path.iterdir()] == ["journal"]


def test_wherever_a_crash_cuts_it_off_whole_lines_are_believed(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    append_rows(path, "t", ROWS)
    data = path.read_bytes()
    ends = [i + 1 for i, byte in enumerate(data) if byte == ord("\n")]
    for length in range(0, len(data), 7):
        path.write_bytes(data[:length])
        journal = read_journal(path)
        whole = sum(end <= length for end in ends)
        assert journal.tables.get("t", []) == ROWS[:whole]
        assert journal.damaged == 0
        assert journal.torn == (length not in (0, *ends))


@given(place=st.integers(0, 10**6), byte=st.integers(0, 255))
def test_a_changed_byte_never_changes_what_is_believed(
    tmp_path_factory: pytest.TempPathFactory, place: int, byte: int
) -> None:
    path = tmp_path_factory.mktemp("j") / "journal"
    append_rows(path, "t", ROWS)
    data = bytearray(path.read_bytes())
    data[place % len(data)] = byte
    path.write_bytes(data)
    assert set(read_journal(path).tables.get("t", [])) <= set(ROWS)


@pytest.mark.parametrize("line", [b"", b"[]", b"7", b"[" * 100_000, b"\xff", b'["t", 1, "x"]'])
def test_lines_of_another_kind_are_counted_as_damaged(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "journal"
    append_rows(path, "t", ROWS[:1])
    with path.open("ab") as file:
        file.write(line + b"\n")
    append_rows(path, "t", ROWS[1:])
    journal = read_journal(path)
    assert journal.tables == {"t": ROWS}
    assert journal.damaged == 1


def test_rows_that_could_not_be_written_leave_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journal"
    append_rows(path, "t", ROWS[:1])
    before = path.read_bytes()
    write = os.write

    def write_half(file: int, data: bytes) -> int:
        if len(data) < 20:
            raise OSError("full")
        return write(file, data[: len(data) // 2])

    monkeypatch.setattr(os, "write", write_half)
    with pytest.raises(OSError, match="full"):
        append_rows(path, "t", ROWS[1:])
    assert path.read_bytes() == before
