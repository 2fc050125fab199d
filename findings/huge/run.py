"""The numbers and the figure of docs/findings/huge.md."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from findings.huge.train import HIDDEN, SEEN, UNSEEN
from findings.panels import BLUE, INK, make_panels
from findings.runs import read_json
from findings.text import several, spaced, span, table

_SHOWN = (97, 127, 191, 257, 499, 1009)


def trained() -> list[dict[str, Any]]:
    """Return the published networks of all widths."""
    found: list[dict[str, Any]] = read_json("huge/huge.json")["networks"]
    return found


def blocks() -> Iterator[tuple[str, str]]:
    """Yield how small the network can be, how far unseen primes go, and the three predictions."""
    rows = []
    for hidden in HIDDEN:
        some = [one for one in trained() if tuple(one["hidden"]) == hidden]
        rows.append(
            [
                " → ".join(map(str, hidden)),
                spaced(some[0]["parameters"]),
                ", ".join(spaced(one["wrong"]) for one in some),
                ", ".join(spaced(one["predicted wrong"]) for one in some),
                f"{max(one['margin'] for one in some):.2f}",
                f"{sum(one['status'] == 'proved' for one in some)} of {len(some)}",
            ]
        )
    columns = ["hidden", "parameters", "wrong", "predicted", "best margin", "proved"]
    yield "huge sizes", table(columns, rows)
    proved = [one for one in trained() if one["status"] == "proved"]
    every = [
        hidden
        for hidden in HIDDEN
        if all(one["status"] == "proved" for one in trained() if tuple(one["hidden"]) == hidden)
    ]
    sizes = {tuple(one["hidden"]): one["parameters"] for one in trained()}
    yield (
        "huge smallest",
        f"The smallest network that is proved has {spaced(min(o['parameters'] for o in proved))} "
        "parameters. The smallest that is proved with every seed has "
        f"{spaced(min(sizes[hidden] for hidden in every))}.",
    )
    primes = [one["primes"] for one in trained() if "primes" in one]
    unseen = [[found[str(p)] for p in UNSEEN] for found in primes]
    worst = max(abs(o["right"] - o["predicted"]) for found in unseen for o in found)
    whole = [
        max(p for p, one in zip(UNSEEN, found, strict=True) if one["right"] == 1)
        for found in unseen
    ]
    ratios = [one["rms on seen residues"] / one["rms on random angles"] for one in trained()]
    many = [one for one in trained() if one["predicted wrong"] >= 100]
    factors = [max(q, 1 / q) for one in many for q in [one["wrong"] / one["predicted wrong"]]]
    yield (
        "huge lead",
        f"The share of right pairs is predicted to {worst:.4f} or better for {len(UNSEEN)} primes "
        "that the network never saw.",
    )
    yield (
        "huge predictions",
        table(
            ["", "committed prediction", "measured"],
            [
                [
                    f"measured less predicted share, {len(UNSEEN)} primes, {len(primes)} seeds",
                    "below 0.005",
                    f"at most {worst:.4f}",
                ],
                [
                    "root mean square error on seen residues, over that on all angles",
                    "0.95–1.05",
                    span(ratios, ".3f"),
                ],
                [
                    f"wrong pairs over predicted ones, {len(many)} networks",
                    "within a factor of 1.5",
                    f"within a factor of {max(factors):.2f}",
                ],
            ],
        ),
    )
    rows = [
        [
            words,
            *(span([found[str(p)][name] for found in primes], ".4f") for p in _SHOWN),
        ]
        for words, name in (("right", "right"), ("predicted", "predicted"))
    ]
    yield "huge primes", table(["prime", *_SHOWN], rows)
    largest = [math.pi / one["largest on random angles"] for one in trained() if "primes" in one]
    yield (
        "huge reach",
        "By the largest error of a million random angles, the first failing prime is above "
        f"{span(largest, '.0f')}. By seed, the largest unseen prime without an error is "
        f"{several(whole)}.",
    )


def draw_huge() -> Figure:
    """Draw the share of right pairs against the prime, and wrong pairs against parameters."""
    figure, (left, right) = make_panels(
        ["right pairs of residues, 128 → 128", "wrong pairs of 16 752, by size"],
        title="One map of angles, for all primes: p fails where the error exceeds π/p",
        key=[
            (Line2D([], [], color=BLUE, marker="o", lw=0), "measured"),
            (Line2D([], [], color=INK, lw=1.2), "predicted from random angles"),
            (Line2D([], [], mfc="white", mec=BLUE, marker="s", lw=0), "one hidden layer"),
        ],
        across=["prime p", "parameters"],
        up=["share of right pairs", "wrong pairs"],
    )
    for found in (one["primes"] for one in trained() if "primes" in one):
        primes = [int(p) for p in found]
        left.plot(primes, [one["predicted"] for one in found.values()], color=INK, lw=1, zorder=1)
        left.plot(primes, [one["right"] for one in found.values()], "o", color=BLUE, ms=4, lw=0)
    left.axvline(SEEN.primes[-1], color=INK, lw=0.8, ls=":")
    left.text(SEEN.primes[-1] * 1.05, 0.1, "unseen →", size=9, color=INK)
    left.set_xscale("log")
    left.set_xticks([3, 10, 30, 59, 100, 300, 1000], ["3", "10", "30", "59", "100", "300", "1000"])
    left.minorticks_off()
    left.set_ylim(0, 1.04)
    for one in trained():
        look: dict[str, Any] = {"marker": "o", "color": BLUE, "ms": 5}
        if len(one["hidden"]) == 1:
            look = {"marker": "s", "mfc": "white", "mec": BLUE, "ms": 5}
        right.plot(one["parameters"], one["wrong"], zorder=2, **look)
        right.plot(one["parameters"], one["predicted wrong"], "_", color=INK, ms=9, zorder=1)
    right.set_xscale("log")
    right.set_yscale("symlog", linthresh=1)
    right.set_ylim(-0.3, 30_000)
    return figure


FIGURES = {"huge.png": draw_huge}
