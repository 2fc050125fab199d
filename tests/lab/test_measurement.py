"""One call measures a model: accuracy, drops, a probe on request, or an error."""

from typing import Any

import pytest
import torch

from primefourier.lab import measurement, training
from primefourier.lab.measurement import measure
from small_models import small_config


def test_a_trained_network_needs_the_row_of_its_prime() -> None:
    measured = measure(small_config(modulus=3, epochs=40, primes=(3, 5), input_range=60)).measured
    assert measured.accuracy > 0.95
    assert measured.drops[0] > 0.4 > abs(measured.drops[1])


def test_a_model_is_trained_on_one_thread_and_the_number_is_restored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    used: list[int] = []

    def draw(*arguments: Any, **options: Any) -> Any:
        used.append(torch.get_num_threads())
        return training.make_data(*arguments, **options)

    monkeypatch.setattr(measurement, "make_data", draw)
    config = small_config(primes=(3, 5, 7, 11), depth=6, batch_size=1024, input_range=100)
    before = torch.get_num_threads()
    found = []
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            found.append(measure(config).measured)
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    assert used == [1, 1]
    assert found[0] == found[1]


def test_a_failure_becomes_a_record_with_its_traceback() -> None:
    record = measure(small_config(), device="no such device")
    assert record.measurement is None
    assert record.error is not None
    assert "Traceback" in record.error
    assert "no such device" in record.error


@pytest.mark.parametrize("weight_decay", [0.0, 0.1])  # trained by the fast and the general loop
@pytest.mark.parametrize(
    "changes",
    [
        {"modulus": 45, "batch_size": 719, "operation": "multiply"},
        {"samples": 2},  # one training pair, one test pair
        {"epochs": 7, "test_every": 3},
    ],
    ids=str,
)
def test_counts_have_the_sizes_of_the_examples(
    weight_decay: float, changes: dict[str, Any]
) -> None:
    config = small_config(weight_decay=weight_decay, **changes)
    measured = measure(config).measured
    assert measured.trainer == ("plain" if weight_decay else "fast")
    assert (measured.train_size, measured.test_size) == config.task.sizes()
    assert measured.correct == measured.correct_by_epoch[-1]
    assert len(measured.correct_by_epoch) == len(config.tested_epochs)
    assert len(measured.train_correct_by_epoch) == len(config.tested_epochs)
