from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from primefourier.lab.config import ModelConfig
from primefourier.lab.estimate import LONG, SHORT, Cost, fit, schedule, size_of, tell_apart
from small_models import small_config

TASKS = st.lists(st.floats(0, 1000), min_size=1, max_size=30)
WORKERS = st.integers(1, 40)


def test_a_schedule_gives_each_task_to_the_worker_that_is_free_first() -> None:
    # worker 1: 3, then 4 from 3 to 7; worker 2: 2, then 2 from 2 to 4, then 5 from 4 to 9
    assert schedule([3, 2, 2, 4, 5], workers=2) == 9
    assert schedule([3, 2, 2, 4, 5], workers=1) == 16
    assert schedule([3, 2, 2, 4, 5], workers=3) == 7
    assert schedule([3, 2, 2, 4, 5], workers=99) == 5
    assert schedule([], workers=3) == 0


def test_no_workers_are_this_process() -> None:
    assert schedule([1, 2, 3], workers=0) == 6
    with pytest.raises(ValueError, match="workers must be an integer of at least 0, got -1"):
        schedule([1], workers=-1)


@given(TASKS, WORKERS)
def test_no_schedule_beats_its_longest_task_or_its_share_of_the_work(
    seconds: list[float], workers: int
) -> None:
    found = schedule(seconds, workers=workers)
    least = max(max(seconds), sum(seconds) / workers)
    assert found >= least * (1 - 1e-12)
    # Graham: a greedy schedule ends before the share of the work and the longest task together
    most = sum(seconds) / workers + max(seconds) * (1 - 1 / workers)
    assert found <= most * (1 + 1e-12) + 1e-300


@given(TASKS, WORKERS)
def test_more_workers_are_never_slower(seconds: list[float], workers: int) -> None:
    more = schedule(seconds, workers=workers + 1)
    assert more <= schedule(seconds, workers=workers) * (1 + 1e-12)


def seconds_of(config: ModelConfig) -> float:
    """A machine that keeps exactly to the assumption: 10 ms a model, 1 ms an epoch, …"""
    pairs = min(config.pairs, config.input_range**2)
    fixed = 0.010 + pairs * (1e-6 + 2e-12 * size_of(config))
    epoch = 0.001 + pairs * (3e-6 + 5e-11 * size_of(config))
    return fixed + config.epochs * epoch


@pytest.mark.parametrize("modulus", [3, 7, 11])
@pytest.mark.parametrize("input_range", [3, 30, 1000])
@pytest.mark.parametrize("epochs", [1, 25])
def test_models_follow_from_the_trials_where_costs_are_straight_lines(
    modulus: int, input_range: int, epochs: int
) -> None:
    smallest, largest = small_config(modulus=3), small_config(modulus=11)
    trials = [replace(smallest, pairs=2), smallest, largest]
    costs = [
        tell_apart(
            seconds_of(replace(trial, epochs=SHORT)), seconds_of(replace(trial, epochs=LONG))
        )
        for trial in trials
    ]
    model = small_config(modulus=modulus, input_range=input_range, epochs=epochs)
    # the trial with 2 pairs stands for one without any: two pairs too many
    assert fit(trials, costs).seconds(model) == pytest.approx(seconds_of(model), rel=0.02)


def test_an_epoch_lost_in_the_noise_still_takes_time() -> None:
    assert tell_apart(3.0, 2.0) == Cost(0.0, 5 / 6)
    assert tell_apart(1.0, 9.0) == Cost(0.0, 10 / 6)


def test_a_size_is_the_network_s_alone() -> None:
    config = small_config()
    assert size_of(config) == size_of(replace(config, epochs=9, input_range=1000, pairs=77))
    assert size_of(config) < size_of(replace(config, modulus=6))
    assert size_of(config) < size_of(replace(config, depth=3))
