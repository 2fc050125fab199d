"""Writes are atomic, locks exclude other processes, and links are never written through."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from primefourier._files import (
    lock_file,
    locked_file,
    new_file,
    open_in_place,
    refuse_link,
    unfinished,
    write_file,
    writing,
)


def make_link(kind: str, path: Path, target: Path) -> None:
    target.write_text("another file")
    os.link(target, path) if kind == "hard" else path.symlink_to(target)


def test_a_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    with new_file(path) as file:
        file.write(b"new")
        assert path.read_text() == "old"
        (hidden,) = (found for found in tmp_path.iterdir() if found != path)
        assert (hidden.name[0], hidden.suffix) == (".", ".unfinished")
    assert (path.read_text(), list(tmp_path.iterdir())) == ("new", [path])


@pytest.mark.parametrize("problem", [ValueError("no more"), KeyboardInterrupt()])
def test_an_interrupted_write_leaves_nothing(tmp_path: Path, problem: BaseException) -> None:
    def fail(file: BinaryIO) -> None:
        file.write(b"half")
        raise problem

    with pytest.raises(type(problem)):
        write_file(tmp_path / "a", fail)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["symbolic", "hard"])
def test_a_link_is_replaced_and_its_target_unchanged(tmp_path: Path, kind: str) -> None:
    path, target = tmp_path / "a", tmp_path / "target"
    make_link(kind, path, target)
    write_file(path, b"new")
    assert (path.read_text(), target.read_text()) == ("new", "another file")
    assert not path.is_symlink()


def test_names_may_have_the_greatest_length(tmp_path: Path) -> None:
    path = tmp_path / ("a" * 255)
    write_file(path, b"x")
    assert list(tmp_path.iterdir()) == [path]


def test_permissions_follow_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_file(tmp_path / "a", b"")
        open_in_place(tmp_path / "b", "ab").close()
    finally:
        os.umask(before)
    for path in tmp_path.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_concurrent_writers_never_leave_a_partial_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    contents = [letter * 300_000 for letter in (b"a", b"b", b"c")]
    with ThreadPoolExecutor(3) as pool:
        for _ in pool.map(lambda content: write_file(path, content), contents * 10):
            assert path.read_bytes() in contents
    assert list(tmp_path.iterdir()) == [path]


def test_a_path_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "folder-a").mkdir()
    for name in ("folder-a", "none/a", "/proc/a", "a" * 256):
        place = tmp_path / name
        with pytest.raises(OSError, match=r"a cannot be written: [A-Z][a-z ]+; choose another"):
            write_file(place, b"")
    assert [path.name for path in tmp_path.iterdir()] == ["folder-a"]


def test_a_full_disk_leaves_the_old_file(small_disk: Path) -> None:
    path = small_disk / "a"
    write_file(path, b"old")
    with pytest.raises(OSError, match="a cannot be written: No space left on device; choose"):
        write_file(path, b"x" * 500_000)
    assert (path.read_text(), list(small_disk.iterdir())) == ("old", [path])


@pytest.mark.parametrize("mode", ["ab", "r+b"])
def test_a_file_is_changed_in_place_or_created(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "a"
    for content in (b"one", b"two"):
        with open_in_place(path, mode) as file:  # type: ignore[arg-type]
            file.write(content)
    assert path.read_bytes() == (b"onetwo" if mode == "ab" else b"two")


@pytest.mark.parametrize("kind", ["symbolic", "hard"])
def test_a_link_is_not_changed_in_place(tmp_path: Path, kind: str) -> None:
    path, target = tmp_path / "a", tmp_path / "target"
    make_link(kind, path, target)
    with pytest.raises(OSError, match="a is a link or not a regular file"):
        open_in_place(path, "r+b")
    assert target.read_text() == "another file"


def test_pipes_folders_and_dangling_links_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "dangling").symlink_to(tmp_path / "none")
    for name in ("pipe", "dangling", "."):
        with pytest.raises(OSError, match="is a link or not a regular file"):
            open_in_place(tmp_path / name, "ab")
    assert not (tmp_path / "none").exists()
    refuse_link(tmp_path / "none")


@pytest.mark.process
def test_a_lock_excludes_other_processes_and_ends_with_its_own(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom pathlib import Path\nfrom primefourier._files import *\n"
        "file = open_in_place(Path(sys.argv[1]), 'ab')\nprint(lock_file(file), flush=True)\ninput()"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path / "a")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with child, (tmp_path / "a").open("ab") as file:
        assert child.stdout is not None
        assert child.stdout.readline() == "True\n"
        assert not lock_file(file)
        assert not lock_file(file, shared=True)
        child.kill()
        child.wait()
        assert lock_file(file)


def test_a_locked_file_is_written_by_one_process_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "a"
    unfinished(path).write_text("a long half, of a process that was killed")
    with locked_file(path) as file:
        file.write(b"first")
        with (
            pytest.raises(OSError, match=r"a cannot be written: another process is writing it"),
            locked_file(path),
        ):
            pass
        assert list(tmp_path.iterdir()) == [unfinished(path)]
    assert (path.read_text(), list(tmp_path.iterdir())) == ("first", [path])
    with pytest.raises(TypeError), locked_file(path) as file:
        file.writelines([b"half", None])  # type: ignore[list-item]
    assert (path.read_text(), list(tmp_path.iterdir())) == ("first", [path])


def test_a_file_completed_meanwhile_is_not_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    unfinished(path).write_text("whole")

    def finish_of_another(_file: BinaryIO) -> bool:
        unfinished(path).rename(path)
        return True

    monkeypatch.setattr("primefourier._files.lock_file", finish_of_another)
    with pytest.raises(OSError, match="another process"), locked_file(path):
        pass
    assert path.read_text() == "whole"


def test_an_error_names_the_file_once(tmp_path: Path) -> None:
    with (
        pytest.raises(OSError, match=r"^outer cannot be written: no; choose another place$"),
        writing(Path("inner")),
        writing(Path("outer")),
    ):
        raise OSError("no")


@pytest.mark.parametrize("opened", [new_file, locked_file])
def test_a_file_is_on_disk_before_it_gets_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: Callable[[Path], Any]
) -> None:
    path, synced = tmp_path / "a", list[tuple[str, int, bool]]()
    sync = os.fsync

    def note(number: int) -> None:
        found = os.fstat(number)
        kind = "folder" if stat.S_ISDIR(found.st_mode) else "file"
        synced.append((kind, found.st_size if kind == "file" else 0, path.exists()))
        sync(number)

    monkeypatch.setattr(os, "fsync", note)
    with opened(path) as file:
        file.write(b"new")
    assert synced == [("file", 3, False), ("folder", 0, True)]
