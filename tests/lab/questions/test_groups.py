import pytest

from lab_records import EXP1, EXP2, configs_of, records_of, with_probe
from primefourier.lab.config import ModelConfig
from primefourier.lab.questions.groups import Group, probed_groups
from primefourier.lab.record import Record


def probed(configs: list[ModelConfig]) -> list[Record]:
    return [with_probe(record) for record in records_of(configs)]


SIZE_4 = [c for c in EXP1 if len(c.primes) == 4 and c.input_range in (100, 500)]


def test_a_size_and_a_range_make_a_group() -> None:
    groups = probed_groups(SIZE_4, probed(SIZE_4))
    assert [(g.experiment, g.row, g.input_range, g.models) for g in groups] == [
        ("exp1", 4, 100, 4),
        ("exp1", 4, 500, 4),
    ]
    assert groups[0].name == "Experiment 1, |P| = 4"


def test_all_moduli_of_a_range_make_a_group_without_the_degenerate_ones() -> None:
    groups = probed_groups(EXP2, probed(EXP2))
    assert [(g.input_range, g.models) for g in groups] == [
        (100, 8), (500, 10), (1000, 10), (2000, 10), (4000, 10),
    ]  # fmt: skip
    assert groups[0].name == "Experiment 2, all N"
    assert all(not r.config.degenerate for r in groups[0].by_seed[42])


def test_a_group_needs_every_model_probed() -> None:
    records = probed(SIZE_4)
    without = [*records_of(SIZE_4[:1]), *records[1:]]
    assert [g.input_range for g in probed_groups(SIZE_4, without)] == [500]
    assert probed_groups(EXP2, probed(EXP2[1:]))[-1].models == 10
    some = [r for r in probed(EXP2) if r.config.modulus != 77]
    assert probed_groups(EXP2, some) == []
    assert probed_groups(EXP1, records_of(EXP1)) == []


def test_experiment_2_has_the_seeds_that_all_its_moduli_share() -> None:
    configs = configs_of("exp2", moduli=(15, 21), ranges=(500,), seeds=(1, 2, 3))
    records = probed([c for c in configs if (c.modulus, c.seed) != (21, 2)])
    (group,) = probed_groups(configs, records)
    assert list(group.by_seed) == [1, 3]
    assert group.models == 4


def test_values_are_averaged_over_models_and_then_over_seeds() -> None:
    configs = configs_of("exp1", sizes=(4,), ranges=(500,), seeds=(1, 2))
    (group,) = probed_groups(configs, probed(configs))
    first, second = group.over_seeds(lambda r: [r.config.modulus, r.config.seed])
    assert (first.mean, first.low, first.high, first.count) == (6.5, 6.5, 6.5, 2)
    assert second.mean == 1.5
    assert second.high == pytest.approx(1.5 + 12.706204736 * 0.5)


def test_one_seed_has_no_interval() -> None:
    group = Group("exp1", 4, 500, {42: probed(SIZE_4[4:])})
    (value,) = group.over_seeds(lambda r: [r.config.modulus])
    assert (value.mean, value.low) == (6.5, None)
