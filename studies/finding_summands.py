"""The numbers and the figure of docs/findings/summands.md."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from primefourier.figures.style import GREEN, INK, VERMILLION, new_page, style_axes, write_labels
from studies.finding_paper import spaced
from studies.finding_studies import RESULTS, several, table
from studies.summands import NEAR, PUBLISHED, TERMS


@cache
def summands() -> dict[str, Any]:
    """Return what was measured of sums of many terms."""
    found: dict[str, Any] = json.loads((RESULTS / "channels" / "summands.json").read_text())
    return found


def summand_blocks() -> dict[str, str]:
    """Return how exact sums of many terms are."""
    found = summands()
    sums, samples, combined = found["sums"], found["samples"], found["combined"]
    exact = round(sum(one["rounded"]["exact"] for one in sums) * samples)
    mixed = round(sum(one["combination"]["exact"] for one in sums) * combined)
    moduli = [spaced(q) for q in dict.fromkeys(one["q"] for one in sums)]
    terms = sorted({one["k"] for one in sums})
    sentence = (
        f"The adder has {spaced(found['parameters'])} parameters, saw {spaced(found['pairs'])} "
        f"pairs, and is {found['status']} (smallest margin "
        f"{found['margin']:.2f}). For k = {several(terms)} and q = {several(moduli)}, "
        f"{spaced(exact)} of {spaced(samples * len(sums))} rounded sums are exact, and "
        f"{spaced(mixed)} of {spaced(combined * len(sums))} linear combinations."
    )
    largest = max(one["q"] for one in sums)
    rows = [
        [
            one["k"],
            *(f"{one[how]['exact']:.3f}" for how in ("rounded", "combination", "raw")),
            f"{one['raw']['circular']:.3f}",
            f"{one['raw']['within']:.3f}",
        ]
        for one in sums
        if one["q"] == largest
    ]
    columns = ["k", "rounded: exact", "combination: exact", "raw: exact", "circular", "within 0.05"]
    return {"summands sentence": sentence, "summands table": table(columns, rows)}


def draw_summands() -> Figure:
    """Draw the accuracy of rounded and raw sums against the number of terms."""
    found = summands()["sums"]
    largest = found[-1]["q"]
    published: dict[str, Any] = {"marker": "D", "mfc": "white", "mec": INK, "lw": 0, "ms": 7}
    key = [
        (
            Line2D([], [], color=GREEN, marker="o"),
            "points moved to the nearest residues in between",
        ),
        (Line2D([], [], color=VERMILLION, marker="X"), "points passed on as they are"),
        (Line2D([], [], **published), f"published network, share within {NEAR} of q"),
    ]
    title = f"Sums stay exact if points are rounded (q = {spaced(largest)})"
    figure, body = new_page(5.4, 3.5, title=title, caption="", key=key)
    axes = body.subplots()
    for how, color, marker in (("rounded", GREEN, "o"), ("raw", VERMILLION, "X")):
        shown = [(one["k"], one[how]["exact"]) for one in found if one["q"] == largest]
        axes.plot(*zip(*shown, strict=True), color=color, marker=marker, lw=1.8, ms=7)
    axes.plot(TERMS[-1], PUBLISHED, **published)
    axes.set_xscale("log", base=2)
    ticks = sorted({one["k"] for one in found})
    axes.set_xticks(ticks, [str(k) for k in ticks])
    axes.set_ylim(0, 1.06)
    style_axes(axes, grid="y")
    write_labels(axes, across="number of terms k", up="share of exact sums")
    return figure


FIGURES = {"channels/figures/summands.png": draw_summands}
"""Files below results, and what draws them."""
