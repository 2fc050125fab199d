"""The numbers of docs/findings that come from studies of our own: tables, and sentences."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binomtest

from findings.probes.networks import group, read_networks
from primefourier import lab
from studies import beyond, decoys, predictions

RESULTS = Path(__file__).parents[1] / "results"
PAPER = Path(__file__).parents[1] / "paper" / "results"
BASES = {
    "paper": "every prime, six powers (the paper's)",
    "depth 1": "every prime, first power",
    "plan": "the channels of `plan`",
    "without N": "the paper's without N's primes",
}
ENDS = dict(zip(beyond.ENDS, ("r … 2r", "10^4", "10^6", "10^9", "10^18"), strict=True))
EXPERIMENTS = ("composite", "prime")
FAR = "1000000"
"""The test set that stands for inputs far beyond the range."""


@cache
def run_of(name: str) -> lab.Run:
    """Return a published run."""
    return lab.open(PAPER if name == "paper" else RESULTS / name)


@cache
def summary() -> dict[str, Any]:
    """Return the counts of the study beyond the range."""
    return beyond.summarise(run_of("beyond"))


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a Markdown table."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def interval(count: int, size: int) -> tuple[float, float]:
    """Return Clopper and Pearson's 95 % interval of a share.

    >>> [round(end, 2) for end in interval(3, 10)]
    [0.07, 0.65]
    """
    if not size:
        return (np.nan, np.nan)
    found = binomtest(count, size).proportion_ci()
    return float(found.low), float(found.high)


def share(count: int, size: int) -> str:
    """Return a count with the interval of its share.

    >>> share(3, 10)
    '3 of 10 (0.07–0.65)'
    """
    low, high = interval(count, size)
    return f"{count} of {size} ({low:.2f}–{high:.2f})" if size else "–"


def number(value: float | None, spec: str = ".2f") -> str:
    """Return a number, or a dash where there is none."""
    return "–" if value is None else format(value, spec)


def several(names: Sequence[object]) -> str:
    """Return names as a list in words.

    >>> several([42]), several([42, 43, 44])
    ('42', '42, 43 and 44')
    """
    *first, last = map(str, names)
    return f"{', '.join(first)} and {last}" if first else last


def seeds_of(name: str) -> str:
    """Return the seeds of which all networks of a study beyond the range are measured."""
    found = summary()[name]["seeds"]
    return f"seed{'s'[: len(found) > 1]} {several(found)}"


def beyond_blocks() -> Iterator[tuple[str, str]]:
    """Yield which networks are right beyond their range, what explains it and what predicts it."""
    found = summary()
    rows = []
    for experiment in EXPERIMENTS:
        for base, words in BASES.items():
            part = found[f"{experiment} {base}"]
            right = [part[f"right at {end}"] for end in ENDS]
            rows.append([experiment, words, part["networks"], part["right in range"], *right])
    run = run_of("beyond")
    sentence = (
        f"{len(run.records)} of {len(run.planned)} networks are trained. Counted are the seeds of "
        f"which all are: for composite N {seeds_of('composite paper')}, for prime N "
        f"{seeds_of('prime paper')}."
    )
    yield "beyond progress", sentence
    columns = ["N", "basis", "networks", "right in range", *ENDS.values()]
    yield "beyond table", table(columns, rows)
    paper, plan = (
        Counter(
            {
                end: sum(found[f"{experiment} {base}"][end] for experiment in EXPERIMENTS)
                for end in ("right in range", "right at all")
            }
        )
        for base in ("paper", "plan")
    )
    sentence = (
        f"Of {paper['right in range']} networks trained as in the paper and right in range, "
        f"{paper['right at all']} are right on every test set up to 10^18. Of "
        f"{plan['right in range']} with only the circles that `plan` names, {plan['right at all']} "
        "are."
    )
    yield "readme beyond", sentence
    sentence = (
        f"Here are experiment 2 with {seeds_of('composite paper')}, and experiment 1 at |P| ≤ 8 "
        f"with {seeds_of('prime paper')}. A network is right on a test set if at least "
        f"{beyond.RIGHT:.0%} of its answers are. Of the networks with the paper's basis that are "
        f"right in range, the median accuracy near a million is "
        f"{np.median([one['beyond'][FAR] for one in right_in_range()]):.2f}."
    )
    yield "beyond sentence", sentence
    ends = ("right in range", "right at 2r", f"right at {FAR}", "right at all")
    rows = [
        [words, *(sum(found[f"{who} {base}"][end] for who in EXPERIMENTS)
                  for end in ("networks", *ends))]
        for base, words in BASES.items()
    ]  # fmt: skip
    rows.insert(1, ["the same with eight primes, where `plan` has a network", *right_twins()])
    columns = ["basis", "networks", "right in range", "on the next integers"]
    columns += ["near a million", "on every test set up to 10^18"]
    yield "beyond short", table(columns, rows)
    yield "beyond left out", left_out()
    rows, explained = [], 0
    for experiment in EXPERIMENTS:
        why = found[f"{experiment}: why networks fail near a million"]
        counts = [why[name] for name in beyond.CAUSES]
        rows.append([experiment, why["fail"], *counts])
        explained += sum(counts[:2])
    total = sum(int(row[1]) for row in rows)
    yield "causes table", table(["N", "fail near 10^6", *beyond.CAUSES], rows)
    sentence = (
        f"{total} networks with the paper's basis are right in range and fail near a million. A "
        f"row is used if replacing it by another pair's costs more than {beyond.USED}."
    )
    yield "causes sentence", sentence
    used, deep = (sum(int(row[i]) for row in rows) for i in (2, 3))
    lines = [
        ["it uses a row that N does not need: look-alike circles", used],
        [
            "it uses none, and the network of the same N, r and seed with first powers alone is "
            "right: deep circles",
            deep,
        ],
        ["neither", total - explained],
    ]
    yield "causes short", table(["why a network fails", "networks"], lines)
    near = [one["beyond"][FAR] for one in right_in_range() if one["beyond"][FAR] < beyond.RIGHT]
    sentence = (
        f"Failing means less than {beyond.RIGHT:.0%} right: "
        f"{sum(value >= 0.9 for value in near)} of the {len(near)} are at 0.90 to 0.99, and the "
        f"median is {np.median(near):.2f}."
    )
    yield "causes cut", sentence
    rows = []
    for experiment in EXPERIMENTS:
        for base in ("paper", "depth 1"):
            part = found[f"{experiment} {base}"]
            area, rule = with_intervals(part), part[f"rule at {FAR}"]
            rows.append(
                [
                    experiment,
                    BASES[base],
                    f"{rule['happened']} of {part['right in range']}",
                    *(area[name] for name in beyond.SCORES),
                    f"{rule['both']} of {rule['predicted']}",
                    f"{rule['both']} of {rule['happened']}",
                    f"{rule['both by N/r']} of {rule['happened']}",
                ]
            )
    columns = ["N", "basis", "fail", *(f"AUC of {name}" for name in beyond.SCORES)]
    yield "predictors table", table([*columns, "precision", "recall", "recall of N/r"], rows)
    rows = [
        [
            words,
            who,
            *(number(found[f"{who} {base}"][f"area at {FAR}"][name]) for name in names),
            difference_of(found[f"{who} {base}"]),
        ]
        for names in [("nearest alias", "N/r")]
        for base, words in (("depth 1", "first power"), ("paper", "six powers"))
        for who in EXPERIMENTS
    ]
    columns = ["basis", "N", "nearest alias", "N/r", "difference, 95 % interval"]
    yield "predictors short", table(columns, rows)
    within = found["within networks"]
    sentence = (
        "Within networks: among the other rows of one network, does the nearest alias rank first? "
        f"In {within['networks']} networks that use some other rows and not others, the area under "
        f"the curve is {number(within['alias'])} in the mean for a row's nearest alias and "
        f"{number(within['pair'])} for its nearest pair. The rule behind precision and recall says "
        f"that a network fails if its nearest alias drifts by less than {beyond.NEAR} turns. In "
        "brackets are 95 % intervals, from drawing the pairs (N, r) again."
    )
    yield "predictors sentence", sentence


def difference_of(part: Mapping[str, Any]) -> str:
    """Return the interval of by how much the drift exceeds N/r in its area under the curve."""
    low, high = part[f"intervals at {FAR}"]["nearest alias - N/r"]
    return f"{low:.2f} to {high:.2f}"


def with_intervals(part: Mapping[str, Any]) -> dict[str, str]:
    """Return the areas under the curve of a study beyond the range, with their intervals."""
    areas, intervals = part[f"area at {FAR}"], part[f"intervals at {FAR}"]
    found = {}
    for name, area in areas.items():
        ends = "" if intervals[name] is None else "–".join(f"{end:.2f}" for end in intervals[name])
        found[name] = number(area) + (f" ({ends})" if ends else "")
    return found


@cache
def right_in_range() -> list[dict[str, Any]]:
    """Return what counts of the networks with the paper's basis that are right in range."""
    found = beyond.read_studies(run_of("beyond"))
    networks = [one for who in EXPERIMENTS for one in found[f"{who} paper"]]
    return [one for one in networks if one["accuracy"] >= beyond.RIGHT]


