"""The published claims, computed again from the stored records with none of this library's code.

The definitions are those of docs/paper-vs-measured.md, docs/glossary.md and docs/deviations.md.
T.1, the theorem, says nothing about the records and is left out.
"""

import json
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from scipy.stats import beta, t

ROOT = Path(__file__).resolve().parents[2]
PAPER = ROOT / "paper" / "results"
RUNS = (PAPER, ROOT / "findings" / "predictions", ROOT / "findings" / "beyond")
PRIMES = [3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59]
MODULI = [15, 21, 33, 35, 55, 77, 105, 165, 231, 385]
PUBLISHED = json.loads((PAPER / "claims.json").read_text(encoding="utf-8"))


class Model(NamedTuple):
    seed: int
    shuffled: bool
    primes: list[int]
    modulus: int
    input_range: int
    epochs: int
    test_size: int
    correct: int
    correct_by_epoch: list[int]
    lost: list[int]
    gained: list[int]
    permuted: dict[str, list[int]] | None

    def changes(self, relevant: bool) -> list[tuple[int, int]]:
        """Answers lost and gained by the rows whose primes divide the modulus, or do not."""
        rows = zip(self.primes, self.lost, self.gained, strict=True)
        return [(lost, gained) for p, lost, gained in rows if (self.modulus % p == 0) == relevant]

    def drop(self, relevant: bool) -> float:
        return fmean(lost - gained for lost, gained in self.changes(relevant)) / self.test_size

    def accuracy(self) -> float:
        return self.correct / self.test_size

    def best_accuracy(self) -> float:
        return max(self.correct_by_epoch) / self.test_size

    def most_used(self) -> float:
        """The largest drop of a row that N does not need, replaced by another pair's."""
        assert self.permuted is not None
        rows = zip(self.primes, self.permuted["lost"], self.permuted["gained"], strict=True)
        return max(lost - gained for p, lost, gained in rows if self.modulus % p) / self.test_size

    def control_rows(self) -> list[tuple[bool, float]]:
        """Whether each row of a control holds a column of the circle of N, and its drop."""
        generator = torch.Generator().manual_seed(self.seed)
        order = torch.randperm(24 * len(self.primes), generator=generator).reshape(-1, 24)
        first = 24 * self.primes.index(self.modulus)  # depth 0: (cos, sin) of both operands
        held = ((order >= first) & (order < first + 4)).any(dim=1).tolist()
        drops = [(a - b) / self.test_size for a, b in zip(self.lost, self.gained, strict=True)]
        return list(zip(held, drops, strict=True))


class Cell:
    """One configuration, or several: the models of each seed that has all of them."""

    def __init__(self, name: str, size: int, input_range: int, seeds: dict[int, list[Model]]):
        self.name, self.size, self.input_range, self.seeds = name, size, input_range, seeds
        self.models = [model for models in seeds.values() for model in models]
        self.noise_floor = math.sqrt(2 / self.models[0].test_size)


def read_models() -> Iterable[Model]:
    """Yield the models with the paper's settings; each folder may hold some of them."""
    for folder in RUNS:
        for line in (folder / "records.jsonl").read_text().splitlines():
            fact = json.loads(line)["fact"]
            if fact["kind"] != "record" or "measurement" not in fact["data"]:
                continue
            config, counts = fact["data"]["config"], fact["data"]["measurement"]
            config = {**config["task"], **config["training"], **config["embedding"]} | config
            embedding = config["embedding"]["name"]
            plain = embedding in ("prime-fourier", "shuffled-prime-fourier")
            plain = plain and config["operands"] == 2 and config.get("unit") in (None, "column")
            samples = config["samples"]
            settings = [config[k] for k in ("depth", "operation", "batch_size", "learning_rate")]
            if not plain or settings != [6, "add", 1024, 0.003] or samples != 80_000:
                continue
            permuted = counts.get("ablations", {}).get("permute")
            values = config | counts | {"shuffled": "shuffled" in embedding, "permuted": permuted}
            yield Model(*(values[field] for field in Model._fields))


