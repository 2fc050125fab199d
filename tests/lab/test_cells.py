"""Cells: means over task primes and seeds, and which seeds count."""

import statistics
from dataclasses import replace
from typing import Any

import pytest

from lab_records import (
    CONTROL,
    EXP1,
    EXP2,
    KINDS,
    PROVENANCE,
    also_ablated,
    configs_of,
    failed,
    maker_of,
    measured,
    plausible,
    records_of,
    run_of,
)
from prime_models import input_range, modulus, primes
from primefourier.analysis import Interval
from primefourier.analysis.ablation import Kind
from primefourier.lab import Run
from primefourier.lab.cells import Cell, split_drops
from primefourier.lab.config import ModelConfig
from primefourier.lab.grid import Grid
from primefourier.lab.record import Record
from primefourier_paper import CompositeModuli
from primefourier_paper import cells_of as paper_cells_of
from small_models import small_config, small_study

STUDENT_95 = {2: 12.706204736, 3: 4.302652730}
"""From tables, by the number of seeds: independent of the code under test."""


def grid_of(configs: list[ModelConfig], records: list[Record]) -> Grid:
    (grid,) = run_of(configs, records).grids
    return grid


def cells_of(
    configs: list[ModelConfig], records: list[Record], kind: Kind = "zero"
) -> dict[tuple[int, int], Cell]:
    return grid_of(configs, records).cells_of(kind)


def one_cell(configs: list[ModelConfig], records: list[Record]) -> Cell:
    (cell,) = cells_of(configs, records).values()
    return cell


def mean(interval: Interval | None) -> float:
    assert interval is not None
    return interval.mean


@pytest.mark.parametrize(("configs", "count"), [(EXP1, 35), (CONTROL, 35), (EXP2, 50)])
def test_a_cell_has_the_means_that_the_protocol_defines(
    configs: list[ModelConfig], count: int
) -> None:
    records = plausible(configs)
    cells = cells_of(configs, records)
    assert len(cells) == count
    for (row, r), cell in cells.items():
        on, off, accuracies = [], [], []
        for record in records:
            config, m = record.config, record.measured
            size = modulus(config) if configs is EXP2 else len(primes(config))
            if (size, input_range(config)) != (row, r):
                continue
            accuracies.append(m.correct / m.test_size)
            mine: list[float] = []
            others: list[float] = []
            for p, lost, gained in zip(primes(config), m.lost, m.gained, strict=True):
                (mine if modulus(config) % p == 0 else others).append((lost - gained) / m.test_size)
            on.append(sum(mine) / len(mine))
            off.append(sum(others) / len(others))
        composite = isinstance(maker_of(configs[0]), CompositeModuli)
        assert len(on) == len(cell.records) == (1 if composite else row)
        assert mean(cell.relevant) == pytest.approx(sum(on) / len(on), abs=1e-12)
        assert mean(cell.other) == pytest.approx(sum(off) / len(off), abs=1e-12)
        assert cell.accuracy.mean == pytest.approx(sum(accuracies) / len(accuracies), abs=1e-12)
        assert (cell.row, cell.column, cell.seeds) == (row, r, (42,))
        assert cell.noise_floor == pytest.approx(2 * (0.5 / (2000 if r == 100 else 16000)) ** 0.5)
        assert cell.relevant is not None
        assert (cell.relevant.low, cell.relevant.high) == (None, None)


@pytest.mark.parametrize("way", ["missing", "failed"])
def test_a_seed_without_one_task_prime_does_not_count(way: str) -> None:
    configs = configs_of("exp1", sizes=(4,), ranges=(100,), seeds=(1, 2))
    values = {1: 0.5, 2: 0.75}
    records = records_of(configs, on=lambda config: values[config.seed])
    lost = configs[-1]
    kept = [record for record in records if record.config != lost]
    if way == "failed":
        kept.append(failed(lost))
    cell = one_cell(configs, kept)
    assert (cell.seeds, mean(cell.relevant)) == ((1,), 0.5)
    assert len(cell.records) == 4


def test_a_seed_that_is_planned_without_one_task_prime_is_not_the_papers() -> None:
    configs = configs_of("exp1", sizes=(4, 6), ranges=(100,), seeds=(1, 2))
    lost = next(c for c in configs if c.seed == 2)
    planned = [config for config in configs if config != lost]
    cells = paper_cells_of(run_of(planned, plausible(planned)))
    assert [(cell.row, cell.seeds) for cell in cells["exp1"]] == [(4, (1,)), (6, (1, 2))]


@pytest.mark.parametrize("values", [(0.61, 0.58), (0.61, 0.58, 0.64)])
def test_several_seeds_give_a_mean_and_its_95_percent_interval(values: tuple[float, ...]) -> None:
    seeds = tuple(range(len(values)))
    configs = configs_of("exp1", sizes=(4,), ranges=(500,), seeds=seeds)
    records = records_of(configs, on=lambda c: values[c.seed], off=lambda c: values[c.seed] / 10)
    cell = one_cell(configs, records)
    reach = STUDENT_95[len(values)] * statistics.stdev(values) / len(values) ** 0.5
    for interval, scale in ((cell.relevant, 1), (cell.other, 0.1)):
        assert interval is not None
        assert interval.count == len(values)
        assert interval.mean == pytest.approx(scale * statistics.mean(values))
        assert interval.low == pytest.approx(scale * (statistics.mean(values) - reach), abs=1e-9)
        assert interval.high == pytest.approx(scale * (statistics.mean(values) + reach), abs=1e-9)
    assert cell.seeds == tuple(cell.by_seed) == seeds


