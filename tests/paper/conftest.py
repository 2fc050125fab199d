"""What the tests of commands share, and one folder with a real sweep."""

import subprocess
import sys
from pathlib import Path

import pytest

from lab_records import maker_of
from pfe_runs import ablated, here, pfe, small
from primefourier.lab.config import ModelConfig
from primefourier.lab.store import read_store, write_store
from primefourier_paper import SinglePrime, models_of, profile

__all__ = ["ablated", "here", "pfe", "small", "smoke"]
PFE = Path(sys.executable).with_name("pfe")
PAPER_RUN = Path(__file__).parents[2] / "paper" / "results"


def is_trained_here(config: ModelConfig) -> bool:
    task = config.to_dict()["task"]
    return type(maker_of(config)) is SinglePrime and task["input_range"] == 100


@pytest.fixture(scope="session")
def smoke(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """The smoke profile, continued as a user runs it: its folder and what it printed.

    The published records of 17 models are there before; the command trains the other four.
    """
    folder = tmp_path_factory.mktemp("smoke")
    keys = {config.key for config in models_of(profile("smoke"))}
    with write_store(folder) as store:
        planned = [experiment.study() for experiment in profile("smoke")]
        store.begin(planned, "pfe reproduce --profile smoke --out smoke")
        for record in read_store(PAPER_RUN).records:
            if record.config.key in keys and not is_trained_here(record.config):
                store.add(record)
    done = subprocess.run(
        [str(PFE), "reproduce", "--profile", "smoke", "--out", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    return folder, done
