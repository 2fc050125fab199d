"""The questions that the paper leaves open: probes in, answers out."""

import math
from collections.abc import Iterable

import pytest

from lab_records import CONTROL, EXP1, EXP2, configs_of, records_of, run_of, with_probe
from prime_models import basis, input_range, modulus, primes
from primefourier.analysis import Interval
from primefourier.analysis.ablation import Kind
from primefourier.lab.config import ModelConfig
from primefourier.lab.record import Record
from primefourier.lab.studies.paper_claims import CLAIMS
from primefourier.lab.studies.probe_means import (
    EpochCurve,
    Group,
    LargestDrop,
    epoch_curves,
    probed_groups,
)
from primefourier.lab.studies.question_tables import (
    answers_as_data,
    answers_as_sections,
)
from primefourier.lab.studies.questions import (
    ABOUT_DROPS,
    AliasBin,
    Answers,
    alias_bins,
    claims_by_kind,
)
from primefourier.theory import alias_distance

SIZE_4 = [c for c in EXP1 if len(primes(c)) == 4 and input_range(c) in (100, 500)]
TWO_SEEDS = configs_of("exp1", sizes=(4,), ranges=(500,), seeds=(1, 2))


def probed(configs: Iterable[ModelConfig]) -> list[Record]:
    return [with_probe(record) for record in records_of(configs)]


def groups_of(configs: list[ModelConfig], records: list[Record]) -> list[Group]:
    return probed_groups(run_of(configs, records).grids)


def answer(configs: list[ModelConfig], records: list[Record]) -> Answers:
    found = run_of(configs, records).questions()
    assert found is not None
    return found


def test_without_probes_there_is_no_answer() -> None:
    assert run_of(EXP1, records_of(EXP1)).questions() is None
    assert run_of([], []).questions() is None


# Groups of probed models.


def test_one_size_at_one_range_is_a_group() -> None:
    groups = groups_of(SIZE_4, probed(SIZE_4))
    assert [(g.experiment.short_name, g.row, g.input_range, len(g.records)) for g in groups] == [
        ("exp1", 4, 100, 4),
        ("exp1", 4, 500, 4),
    ]
    assert groups[0].name == "Experiment 1, |P| = 4"


def test_all_moduli_at_one_range_are_a_group_without_degenerate_ones() -> None:
    groups = groups_of(EXP2, probed(EXP2))
    assert [(g.input_range, len(g.records)) for g in groups] == [
        (100, 8), (500, 10), (1000, 10), (2000, 10), (4000, 10),
    ]  # fmt: skip
    assert groups[0].name == "Experiment 2, all N"
    assert all(not r.config.degenerate for r in groups[0].by_seed[42])


def test_a_group_needs_every_model_probed() -> None:
    without = [*records_of(SIZE_4[:1]), *probed(SIZE_4[1:])]
    assert [g.input_range for g in groups_of(SIZE_4, without)] == [500]
    some = [r for r in probed(EXP2) if modulus(r.config) != 77]
    assert groups_of(EXP2, some) == []


def test_a_group_of_all_moduli_has_the_seeds_that_they_share() -> None:
    configs = configs_of("exp2", moduli=(15, 21), ranges=(500,), seeds=(1, 2, 3))
    (group,) = groups_of(configs, probed(c for c in configs if (modulus(c), c.seed) != (21, 2)))
    assert (list(group.by_seed), len(group.records)) == ([1, 3], 4)


# Drops by depth.


def test_the_largest_drop_of_another_prime_is_reported_with_its_model() -> None:
    configs = configs_of("exp2", moduli=(15, 21), ranges=(500,), seeds=(1, 2))

    def block(config: ModelConfig, kind: Kind, prime: int, depth: int) -> float:
        if str(prime) in (config.relevant or ()):
            return 0.9
        chosen = (modulus(config), config.seed, prime, depth) == (21, 2, 23, 1)
        return 0.75 if chosen and kind == "permute" else 0.0

    found = answer(configs, [with_probe(record, block=block) for record in records_of(configs)])
    zero, _, permute = found.depths
    assert permute.largest == LargestDrop(0.75, prime=23, depth=1, modulus=21, seed=2)
    assert zero.largest.drop == 0
    table = answers_as_sections(found)[1].tables[0]
    assert (table.columns[-1], table.rows[-1][-1]) == ("largest", "0.750 (23^2 of N = 21, seed 2)")
    brief = answers_as_sections(found, brief=True)[1].tables[0]
    assert brief.rows[-1][-1] == "0.750"


