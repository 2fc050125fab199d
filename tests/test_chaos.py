"""Every fault of ``make chaos``, a few times, on a small sweep."""

import random
from pathlib import Path

import pytest

from chaos.faults import FAULTS, Trial
from chaos.sweep import Damage, Sweep, acknowledged, assess
from primefourier.lab.record import Measurement

TIMES = {
    "driver killed": 2,
    "workers killed": 2,
    "scheduler killed": 1,
    "disk full": 1,
    "store damaged": 10,
    "two drivers": 1,
    "stopped and continued": 2,
}
Truth = dict[str, Measurement]


@pytest.fixture(scope="module")
def sweep() -> Sweep:
    return Sweep(seeds=2, input_range=60)


@pytest.fixture(scope="module")
def truth(sweep: Sweep, tmp_path_factory: pytest.TempPathFactory) -> Truth:
    return sweep.measure(tmp_path_factory.mktemp("truth"))


@pytest.mark.parametrize("name", FAULTS)
def test_no_record_is_lost_doubled_or_wrong(
    name: str, sweep: Sweep, truth: Truth, tmp_path: Path
) -> None:
    fault, _, _ = FAULTS[name]
    trial = Trial(sweep, truth, tmp_path, TIMES[name], random.Random(name))
    try:
        advice = fault(trial)
    except PermissionError:
        pytest.skip("mounting a small disk needs rights")
    found = trial.assess()
    assert (found.lost, found.doubled, found.wrong) == (0, 0, 0)
    assert 1 <= found.acknowledged <= len(sweep.configs)
    assert advice


def test_what_is_lost_doubled_or_wrong_would_be_seen(
    sweep: Sweep, truth: Truth, tmp_path: Path
) -> None:
    sweep.measure(tmp_path)
    first, second, *_ = names = list(truth)
    assert assess(names, tmp_path, truth) == Damage(8, 0, 0, 0)
    assert assess([*names, "exp1 N=0", first], tmp_path, truth) == Damage(10, 1, 1, 0)
    other = truth | {first: truth[second], second: truth[first]}
    assert assess(names, tmp_path, other).wrong == 2


def test_reported_models_are_read_from_the_lines_of_a_driver() -> None:
    lines = [
        "8 models\n",
        "[1/8] exp1 N=5 r=100 |P|=4 seed=1 accuracy 1.000, drops 5: 0.82 (2.1 s)\n",
        "[2/8] exp1 N=3 r=100 |P|=4 seed=1 FAILED: KilledWorker\n",
    ]
    assert acknowledged(lines) == ["exp1 N=5 r=100 |P|=4 seed=1"]