def right_twins() -> list[int]:
    """Count networks with eight primes that are right, where ``plan`` has one.

    The counts are all networks, those right in range, and of these the ones right on the next
    integers, near a million, and on every test set.
    """
    found = beyond.read_studies(run_of("beyond"))
    plans = {one["place"][:3] for who in EXPERIMENTS for one in found[f"{who} plan"]}
    every = [one for who in EXPERIMENTS for one in found[f"{who} paper"]]
    twins = [one for one in every if one["place"][3] == 8 and one["place"][:3] in plans]
    right = [one["beyond"] for one in twins if one["accuracy"] >= beyond.RIGHT]
    lowest = [(accuracy["2r"], accuracy[FAR], min(accuracy.values())) for accuracy in right]
    counts = (sum(value >= beyond.RIGHT for value in some) for some in zip(*lowest, strict=True))
    return [len(twins), len(right), *counts]


def left_out() -> str:
    """Say which networks are degenerate, and how they do beyond the range."""
    kept, every = (beyond.read_studies(run_of("beyond"), degenerate=it) for it in (False, True))
    places, counts = set(), []
    for base in ("paper", "plan"):
        known = {one["place"] for one in kept[f"composite {base}"]}
        rest = [one for one in every[f"composite {base}"] if one["place"] not in known]
        places |= {one["place"][:2] for one in rest}
        right = sum(max(one["beyond"].values()) >= beyond.RIGHT for one in rest)
        counts.append(f"{right} of {len(rest)} with {BASES[base]}")
    return (
        f"{several([f'N = {n} at r = {r}' for n, r in sorted(places)])} are left out, since no sum "
        f"wraps around there. Beyond the range none of their networks is right: {counts[0]}, and "
        f"{counts[1]}."
    )