def read_cells() -> dict[str, list[Cell]]:
    """By experiment: every configuration that is not degenerate, with its whole seeds."""
    found: dict[Any, dict[int, dict[int, Model]]] = defaultdict(lambda: defaultdict(dict))
    for m in read_models():
        row = len(m.primes)
        if m.modulus in PRIMES and m.epochs == 25:
            lacking = m.modulus not in m.primes
            pool = sorted({*m.primes, m.modulus}) if lacking else m.primes
            name, row = "control" if m.shuffled else "exp1", len(pool)
            fits = pool == PRIMES[:row] and row in (4, 6, 8, 10, 12, 14, 16)
        else:
            own = [p for p in PRIMES if m.modulus % p == 0]
            lacking = not set(own) & set(m.primes)
            pool = sorted({*m.primes, *own}) if lacking else m.primes
            name, row = "exp2", m.modulus
            fits = pool == PRIMES[:8] and m.epochs == 40 and m.modulus in MODULI
            fits &= 2 * (m.input_range - 1) >= m.modulus
        if fits:
            place = name + " without N" * lacking, row, m.input_range
            found[place][m.seed].setdefault(m.modulus, m)
    cells = defaultdict(list)
    for (name, row, input_range), seeds in sorted(found.items()):
        letter, asked = ("N", 1) if "exp2" in name else ("|P|", row)
        whole = {s: list(some.values()) for s, some in sorted(seeds.items()) if len(some) == asked}
        if whole:
            title = f"{letter} = {row}, r = {input_range}"
            cells[name].append(Cell(title, row, input_range, whole))
    return cells


CELLS = read_cells()
EXP1, CONTROL, EXP2 = CELLS["exp1"], CELLS["control"], CELLS["exp2"]
FEW, MANY = [c for c in EXP1 if c.size <= 8], [c for c in EXP1 if c.size >= 10]
Numbers = Sequence[float]
Conditions = Callable[[Numbers, Cell], Numbers]
NUMBER = re.compile(r"-?\d+\.\d+")
EXACT = 1e-9
"""A difference that is 0 up to rounding."""


def write(values: Numbers, digits: int) -> str:
    """The mean over seeds and its 95 % Student interval."""
    text = f"{fmean(values):.{digits}f}"
    if len(values) == 1:
        return text
    return f"{text} ± {half_width(values):.{digits}f} ({len(values)} seeds)"


def half_width(values: Numbers) -> float:
    return float(t.ppf(0.975, len(values) - 1)) * stdev(values) / math.sqrt(len(values))


def span(values: Numbers, digits: int) -> str:
    ends = [f"{min(values):.{digits}f}", f"{max(values):.{digits}f}"]
    return "–".join(dict.fromkeys(ends))


def check(
    claim: str,
    cells: list[Cell],
    value: Callable[[list[Model], Cell], Numbers],
    conditions: Conditions,
    text: str = "{}",
    needed: int | None = None,
    also: dict[str, Conditions] | None = None,
    note: str = "",
    digits: int = 3,
) -> None:
    """Compare a published claim with what its conditions say: numbers that must be above 0."""
    published = next(item for item in PUBLISHED if item["claim"] == claim)
    evidence, means, by_seed, certain, possible, intervals = [], [], [], 0, 0, 0
    for cell in cells:
        values = {seed: value(models, cell) for seed, models in cell.seeds.items()}
        columns = list(zip(*values.values(), strict=True))
        means.append([fmean(column) for column in columns])
        met = {seed: min(conditions(v, cell)) > 0 for seed, v in values.items()}
        margins = list(zip(*(conditions(v, cell) for v in values.values()), strict=True))
        agrees = all(fmean(some) > 0 for some in margins)
        settled, seeds = None, "—"
        if len(values) > 1:
            fails = any(fmean(some) + half_width(some) <= 0 for some in margins)
            settled = fails or all(fmean(some) - half_width(some) > 0 for some in margins)
            seeds, intervals = f"{sum(met.values())} of {len(met)}", intervals + 1
        certain += agrees and settled is not False
        possible += agrees or settled is False
        by_seed.append(met)
        written = text.format(*(write(c, digits) for c in columns), floor=f"{cell.noise_floor:.4f}")
        evidence.append((cell.name, written, agrees, settled, seeds))
    keys = ("configuration", "agrees", "settled", "seeds")
    stated = [tuple(item[key] for key in keys) for item in published["evidence"]]
    assert stated == [(name, *rest) for name, _, *rest in evidence]
    for item, (_, written, *_) in zip(published["evidence"], evidence, strict=True):
        assert NUMBER.sub("#", item["value"]) == NUMBER.sub("#", written)
        numbers = [list(map(float, NUMBER.findall(some))) for some in (item["value"], written)]
        assert numbers[0] == pytest.approx(numbers[1], abs=1.01 * 10**-digits), "up to rounding"

    floors = [f"{cell.noise_floor:.3f}" for cell in cells]
    ends = [span(column, digits) for column in zip(*means, strict=True)]
    parts = [text.format(*ends, floor="–".join(dict.fromkeys((min(floors), max(floors)))))]
    for words, others in (also or {}).items():
        asked = [some for v, cell in zip(means, cells, strict=True) if (some := others(v, cell))]
        of = f" of {len(asked)}" * (len(asked) < len(cells))
        parts.append(f"{sum(min(some) > 0 for some in asked)}{of} {words}")
    threshold = 0.85 if any("P" in cell.name for cell in cells) else 0.7
    low = [model.accuracy() <= threshold for cell in cells for model in cell.models]
    ended = f"{sum(low)} of {len(low)} networks end at an accuracy of {threshold} or less"
    parts += [note, ended * any(low)]
    assert published["measured"] == "; ".join(filter(None, parts))

    total, good = len(cells), sum(agrees for _, _, agrees, _, _ in evidence)
    assert published["by_means"] == f"{good} of {total}"
    shared = sorted(set.intersection(*(set(met) for met in by_seed)))
    counts = [sum(met[seed] for met in by_seed) for seed in shared]
    names = f"(seed{'s' * (len(shared) > 1)} {', '.join(map(str, shared))})"
    assert published["seed_by_seed"] == f"{', '.join(map(str, counts))} of {total} {names}"
    within = f"{certain} to {possible}" if certain < possible else str(certain)
    few = f"; {intervals} with an interval" * (intervals < total)
    assert published["within_intervals"] == f"{within} of {total}{few}"

    enough = total if needed is None else needed
    parts_hold = 2 * good >= total
    verdict = "holds in part" if parts_hold else "mostly fails" if good else "does not hold"
    verdict = "holds" if good >= enough else verdict
    assert published["verdict"] == verdict
    hold = sum(count >= enough for count in counts)
    contradicted = (2 * hold > len(counts)) != (verdict == "holds")
    words = verdict.replace("in part", f"in {good} of {total}") + " by means" * contradicted
    details = [f"{good} of {total}"] * (verdict == "mostly fails")
    details += [f"{enough} are claimed"] * (enough < total and verdict not in ("holds",))
    words += f" ({', '.join(details)})" if details else ""
    if contradicted:
        but = "but with" if verdict == "holds" else "but holds with"
        words += f", {but} {hold} of {len(counts)} seed{'s' * (len(counts) > 1)} alone"
    assert published["words"] == words


