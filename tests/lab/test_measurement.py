"""One call measures a model: accuracy, drops, a probe on request, or an error."""

import subprocess
import sys
from typing import Any

import pytest
import torch

from primefourier import lab
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
            record = measure(config, probe=True)
            found.append((record.measurement, record.probe))
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    assert used == [1, 1]
    assert None not in found[0]
    assert found[0] == found[1]


@pytest.mark.parametrize("probe", [False, True])
def test_a_failure_becomes_a_record_with_its_traceback(probe: bool) -> None:
    record = measure(small_config(), device="no such device", probe=probe)
    assert (record.measurement, record.probe, record.probed) == (None, None, None)
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
        {"learning_rate": 1e30},  # diverges
        {"samples": 2},  # one training pair, one test pair
    ],
    ids=str,
)
def test_a_probe_does_not_change_the_measurement(trainer: str, changes: dict[str, Any]) -> None:
    config = small_config(trainer=trainer, **changes)
    record, probed = measure(config), measure(config, probe=True)
    measured, probe = probed.measured, probed.probe
    assert measured == record.measurement
    assert (measured.train_size, measured.test_size) == config.task.sizes()
    assert measured.correct == measured.correct_by_epoch[-1]
    assert len(measured.correct_by_epoch) == config.training.epochs
    assert (record.probe, record.probed) == (None, None)
    assert probe is not None
    assert probed.probed == probed.provenance
    for parts in (probe.rows, probe.blocks):
        assert {found.correct for found in parts.values()} == {measured.correct}
    assert (probe.rows["zero"].lost, probe.rows["zero"].gained) == (measured.lost, measured.gained)
    assert probe.test_size == measured.test_size


def test_a_trained_network_follows_shifts_and_reads_its_channel() -> None:
    probe = measure(small_config(epochs=20), probe=True).probe
    assert probe is not None
    violations, error, outside, share = (
        [value for value in values if value is not None]
        for values in (
            probe.violation_share,
            probe.shift_error,
            probe.off_block_energy,
            probe.relevant_share,
        )
    )
    assert {len(values) for values in (violations, error, outside, share)} == {21}
    assert violations[0] > 0.6 > 0.1 > violations[-1]
    assert error[0] > 0.9 > 0.4 > error[-1]
    assert outside[0] > 0.1 > 0.05 > outside[-1]
    assert share[0] < 0.5 < 0.8 < share[-1]
    drops = probe.block_drops("mean")
    assert drops.index(max(drops)) == 2, "of (3, 0) … (7, 1) it is (5, 0)"


@pytest.mark.process
def test_the_laboratory_loads_torch_only_when_a_model_is_measured() -> None:
    assert lab.measure is measure
    assert lab.ModelConfig is type(small_config())
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = lab.nothing
    program = (
        "import sys; from primefourier import lab; lab.ModelConfig; import primefourier.lab.probe; "
        "print(sorted({'torch', 'dask', 'distributed', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_the_shuffled_control_is_measured_but_not_probed() -> None:
    config = small_config(unit="column")
    record = measure(config, probe=True)
    assert record.measurement == measure(config).measurement
    assert (record.probe, record.probed) == (None, None)
