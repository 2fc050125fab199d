"""The figures of docs/findings, from the records."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from findings.probes.run import answers
from primefourier.figures.style import (
    BLUE,
    GREEN,
    INK,
    OTHER,
    PALE,
    PURPLE,
    VERMILLION,
    new_page,
    style_axes,
    write_labels,
    write_title,
)
from studies import beyond, decoys
from studies.finding_predictions import (
    copied,
    other_moduli,
    ranked_pairs,
    ranked_uses,
    used_ranks,
)
from studies.finding_studies import (
    BASES,
    ENDS,
    certificates,
    doses,
    interval,
    power_drops,
    run_of,
    summary,
)

_WIDTH, _HEIGHT = 3.7, 2.7  # inches of a panel
_LOOKS = {
    "plan": (BLUE, "o"),
    "depth 1": (INK, "s"),
    "paper": (VERMILLION, "X"),
    "without N": (PALE, "D"),
}
_WHO = {"composite": "composite N (experiment 2)", "prime": "prime N (experiment 1)"}


def _page(
    headings: Sequence[str], *, title: str, key: Sequence[tuple[Artist, str]], up: str, across: str
) -> tuple[Figure, list[Axes]]:
    """Return a figure with panels side by side that share their y axis."""
    count = len(headings)
    figure, body = new_page(count * (_WIDTH + 0.4), _HEIGHT + 0.6, title=title, caption="", key=key)
    panels = list(body.subplots(1, count, sharey=True, squeeze=False).flat)
    for i, (axes, heading) in enumerate(zip(panels, headings, strict=True)):
        write_title(axes, heading)
        style_axes(axes, grid="y")
        write_labels(axes, across=across, up="" if i else up)
    return figure, panels


def _shares(
    axes: Axes, counts: Sequence[tuple[int, int]], aside: float, look: tuple[str, str]
) -> None:
    """Draw shares with their 95 % intervals at x = 0, 1, 2 …"""
    color, marker = look
    xs = np.arange(len(counts)) + aside
    ends = np.array([interval(*pair) for pair in counts])
    axes.vlines(xs, ends[:, 0], ends[:, 1], color=color, lw=1.2)
    ys = [count / size if size else np.nan for count, size in counts]
    axes.plot(xs, ys, color=color, marker=marker, ms=6, lw=1.6)


def draw_beyond() -> Figure:
    """Draw the share of networks that are right against the size of the inputs, by basis."""
    key: list[tuple[Artist, str]] = [
        (Line2D([], [], color=_LOOKS[b][0], marker=_LOOKS[b][1]), BASES[b].replace("`", ""))
        for b in _LOOKS
    ]
    figure, panels = _page(
        [*_WHO.values()],
        title="Networks that are right in range: how many are right beyond it",
        key=key,
        up="share of networks that are right",
        across="inputs up to",
    )
    for axes, experiment in zip(panels, _WHO, strict=True):
        for i, (base, look) in enumerate(_LOOKS.items()):
            part = summary()[f"{experiment} {base}"]
            size = part["right in range"]
            counts = [(size, size), *((part[f"right at {end}"], size) for end in ENDS)]
            _shares(axes, counts, 0.08 * (i - 1.5), look)
        ends = [re.sub(r"10\^(\d+)", r"$10^{\1}$", end) for end in ENDS.values()]
        axes.set_xticks(range(6), ["in range", *ends], size=9)
        axes.set_ylim(-0.04, 1.06)
    return figure


def draw_causes() -> Figure:
    """Draw how many networks are right near a million, and why the others fail, by r."""
    looks: dict[str, dict[str, Any]] = {
        "right": {"facecolor": GREEN},
        "wrong, first powers alone are right: deep circles": {"facecolor": PURPLE},
        "wrong, uses a row that N does not need": {"facecolor": VERMILLION},
        "wrong for another reason": {"facecolor": PALE},
    }
    figure, panels = _page(
        [*_WHO.values()],
        title="Why networks with the paper's basis fail near a million",
        key=[(Patch(**look), words) for words, look in reversed(looks.items())],
        up="share of networks (above: how many)",
        across="input range r",
    )
    networks = beyond.read_studies(run_of("beyond"))
    for axes, experiment in zip(panels, _WHO, strict=True):
        found = {
            base: {
                one["place"]: one
                for one in networks[f"{experiment} {base}"]
                if one["accuracy"] >= beyond.RIGHT
            }
            for base in ("paper", "depth 1")
        }
        for x, r in enumerate(beyond.RANGES):
            counts = dict.fromkeys(looks, 0)
            for place, one in found["paper"].items():
                if place[1] == r:
                    counts[_cause(one, found["depth 1"].get(place))] += 1
            total, bottom = sum(counts.values()), 0.0
            for words, count in counts.items():
                axes.bar(x, count / total, 0.7, bottom=bottom, **looks[words])
                bottom += count / total
            axes.text(x, 1.02, str(total), ha="center", size=8, color=INK)
        axes.set_xticks(range(len(beyond.RANGES)), [str(r) for r in beyond.RANGES])
        axes.set_ylim(0, 1.1)
    return figure


def _cause(one: dict[str, object], twin: dict[str, object] | None) -> str:
    def right(network: dict[str, object]) -> bool:
        accuracies = network["beyond"]
        assert isinstance(accuracies, dict)
        return bool(accuracies["1000000"] >= beyond.RIGHT)

    if right(one):
        return "right"
    used = one["most used"]
    assert isinstance(used, float)
    if used > beyond.USED:
        return "wrong, uses a row that N does not need"
    if twin is not None and right(twin):
        return "wrong, first powers alone are right: deep circles"
    return "wrong for another reason"


def draw_ranks() -> Figure:
    """Draw how many networks use a pair among the first k of the registered order."""
    uses = ranked_uses()
    ranks = used_ranks()
    sizes = [size for _, size in ranks]
    figure, (axes,) = _page(
        ["the two most used rows are among the k nearest pairs"],
        title="At r ≥ 500, the misused pair was mostly among five named before training",
        key=[
            (Line2D([], [], color=VERMILLION, lw=2), f"{len(ranks)} networks, lists of their N"),
            (Line2D([], [], color=INK, marker="D", lw=0), "one guess: the two rows of seed 42"),
            (Line2D([], [], color=PALE, lw=2), "lists of other N"),
        ],
        up="share of networks",
        across=f"k, of {min(sizes)} to {max(sizes)} pairs",
    )
    ks = np.arange(21)
    used = [np.mean([place <= k for place, _ in ranks]) for k in ks]
    elsewhere = [
        ranked_pairs(place).index(use.rows(2)) + 1 if use.rows(2) in ranked_pairs(place) else 999
        for use in uses
        for place in other_moduli(use.place)
    ]
    others = [np.mean([place <= k for place in elsewhere]) for k in ks]
    axes.step(ks, used, where="post", color=VERMILLION, lw=2)
    axes.step(ks, others, where="post", color=PALE, lw=2)
    copies = np.mean([use.rows(2) == copied(use.place, 2) for use in uses])
    axes.plot(1, copies, "D", color=INK, ms=6)
    axes.set_xlim(0, 20)
    axes.set_xticks([1, 5, 10, 15, 20])
    axes.set_ylim(0, 1.04)
    axes.axvline(5, color=INK, lw=0.8, ls=":")
    axes.text(5.3, 0.5, "registered: five", size=9, color=INK)
    return figure


def draw_drift() -> Figure:
    """Draw the share of blocks that are used against their drift, alone and in pairs."""
    figure, panels = _page(
        ["every circle, by itself", "2 turns or more away, with a partner"],
        title="The nearer a circle is to a harmonic of N, the more often it is used",
        key=[
            (
                Line2D([], [], color=VERMILLION, marker="o", lw=1.4),
                "used: costs more than 0.1 of the accuracy, with 95 % interval",
            )
        ],
        up="share of circles used",
        across="drift from the harmonic, in turns below r",
    )
    for axes, bins in zip(panels, (answers()["aliases"], answers()["alias_pairs"]), strict=True):
        for x, one in enumerate(bins):
            low, high = interval(one["used"], one["blocks"])
            axes.vlines(x, max(low, 1e-5), high, color=VERMILLION, lw=1.4)
            if one["used"]:
                axes.plot(x, one["used"] / one["blocks"], "o", color=VERMILLION, ms=7)
            axes.annotate(
                f"{one['used']}/{one['blocks']}", (x, high), (0, 4), textcoords="offset points",
                ha="center", size=7, color=INK,
            )  # fmt: skip
        names = [f"{one['low']:g}" + (f"–{one['high']:g}" if one["high"] else "+") for one in bins]
        axes.set_xticks(range(len(bins)), names, size=8, rotation=35)
        axes.set_yscale("log")
        axes.set_ylim(1e-4, 2)
        axes.set_xlim(-0.6, len(bins) - 0.4)
    return figure


def draw_doses() -> Figure:
    """Draw the share of networks that use the decoy, and that fail, against its drift."""
    looks = {"use the decoy": (VERMILLION, "o"), "fail near a million": (INK, "X")}
    figure, panels = _page(
        [f"N = {n}: 1/T ≈ {k}/{n}" for n, k in decoys.HARMONICS.items()],
        title="A decoy is used if it drifts little below r",
        key=[(Line2D([], [], color=c, marker=m), words) for words, (c, m) in looks.items()],
        up="share of networks",
        across="drift in turns below r (steps are not to scale)",
    )
    for axes, modulus in zip(panels, decoys.HARMONICS, strict=True):
        found = doses(f"dose {modulus}")
        for i, look in enumerate(looks.values()):
            counts = [(counts[i], counts[2]) for counts in found.values()]
            _shares(axes, counts, 0.12 * (i - 0.5), look)
        axes.set_xticks(range(len(found)), [f"{drift:g}" for drift in found], size=8, rotation=35)
        axes.set_ylim(-0.04, 1.06)
    return figure


def draw_powers() -> Figure:
    """Draw the drop of every block for moduli with square factors."""
    found = power_drops()
    figure, (axes,) = _page(
        ["each dot is one circle of one network"],
        title="Powers are used where they divide N",
        key=[
            (Line2D([], [], color=BLUE, marker="o", lw=0), "period divides N (labelled)"),
            (
                Line2D([], [], mfc="white", mec="#777777", marker="o", lw=0),
                "period does not divide N",
            ),
        ],
        up="drop without the circle",
        across="modulus N",
    )
    for x, blocks in enumerate(found.values()):
        needed = [(period, drops) for period, need, drops in blocks if need]
        rest = [drop for _, need, drops in blocks if not need for drop in drops]
        if x:
            axes.axvline(x - 0.5, color=PALE, lw=0.6)
        axes.plot([x] * len(rest), rest, "o", mfc="white", mec=OTHER["edgecolor"], ms=4, lw=0)
        for i, (period, drops) in enumerate(needed):
            place = x + 0.19 * (i - (len(needed) - 1) / 2)
            axes.plot([place] * len(drops), drops, "o", color=BLUE, ms=4, lw=0)
            axes.text(place, max(drops) + 0.03, str(period), ha="center", size=7, color=INK)
    axes.set_xticks(range(len(found)), [str(n) for n in found])
    axes.set_xlim(-0.5, len(found) - 0.5)
    axes.set_ylim(-0.04, 1.0)
    return figure


def draw_radii() -> Figure:
    """Draw how far the codes of each proved network may move, beside the units of three dtypes."""
    found = certificates()
    figure, (axes,) = _page(
        ["ten networks, right on all N² pairs of residues, and so for all integers"],
        title="Codes may move further than float16 moves them, and no answer changes",
        key=[
            (Line2D([], [], color=GREEN, marker="o", lw=0), "proved up to here"),
            (Line2D([], [], color=INK, lw=1.2, ls="--"), "one unit in the last place of a dtype"),
        ],
        up="change of every number of a code",
        across="modulus N",
    )
    for x, one in enumerate(found):
        axes.vlines(x, 1e-8, one["radius"], color=GREEN, lw=5, alpha=0.35)
        axes.plot(x, one["radius"], "o", color=GREEN, ms=7)
    for words, unit in (("bfloat16", 2.0**-8), ("float16", 2.0**-11), ("float32", 2.0**-24)):
        axes.axhline(unit, color=INK, lw=1.2, ls="--", zorder=0)
        right = axes.get_yaxis_transform()
        axes.text(1.02, unit, words, color=INK, transform=right, va="center", size=8)
    axes.set_xticks(range(len(found)), [str(one["N"]) for one in found], size=8)
    axes.set_xlim(-0.6, len(found) - 0.4)
    axes.set_yscale("log")
    axes.set_ylim(1e-8, 3e-2)
    return figure


FIGURES = {
    "beyond/figures/right-by-input-size.png": draw_beyond,
    "beyond/figures/causes.png": draw_causes,
    "beyond/figures/proofs.png": draw_radii,
    "predictions/figures/rank-of-the-pair.png": draw_ranks,
    "predictions/figures/drift-and-use.png": draw_drift,
    "decoys/figures/dose-and-response.png": draw_doses,
    "decoys/figures/powers.png": draw_powers,
}
"""Files below results, and what draws them."""