def doses(name: str) -> dict[float, tuple[int, int, int]]:
    """Return for each drift how many networks use the decoy, fail near a million, and there are."""
    run = run_of("decoys")
    records = {record.config.key: record for record in run.records if record.error is None}
    found: dict[float, list[tuple[bool, bool]]] = {}
    (study,) = (study for study in run.studies if study.name == name)
    for config in study.configs:
        if record := records.get(config.key):
            modulus, period = config.task.modulus, config.embedding.periods[-1]
            drift = decoys.RANGE * (1 / period - decoys.HARMONICS[modulus] / modulus)
            used = record.row_drops("permute")[-1] > decoys.USED
            fails = record.measured.accuracy_beyond[FAR] < decoys.RIGHT
            found.setdefault(round(drift, 6), []).append((used, fails))
    return {
        drift: (sum(u for u, _ in some), sum(f for _, f in some), len(some))
        for drift, some in sorted(found.items())
    }


def decoy_blocks() -> Iterator[tuple[str, str]]:
    """Yield dose, response and remedies as tables."""
    planned = {config.key for study in decoys.studies for config in study.configs}
    trained = planned & {record.config.key for record in run_of("decoys").records}
    yield "decoys progress", f"{len(trained)} of {len(planned)} networks are trained."
    dose = {modulus: doses(f"dose {modulus}") for modulus in decoys.HARMONICS}
    rows = [
        [f"{drift:g}", *(cell for n in dose for cell in _use_and_fail(dose[n].get(drift)))]
        for drift in decoys.DRIFTS
    ]
    columns = [f"{what}, N = {n}" for n in dose for what in ("use the decoy", "fail near 10^6")]
    yield "decoys dose", table(["drift in turns", *columns], rows)
    rows = [
        [words, f"{drift:g}", *_use_and_fail(counts)]
        for words in decoys.REMEDIES
        for drift, counts in doses(f"remedy {words}").items()
    ]
    columns = ["training", "drift at r = 500", "use the decoy", "fail near 10^6"]
    yield "decoys remedies", table(columns, rows)
    drifts = sorted(set.intersection(*(set(counts) for counts in dose.values())))
    every = [drift for drift in drifts if drift and _all_use(dose, drift)]
    none = [drift for drift in drifts if not any(d[drift][0] for d in dose.values())]
    at_zero = [d[0.0] for d in dose.values()]
    sentence = (
        f"Up to a drift of {max(every):g} turns every network uses the decoy; from {min(none):g} "
        f"on none of {sum(d[drift][2] for d in dose.values() for drift in none)} does. At drift 0 "
        f"{sum(use for use, _, _ in at_zero)} of {sum(size for *_, size in at_zero)} use it, and "
        f"{sum(fail for _, fail, _ in at_zero)} fail."
    )
    yield "decoys threshold", sentence
    near = {words: doses(f"remedy {words}")[0.1] for words in decoys.REMEDIES}
    counts = several([f"{used} of {size} ({words})" for words, (used, _, size) in near.items()])
    yield (
        "decoys helps",
        f"A decoy that drifts by 0.1 turns at r = 500 is used by {counts}.",
    )