# Equivariance by epoch.


def known(value: Interval | None) -> Interval:
    assert value is not None
    return value


def curves_of(configs: list[ModelConfig], records: list[Record]) -> dict[str, EpochCurve]:
    (group,) = groups_of(configs, records)
    return {curve.measure.name: curve for curve in epoch_curves(group)}


def test_means_skip_models_that_have_diverged_and_count_them() -> None:
    records = [
        with_probe(r, curve=lambda e: 0.5 if e < 3 else None if e < 5 else 0.25)
        if r.config == TWO_SEEDS[0]
        else with_probe(r, curve=lambda e: 1.0 if e < 4 else None)
        for r in records_of(TWO_SEEDS)
    ]
    curve = curves_of(TWO_SEEDS, records)["shift_error"]
    seed = (0.5 + 3 * 1.0) / 4  # one of the four models of the first seed differs
    assert known(curve.values[2]).mean == pytest.approx((seed + 1) / 2)
    assert known(curve.values[3]).mean == 1, "the first model has diverged"
    assert curve.values[4] is None, "every model has diverged"
    assert (known(curve.values[5]).mean, known(curve.values[5]).count) == (0.25, 1)
    assert curve.skipped == len(TWO_SEEDS)
    found = answer(TWO_SEEDS, records)
    row = answers_as_sections(found)[-1].tables[0].rows[1]
    assert row[0] == "shift error of the logits (diverged models skipped: 8)"
    assert row[-1] == "0.250"
    data = answers_as_data(found)["equivariance"][1]
    assert (data["skipped"], data["by_epoch"][4]) == (8, None)


# Claims under each kind of ablation.


def test_claims_are_judged_under_each_kind_of_ablation() -> None:
    planned = [*EXP1, *EXP2]
    records = [
        with_probe(record, off={"mean": 0.0, "permute": 0.05})
        for record in records_of(planned, on=0.85, off=0.3)
    ]
    found = {c.name: f for c, f in claims_by_kind(run_of(planned, records).grids).items()}
    assert tuple(found) == ABOUT_DROPS
    assert [f.verdict for f in found["E1.3"].values()] == [
        "does not hold", "holds", "does not hold",
    ]  # fmt: skip
    assert [f.verdict for f in found["E1.4"].values()] == [
        "does not hold", "does not hold", "holds",
    ]  # fmt: skip
    assert [f.by_means for f in found["E2.1"].values()] == ["0 of 48", "48 of 48", "0 of 48"]
    others = {c.name for c in CLAIMS} - set(ABOUT_DROPS)
    assert others == {"E1.5", "E2.3", "T.1", "C.1", "C.2", *(f"S.{i}" for i in range(1, 8))}


def test_models_without_a_probe_do_not_count_for_zeroing_either() -> None:
    few = [c for c in EXP1 if len(primes(c)) == 4]
    others = records_of((c for c in EXP1 if c not in few), off=0.3)
    grids = run_of(EXP1, [*probed(few), *others]).grids
    found = {c.name: f for c, f in claims_by_kind(grids).items()}
    assert len(found["E1.3"]["zero"].evidence) == len(found["E1.3"]["mean"].evidence) == 5
    assert not found["E1.3"]["zero"].complete


# Aliases.


def bins_of(
    configs: list[ModelConfig], records: list[Record], kind: Kind = "permute"
) -> tuple[list[AliasBin], list[AliasBin]]:
    return alias_bins(run_of(configs, records).grids, kind=kind)


def distance(config: ModelConfig, prime: int, depth: int) -> float:
    found = alias_distance(modulus(config), basis(config), input_range=input_range(config))
    return float(found[primes(config).index(prime), depth])