def test_the_interval_is_over_seeds_and_not_over_task_primes() -> None:
    configs = configs_of("exp1", sizes=(4,), ranges=(500,), seeds=(1, 2))
    cell = one_cell(configs, records_of(configs, on=lambda c: modulus(c) / 100))
    assert cell.relevant is not None
    assert cell.relevant.mean == pytest.approx((3 + 5 + 7 + 11) / 400)
    assert (cell.relevant.low, cell.relevant.high) == (cell.relevant.mean, cell.relevant.mean)


@pytest.mark.parametrize(("name", "threshold"), [("exp1", 0.85), ("control", 0.85), ("exp2", 0.70)])
def test_converged_is_above_the_threshold_after_any_epoch(name: str, threshold: float) -> None:
    settings = {"moduli": (15,)} if name == "exp2" else {"sizes": (4,)}
    configs = configs_of(name, ranges=(500,), **settings)
    for best, share in ((threshold, 0.0), (threshold + 1 / 16000, 1.0)):
        cell = one_cell(configs, records_of(configs, on=0.1, accuracy=0.1, best=best))
        assert (cell.converged, cell.accuracy.mean) == pytest.approx((share, 0.1))


def test_a_modulus_without_relevant_rows_has_only_others() -> None:
    configs = configs_of("exp2", moduli=(4,), ranges=(500,))
    drops = [0.1, 0.2, 0.3, 0.4, 0.0, 0.0, 0.0, 0.0]
    record = measured(configs[0], drops)
    cell = one_cell(configs, [record])
    assert cell.relevant is None
    assert mean(cell.other) == pytest.approx(1 / 8)
    assert cell.ratio is None
    assert split_drops(record) == pytest.approx((None, 1 / 8))


def test_a_cell_is_degenerate_only_if_all_its_tasks_are() -> None:
    configs = configs_of("exp1", primes=(3, 59), sizes=(2,), ranges=(20,))
    assert [config.degenerate for config in configs] == [False, True]
    for order in (configs, configs[::-1]):
        assert not one_cell(order, plausible(order)).degenerate
    configs = configs_of("exp1", primes=(53, 59), sizes=(2,), ranges=(20,))
    assert one_cell(configs, plausible(configs)).degenerate


def test_the_ratio_is_bounded_where_the_other_drop_is_noise() -> None:
    configs = configs_of("exp2", moduli=(15,), ranges=(500,))
    clear = one_cell(configs, records_of(configs, on=0.6, off=0.05)).ratio
    assert clear is not None
    assert clear.value == pytest.approx(12)
    assert not clear.is_lower_bound
    noisy = one_cell(configs, records_of(configs, on=0.6, off=-0.001, accuracy=0.9)).ratio
    assert noisy is not None
    assert noisy.value == pytest.approx(0.6 / 0.0111803, rel=1e-5)
    assert noisy.is_lower_bound


def test_records_that_are_not_planned_do_not_count() -> None:
    configs = configs_of("exp1", sizes=(4,), ranges=(500,))
    stray = [replace(config, seed=7) for config in configs]
    cell = one_cell(configs, records_of(configs, on=0.5) + records_of(stray, on=0.9))
    assert (cell.seeds, mean(cell.relevant)) == ((42,), 0.5)


def test_a_cell_of_another_ablation_is_made_of_its_counts() -> None:
    configs = configs_of("exp1", sizes=(4,), ranges=(500,), seeds=(1, 2))
    records = [
        also_ablated(record, on={"mean": 0.4}, off={"mean": 0.02, "permute": 0.03})
        for record in records_of(configs, on=0.8, off=0.1)
    ]
    found = {kind: cells_of(configs, records, kind)[4, 500] for kind in KINDS}
    drops = {kind: (mean(cell.relevant), mean(cell.other)) for kind, cell in found.items()}
    assert drops["zero"] == pytest.approx((0.8, 0.1))
    assert drops["mean"] == pytest.approx((0.4, 0.02))
    assert drops["permute"] == pytest.approx((0.8, 0.03))
    plain = records_of(configs[:4], on=0.8, off=0.1)  # of the first seed
    part = cells_of(configs, [*records, *plain], "mean")[4, 500]
    assert part.seeds == (2,)
    assert cells_of(configs, plain, "mean") == {}


# Studies that are not the paper's.


def cells_of_study(records: list[Record], **options: Any) -> list[Cell]:
    study = small_study(*(record.config for record in records), **options)
    (grid,) = Run([study], records).grids
    return list(grid.cells.values())


def test_accuracy_beyond_the_range_is_a_mean_over_models() -> None:
    records = []
    for seed, right in ((1, 10), (2, 30)):
        config = small_config(seed=seed, beyond=(100, 10**20), beyond_samples=40)
        counts = replace(
            measured(small_config(seed=seed), [0.1, 0.5, 0.0]).measured,
            beyond={"100": (right, 40), str(10**20): (0, 40)},
        )
        records.append(Record(config=config, provenance=PROVENANCE, measurement=counts))
    (cell,) = cells_of_study(records)
    assert cell.accuracy_beyond == {"100": 0.5, str(10**20): 0.0}
    assert one_cell(EXP2[:1], plausible(EXP2[:1])).accuracy_beyond == {}


def test_a_cell_is_named_by_the_axes_of_its_study() -> None:
    records = records_of([small_config(modulus=m) for m in (3, 5)], on=0.5)
    assert [cell.name for cell in cells_of_study(records)] == ["modulus = 3", "modulus = 5"]
    assert [cell.name for cell in cells_of_study(records[:1], name="mine")] == ["mine"]