def drops(models: list[Model], _cell: Cell) -> Numbers:
    return [fmean(model.drop(relevant=it) for model in models) for it in (True, False)]


def inside(low: float, high: float, i: int = 0) -> Conditions:
    return lambda v, _: [v[i] - low + 0.005 + EXACT, high + 0.005 + EXACT - v[i]]


def far(times: float) -> Conditions:
    return lambda v, c: [
        v[0] - times * v[1] + EXACT,
        v[0] - v[1] - c.noise_floor,
        v[0] - c.noise_floor,
    ]


def alike(times: float) -> Conditions:
    return lambda v, _: [times * v[0] - v[1] + EXACT, times * v[1] - v[0] + EXACT]


def is_noise(*which: int) -> Conditions:
    return lambda v, c: [c.noise_floor - sign * v[i] for i in which for sign in (1, -1)]


def test_e1_1_diagonal_drops_are_far_above_the_others() -> None:
    also = {f"at {times} times": far(times) for times in (2, 5, 10)}
    check("E1.1", EXP1, drops, far(3), "{} against {}", also=also)


def test_e1_2_diagonal_drops_lie_in_three_ranges() -> None:
    def many(v: Numbers, cell: Cell) -> Numbers:
        return inside(0.82, 0.92)(v, cell) if cell.size >= 10 else []

    def narrowest(v: Numbers, cell: Cell) -> Numbers:
        return inside(0.82 if cell.size >= 10 else 0.60, 0.92)(v, cell)

    ranges = {"in 0.60–0.92": inside(0.60, 0.92), "in 0.54–0.93": inside(0.54, 0.93)}
    check("E1.2", EXP1, drops, narrowest, also={**ranges, "with |P| ≥ 10 in 0.82–0.92": many})


@pytest.mark.parametrize(
    ("claim", "cells", "needed"),
    [
        ("E1.3", FEW, 8),
        ("E2.1", EXP2, 37),
        ("S.4", [c for c in EXP2 if c.size < 100 and c.input_range >= 500], None),
    ],
)
def test_other_drops_are_below_the_noise_floor(
    claim: str, cells: list[Cell], needed: int | None
) -> None:
    check(claim, cells, drops, is_noise(1), "{1}, floor {floor}", needed, digits=4)


