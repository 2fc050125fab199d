from collections.abc import Callable
from pathlib import Path

from primefourier.lab.sweep import run_sweep
from primefourier.lab.sweep.folder import JOURNAL_NAME, STORE_NAME
from small_models import small_config

Pfe = Callable[..., tuple[int, str, str]]


def test_a_damaged_store_is_restored_and_the_damaged_file_kept(pfe: Pfe, tmp_path: Path) -> None:
    run_sweep([small_config(epochs=1, seed=seed) for seed in range(2)], tmp_path, workers=0)
    assert pfe("repair", str(tmp_path)) == (0, f"{tmp_path} is whole: 2 records.\n", "")
    (tmp_path / STORE_NAME).write_bytes(b"nonsense" * 1000)
    code, _, err = pfe("status", str(tmp_path))
    assert code == 1
    assert f"pfe repair {tmp_path} restores it from {JOURNAL_NAME}" in err
    code, out, _ = pfe("repair", str(tmp_path))
    assert code == 0
    assert f"kept as {STORE_NAME}.damaged-1" in out
    assert "2 records of" in out
    assert f"{tmp_path} is whole: 2 records." in out
    assert pfe("status", str(tmp_path))[0] == 0


def test_folders_without_a_sweep_are_told(pfe: Pfe, tmp_path: Path) -> None:
    code, _, err = pfe("repair", str(tmp_path))
    assert code == 2
    assert "holds no sweep" in err
    assert not list(tmp_path.iterdir())
