import os
import stat
from pathlib import Path
from typing import BinaryIO

import pytest

from bulk_files import names
from primefourier.bulk import BulkError
from primefourier.bulk.unfinished import Unfinished, write_whole


def test_a_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with Unfinished(path) as unfinished:
        unfinished.file.write(b"whole")
        assert names(tmp_path) == [".a.txt.unfinished"]
        unfinished.finish()
    assert not unfinished.earlier
    assert (names(tmp_path), path.read_bytes()) == (["a.txt"], b"whole")


def test_without_an_end_nothing_is_left(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(TypeError), Unfinished(path) as unfinished:
        unfinished.file.writelines([b"half", None])  # type: ignore[list-item]
    assert (names(tmp_path), path.read_text()) == (["a.txt"], "old")


def test_what_a_killed_process_left_is_thrown_away(tmp_path: Path) -> None:
    (tmp_path / ".a.txt.unfinished").write_text("a long half")
    with Unfinished(tmp_path / "a.txt") as unfinished:
        assert unfinished.earlier
        unfinished.file.write(b"new")
        unfinished.finish()
    assert (tmp_path / "a.txt").read_text() == "new"


def test_only_one_process_writes(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with Unfinished(path) as first:
        with pytest.raises(BulkError, match="another process is writing"), Unfinished(path):
            pass
        first.file.write(b"first")
        first.finish()
    assert path.read_text() == "first"


def test_a_file_that_got_its_name_meanwhile_is_not_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.txt"

    def finish_of_another(_file: BinaryIO, _path: Path) -> None:
        (tmp_path / ".a.txt.unfinished").rename(path)

    (tmp_path / ".a.txt.unfinished").write_text("whole")
    monkeypatch.setattr("primefourier.bulk.unfinished.require_alone", finish_of_another)
    with pytest.raises(BulkError, match="was written by another process just now"):
        Unfinished(path).__enter__()
    assert path.read_text() == "whole"


def test_permissions_are_as_for_any_new_file(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with Unfinished(tmp_path / "a.txt") as unfinished:
            unfinished.finish()
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a.txt").stat().st_mode) == 0o640


def test_places_that_cannot_be_written_are_told(tmp_path: Path) -> None:
    with pytest.raises(BulkError, match="cannot be written: No such file or directory"):
        Unfinished(tmp_path / "no" / "a.txt").__enter__()
    with pytest.raises(BulkError, match="cannot be written: File name too long"):
        Unfinished(tmp_path / ("a" * 255)).__enter__()


def test_whole_files_are_written_or_not(tmp_path: Path) -> None:
    def fail(file: BinaryIO) -> None:
        file.write(b"half")
        raise ValueError("no more")

    def fill(file: BinaryIO) -> None:
        file.write(b"whole")

    with pytest.raises(ValueError, match="no more"):
        write_whole(tmp_path / "a", fail)
    assert names(tmp_path) == []
    write_whole(tmp_path / "a", fill)
    assert (names(tmp_path), (tmp_path / "a").read_bytes()) == (["a"], b"whole")