@pytest.mark.parametrize(
    ("claim", "cells", "i", "low", "high"),
    [
        ("E1.4", MANY, 1, 0.03, 0.09),
        ("C.1", CONTROL, 0, 0.10, 0.55),
        ("E2.2", EXP2, 0, 0.29, 0.88),
    ],
)
def test_drops_lie_in_the_range(
    claim: str, cells: list[Cell], i: int, low: float, high: float
) -> None:
    check(claim, cells, drops, inside(low, high, i), "{%d}" % i)  # noqa: UP031


def test_e1_5_every_model_converges() -> None:
    def lowest(models: list[Model], _cell: Cell) -> Numbers:
        return [min(m.best_accuracy() for m in models if m.input_range > m.modulus)]

    check("E1.5", EXP1, lowest, lambda v, _: [v[0] - 0.85], "lowest {}")


@pytest.mark.parametrize(
    ("claim", "cells", "other"),
    [("E1.6", MANY, -1), ("E2.4", [c for c in EXP2 if c.size in (105, 165)], 0)],
)
def test_drops_are_lower_at_r_100(claim: str, cells: list[Cell], other: int) -> None:
    rows = []
    for size in sorted({cell.size for cell in cells}):
        some = [cell for cell in cells if cell.size == size]
        seeds = sorted(set.intersection(*(set(cell.seeds) for cell in some)))
        joined = {seed: [m for cell in some for m in cell.seeds[seed]] for seed in seeds}
        rows.append(Cell(some[0].name.partition(",")[0], size, 100, joined))

    def here_and_beyond(models: list[Model], _cell: Cell) -> Numbers:
        by_range = defaultdict(list)
        for m in models:
            by_range[m.input_range].append(m.drop(relevant=True) + other * m.drop(relevant=False))
        means = {r: fmean(some) for r, some in by_range.items()}
        return [means.pop(100), fmean(means.values())]

    check(claim, rows, here_and_beyond, lambda v, _: [v[1] - v[0]], "{} at r = 100, {} beyond")


def test_c_2_other_drops_of_the_control_are_comparable_to_the_diagonal_ones() -> None:
    def both(v: Numbers, cell: Cell) -> Numbers:
        return [*inside(0.14, 0.46, 1)(v, cell), *alike(2)(v, cell)]

    also = {"in range": inside(0.14, 0.46, 1), "comparable": alike(2)}
    also |= {"at 1.5 times": alike(1.5), "at 3 times": alike(3)}
    check("C.2", CONTROL, drops, both, "{1}, diagonal {0}", also=also)


def accuracy(models: list[Model], _cell: Cell) -> Numbers:
    return [fmean(m.accuracy() for m in models), fmean(1 / m.modulus for m in models)]


def test_rows_of_the_control_cost_much_if_they_hold_a_needed_column() -> None:
    """The numbers of docs/findings/control.md."""
    page = (ROOT / "docs" / "findings" / "control.md").read_text(encoding="utf-8")
    models = [m for cell in CONTROL for m in cell.models]
    converged = [m for m in models if m.accuracy() > 0.85]
    assert f"{len(converged)} of {len(models)} networks" in page
    for networks, some in (("the 471", converged), ("all 494", models)):
        rows = [row for m in some for row in m.control_rows()]
        for holds, words in ((True, "a needed column"), (False, "none")):
            drops = [drop for held, drop in rows if held is holds]
            size, much = (
                f"{n:,}".replace(",", " ") for n in (len(drops), sum(d >= 0.1 for d in drops))
            )
            means = f"{fmean(drops):.3f} | {median(drops):.3f}"
            assert f"| {networks} | {words} | {size} | {much} | {means} |" in page


def test_e2_3_the_accuracy_is_1_from_r_500_on() -> None:
    cells = [cell for cell in EXP2 if cell.input_range >= 500]
    check("E2.3", cells, accuracy, lambda v, _: [v[0] - 0.995 + EXACT], digits=4)


def test_s_1_seeds_differ_from_their_mean_by_less_than_noise() -> None:
    def distances(models: list[Model], cell: Cell) -> Numbers:
        every = [drops(some, cell) for some in cell.seeds.values()]
        own = drops(models, cell)
        return [abs(own[i] - fmean(each[i] for each in every)) for i in (0, 1)]

    check("S.1", EXP1 + EXP2, distances, is_noise(0, 1), "{} and {}, floor {floor}")


def test_s_2_any_row_of_the_control_costs_much() -> None:
    def share(models: list[Model], _cell: Cell) -> Numbers:
        return [fmean(drop >= 0.1 for m in models for _, drop in m.control_rows())]

    also: dict[str, Conditions] = {"with every row": lambda v, _: [v[0] - 1 + EXACT]}
    check("S.2", CONTROL, share, lambda v, _: [v[0] - 0.5 + EXACT], "share {}", also=also)


