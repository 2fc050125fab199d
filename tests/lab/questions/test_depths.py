import pytest

from lab_records import EXP2, configs_of, records_of, with_probe
from primefourier.analysis.stand_in import Kind
from primefourier.lab.config import ModelConfig
from primefourier.lab.questions.depths import depth_drops
from primefourier.lab.questions.groups import probed_groups


def block(config: ModelConfig, kind: Kind, prime: int, depth: int) -> float:
    """Blocks of relevant primes lose 0.5 less a tenth a depth, the others a hundredth a depth."""
    base = 0.5 - depth / 10 if prime in config.relevant else depth / 100
    return base / {"zero": 1, "mean": 2, "permute": 4}[kind]


@pytest.mark.parametrize("configs", [configs_of("exp1", sizes=(8,), ranges=(500,)), EXP2[1:50:5]])
def test_blocks_are_sorted_by_depth_and_by_relevance(configs: list[ModelConfig]) -> None:
    records = [with_probe(record, block=block) for record in records_of(configs)]
    (group,) = probed_groups(configs, records)
    zero, mean, permute = depth_drops(group)
    assert [found.kind for found in (zero, mean, permute)] == ["zero", "mean", "permute"]
    for found, scale in ((zero, 1), (mean, 2), (permute, 4)):
        assert [d.mean for d in found.relevant] == pytest.approx(
            [x / scale for x in (0.5, 0.4, 0.3, 0.2, 0.1, 0.0)], abs=1e-4
        )
        assert [d.mean for d in found.other] == pytest.approx(
            [d / 100 / scale for d in range(6)], abs=1e-4
        )
