import pytest

from lab_records import EXP2, configs_of, records_of, with_probe
from primefourier.analysis.stand_in import Kind
from primefourier.lab.config import ModelConfig
from primefourier.lab.questions.answers import Answers, answer_questions
from primefourier.lab.questions.depths import LargestDrop, depth_drops
from primefourier.lab.questions.groups import probed_groups
from primefourier.lab.questions.table import answers_as_sections
from primefourier.lab.record import Record


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


def test_the_largest_single_block_of_another_prime_is_told_with_its_model() -> None:
    configs = configs_of("exp2", moduli=(15, 21), ranges=(500,), seeds=(1, 2))

    def one(config: ModelConfig, kind: Kind, prime: int, depth: int) -> float:
        if prime in config.relevant:
            return 0.9
        chosen = (config.modulus, config.seed, prime, depth) == (21, 2, 23, 1)
        return 0.75 if chosen and kind == "permute" else 0.0

    records = [with_probe(record, block=one) for record in records_of(configs)]
    (group,) = probed_groups(configs, records)
    zero, _, permute = depth_drops(group)
    assert permute.largest == LargestDrop(0.75, prime=23, depth=1, modulus=21, seed=2)
    assert zero.largest.drop == 0
    columns, *rows = answers_as_sections(_answers(configs, records))[1].tables[0].rows
    assert (columns[-1], rows[-1][-1]) == ("largest", "0.750 (23^2 of N = 21, seed 2)")


def _answers(configs: list[ModelConfig], records: list[Record]) -> Answers:
    found = answer_questions(configs, records)
    assert found is not None
    return found
