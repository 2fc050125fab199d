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


@pytest.mark.parametrize("opened", [new_file, locked_file])
def test_a_file_appears_when_it_is_complete_and_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: Callable[[Path], Any]
) -> None:
    path, synced = tmp_path / "a", list[tuple[str, str]]()
    path.write_text("old")
    sync = os.fsync

    def note(number: int) -> None:
        is_folder = stat.S_ISDIR(os.fstat(number).st_mode)
        synced.append(("folder" if is_folder else "file", path.read_text()))
        sync(number)

    monkeypatch.setattr(os, "fsync", note)
    with opened(path) as file:
        file.write(b"new")
        assert path.read_text() == "old"
        (hidden,) = (found for found in tmp_path.iterdir() if found != path)
        assert (hidden.name[0], hidden.suffix) == (".", ".unfinished")
    assert synced == [("file", "old"), ("folder", "new")]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("opened", [new_file, locked_file])
@pytest.mark.parametrize("problem", [ValueError("no more"), KeyboardInterrupt()])
def test_an_interrupted_write_leaves_the_old_file(
    tmp_path: Path, opened: Callable[[Path], Any], problem: BaseException
) -> None:
    path = tmp_path / "a"
    path.write_text("old")

    def fail() -> None:
        with opened(path) as file:
            file.write(b"half")
            raise problem

    with pytest.raises(type(problem)):
        fail()
    assert (path.read_text(), list(tmp_path.iterdir())) == ("old", [path])


@pytest.mark.parametrize("kind", ["symbolic", "hard"])
def test_a_link_is_replaced_or_refused_and_its_target_unchanged(tmp_path: Path, kind: str) -> None:
    path, target = tmp_path / "a", tmp_path / "target"
    target.write_text("another file")
    os.link(target, path) if kind == "hard" else path.symlink_to(target)
    with pytest.raises(OSError, match="a is a link or not a regular file"):
        open_in_place(path, "r+b")
    write_file(path, b"new")
    assert (path.read_text(), target.read_text()) == ("new", "another file")
    assert not path.is_symlink()


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
    path = tmp_path / ("a" * 255)  # the longest name
    contents = [letter * 300_000 for letter in (b"a", b"b", b"c")]
    with ThreadPoolExecutor(3) as pool:
        for _ in pool.map(lambda content: write_file(path, content), contents * 10):
            assert path.read_bytes() in contents
    assert list(tmp_path.iterdir()) == [path]


def test_a_path_that_cannot_be_written_is_reported_once(tmp_path: Path) -> None:
    (tmp_path / "folder-a").mkdir()
    for name in ("folder-a", "none/a", "/proc/a", "a" * 256):
        with pytest.raises(OSError, match=r"a cannot be written: [A-Z][a-z ]+; choose another"):
            write_file(tmp_path / name, b"")
    assert [path.name for path in tmp_path.iterdir()] == ["folder-a"]
    words = r"^inner cannot be written: no; choose another place$"
    with pytest.raises(OSError, match=words), writing(Path("outer")), writing(Path("inner")):
        raise OSError("no")


def test_a_full_disk_leaves_the_old_file(small_disk: Path) -> None:
    path = small_disk / "a"
    write_file(path, b"old")
    with pytest.raises(OSError, match="a cannot be written: No space left on device; choose"):
        write_file(path, b"x" * 500_000)
    assert (path.read_text(), list(small_disk.iterdir())) == ("old", [path])


@pytest.mark.parametrize("mode", ["ab", "r+b"])
def test_a_file_is_changed_in_place_or_created(tmp_path: Path, mode: Any) -> None:
    path = tmp_path / "a"
    for content in (b"one", b"two"):
        with open_in_place(path, mode) as file:
            file.write(content)
    assert path.read_bytes() == (b"onetwo" if mode == "ab" else b"two")


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


def test_a_locked_file_is_written_by_one_process_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, refused = tmp_path / "a", r"a cannot be written: another process is writing it"
    unfinished(path).write_text("a long half, of a process that was killed")
    with locked_file(path) as file:
        file.write(b"first")
        with pytest.raises(OSError, match=refused), locked_file(path):
            pass
        assert list(tmp_path.iterdir()) == [unfinished(path)]
    assert (path.read_text(), list(tmp_path.iterdir())) == ("first", [path])

    def finish_of_another(_file: BinaryIO) -> bool:
        unfinished(path).write_text("second")
        unfinished(path).rename(path)
        return True

    monkeypatch.setattr("primefourier._files.lock_file", finish_of_another)
    with pytest.raises(OSError, match=refused), locked_file(path):
        pass
    assert path.read_text() == "second"
