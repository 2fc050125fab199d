"""Trials are real trainings; that they take time is all that can be said of how long they take."""

from dataclasses import replace

import pytest

from primefourier.lab.calibration import (
    CalibrationError,
    calibrate,
    choose_trials,
    try_models,
)
from primefourier.lab.estimate import pairs_of, size_of
from primefourier.lab.experiments import models_of, profile
from small_models import small_config

CONFIGS = [
    small_config(modulus=modulus, input_range=r, seed=seed)
    for modulus in (3, 5, 7, 11)
    for r in (10, 30)
    for seed in (1, 2)
]


@pytest.mark.parametrize("workers", [0, 1])
def test_models_are_tried_and_take_time(workers: int) -> None:
    found = calibrate(CONFIGS, workers=workers)
    assert min(map(found.model_seconds, CONFIGS)) > 0
    assert found.seconds > found.startup
    assert (found.startup > 0) == (workers > 0)
    (curve,) = found.curves.values()
    assert curve.sizes == sorted(curve.sizes)


def test_the_smallest_a_middle_and_the_largest_size_are_tried() -> None:
    ((kind, trials),) = choose_trials(CONFIGS).items()
    assert kind == ("fast", 100)
    assert [trial.modulus for trial in trials] == [3, 3, 7, 11]
    assert [pairs_of(trial) for trial in trials] == [2, 900, 900, 900]


def test_kinds_of_models_are_tried_apart() -> None:
    plain, steps = replace(CONFIGS[0], trainer="plain"), replace(CONFIGS[0], batch_size=50)
    found = calibrate([CONFIGS[0], plain, steps], workers=0)
    assert set(found.curves) == {("fast", 100), ("plain", 100), ("fast", 50)}
    assert min(map(found.model_seconds, (plain, steps))) > 0


def test_trials_of_the_paper_are_short() -> None:
    (trials,) = choose_trials(models_of(profile("paper"))).values()
    assert len(trials) == 4
    assert all(pairs_of(trial) * size_of(trial) <= 1e10 for trial in trials)
    assert min(map(pairs_of, trials[1:])) > 10_000


def test_a_batch_is_tried_even_where_it_takes_long() -> None:
    (trials,) = choose_trials([small_config(modulus=10**6, input_range=1000)]).values()
    assert pairs_of(trials[-1]) == 200


def test_a_model_that_cannot_be_trained_is_told() -> None:
    with pytest.raises(CalibrationError, match=r"exp1 N=3 .* cannot be trained: RuntimeError"):
        try_models(CONFIGS, "nonsense")


def test_an_empty_sweep_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one model is required to calibrate, got none"):
        calibrate([], workers=0)
