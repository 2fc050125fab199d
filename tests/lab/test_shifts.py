"""Training on shifted operands: what is read, what is learned, and where it cannot apply."""

from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, ClassVar

import numpy as np
import pytest
import torch
from torch.nn.utils import parameters_to_vector

from primefourier import lab
from primefourier.lab.config import ModelConfig
from primefourier.lab.fast_training import train_fast
from primefourier.lab.modules import join_operands
from primefourier.lab.parts import part_as_data
from primefourier.lab.record import Measurement
from primefourier.lab.tasks import Samples
from primefourier.lab.training import epoch_values, make_data, train_plain
from primefourier.lab.verify import verify_records
from small_models import small_config

SHIFTED = lab.Training(epochs=3, shifts=True)


@lab.register
@dataclass(frozen=True, kw_only=True)
class Weekday(lab.IntegerClassification):
    """The weekday of day a, with the period that a test gives."""

    name: ClassVar[str] = "shifted-weekday"
    version: ClassVar[int] = 1
    classes: ClassVar[int] = 7

    period: int | None = 7

    def label(self, inputs: Any) -> Any:
        """Return the weekday."""
        return inputs[:, 0] % 7


def shifted(**changes: Any) -> ModelConfig:
    """Return a small model that is trained on shifted operands."""
    config = small_config(**changes)
    return replace(config, training=replace(config.training, shifts=True))


def cheating(training: lab.Training) -> Measurement:
    """Return what a model does that can use the circle of 17 in place of those of 33."""
    config = ModelConfig(
        embedding=lab.PrimeFourier((3, 11, 17), 2),
        task=lab.ModularArithmetic(modulus=33, input_range=100, samples=4000, beyond=(200, 10**18)),
        training=training,
    )
    return lab.measure(config).measured


def test_each_epoch_reads_new_integers_of_the_same_residues_and_of_all_sizes() -> None:
    embedding = lab.Periods((3, 5 * 10**12))  # whether the residue stays, and how far it went
    task = lab.ModularArithmetic(modulus=3, input_range=60)
    config = ModelConfig(embedding=embedding, task=task, training=SHIFTED)
    data = make_data(config)
    first, second = islice(epoch_values(config, data), 2)
    assert torch.equal(first[:, 0], data.train.values[:, 0])
    assert not torch.equal(first[:, 1], second[:, 1])
    turns = torch.atan2(first[:, 1, 1::2].double(), first[:, 1, ::2].double()) / (2 * torch.pi)
    sizes = turns * 5e12
    assert sizes.min() >= 0
    assert sizes.max() < 1.01e12
    for low, high in ((0, 1e6), (1e6, 1e9), (1e9, 1e12)):
        assert ((sizes >= low) & (sizes < high)).double().mean() > 0.1
    again, other = (
        next(epoch_values(replace(config, seed=seed), make_data(config))) for seed in (42, 43)
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


@pytest.mark.parametrize("changes", [{}, {"unit": "column"}, {"operation": "multiply"}], ids=str)
def test_both_trainers_shift_alike(changes: dict[str, Any]) -> None:
    config, usual = shifted(**changes), small_config(**changes)
    data = make_data(config, dtype=torch.float64)
    fast, plain = train_fast(config, data), train_plain(config, data)
    one, other, unshifted = (
        parameters_to_vector(trained.model.parameters())
        for trained in (fast, plain, train_plain(usual, make_data(usual, dtype=torch.float64)))
    )
    assert (one - other).abs().max() < 1e-10
    assert (one - unshifted).abs().max() > 1e-3
    assert fast.train_correct == plain.train_correct


@pytest.mark.parametrize("depth", [1, 6])
def test_pairs_that_move_as_one_number_are_joined_as_the_paper_does(depth: int) -> None:
    config = small_config(depth=depth)
    inputs = config.task.draw(config.seed).train.inputs
    rows = config.embedding.rows(inputs.ravel()).unflatten(0, inputs.shape)
    assert torch.equal(make_data(config).train.values, join_operands(rows))


def test_network_that_cheats_is_cured() -> None:
    before, after = (
        cheating(lab.Training(epochs=30, batch_size=128, shifts=shifts)) for shifts in (False, True)
    )
    assert before.accuracy > 0.98
    assert max(before.accuracy_beyond.values()) < 0.9
    assert min(after.accuracy, *after.accuracy_beyond.values()) > 0.99


def test_records_are_verified_and_models_from_before_keep_their_keys() -> None:
    config = shifted(epochs=2)
    (found,) = verify_records([lab.measure(config)], workers=0)
    assert found.same
    assert part_as_data(config.training)["shifts"]
    assert "shifts" not in part_as_data(small_config().training)
    assert config.describe().endswith("shifts=True seed=42")
    assert ModelConfig.from_dict(config.to_dict()) == config


def test_task_of_ones_own_names_its_period() -> None:
    task = Weekday(input_range=50, samples=50, beyond=(10**18,))
    config = ModelConfig(embedding=lab.Periods((7, 9)), task=task, training=SHIFTED)
    training = lab.Training(epochs=200, batch_size=8, shifts=True)
    measured = lab.measure(replace(config, network=lab.Mlp((32,)), training=training)).measured
    assert measured.accuracy_beyond[str(10**18)] > 0.99


@pytest.mark.parametrize(
    ("embedding", "period", "error", "words"),
    [
        (lab.Periods((7, 9)), None, TypeError, "task with a period, but Weekday has none"),
        (lab.Periods((7, 9)), 5, ValueError, "5, but adding it to operands changes labels"),
        (lab.Periods((7, 9)), 10**12, ValueError, "period of Weekday must be at most"),
        (lab.Periods((7, 9)), 0, ValueError, "period of Weekday must be"),
        (lab.LearnedTable(100), 7, TypeError, "fixed embedding.*LearnedTable has parameters"),
    ],
)
def test_error_says_why_shifts_cannot_apply(
    embedding: Any, period: int | None, error: type[Exception], words: str
) -> None:
    task = Weekday(input_range=50, period=period)
    with pytest.raises(error, match=words):
        make_data(ModelConfig(embedding=embedding, task=task, training=SHIFTED))
    with pytest.raises(ValueError, match="shifts must be True or False"):
        lab.Training(shifts=1)  # type: ignore[arg-type]


def test_shifted_integers_stay_exact_beyond_64_bits() -> None:
    @lab.register
    @dataclass(frozen=True, kw_only=True)
    class Large(Weekday):
        """Weekdays of days after the 7 · 10^20th."""

        name: ClassVar[str] = "large-weekday"

        def draw(self, seed: int) -> Samples:
            """Draw as a weekday, but larger integers."""
            samples = super().draw(seed)
            train, test = (
                replace(some, inputs=some.inputs.astype(object) + 7 * 10**20)
                for some in (samples.train, samples.test)
            )
            return Samples(train, test, {})

    config = ModelConfig(
        embedding=lab.Periods((7, 9)), task=Large(input_range=50), training=SHIFTED
    )
    data = make_data(config)
    values = next(epoch_values(config, data))
    assert torch.equal(values[:, 0], data.train.values[:, 0])
    assert len(np.unique(values[:, 1], axis=0)) == 9
