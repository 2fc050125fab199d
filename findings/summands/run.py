"""The numbers and the figure of docs/findings/summands.md."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from findings.panels import BLUE, INK, VERMILLION, make_panels
from findings.runs import read_json
from findings.summands.train import NEAR, PUBLISHED, TERMS
from findings.text import several, spaced, table


def blocks() -> Iterator[tuple[str, str]]:
    """Yield how exact sums of many terms are."""
    found = read_json("summands/summands.json")
    sums, samples, combined = found["sums"], found["samples"], found["combined"]
    exact = round(sum(one["rounded"]["exact"] for one in sums) * samples)
    mixed = round(sum(one["combination"]["exact"] for one in sums) * combined)
    moduli = [spaced(q) for q in dict.fromkeys(one["q"] for one in sums)]
    terms = sorted({one["k"] for one in sums})
    yield (
        "summands lead",
        f"{spaced(exact)} of {spaced(samples * len(sums))} sums of up to {max(terms)} terms are "
        "exact.",
    )
    sentence = (
        f"The adder has {spaced(found['parameters'])} parameters and saw {spaced(found['pairs'])} "
        f"pairs. It is {found['status']}, with a smallest margin of {found['margin']:.2f}. Sums "
        f"are tried for k = {several(terms)} and q = {several(moduli)}. Of linear combinations, "
        f"{spaced(mixed)} of {spaced(combined * len(sums))} are exact, too."
    )
    yield "summands sentence", sentence
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
    yield "summands table", table(columns, rows)


def draw_summands() -> Figure:
    """Draw the accuracy of rounded and raw sums against the number of terms."""
    found = read_json("summands/summands.json")["sums"]
    largest = found[-1]["q"]
    published: dict[str, Any] = {"marker": "D", "mfc": "white", "mec": INK, "lw": 0, "ms": 7}
    key = [
        (
            Line2D([], [], color=BLUE, marker="o"),
            "points moved to the nearest residues in between",
        ),
        (Line2D([], [], color=VERMILLION, marker="X"), "points passed on as they are"),
        (Line2D([], [], **published), f"published network, share within {NEAR} of q"),
    ]
    title = f"Sums stay exact if points are rounded (q = {spaced(largest)})"
    figure, (axes,) = make_panels(
        [""], title=title, key=key, across="number of terms k", up="share of exact sums", widths=[5]
    )
    for how, color, marker in (("rounded", BLUE, "o"), ("raw", VERMILLION, "X")):
        shown = [(one["k"], one[how]["exact"]) for one in found if one["q"] == largest]
        axes.plot(*zip(*shown, strict=True), color=color, marker=marker, lw=1.8, ms=7)
    axes.plot(TERMS[-1], PUBLISHED, **published)
    axes.set_xscale("log", base=2)
    ticks = sorted({one["k"] for one in found})
    axes.set_xticks(ticks, [str(k) for k in ticks])
    axes.set_ylim(0, 1.06)
    return figure


FIGURES = {"summands.png": draw_summands}