def _all_use(dose: Mapping[int, Mapping[float, tuple[int, int, int]]], drift: float) -> bool:
    return all(counts[drift][0] == counts[drift][2] for counts in dose.values())


def _use_and_fail(counts: tuple[int, int, int] | None) -> tuple[str, str]:
    used, failed, size = counts or (0, 0, 0)
    return share(used, size), share(failed, size)


@cache
def power_drops() -> dict[int, list[tuple[int, bool, list[float]]]]:
    """Return per modulus each block's period, whether N needs it, and its drop in each network."""
    drops: dict[int, list[tuple[int, bool, list[float]]]] = {}
    for modulus, networks in group(read_networks("decoys"), lambda n: n.modulus).items():
        by_block = zip(*(n.drops("permute", blocks=True) for n in networks), strict=True)
        drops[modulus] = [
            (period, modulus % period == 0, list(values))
            for period, values in zip(networks[0].periods, by_block, strict=True)
        ]
    return drops


def power_blocks() -> Iterator[tuple[str, str]]:
    """Yield whether the blocks that a modulus with square factors needs are used."""
    rows, kept, broken = [], 0, []
    for modulus, blocks in power_drops().items():
        needed = {period: min(drops) for period, need, drops in blocks if need}
        others = {period: max(drops) for period, need, drops in blocks if not need}
        other = max(others, key=lambda period: others[period])
        count = len(blocks[0][2])
        rows.append(
            [
                modulus,
                count,
                ", ".join(f"{period}: {drop:.2f}" for period, drop in needed.items()),
                f"{other}: {others[other]:.3f}",
            ]
        )
        unused = [period for period, drop in needed.items() if drop <= decoys.USED]
        misused = [period for period, drop in others.items() if drop > decoys.USED]
        kept += not unused and not misused
        broken += [f"{period} for N = {modulus}" for period in (*unused, *misused)]
    columns = ["N", "networks", "period needed: smallest drop", "most used other period: drop"]
    yield "powers table", table(columns, rows)
    sentence = (
        f"Trained with r = 1000. For {kept} of {len(rows)} moduli, in every network, the blocks "
        f"that cost more than {decoys.USED} are exactly those whose period divides N"
        + (f"; the exceptions are {several(broken)}." if broken else ".")
    )
    yield "powers sentence", sentence
    deep = [
        record
        for record in run_of("decoys").records
        if record.config.embedding.name == "prime-fourier"
    ]
    right = sum(min(r.measured.accuracy_beyond.values()) >= beyond.RIGHT for r in deep)
    sentence = (
        f"{right} of {len(deep)} networks with six powers of six primes, for N = "
        f"{several(sorted(power_drops()))} and r = {deep[0].config.task.input_range} "
        "([powers](powers.md)), are right up to 10^18."
    )
    yield "deep but right", sentence
    sentence = (
        f"A network is right on a test set if at least {beyond.RIGHT:.0%} of its answers are in "
        f"*beyond the range* and *two causes*, and {decoys.RIGHT:.0%} in *decoys*; it fails below "
        f"{predictions.RIGHT:.0%} in *predictions*. A row is used if replacing it by another "
        f"pair's costs more than {beyond.USED} there, and more than {predictions.USED} in "
        "*predictions*, *decoys* and *powers*."
    )
    yield "thresholds", sentence


