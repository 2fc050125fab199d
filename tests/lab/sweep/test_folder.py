import os
import subprocess
import sys
from pathlib import Path

import pytest

from primefourier.lab.sweep.folder import (
    STORE_NAME,
    FolderError,
    WriterLock,
    current_writer,
    prepare_folder,
    require_sweep,
)


def test_a_folder_is_created_and_an_empty_one_is_fine(tmp_path: Path) -> None:
    prepare_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()
    prepare_folder(tmp_path / "a" / "b")


def test_hidden_files_do_not_count(tmp_path: Path) -> None:
    (tmp_path / ".gitkeep").touch()
    prepare_folder(tmp_path)


def test_somebody_else_s_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(FolderError, match=r"such as 'thesis\.tex', but no sweep"):
        prepare_folder(tmp_path)
    (tmp_path / STORE_NAME).touch()
    prepare_folder(tmp_path)


def test_a_file_in_the_way_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FolderError, match="cannot be used as output folder"):
        prepare_folder(tmp_path / "file")


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file system nobody can write to")
def test_a_read_only_place_is_told() -> None:
    with pytest.raises(FolderError, match=r"cannot be used as output folder: .*; choose another"):
        prepare_folder(Path("/sys/kernel/primefourier"))
    with pytest.raises(FolderError, match="cannot be written to"), WriterLock(Path("/sys/kernel")):
        pass


def test_only_folders_with_a_sweep_can_be_read(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="there is no folder"):
        require_sweep(tmp_path / "none")
    with pytest.raises(FolderError, match="holds no sweep"):
        require_sweep(tmp_path)


def test_a_second_writer_is_told_who_is_first(tmp_path: Path) -> None:
    assert current_writer(tmp_path) is None
    with WriterLock(tmp_path):
        writer = current_writer(tmp_path)
        assert writer is not None
        assert writer["process"] == os.getpid()
        with (
            pytest.raises(FolderError, match=f"written to by process {os.getpid()} on .* since"),
            WriterLock(tmp_path),
        ):
            pass
        assert current_writer(tmp_path) == writer
    assert current_writer(tmp_path) is None
    with WriterLock(tmp_path):
        pass


def test_a_killed_writer_leaves_no_lock(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom pathlib import Path\nfrom primefourier.lab.sweep.folder import *\n"
        "with WriterLock(Path(sys.argv[1])):\n    print('locked', flush=True)\n    input()"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == "locked\n"
        writer = current_writer(tmp_path)
        assert writer is not None
        assert writer["process"] == child.pid
        child.kill()
    assert current_writer(tmp_path) is None
