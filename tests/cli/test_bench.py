import json
from collections.abc import Callable, Sequence

import pytest

from primefourier.lab import speed
from primefourier.lab.config import ModelConfig

Pfe = Callable[..., tuple[int, str, str]]


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[ModelConfig]:
    """Fixed times replace the measurement; the list receives the configs of its models."""
    configs: list[ModelConfig] = []

    def measure(models: Sequence[ModelConfig], *, workers: int, **_: object) -> speed.Speed:
        configs.extend(models)
        return speed.Speed(len(models), workers, 60.0, 10.0, flops=10**12, gemm_rate=2e11)

    monkeypatch.setattr(speed, "measure_speed", measure)
    return configs


def test_json_holds_times_speed_up_and_share(pfe: Pfe, measured: list[ModelConfig]) -> None:
    code, out, _ = pfe("bench", "--epochs", "2", "--workers", "2", "--json")
    found = json.loads(out)
    assert (code, found["models"], found["workers"]) == (0, 8, 2)
    assert (found["ratio"], found["gemm_share"]) == (6, 0.5)
    assert {(len(c.embedding.primes), c.task.input_range, c.training.epochs) for c in measured} == {
        (8, 1000, 2)
    }


def test_lines_hold_times_and_rates(pfe: Pfe, measured: list[ModelConfig]) -> None:
    code, out, _ = pfe("bench", "--workers", "2")
    numbers = [line.removesuffix(" s").removesuffix(" GFLOP/s")[-8:] for line in out.splitlines()]
    assert code == 0
    assert [float(number) for number in numbers[1:]] == [60, 10, 6, 100, 200, 0.5]


def test_it_needs_a_worker(pfe: Pfe) -> None:
    code, _, err = pfe("bench", "--workers", "0")
    assert (code, "--workers must be at least 1" in err) == (2, True)
