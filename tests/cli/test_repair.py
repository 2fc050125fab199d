from collections.abc import Callable
from pathlib import Path

from primefourier.lab.store import BACKUP_NAME, STORE_NAME
from primefourier.lab.sweep import run
from small_models import small_config

Pfe = Callable[..., tuple[int, str, str]]
CONFIGS = [small_config(epochs=1, seed=seed) for seed in range(14)]


def test_a_damaged_store_is_repaired_and_the_damaged_file_kept(pfe: Pfe, tmp_path: Path) -> None:
    run(CONFIGS[:2], tmp_path, workers=0)
    intact = f"{tmp_path} is intact: 2 of 2 models are measured.\n"
    assert pfe("repair", str(tmp_path)) == (0, intact, "")
    (tmp_path / STORE_NAME).write_bytes(b"nonsense" * 1000)
    code, _, err = pfe("status", str(tmp_path))
    assert code == 1
    assert f"pfe repair {tmp_path} saves what can be saved" in err
    code, out, _ = pfe("repair", str(tmp_path))
    assert code == 0
    assert out == (
        f"{STORE_NAME} was damaged: file is not a database. It is kept as "
        f"{STORE_NAME}.damaged-1.\n{tmp_path} is repaired: 2 of 2 models are measured.\n"
    )
    assert pfe("status", str(tmp_path))[0] == 0


def test_models_without_a_measurement_are_named(pfe: Pfe, tmp_path: Path) -> None:
    run(CONFIGS[:2], tmp_path, workers=0)
    backup = (tmp_path / BACKUP_NAME).read_bytes()
    run(CONFIGS, tmp_path, workers=0, device="no such device")
    (tmp_path / STORE_NAME).write_bytes((tmp_path / STORE_NAME).read_bytes().replace(b"no s", b"x"))
    code, out, _ = pfe("repair", str(tmp_path))
    assert code == 0
    assert "is repaired: 2 of 14 models are measured" in out
    assert CONFIGS[2].describe() in out
    assert "and 2 more" in out
    assert out.endswith(f"again to train them; pfe status {tmp_path} prints it.\n")
    (tmp_path / STORE_NAME).unlink()
    (tmp_path / BACKUP_NAME).write_bytes(backup)
    assert "2 of 2 models are measured" in pfe("repair", str(tmp_path))[1]


def test_two_damaged_or_emptied_files_are_an_error(pfe: Pfe, tmp_path: Path) -> None:
    run(CONFIGS[:1], tmp_path, workers=0)
    for content in (b"nonsense\n" * 1000, b""):
        for name in (STORE_NAME, BACKUP_NAME):
            (tmp_path / name).write_bytes(content)
        code, out, err = pfe("repair", str(tmp_path))
        assert (code, out) == ((1, "") if content else (2, ""))
        assert "nothing could be saved" in err if content else "is empty" in err


def test_folders_without_a_store_are_refused(pfe: Pfe, tmp_path: Path) -> None:
    code, _, err = pfe("repair", str(tmp_path))
    assert code == 2
    assert f"holds no {STORE_NAME}" in err
    assert not list(tmp_path.iterdir())
