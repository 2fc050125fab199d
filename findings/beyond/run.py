"""The numbers and figures of docs/findings/beyond-the-range.md and two-causes.md."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from findings.beyond.counts import (
    CAUSES,
    ENDS,
    EXPERIMENTS,
    NEAR,
    RIGHT,
    SCORES,
    read_studies,
    right_in_range,
    summarise,
)
from findings.panels import (
    BLUE,
    INK,
    PALE,
    VERMILLION,
    make_panels,
)
from findings.runs import FAR, run_of
from findings.statistics import interval
from findings.text import number, several, table

BASES = {
    "paper": "every prime, six powers (the paper's)",
    "depth 1": "every prime, first power",
    "plan": "the channels of `plan`",
    "without N": "the paper's without N's primes",
}
TESTS = dict(zip(ENDS, ("r … 2r", "10^4", "10^6", "10^9", "10^18"), strict=True))
"""What the test sets beyond the range are called."""
HEADINGS = ("composite N (experiment 2)", "prime N (experiment 1)")
_LOOKS = {"paper": VERMILLION, "depth 1": PALE, "plan": BLUE}


def blocks() -> Iterator[tuple[str, str]]:
    """Yield which networks are right, why the others fail, and what predicts it."""
    yield from count_blocks()
    yield from cause_blocks()
    yield from predictor_blocks()


def seeds_of(name: str) -> str:
    """Return the seeds of which all networks of a study beyond the range are measured."""
    found = summarise()[name]["seeds"]
    return f"seed{'s'[: len(found) > 1]} {several(found)}"


def paper_accuracies() -> list[float]:
    """Return the accuracies near a million with the paper's basis, of networks right in range."""
    found = right_in_range()
    return [one["beyond"][FAR] for who in EXPERIMENTS for one in found[f"{who} paper"]]


def count_blocks() -> Iterator[tuple[str, str]]:
    """Yield how many networks are right, by basis and test set."""
    found, run = summarise(), run_of("beyond")
    seeds = [seeds_of(f"{who} paper") for who in EXPERIMENTS]
    yield (
        "beyond progress",
        f"{len(run.records)} of {len(run.planned)} networks are trained. Counted are the seeds of "
        f"which all are: for composite N {seeds[0]}, for prime N {seeds[1]}.",
    )
    ends = ["networks", "right in range", *(f"right at {end}" for end in ENDS)]
    rows = [
        [who, words, *(found[f"{who} {base}"][end] for end in ends)]
        for who in EXPERIMENTS
        for base, words in BASES.items()
    ]
    yield "beyond table", table(["N", "basis", *ends[:2], *TESTS.values()], rows)
    ends = [*ends[:3], f"right at {FAR}", "right at all"]
    sums = {
        base: [sum(found[f"{who} {base}"][end] for who in EXPERIMENTS) for end in ends]
        for base in BASES
    }
    paper, plan = sums["paper"], sums["plan"]
    yield (
        "readme beyond",
        f"{paper[1]} networks trained as in the paper are right in range. {paper[-1]} of them are "
        "right on every test set up to 10^18. With only the circles that `plan` names, "
        f"{plan[-1]} of {plan[1]} are.",
    )
    yield (
        "beyond sentence",
        f"Counted are experiment 2 with {seeds[0]}, and experiment 1 at |P| ≤ 8 with {seeds[1]}. A "
        f"network is right on a test set if at least {RIGHT:.0%} of its answers are. The networks "
        "with the paper's basis that are right in range have a median accuracy near a million of "
        f"{np.median(paper_accuracies()):.2f}.",
    )
    short = [[words, *sums[base]] for base, words in BASES.items()]
    short.insert(1, ["the same with eight primes, where `plan` has a network", *right_twins()])
    columns = ["basis", "networks", "right in range", "on the next integers", "near a million"]
    yield "beyond short", table([*columns, "on every test set up to 10^18"], short)
    yield "beyond left out", left_out()


def right_twins() -> list[int]:
    """Count networks with eight primes that are right, where ``plan`` has one.

    The counts are all networks, those right in range, and of these the ones right on the next
    integers, near a million, and on every test set.
    """
    found = read_studies()
    plans = {one["place"][:3] for who in EXPERIMENTS for one in found[f"{who} plan"]}
    every = [one for who in EXPERIMENTS for one in found[f"{who} paper"]]
    twins = [one for one in every if one["place"][3] == 8 and one["place"][:3] in plans]
    right = [one["beyond"] for one in twins if one["accuracy"] >= RIGHT]
    lowest = [(accuracy["2r"], accuracy[FAR], min(accuracy.values())) for accuracy in right]
    counts = (sum(value >= RIGHT for value in some) for some in zip(*lowest, strict=True))
    return [len(twins), len(right), *counts]


