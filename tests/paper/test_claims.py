"""The paper's claims: made-up drops in, verdicts out."""

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from lab_records import (
    CONTROL,
    EXP1,
    EXP2,
    KINDS,
    PAPER,
    Value,
    also_ablated,
    configs_of,
    failed,
    plausible,
    records_of,
    run_of,
    studies_of,
    with_fields,
)
from prime_models import input_range, modulus, primes
from primefourier.encoding import PAPER_BASIS
from primefourier.lab import Run, Study
from primefourier.lab.cells import Cell
from primefourier.lab.config import ModelConfig
from primefourier.lab.record import Measurement
from primefourier.theory import Check
from primefourier_paper import cells_of, claims
from primefourier_paper import judge as judge_run
from primefourier_paper.claims import CLAIMS
from primefourier_paper.rule import (
    SECTIONS,
    Evidence,
    Finding,
    Verdict,
    claims_as_data,
    claims_as_markdown,
    judge_claim,
    tally,
)

BY_NAME = {claim.name: claim for claim in CLAIMS}
EXP1_AND_2 = [*EXP1, *EXP2]


def lacking(config: ModelConfig) -> ModelConfig:
    """Return a model without the rows of its modulus."""
    others = tuple(p for p in primes(config) if modulus(config) % p)
    return with_fields(config, primes=others)


WITHOUT = [lacking(c) for c in EXP1_AND_2 if c in EXP2 or len(primes(c)) <= 8]
MODELS = {
    "E1": EXP1, "C.": CONTROL, "E2": EXP2, "T.2": EXP1_AND_2, "S.1": EXP1_AND_2, "S.2": CONTROL,
    "S.3": CONTROL, "S.4": EXP2, "S.5": EXP1, "S.6": EXP1_AND_2, "S.7": WITHOUT,
}  # fmt: skip
ASKED = {
    "E1.1": 35, "E1.2": 35, "E1.3": 15, "E1.4": 20, "E1.5": 35, "E1.6": 4, "C.1": 35, "C.2": 35,
    "E2.1": 48, "E2.2": 48, "E2.3": 40, "E2.4": 2, "S.2": 35, "S.3": 35, "S.4": 24, "S.5": 20,
    "S.7": 63, "T.2": 83,
}  # fmt: skip
"""How many configurations each claim is about that one seed decides."""
SMALL = [*EXP1[:4], *CONTROL[:4], *EXP2[:1]]
"""One configuration of each experiment."""