def proof_blocks() -> Iterator[tuple[str, str]]:
    """Yield the certificates as a table."""
    found = certificates()
    rows = [
        [
            one["N"],
            one["cases"],
            one["status"],
            f"{one['margin']:.1f}",
            f"{one['bound']:.3f}",
            f"{one['radius']:.1e}",
            f"{one['seconds']:.0f}",
            number(min(one["beyond"].values()), ".4f"),
        ]
        for one in found
    ]
    columns = ["N", "cases", "status", "margin", "bound", "radius", "seconds", "up to 10^18"]
    yield "certificates", table(columns, rows)
    sentence = (
        f"{sum(one['status'] == 'proved' for one in found)} of {len(found)} networks are proved, "
        f"with {found[0]['cases']} to {found[-1]['cases']} cases each. The smallest margin is "
        f"{min(one['margin'] for one in found):.1f}; rounding changes no margin by more than "
        f"{max(one['bound'] for one in found):.3f}. Every number of a code may move by at least "
        f"{min(one['radius'] for one in found):.1e}, so that codes in float16, which are off by at "
        "most 4.9e-04, are covered."
    )
    yield "certificates sentence", sentence


def slow_blocks() -> Iterator[tuple[str, str]]:
    """Yield what networks do whose slow circles are put back to what they are in range."""
    found = json.loads((RESULTS / "beyond" / "slow-circles.json").read_text())
    before_after = [
        f"from {one['far']:.2f} to {one['slow']:.2f} (N = {one['N']}, r = {one['r']})"
        for one in found
    ]
    other = max(abs(one["others"] - one["far"]) for one in found)
    sentence = (
        f"Accuracy goes {several(before_after)}. With all other circles put back that N does not "
        f"need, it changes by at most {other:.3f}."
    )
    yield "slow circles", sentence


def certificates() -> list[dict[str, Any]]:
    """Return the published certificates."""
    found: list[dict[str, Any]] = json.loads((RESULTS / "beyond" / "certificates.json").read_text())
    return found


def study_blocks() -> dict[str, str]:
    """Return the text of every block about our own studies by its name."""
    makers = (
        beyond_blocks, decoy_blocks, power_blocks, proof_blocks, slow_blocks,
    )  # fmt: skip
    return {name: text for make in makers for name, text in make()}