def left_out() -> str:
    """Say which networks are degenerate, and how they do beyond the range."""
    places, counts = set(), []
    for base in ("paper", "plan"):
        kept = {one["place"] for one in read_studies()[f"composite {base}"]}
        every = read_studies(degenerate=True)[f"composite {base}"]
        rest = [one for one in every if one["place"] not in kept]
        places |= {one["place"][:2] for one in rest}
        right = sum(max(one["beyond"].values()) >= RIGHT for one in rest)
        counts.append(f"{right} of {len(rest)} with {BASES[base]}")
    return (
        f"{several([f'N = {n} at r = {r}' for n, r in sorted(places)])} are left out, since no sum "
        f"wraps around there. Right beyond the range are {several(counts)}."
    )


def cause_blocks() -> Iterator[tuple[str, str]]:
    """Yield why networks with the paper's basis fail near a million."""
    whys = [summarise()[f"{who}: why networks fail near a million"] for who in EXPERIMENTS]
    rows = [[who, *why.values()] for who, why in zip(EXPERIMENTS, whys, strict=True)]
    yield "causes table", table(["N", "fail near 10^6", *CAUSES], rows)
    near = [value for value in paper_accuracies() if value < RIGHT]
    yield (
        "causes cut",
        f"Failing means less than {RIGHT:.0%} right. {sum(value >= 0.9 for value in near)} of "
        f"{len(near)} are right in nine of ten answers or more. The median is "
        f"{np.median(near):.2f}.",
    )


def predictor_blocks() -> Iterator[tuple[str, str]]:
    """Yield what predicts failing near a million."""
    found = summarise()
    rows = []
    for who in EXPERIMENTS:
        for base in ("paper", "depth 1"):
            part = found[f"{who} {base}"]
            rule = part[f"rule at {FAR}"]
            hits = [f"{rule['both']} of {rule['predicted']}"]
            hits += [f"{rule[name]} of {rule['happened']}" for name in ("both", "both by N/r")]
            fails = f"{rule['happened']} of {part['right in range']}"
            rows.append([who, BASES[base], fails, *areas_with_intervals(part), *hits])
    columns = ["N", "basis", "fail", *(f"AUC of {name}" for name in SCORES)]
    yield "predictors table", table([*columns, "precision", "recall", "recall of N/r"], rows)
    names = ("nearest alias", "N/r")
    rows = []
    for base, words in (("depth 1", "first power"), ("paper", "six powers")):
        for who in EXPERIMENTS:
            part = found[f"{who} {base}"]
            low, high = part[f"intervals at {FAR}"]["nearest alias - N/r"]
            areas = (number(part[f"area at {FAR}"][name]) for name in names)
            rows.append([words, who, *areas, f"{low:.2f} to {high:.2f}"])
    columns = ["basis", "N", *names, "difference, 95 % interval"]
    yield "predictors short", table(columns, rows)
    within = found["within networks"]
    yield (
        "predictors sentence",
        "Within networks: among the other rows of one network, does the nearest alias rank first? "
        f"In {within['networks']} networks that use some other rows and not others, the area under "
        f"the curve is {number(within['alias'])} in the mean for a row's nearest alias and "
        f"{number(within['pair'])} for its nearest pair. The rule behind precision and recall says "
        f"that a network fails if its nearest alias drifts by less than {NEAR} turns. In "
        "brackets are 95 % intervals, from drawing the pairs (N, r) again.",
    )


def areas_with_intervals(part: Mapping[str, Any]) -> list[str]:
    """Return the areas under the curve of a study beyond the range, with their intervals."""
    areas, intervals = part[f"area at {FAR}"], part[f"intervals at {FAR}"]
    ends = {name: "–".join(f"{end:.2f}" for end in intervals[name] or ()) for name in areas}
    return [
        number(area) + (f" ({ends[name]})" if ends[name] else "") for name, area in areas.items()
    ]


def draw_beyond() -> Figure:
    """Draw the share of networks that are right by the size of the inputs and by basis."""
    figure, (axes,) = make_panels(
        [""],
        title="All networks are right in range. How many are right on larger integers?",
        key=[
            (Patch(facecolor=color), BASES[base].replace("`", "")) for base, color in _LOOKS.items()
        ],
        up="share of networks that are right",
        across="inputs",
        widths=[7.4],
    )
    for i, (base, color) in enumerate(_LOOKS.items()):
        parts = [summarise()[f"{who} {base}"] for who in EXPERIMENTS]
        size = sum(part["right in range"] for part in parts)
        counts = [size, *(sum(part[f"right at {end}"] for part in parts) for end in ENDS)]
        for x, count in enumerate(counts):
            place, (low, high) = x + 0.28 * (i - 1), interval(count, size)
            axes.bar(place, count / size, 0.26, color=color)
            axes.vlines(place, low, high, color=INK, lw=1)
    names = [re.sub(r"10\^(\d+)", r"up to $10^{\1}$", end) for end in TESTS.values()]
    axes.set_xticks(range(6), ["in range", *names], size=9)
    axes.set_ylim(0, 1.04)
    return figure


SUMMARIES = {"summary.json": summarise}
FIGURES = {"right-by-input-size.png": draw_beyond}
