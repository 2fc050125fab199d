import pytest

from lab_records import by_key, configs_of, records_of
from primefourier.analysis import Interval
from primefourier.lab.claims.drops import (
    below_by_seed,
    combine,
    judge_below_floor,
    judge_lower_at_100,
    write_drop,
)
from primefourier.lab.claims.table import verdict_so_far
from primefourier.lab.results import make_cells


def test_drops_are_written_with_their_interval() -> None:
    assert write_drop(Interval(0.5, None, None, 1), 4) == "0.5000"
    assert write_drop(Interval(0.5, 0.4, 0.6, 3), 2) == "0.50 ± 0.10 (3 seeds)"


def test_lower_at_100_is_judged_only_where_both_are_known() -> None:
    one, two, three = ({42: value} for value in (0.1, 0.2, 0.3))
    values = {"a": {100: one, 500: two}, "b": {500: two}, "c": {100: three, 500: two, 1000: three}}
    found = judge_lower_at_100(values, ranges=2, asked=3, noun="sizes")
    assert [(e.configuration, e.agrees, e.settled) for e in found.evidence] == [
        ("a", True, None),
        ("c", False, None),
    ]
    assert (found.verdict, found.complete) == ("holds in part", False)
    assert found.measured == "lower at r = 100 for 1 of 2 sizes"


def test_an_interval_at_100_is_told() -> None:
    values = {"a": {100: {1: 0.1, 2: 0.1, 3: 0.4}, 500: {1: 0.3}}}
    (item,) = judge_lower_at_100(values, ranges=2, asked=1, noun="sizes").evidence
    assert item.value == "0.200 ± 0.430 (3 seeds) at r = 100, 0.300 beyond"
    assert (item.agrees, item.settled) == (True, None), "one seed of both cannot settle it"


def test_lower_at_100_is_settled_seed_by_seed() -> None:
    """Drops that scatter from seed to seed may still differ alike in each of them."""
    scattered = {1: 0.1, 2: 0.5, 3: 0.9}
    above = {seed: value + 0.1 + 0.01 * seed for seed, value in scattered.items()}
    mixed = {1: 0.9, 2: 0.5, 3: 0.4}
    values = {"a": {100: scattered, 500: above}, "b": {100: scattered, 500: mixed}}
    found = judge_lower_at_100(values, ranges=2, asked=2, noun="sizes").evidence
    assert [(e.agrees, e.settled) for e in found] == [(True, True), (True, False)]


def test_drops_combine_seed_by_seed() -> None:
    configs = configs_of("exp2", moduli=(15,), ranges=(500,), seeds=(1, 2))
    records = records_of(configs, on=lambda c: 0.2 * c.seed, off=lambda c: 0.1 * c.seed)
    (cell,) = make_cells(configs, by_key(records)).values()
    found = combine(cell, 1, -2)
    assert [found.low, found.mean, found.high] == pytest.approx([0, 0, 0], abs=1e-12)
    assert combine(cell, 1, 0) == cell.on


def test_what_is_below_the_floor_is_counted_for_each_seed_that_all_share() -> None:
    configs = configs_of("exp2", moduli=(15, 21), ranges=(500,), seeds=(1, 2, 3))
    records = records_of(configs, off=lambda c: 0.5 if c.seed == 2 and c.modulus == 15 else 0.001)
    cells = list(make_cells(configs, by_key(records)).values())
    assert below_by_seed(cells) == [2, 1, 2]
    assert below_by_seed(cells[:1]) == [1, 0, 1]
    assert below_by_seed([]) == []
    lonely = [r for r in records if r.config.seed == 2 or r.config.modulus == 15]
    assert below_by_seed(list(make_cells(configs, by_key(lonely)).values())) == []


def test_a_verdict_that_changes_with_the_seed_says_so() -> None:
    configs = configs_of("exp2", moduli=(15, 21), ranges=(500,), seeds=(1, 2, 3))
    drops = {1: 0.001, 2: 0.001, 3: 0.001}
    for drop, text, depends in ((0.001, "2 of 2", False), (0.5, "0 of 2", True)):
        drops[2] = drop
        records = records_of(configs, off=lambda config: drops[config.seed])
        cells = list(make_cells(configs, by_key(records)).values())
        found = judge_below_floor(
            cells, lambda share: "holds" if share > 0.5 else "does not hold", 2
        )
        assert found.measured.startswith(f"{text} below the noise floor; seed by seed 2, ")
        assert found.depends_on_seed == depends
        assert verdict_so_far(found) == (
            "does not hold, depends on the seed" if depends else "holds"
        )