def near_blocks(configs: list[ModelConfig]) -> list[Record]:
    """Near blocks have drops of 0.5, others 0.05, relevant ones 0.9; half of that with the mean."""

    def block(config: ModelConfig, kind: Kind, prime: int, depth: int) -> float:
        if modulus(config) % prime ** (depth + 1) == 0:
            return 0.9
        drop = 0.5 if distance(config, prime, depth) < 0.4 else 0.05
        return drop / 2 if kind == "mean" else drop

    return [with_probe(record, block=block) for record in records_of(configs)]


def test_irrelevant_blocks_are_sorted_by_their_distance_from_a_harmonic() -> None:
    configs = [c for c in EXP2 if input_range(c) == 500]
    records = near_blocks(configs)
    bins, _ = bins_of(configs, records)
    assert [found.low for found in bins] == sorted(found.low for found in bins)
    assert bins[-1].high == math.inf
    for found in bins:
        expected = 0.5 if found.high <= 0.4 else 0.05
        assert (found.mean, found.largest) == pytest.approx((expected, expected), abs=1e-4)
        assert found.used == (found.blocks if expected == 0.5 else 0)
    turning = [
        (c, p, d)
        for c in configs
        for p in primes(c)
        for d in range(basis(c).depth)
        if modulus(c) % p ** (d + 1) and p ** (d + 1) <= 4 * input_range(c)
    ]
    assert sum(found.blocks for found in bins) == len(turning)
    assert bins[0].blocks == sum(distance(*place) < 0.1 for place in turning) > 0
    assert bins_of(configs, records, "mean")[0][0].mean == pytest.approx(0.25, abs=1e-4)


def test_degenerate_unprobed_and_other_models_have_no_aliases() -> None:
    degenerate = [c for c in EXP2 if c.degenerate]
    other = configs_of("exp2", moduli=(15,), ranges=(100,), epochs=3)
    for configs, records in (
        (degenerate, near_blocks(degenerate)),
        (EXP2, records_of(EXP2)),
        (other, near_blocks(other)),
    ):
        assert bins_of(configs, records) == ([], [])


# Tables and data.


@pytest.fixture(scope="module")
def answers() -> Answers:
    configs = configs_of("exp1", sizes=(4, 8), ranges=(100, 500), seeds=(1, 2))
    configs += configs_of("exp2", ranges=(500,)) + CONTROL[:4]
    records = [
        with_probe(
            record,
            block=lambda c, k, p, d: 0.25 if str(p) in (c.relevant or ()) and d == 0 else 0.0,
        )
        for record in records_of(configs[:-4], off=0.1)
    ]
    return answer(configs, [*records, *records_of(CONTROL[:4])])


@pytest.mark.parametrize("brief", [False, True])
def test_every_question_has_tables_with_rows_of_equal_length(answers: Answers, brief: bool) -> None:
    sections = answers_as_sections(answers, brief=brief)
    assert [len(section.tables) for section in sections] == [1, 3, 2, 3]
    names = ["Experiment 1, |P| = 4", "Experiment 1, |P| = 8", "Experiment 2, all N"]
    assert [table.heading for table in sections[1].tables] == names
    tables = [table for section in sections for table in section.tables]
    assert all(len(row) == len(table.columns) for table in tables for row in table.rows)


def test_the_tables_have_the_measured_values(answers: Answers) -> None:
    kinds, depths, aliases, curves = answers_as_sections(answers)
    assert list(depths.tables[1].columns[:4]) == ["r", "seeds", "ablation", "d = 0"]
    first = depths.tables[1].rows[0]
    assert first == ["100", "2", "zero", "0.250 ± 0.000", *["0.000 ± 0.000"] * 6, "0.000"]
    assert depths.tables[2].rows[0] == ["500", "1", "zero", "0.250", *["0.000"] * 7]
    assert list(curves.tables[2].columns[-2:]) == ["epoch 25", "epoch 40"]
    assert list(curves.tables[0].columns[-2:]) == ["epoch 10", "epoch 25"]
    assert aliases.tables[0].rows[-1][0] == "4 on"
    small = next(row for row in kinds.tables[0].rows if row[0].startswith("E1.3"))
    assert [cell.split(" agree")[0] for cell in small[1:]] == [
        f"undecided: {count} of 4" for count in (0, 4, 4)
    ]
