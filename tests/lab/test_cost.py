"""The arithmetic of models, and estimates of sweeps."""

from pathlib import Path

import pytest
from torch.utils.flop_counter import FlopCounterMode

from lab_records import records_of, with_fields
from primefourier.lab.config import ModelConfig
from primefourier.lab.cost import (
    TrialError,
    longest_first,
    measured_in,
    model_flops,
    seed_by_seed,
    sweep_seconds,
    trial_rates,
)
from primefourier.lab.measurement import measure
from primefourier.lab.record import Record
from small_models import small_config

CONFIGS = [small_config(modulus=modulus, seed=seed) for modulus in (3, 5, 11) for seed in (1, 2)]


def test_flops_are_what_torch_counts_while_a_model_runs() -> None:
    for changes in ({}, {"modulus": 77, "primes": (3, 5, 7, 11), "depth": 6, "batch_size": 64}):
        config = small_config(**changes)
        with FlopCounterMode(display=False) as counter:
            _ = measure(config).measured
        zero_code = 2 * (4 * config.embedding.depth * 64 + 64 * 32)
        assert counter.get_total_flops() - zero_code == model_flops(config)


def test_long_models_come_first_among_all_or_within_each_seed() -> None:
    configs = [small_config(epochs=epochs, seed=seed) for seed in (0, 1) for epochs in (2, 9, 4)]
    found = [(config.training.epochs, config.seed) for config in longest_first(configs)]
    assert found == [(9, 0), (9, 1), (4, 0), (4, 1), (2, 0), (2, 1)]
    found = [(config.training.epochs, config.seed) for config in seed_by_seed(configs)]
    assert found == [(9, 0), (4, 0), (2, 0), (9, 1), (4, 1), (2, 1)]


def test_each_kind_of_model_has_a_rate() -> None:
    plain, steps = with_fields(CONFIGS[0], trainer="plain"), with_fields(CONFIGS[0], batch_size=50)
    rates = trial_rates([*CONFIGS, plain, steps], workers=0)
    kinds = [("fast", 100), ("plain", 100), ("fast", 50)]
    assert set(rates) == {(f"row-classifier {trainer}", size) for trainer, size in kinds}
    assert min(rates.values()) > 1e6


def test_trials_of_long_models_are_short(monkeypatch: pytest.MonkeyPatch) -> None:
    epochs: list[int] = []

    def train(configs: list[ModelConfig], *_: object, **__: object) -> list[Record]:
        epochs.extend(config.training.epochs for config in configs)
        return records_of([with_fields(config, epochs=1) for config in configs])

    monkeypatch.setattr("primefourier.lab.cost.train_models", train)
    trial_rates([small_config(input_range=1000, epochs=10**6)], workers=3)
    assert len(epochs) == 6
    assert max(epochs) < 1000


def test_sweeps_share_work_but_take_as_long_as_their_longest_model() -> None:
    short, long = small_config(epochs=1), small_config(epochs=30)
    rates = {("row-classifier fast", 100): 1e6}
    one = sweep_seconds([long], rates, workers=1)
    assert one == model_flops(long) / 1e6
    many = [short] * 100
    assert sweep_seconds(many, rates, workers=4) == sweep_seconds(many, rates, workers=1) / 4
    assert sweep_seconds([long, *many], rates, workers=1000) == one


def test_models_that_cannot_be_trained_are_named() -> None:
    with pytest.raises(TrialError, match=r"a\+b mod 5 .* cannot be trained: RuntimeError"):
        trial_rates(CONFIGS, workers=0, device="nonsense")


def test_absent_folders_have_measured_nothing_and_stay_absent(tmp_path: Path) -> None:
    assert measured_in(tmp_path) == measured_in(tmp_path / "absent") == set()
    assert not (tmp_path / "absent").exists()
