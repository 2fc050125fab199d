from collections.abc import Callable
from pathlib import Path

from primefourier.lab.sweep import run_sweep
from primefourier.lab.sweep.folder import JOURNAL_NAME, STORE_NAME
from small_models import small_config

Pfe = Callable[..., tuple[int, str, str]]


def test_a_damaged_store_is_restored_and_the_damaged_file_kept(pfe: Pfe, tmp_path: Path) -> None:
    run_sweep([small_config(epochs=1, seed=seed) for seed in range(2)], tmp_path, workers=0)
    whole = f"{tmp_path} is whole: all its 2 models are measured.\n"
    assert pfe("repair", str(tmp_path)) == (0, whole, "")
    (tmp_path / STORE_NAME).write_bytes(b"nonsense" * 1000)
    code, _, err = pfe("status", str(tmp_path))
    assert code == 1
    assert f"pfe repair {tmp_path} restores it from {JOURNAL_NAME}" in err
    code, out, _ = pfe("repair", str(tmp_path))
    assert code == 0
    assert f"kept as {STORE_NAME}.damaged-1" in out
    assert "2 records of" in out
    assert out.endswith(whole)
    assert pfe("status", str(tmp_path))[0] == 0


def test_records_that_are_lost_are_not_passed_over(pfe: Pfe, tmp_path: Path) -> None:
    run_sweep([small_config(epochs=1, seed=seed) for seed in range(3)], tmp_path, workers=0)
    (tmp_path / STORE_NAME).write_bytes(b"nonsense" * 1000)
    journal = (tmp_path / JOURNAL_NAME).read_bytes()
    (tmp_path / JOURNAL_NAME).write_bytes(journal[:-100])
    code, out, _ = pfe("repair", str(tmp_path))
    assert code == 0
    assert "can be used: 2 of 3 models are measured" in out


def test_with_both_copies_gone_there_is_nothing_to_restore(pfe: Pfe, tmp_path: Path) -> None:
    run_sweep([small_config(epochs=1)], tmp_path, workers=0)
    for name in (STORE_NAME, JOURNAL_NAME):
        (tmp_path / name).write_bytes(b"nonsense\n" * 1000)
    code, _, err = pfe("repair", str(tmp_path))
    assert code == 1
    assert "restore the file from a copy, or start in a new folder" in err


def test_folders_without_a_sweep_are_told(pfe: Pfe, tmp_path: Path) -> None:
    code, _, err = pfe("repair", str(tmp_path))
    assert code == 2
    assert "holds no sweep" in err
    assert not list(tmp_path.iterdir())
