from typing import Any

import pytest
import torch

from primefourier.lab.run_model import measure, run_model
from small_models import small_config


def test_the_final_accuracy_is_that_of_the_last_epoch() -> None:
    for trainer in ("fast", "plain"):
        measured = measure(small_config(trainer=trainer, epochs=5))
        assert measured.correct == measured.correct_by_epoch[-1]
        assert (measured.train_size, measured.test_size) == (720, 180)
        assert len(measured.lost) == len(measured.gained) == 3


def test_a_trained_network_needs_the_row_of_its_prime() -> None:
    measured = measure(small_config(modulus=3, epochs=40, primes=(3, 5), input_range=60))
    assert measured.accuracy > 0.95
    assert measured.drops[0] > 0.4 > abs(measured.drops[1])


def test_threads_do_not_change_the_bits_and_are_left_as_they_were() -> None:
    config = small_config(primes=(3, 5, 7, 11), depth=6, batch_size=1024, input_range=100)
    before = torch.get_num_threads()
    found = []
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            found.append(measure(config))
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    assert found[0] == found[1]


def test_a_failure_becomes_a_record_with_its_traceback() -> None:
    record = run_model(small_config(), device="no such device")
    assert record.measurement is None
    assert record.error is not None
    assert "Traceback" in record.error
    assert "no such device" in record.error


@pytest.mark.parametrize("trainer", ["fast", "plain"])
@pytest.mark.parametrize(
    "changes",
    [
        {"epochs": 4},
        {"operation": "multiply", "seed": 3},
        {"modulus": 45, "batch_size": 719, "learning_rate": 0.01},
        {"learning_rate": 1e30},  # its weights run away
        {"pairs": 2},  # one of which is the test
    ],
    ids=str,
)
def test_a_probe_does_not_change_what_is_measured(trainer: str, changes: dict[str, Any]) -> None:
    config = small_config(trainer=trainer, **changes)
    record, probed = run_model(config), run_model(config, probe=True)
    assert probed.error is None
    assert probed.measurement == record.measurement == measure(config)
    assert (record.probe, record.probed) == (None, None)
    assert probed.probe is not None
    assert probed.probed == probed.provenance
    for parts in (probed.probe.rows, probed.probe.blocks):
        assert {found.correct for found in parts.values()} == {probed.measured.correct}
    assert probed.probe.rows["zero"].lost == probed.measured.lost
    assert probed.probe.rows["zero"].gained == probed.measured.gained
    assert probed.probe.test_size == probed.measured.test_size


def test_the_same_config_gives_the_same_probe_whatever_the_threads() -> None:
    config = small_config(primes=(3, 5, 7, 11), depth=6, batch_size=1024, input_range=60)
    before = torch.get_num_threads()
    found = []
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            found.append(run_model(config, probe=True).probe)
    finally:
        torch.set_num_threads(before)
    assert found[0] is not None
    assert found[0] == found[1]


def test_a_trained_network_follows_shifts_and_reads_its_channel() -> None:
    probe = run_model(small_config(epochs=20), probe=True).probe
    assert probe is not None
    assert probe.share_apart[0] > 0.6 > 0.1 > probe.share_apart[-1]
    assert probe.shift_error[0] > 0.9 > 0.4 > probe.shift_error[-1]
    assert probe.off_block_energy[0] > 0.1 > 0.05 > probe.off_block_energy[-1]
    assert probe.relevant_share[0] < 0.5 < 0.8 < probe.relevant_share[-1]
    drops = probe.block_drops("mean")
    assert drops.index(max(drops)) == 2, "of (3, 0) … (7, 1) it is (5, 0)"


def test_the_shuffled_control_is_measured_but_has_no_probe() -> None:
    config = small_config(embedding="shuffled-column")
    record = run_model(config, probe=True)
    assert record.measurement == measure(config)
    assert (record.probe, record.probed) == (None, None)


def test_a_failure_has_no_probe() -> None:
    record = run_model(small_config(), device="no such device", probe=True)
    assert record.error is not None
    assert (record.probe, record.probed) == (None, None)