def test_s_3_rows_of_the_control_cost_what_the_columns_in_them_do() -> None:
    def by_columns(models: list[Model], _cell: Cell) -> Numbers:
        rows = [row for m in models for row in m.control_rows()]
        return [fmean(drop for held, drop in rows if held is it) for it in (True, False)]

    def count(models: Iterable[Model]) -> tuple[str, list[tuple[int, int]]]:
        rows, texts, counts = [row for m in models for row in m.control_rows()], [], []
        for it, words in ((True, "with a needed column"), (False, "with none")):
            some = [drop for held, drop in rows if held is it]
            costly = sum(drop >= 0.1 for drop in some)
            counts.append((costly, len(some)))
            mean = f"(mean {fmean(some):.2f})"
            texts.append(f"{costly} of {len(some)} rows {words} cost 0.1 or more {mean}")
        return ", ".join(texts), counts

    models = [m for cell in CONTROL for m in cell.models]
    every, _ = count(models)
    good, counts = count(m for m in models if m.accuracy() > 0.85)
    assert counts == [(1566, 1596), (197, 3106)]
    note = f"{every}; networks that end above 0.85 alone: {good}"
    text = "{} with a needed column, {} with none"
    check("S.3", CONTROL, by_columns, alike(2), text, note=note)
    assert len({(m.seed, len(m.primes)) for m in models if m.seed == 42}) == 7


def test_s_5_other_drops_are_above_the_noise_floor_with_many_primes() -> None:
    def above(v: Numbers, cell: Cell) -> Numbers:
        return [v[1] - cell.noise_floor]

    check("S.5", MANY, drops, above, "{1}, floor {floor}", digits=4)


def test_s_6_inactive_primes_carry_no_information() -> None:
    cells = EXP1 + EXP2
    used = [(m.most_used(), cell.noise_floor) for cell in cells for m in cell.models]
    above, much = sum(drop > floor for drop, floor in used), sum(drop > 0.1 for drop, _ in used)
    note = f"{above} of {len(used)} networks use such a row, {much} with a drop above 0.1"

    def most(models: list[Model], _cell: Cell) -> Numbers:
        return [max(m.most_used() for m in models)]

    check("S.6", cells, most, is_noise(0), "{}, floor {floor}", note=note)


def test_s_7_networks_without_the_primes_of_n_are_at_chance() -> None:
    cells = CELLS["exp1 without N"] + CELLS["exp2 without N"]
    right = [m.accuracy() >= 0.99 for cell in cells for m in cell.models]
    note = f"{sum(right)} of {len(right)} networks are right on 99 % of the test pairs"

    def chance(v: Numbers, cell: Cell) -> Numbers:
        return [v[1] + cell.noise_floor - v[0]]

    check("S.7", cells, accuracy, chance, "accuracy {}, 1/N {}", note=note)


def drop_bounds(cell: Cell, relevant: bool) -> tuple[float, float]:
    """Joint 95 % bounds by Clopper and Pearson, on the answers lost and gained by each row.

    The error of 5 % is divided among all rows, the two counts of each, and their two bounds.
    """
    size = cell.models[0].test_size
    error = 0.05 / (4 * sum(len(model.primes) for model in cell.models))
    counts = np.array([row for model in cell.models for row in model.changes(relevant)])
    lows = np.where(counts == 0, 0, beta.ppf(error, counts, size - counts + 1))
    highs = np.where(counts == size, 1, beta.ppf(1 - error, counts + 1, size - counts))
    return float(np.mean(lows[:, 0] - highs[:, 1])), float(np.mean(highs[:, 0] - lows[:, 1]))


def test_t_2_the_ratio_of_the_drops_is_above_500() -> None:
    above = below = 0
    for cell in EXP1 + EXP2:
        (on_low, on_high), (off_low, off_high) = (drop_bounds(cell, it) for it in (True, False))
        above += on_low > 500 * off_high
        below += on_high <= 500 * off_low
    unclear = len(EXP1 + EXP2) - above - below
    note = f"by exact bounds {above} above, {below} below, {unclear} undecided"

    def ratio(v: Numbers, _cell: Cell) -> Numbers:
        return [v[0] - 500 * v[1]]

    check("T.2", EXP1 + EXP2, drops, ratio, "{} against {}", note=note, digits=4)


def test_no_claim_is_left_out() -> None:
    names = [f"E1.{i}" for i in range(1, 7)] + ["C.1", "C.2"] + [f"E2.{i}" for i in range(1, 5)]
    names += ["T.1", *(f"S.{i}" for i in range(1, 8)), "T.2"]
    assert [item["claim"] for item in PUBLISHED] == names
