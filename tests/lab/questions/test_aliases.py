import math

import pytest

from lab_records import EXP2, configs_of, records_of, with_probe
from primefourier.analysis.stand_in import Kind
from primefourier.lab.config import ModelConfig
from primefourier.lab.questions.aliases import FAR, alias_bins, pair_bins
from primefourier.lab.record import Record
from primefourier.theory import alias_distance, pair_alias_distance


def distance(config: ModelConfig, prime: int, depth: int) -> float:
    found = alias_distance(config.modulus, config.basis, input_range=config.input_range)
    return float(found[config.primes.index(prime), depth])


def block(config: ModelConfig, kind: Kind, prime: int, depth: int) -> float:
    """Near blocks cost 0.5, others 0.05, and relevant ones 0.9; half of that with the mean."""
    if config.modulus % prime ** (depth + 1) == 0:
        return 0.9
    drop = 0.5 if distance(config, prime, depth) < 0.4 else 0.05
    return drop / 2 if kind == "mean" else drop


def probed(configs: list[ModelConfig]) -> list[Record]:
    return [with_probe(record, block=block) for record in records_of(configs)]


def test_blocks_are_sorted_by_distance_and_relevant_ones_left_out() -> None:
    configs = [c for c in EXP2 if c.input_range == 500]
    bins = alias_bins(configs, probed(configs))
    assert [found.low for found in bins] == sorted(found.low for found in bins)
    for found in bins:
        expected = 0.5 if found.high <= 0.4 else 0.05
        assert (found.mean, found.largest) == pytest.approx((expected, expected), abs=1e-4)
        assert found.used == (found.blocks if expected == 0.5 else 0)
    assert bins[-1].high == math.inf
    turning = [
        (c, p, d)
        for c in configs
        for p in c.primes
        for d in range(c.depth)
        if c.modulus % p ** (d + 1) and p ** (d + 1) <= 4 * c.input_range
    ]
    assert sum(found.blocks for found in bins) == len(turning)
    near = sum(distance(*place) < 0.1 for place in turning)
    assert bins[0].blocks == near > 0


def test_blocks_far_from_any_harmonic_are_sorted_by_pairs() -> None:
    configs = configs_of("exp1", sizes=(10,), ranges=(500,))

    def together(config: ModelConfig, _kind: Kind, prime: int, depth: int) -> float:
        found = pair_alias_distance(config.modulus, config.basis, input_range=500)
        return 0.4 if found[config.primes.index(prime), depth] < 0.2 else 0.02

    records = [with_probe(record, block=together) for record in records_of(configs)]
    bins = pair_bins(configs, records)
    for found in bins:
        expected = 0.4 if found.high <= 0.2 else 0.02
        assert (found.mean, found.largest) == pytest.approx((expected, expected), abs=1e-4)
    far = sum(found.blocks for found in alias_bins(configs, records) if found.low >= FAR)
    assert sum(found.blocks for found in bins) == far > 0


def test_the_kind_of_ablation_can_be_chosen() -> None:
    configs = [c for c in EXP2 if c.input_range == 500]
    bins = alias_bins(configs, probed(configs), kind="mean")
    assert bins[0].mean == pytest.approx(0.25, abs=1e-4)


def test_degenerate_unprobed_and_other_models_do_not_count() -> None:
    degenerate = [c for c in EXP2 if c.degenerate]
    assert alias_bins(degenerate, probed(degenerate)) == []
    assert alias_bins(EXP2, records_of(EXP2)) == []
    other = configs_of("exp2", moduli=(15,), ranges=(100,), epochs=3)
    assert alias_bins(other, probed(other)) == pair_bins(other, probed(other)) == []
