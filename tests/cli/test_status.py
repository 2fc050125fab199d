import json
import subprocess
from collections.abc import Callable
from pathlib import Path

from primefourier.lab.sweep import Progress, run_sweep
from small_models import small_config

Pfe = Callable[..., tuple[int, str, str]]
Smoke = tuple[Path, subprocess.CompletedProcess[str]]


def test_a_whole_sweep_is_told(smoke: Smoke, pfe: Pfe) -> None:
    code, out, _ = pfe("status", str(smoke[0]))
    assert code == 0
    rows = [line.split() for line in out.splitlines()]
    assert ["exp1", "8", "8", "0", "0"] in rows
    assert ["all", "21", "21", "0", "0"] in rows
    assert "All measured." in out
    data = json.loads(pfe("status", str(smoke[0]), "--json")[1])
    assert (data["planned"], data["done"], data["running"]) == (21, 21, False)
    assert data["commands"][0].startswith("pfe reproduce --profile smoke --out")


def test_a_running_sweep_is_told(pfe: Pfe, tmp_path: Path) -> None:
    configs = [small_config(seed=seed, epochs=1) for seed in range(3)]
    seen = []

    def watch(progress: Progress) -> None:
        if progress.done == 2:
            seen.append(json.loads(pfe("status", str(tmp_path), "--json")[1]))
            seen.append(pfe("status", str(tmp_path))[1])

    run_sweep(configs, tmp_path, workers=0, command="pfe run mine", watch=watch)
    data, text = seen
    assert (data["planned"], data["done"], data["running"]) == (3, 2, True)
    assert "Running: process" in text


def test_a_stopped_sweep_says_how_to_continue(pfe: Pfe, tmp_path: Path) -> None:
    def stop(progress: Progress) -> None:
        if progress.done == 1:
            raise KeyboardInterrupt

    configs = [small_config(seed=seed, epochs=1) for seed in range(3)]
    assert run_sweep(configs, tmp_path, workers=0, command="pfe run mine", watch=stop).interrupted
    assert "Not running. To continue:\n  pfe run mine\n" in pfe("status", str(tmp_path))[1]


def test_folders_without_a_sweep_are_told(pfe: Pfe, tmp_path: Path) -> None:
    for folder, message in (
        (tmp_path / "none", "there is no folder"),
        (tmp_path, "holds no sweep"),
    ):
        for command in ("status", "claims", "figures", "report", "export"):
            code, _, err = pfe(command, str(folder))
            assert (code, message in err) == (2, True)


def test_probed_models_are_counted(probed: Path, smoke: Smoke, pfe: Pfe) -> None:
    assert "\n6 models probed.\n" in pfe("status", str(probed))[1]
    assert json.loads(pfe("status", str(probed), "--json")[1])["probed"] == 6
    assert "probed" not in pfe("status", str(smoke[0]))[1]