@pytest.fixture(autouse=True)
def any_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow counts that no model has, so that drops can be exactly at the edge of a rule."""
    monkeypatch.setattr(Measurement, "__post_init__", lambda _: None)
    monkeypatch.setattr(Measurement, "require_config", lambda *_: None)


def models_of_claim(name: str) -> list[ModelConfig]:
    return MODELS.get(name) or MODELS[name[:2]]


def judge(name: str, configs: Iterable[ModelConfig] | None = None, **drops: Any) -> Finding:
    """Judge one claim by made-up records; by default of all models that it is about."""
    planned = models_of_claim(name) if configs is None else list(configs)
    defaults: dict[str, Value] = {"E1": 0.85, "C.": 0.3, "E2": 0.7, "T.": 0.8}
    off = 0.3 if name[0] == "C" else 0.0
    values = {"on": defaults.get(name[:2], 0.8), "off": off, **drops}
    return judge_claim(BY_NAME[name], cells_of(run_of(planned, records_of(planned, **values))))


def seeded(configs: Iterable[ModelConfig], *seeds: int) -> list[ModelConfig]:
    """Return models with other seeds."""
    return [replace(config, seed=seed) for config in configs for seed in seeds]


@pytest.mark.parametrize("name", ["E1.1", "E1.6", "C.2", "S.4", "T.2"])
def test_without_records_nothing_is_judged_and_a_part_decides_nothing(name: str) -> None:
    degenerate = [config for config in EXP2 if config.degenerate]
    wrong = CONTROL if models_of_claim(name) is not CONTROL else EXP1
    for configs in ([], wrong, degenerate):
        found = judge(name, configs)
        assert (found.verdict, found.words, found.asked) == (*["not measured yet"] * 2, ASKED[name])
    unmeasured = cells_of(run_of(PAPER, [failed(PAPER[0])]))
    assert judge_claim(BY_NAME[name], unmeasured).verdict == "not measured yet"
    whole = judge(name)
    assert (len(whole.evidence), whole.complete) == (ASKED[name], True)
    some = [
        c for c in models_of_claim(name) if len(primes(c)) in (3, 4, 10) or modulus(c) in (15, 105)
    ]
    for drop in (0.0, 0.3, 0.9):  # whether all agree or none
        part = judge(name, some, on=drop, off=drop)
        assert part.verdict == "undecided"
        assert part.words.startswith(f"undecided: {part.agreeing} of {len(part.evidence)} agree")


# Each line: a claim, the drops of relevant and other rows, and the verdict.
@pytest.mark.parametrize(
    ("name", "values", "verdict"),
    [
        ("E1.1", {"on": 0.75, "off": 0.25, "test_size": 800}, "holds"),  # exactly three times
        ("E1.1", {"on": 0.74, "off": 0.25, "test_size": 800}, "does not hold"),
        ("E1.1", {"on": 0.5, "off": 0.0, "test_size": 8}, "does not hold"),  # a floor of 0.5
        ("E1.1", {"on": 0.625, "off": 0.0, "test_size": 8}, "holds"),
        ("E1.1", {"on": 0.25, "off": -0.25, "test_size": 8}, "does not hold"),
        ("E1.1", {"on": 0.375, "off": -0.25, "test_size": 8}, "does not hold"),  # not above zero
        ("E1.1", {"on": 0.625, "off": -0.25, "test_size": 8}, "holds"),
        ("E1.3", {"off": 0.375, "test_size": 8}, "holds"),
        ("E1.3", {"off": 0.5, "test_size": 8}, "does not hold"),  # at the floor
        ("E1.3", {"off": -0.375, "test_size": 8}, "holds"),
        ("E1.3", {"off": -0.5, "test_size": 8}, "does not hold"),
        (
            "E1.3",
            {"off": lambda c: 0.5 * (len(primes(c)) >= 10)},
            "holds",
        ),  # not about |P| ≥ 10
        ("E1.4", {"off": 0.0245}, "does not hold"),
        ("E1.4", {"off": 0.0255}, "holds"),
        ("E1.4", {"off": 0.0945}, "holds"),
        ("E1.4", {"off": 0.0955}, "does not hold"),
        ("E1.4", {"off": -0.05}, "does not hold"),
        ("E1.5", {"accuracy": 0.5, "best": 0.8505}, "holds"),
        ("E1.5", {"accuracy": 0.5, "best": 0.85}, "does not hold"),
        ("E1.6", {}, "does not hold"),  # equal is not lower
        ("E1.6", {"off": lambda c: 0.2 if input_range(c) == 100 else 0.0}, "holds"),
        ("C.1", {"on": 0.0945}, "does not hold"),
        ("C.1", {"on": 0.0955}, "holds"),
        ("C.1", {"on": 0.5545}, "holds"),
        ("C.1", {"on": 0.5555}, "does not hold"),
        ("C.2", {"on": 0.1345, "off": 0.1345}, "does not hold"),
        ("C.2", {"on": 0.1355, "off": 0.1355}, "holds"),
        ("C.2", {"on": 0.4645, "off": 0.4645}, "holds"),
        ("C.2", {"on": 0.4655, "off": 0.4655}, "does not hold"),
        ("C.2", {"on": 0.5, "off": 0.25}, "holds"),  # within a factor of two
        ("C.2", {"on": 0.505, "off": 0.25}, "does not hold"),
        ("C.2", {"on": 0.125, "off": 0.25}, "holds"),
        ("C.2", {"on": 0.12, "off": 0.25}, "does not hold"),
        ("E2.1", {"off": 0.375, "test_size": 8}, "holds"),
        ("E2.1", {"off": -0.5, "test_size": 8}, "does not hold"),
        ("E2.2", {"on": 0.2845}, "does not hold"),
        ("E2.2", {"on": 0.2855}, "holds"),
        ("E2.2", {"on": 0.8845}, "holds"),
        ("E2.2", {"on": 0.8855}, "does not hold"),
        ("E2.3", {"accuracy": 0.9955}, "holds"),
        ("E2.3", {"accuracy": 0.9945}, "does not hold"),
        ("E2.3", {"accuracy": lambda c: float(input_range(c) > 100)}, "holds"),  # about r ≥ 500
        ("E2.4", {}, "does not hold"),
        ("T.2", {"off": 0.1}, "does not hold"),
        ("T.2", {"off": 0.001, "test_size": 4 * 10**6}, "holds"),
        ("T.2", {"on": 0.5, "off": 0.001, "test_size": 4 * 10**6}, "does not hold"),  # 500
        ("T.2", {"off": 0.0}, "holds"),
        ("S.2", {"on": 0.1, "off": 0.1}, "holds"),
        ("S.2", {"on": 0.1, "off": 0.09}, "does not hold"),
        ("S.4", {"off": 0.011}, "holds"),
        ("S.4", {"off": -0.012}, "does not hold"),
        ("S.5", {"off": 0.04}, "holds"),
        ("S.5", {"off": 0.01}, "does not hold"),
        ("S.7", {"accuracy": lambda c: 1 / modulus(c)}, "holds"),
        ("S.7", {"accuracy": 0.5}, "does not hold"),
    ],
)
def test_the_edges_of_the_rules(name: str, values: dict[str, Any], verdict: Verdict) -> None:
    assert judge(name, **values).verdict == verdict


@pytest.mark.parametrize(
    ("above", "verdict", "words"),
    [
        (0, "holds", "holds"),
        (1, "holds in part", "holds in 19 of 20"),
        (10, "holds in part", "holds in 10 of 20"),
        (11, "mostly fails", "mostly fails (9 of 20)"),
        (19, "mostly fails", "mostly fails (1 of 20)"),
        (20, "does not hold", "does not hold"),
    ],
)
def test_the_share_that_agrees_makes_the_verdict(above: int, verdict: Verdict, words: str) -> None:
    places = sorted({(len(primes(c)), input_range(c)) for c in EXP1 if len(primes(c)) >= 10})
    high = set(places[:above])
    found = judge("E1.4", off=lambda c: 0.2 if (len(primes(c)), input_range(c)) in high else 0.05)
    assert (found.verdict, found.words) == (verdict, words)
    assert found.by_means == f"{20 - above} of 20"


@pytest.mark.parametrize(
    ("name", "noisy", "verdict", "words"),
    [
        ("E1.3", 7, "holds", "holds"),
        ("E1.3", 8, "mostly fails", "mostly fails (7 of 15, 8 are claimed)"),
        ("E2.1", 11, "holds", "holds"),
        ("E2.1", 12, "holds in part", "holds in 36 of 48 (37 are claimed)"),
    ],
)
def test_a_claim_about_a_share_needs_that_share(
    name: str, noisy: int, verdict: Verdict, words: str
) -> None:
    def row(config: ModelConfig) -> int:
        return len(primes(config)) if name == "E1.3" else modulus(config)

    chosen = [c for c in models_of_claim(name) if not c.degenerate]
    above = set(sorted({(row(c), input_range(c)) for c in chosen})[:noisy])
    found = judge(name, off=lambda c: 0.05 * ((row(c), input_range(c)) in above))
    assert (found.verdict, found.words) == (verdict, words)


@pytest.mark.parametrize(
    ("value", "few", "many"),
    [
        (0.5945, False, False), (0.5955, True, False), (0.8145, True, False),
        (0.8155, True, True), (0.9245, True, True), (0.9255, False, False),
    ],
)  # fmt: skip
def test_diagonal_ranges_depend_on_the_number_of_primes(
    value: float, few: bool, many: bool
) -> None:
    found = {e.configuration: e.agrees for e in judge("E1.2", on=value).evidence}
    assert (found["|P| = 8, r = 500"], found["|P| = 10, r = 500"]) == (few, many)


@pytest.mark.parametrize("name", ["E2.1", "T.2"])
def test_degenerate_configurations_do_not_count(name: str) -> None:
    def strange(plain: float, other: float) -> Value:
        return lambda c: other if c.degenerate else plain

    found = judge(name, EXP2, on=strange(0.7, 0.1), off=strange(0, 0.9), accuracy=strange(1, 0.1))
    without = judge(name, [c for c in EXP2 if not c.degenerate], on=0.7)
    assert claims_as_data({BY_NAME[name]: found}) == claims_as_data({BY_NAME[name]: without})


def test_lower_at_100_compares_with_the_mean_of_all_larger_ranges() -> None:
    def drop(config: ModelConfig) -> float:
        ranges = {100: 0.75, 500: 0.7, 1000: 0.7, 2000: 0.7}
        return ranges.get(input_range(config), 0.7 if len(primes(config)) == 10 else 1.0)

    found = judge("E1.6", on=drop)
    assert [e.configuration for e in found.evidence if not e.agrees] == ["|P| = 10"]
    assert judge("E1.6", (c for c in EXP1 if input_range(c) != 2000)).verdict == "not measured yet"


@pytest.mark.parametrize(("measured", "verdict"), [(0.0, "holds"), (1.0, "holds in part")])
def test_the_theorem_is_judged_by_its_checks(
    monkeypatch: pytest.MonkeyPatch, measured: float, verdict: Verdict
) -> None:
    checks = [Check("check", "numerical", x, "≤", bound=0.5) for x in (0.0, measured)]
    monkeypatch.setattr(claims, "check_theorem", lambda _: checks)
    claims._theorem.cache_clear()
    found = judge_claim(BY_NAME["T.1"], {})
    claims._theorem.cache_clear()
    assert (found.verdict, found.complete) == (verdict, True)


def test_other_kinds_of_ablation_are_judged_by_their_own_counts() -> None:
    records = [
        also_ablated(record, off={"mean": 0.1, "permute": 0.0})
        for record in records_of(EXP1_AND_2, on=0.8, off=0.1)
    ]
    run = run_of(EXP1_AND_2, records)
    found = {kind: judge_claim(BY_NAME["T.2"], cells_of(run, kind)).verdict for kind in KINDS}
    assert found == {"zero": "does not hold", "mean": "does not hold", "permute": "holds"}


# Seeds.


def test_the_same_rule_judges_means_and_single_seeds() -> None:
    """One bad seed brings every mean above the floor, and is still only one of three."""
    configs = seeded(EXP2, 1, 2, 3)
    found = judge("E2.1", configs, off=lambda c: 0.5 if c.seed == 2 else 0.001)
    assert (found.verdict, found.agreeing, found.seeds) == (
        "does not hold",
        0,
        {1: 48, 2: 0, 3: 48},
    )
    assert found.words == "does not hold by means, but holds with 2 of 3 seeds alone"
    assert found.seed_by_seed == "48, 0, 48 of 48 (seeds 1, 2, 3)"
    assert found.evidence[0].seeds == "2 of 3"
    steady = judge("E2.1", configs, off=0.001)
    assert (steady.words, steady.within_intervals) == ("holds", "48 of 48")


def test_a_claim_that_means_alone_make_true_says_so() -> None:
    configs = seeded(EXP2, 1, 2)
    found = judge("E2.2", configs, on=lambda c: 0.9 if c.seed == 1 else 0.8)
    assert found.words == "holds by means, but with 1 of 2 seeds alone"
    both = judge("E2.2", configs, on=lambda c: 0.95 if c.seed == 1 else 0.2)
    assert both.words == "holds by means, but with 0 of 2 seeds alone"


def test_the_variance_is_that_of_seeds_about_their_mean() -> None:
    configs = seeded(EXP1_AND_2, 1, 2)
    apart = judge("S.1", configs, off=lambda c: 0.2 * c.seed)
    assert apart.verdict == "does not hold"
    assert judge("S.1", EXP1_AND_2).verdict == "not measured yet", "one seed shows no variance"


# Networks that diverged.


def diverged(measured: Measurement) -> Measurement:
    """Return a measurement in which one of the right answers is NaN."""
    size = measured.test_size + 1
    return replace(measured, test_size=size, nan_answers=1)


def test_networks_that_diverged_are_left_out_and_counted() -> None:
    configs = configs_of("exp1", sizes=(4,), ranges=(500,), seeds=(1, 2))
    records = records_of(configs, on=lambda c: 0.9 if c.seed == 1 else 0.5)
    for lost, name in ((configs[:1], "1 network"), (configs[-4:], "4 networks")):
        made = [
            replace(r, measurement=diverged(r.measured)) if r.config in lost else r for r in records
        ]
        run = run_of(configs, made)
        found = judge_claim(BY_NAME["E1.2"], cells_of(run))
        assert f"{name} diverged and left out" in found.measured
        assert found.evidence[0].value.startswith("0.700" if len(lost) == 1 else "0.900")
        (cell,) = cells_of(run)["exp1"]
        assert (cell.diverged, len(cell.records)) == (len(lost), 8 - len(lost))


# Which records count.


def summary(run: Run) -> dict[str, list[tuple[object, ...]]]:
    def read(cell: Cell) -> tuple[object, ...]:
        return cell.row, cell.column, cell.relevant, cell.other

    return {name: list(map(read, cells)) for name, cells in cells_of(run).items()}


def test_records_with_other_settings_do_not_count() -> None:
    p0 = PAPER_BASIS.primes
    changes: list[dict[str, Any]] = [
        {"depth": 5}, {"operation": "subtract"}, {"epochs": 30}, {"batch_size": 512},
        {"learning_rate": 0.001}, {"samples": 40_000},
    ]  # fmt: skip
    other = [
        *(with_fields(config, **change) for config in SMALL for change in changes),
        *configs_of("exp1", sizes=(5,), ranges=(100,)),
        *configs_of("exp1", sizes=(4,), ranges=(300,)),
        *configs_of("exp1", primes=(3, 5, 7, 13), sizes=(4,), ranges=(100,)),
        *configs_of("exp1", primes=(*p0, 61), sizes=(17,), ranges=(100,)),
        *configs_of("control", sizes=(4,), ranges=(100,), embedding="shuffled-pair"),
        *configs_of("exp2", moduli=(4, 30), ranges=(100,)),
        *configs_of("exp2", moduli=(105,), ranges=(300,)),
        *configs_of("exp2", moduli=(15,), ranges=(100,), primes=p0[:4]),
        *configs_of("exp2", moduli=(15,), ranges=(100,), primes=p0[:16]),
    ]
    alone = run_of(other, records_of(other))
    assert not any(cells_of(alone).values())
    right, wrong = records_of(SMALL, on=0.5), records_of(other, on=0.9)
    both = run_of([*other, *SMALL][::-1], [*wrong, *right][::-1])
    assert summary(both) == summary(run_of(SMALL, right))


def test_what_a_model_is_decides_and_not_the_name_of_its_study() -> None:
    for right in studies_of(SMALL):
        changed = [with_fields(config, epochs=3) for config in right.configs]
        false = replace(right, configs=changed)
        assert not any(cells_of(Run([false], records_of(changed))).values())
        mine = Study("mine", right.configs)
        records = records_of(right.configs)
        assert summary(Run([mine], records)) == summary(Run([right], records))


def test_tests_beyond_the_range_and_further_ablations_do_not_change_the_place() -> None:
    tested = [
        replace(with_fields(c, beyond=(10**6,)), seed=43, ablations=("zero", "permute"))
        for c in EXP1[:4]
    ]
    configs = [*EXP1[:4], *tested]
    (cell,) = cells_of(Run([Study("mine", configs)], records_of(configs)))["exp1"]
    assert cell.seeds == (42, 43)


def test_further_runs_count_for_the_claims_alone() -> None:
    more = seeded(EXP1[:4], 43)
    alone = run_of(EXP1[:4], records_of(EXP1[:4]))
    both = replace(alone, more=records_of([*more, *EXP1[:4]], on=0.5))
    (cell,) = cells_of(both)["exp1"]
    assert (cell.seeds, cell.drops_by_seed[42][0], cell.drops_by_seed[43][0]) == (
        (42, 43),
        0.8,
        0.5,
    )
    assert both.counts == alone.counts
    assert both.summary() == alone.summary()


# How findings are written.


def test_a_tally_counts_the_claims_and_gives_their_shares() -> None:
    def found(agreeing: int) -> Finding:
        return Finding(tuple(Evidence("", "", i < agreeing) for i in range(4)), 4, 4)

    names = ("E1.1", "E1.2", "E1.3", "E1.4", "T.2")
    counts = tally(dict(zip(map(BY_NAME.get, names), map(found, (4, 3, 1, 2, 0)), strict=True)))  # type: ignore[arg-type]
    assert counts == [
        ("holds", 1, "1 holds", "E1.1"),
        ("holds in part", 2, "2 hold in part", "E1.2 in 3 of 4; E1.4 in 2 of 4"),
        ("mostly fails", 1, "1 mostly fails", "E1.3 (1 of 4)"),
        ("does not hold", 0, "0 do not hold", ""),
    ]


def test_there_are_13_claims_of_the_paper_and_others_beside_them() -> None:
    sections = [claim.section for claim in CLAIMS]
    assert [sections.count(name) for name in SECTIONS] == [13, 7, 1]
    assert BY_NAME["T.2"].section == "earlier"


def test_findings_are_plain_data_and_complete_rows_of_markdown() -> None:
    """With claims that hold, that are undecided, and that nothing is measured of."""
    findings = judge_run(run_of(PAPER, plausible([c for c in PAPER if input_range(c) <= 100])))
    data = claims_as_data(findings)
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    text = claims_as_markdown(findings, heading="Claims")
    lines = text.splitlines()
    assert (lines[0], text[-1]) == ("# Claims", "\n")
    cells = [columns(line) for line in lines if line.startswith("|")]
    rows = [row for row in cells if row[0].startswith("**")]
    assert len(rows) == len(CLAIMS)
    for row, entry, (claim, found) in zip(rows, data, findings.items(), strict=True):
        assert row == [
            f"**{claim.name}** {claim.statement}", claim.paper, found.measured or "—",
            found.by_means or "—", found.seed_by_seed or "—", found.within_intervals or "—",
            f"**{found.words}**",
        ]  # fmt: skip
        assert (entry["claim"], entry["words"]) == (claim.name, found.words)
        assert f"Rule: {claim.rule}." in lines
        for item, shown in zip(found.evidence, entry["evidence"], strict=True):
            assert [item.configuration, item.value, item.words, item.seeds] in cells
            assert (shown["agrees"], shown["settled"]) == (item.agrees, item.settled)


def columns(line: str) -> list[str]:
    """Split a row of a Markdown table as a reader of Markdown does."""
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
