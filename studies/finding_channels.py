"""The numbers and figures of docs/findings about channel networks, from the records."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from primefourier.figures.style import (
    BLUE,
    GREEN,
    INK,
    VERMILLION,
    new_page,
    style_axes,
    write_labels,
    write_title,
)
from primefourier.lab.tables import Table, write_spread
from studies import channels, huge

NAMES = {
    "row-classifier": "the paper's network",
    "channels": "channel network",
    "crt-classifier": "perceptron, points",
}
_LOOKS = {
    "channels": (BLUE, "o"),
    "crt-classifier": (GREEN, "s"),
    "row-classifier": (VERMILLION, "X"),
}
_BASES = {"depth 1": "8 primes", "plan": "`plan`"}
_PAIRS = {"all": "all", str(channels.FEW): "2 000"}
_FAR = channels.ENDS[0]
_SIZE = (3.7, 2.7)
"""Inches of a panel."""
_SHOWN = (97, 127, 191, 257, 499, 1009)


@cache
def summary() -> dict[str, Any]:
    """Return the published counts and proofs."""
    found: dict[str, Any] = json.loads((channels.FOLDER / "summary.json").read_text())
    return found


@cache
def trained() -> list[dict[str, Any]]:
    """Return the published networks of all widths."""
    found: list[dict[str, Any]] = json.loads(huge.TARGET.read_text())["networks"]
    return found


def group(value: float) -> str:
    """Return an integer in groups of three digits.

    >>> group(17410)
    '17 410'
    """
    return f"{value:,.0f}".replace(",", " ")


def by_pairs(network: str) -> dict[int, dict[str, list[float]]]:
    """Return the accuracies of N = 385 at r = 500 with eight primes, by training pairs."""
    parts = [summary()["networks"][f"{network} {name}"] for name in ("samples", "depth 1 all")]
    return {
        cell["pairs"]: cell
        for part in parts
        for cell in part["cells"]
        if (cell["N"], cell["r"]) == (channels.MODULI[-1], 500)
    }


def count_right(part: dict[str, Any]) -> tuple[int, dict[str, int]]:
    """Count the networks of a study, and those right on each test set, without degenerate ones."""
    cells = [cell for cell in part["cells"] if 2 * (cell["r"] - 1) >= cell["N"]]
    right = {
        end: sum(value >= channels.RIGHT for cell in cells for value in cell[end])
        for end in ("accuracy", *channels.ENDS)
    }
    return sum(len(cell["accuracy"]) for cell in cells), right


def channel_blocks() -> Iterator[tuple[str, str]]:
    """Yield how the three networks do in range, beyond it and with few pairs, and the proofs."""
    rows, short = [], []
    for network, words in NAMES.items():
        pooled = []
        for base, base_words in _BASES.items():
            found = np.zeros(3, dtype=int)
            for pairs, pair_words in _PAIRS.items():
                part = summary()["networks"][f"{network} {base} {pairs}"]
                sizes = [cell["parameters"] for cell in part["cells"]]
                count, right = count_right(part)
                found += [count, right["accuracy"], right[_FAR]]
                rows.append(
                    [
                        words,
                        base_words,
                        pair_words,
                        "–".join(dict.fromkeys(map(group, (min(sizes), max(sizes))))),
                        str(count),
                        *(str(n) for n in right.values()),
                    ]
                )
            pooled += [f"{found[1]} of {found[0]}", str(found[2])]
        short.append([words, *pooled])
    columns = ["network", "basis", "pairs", "parameters", "networks", "in range", "10^6", "10^18"]
    yield "channels table", Table(columns, rows).markdown()
    columns = [f"{words}: {what}" for words in _BASES.values() for what in ("in range", "10^6")]
    yield "channels short", Table(["network", *columns], short).markdown()
    yield (
        "channels sentence",
        f"Networks with at least {channels.RIGHT:.0%} of the answers right, with the first powers "
        f"of eight primes and with the circles of `plan`, trained on all pairs and on "
        f"{group(channels.FEW)}:",
    )
    rows = [
        [words, *(write_spread(cell[_FAR]) for cell in by_pairs(network).values())]
        for network, words in NAMES.items()
    ]
    columns = ["training pairs", *map(group, by_pairs("channels"))]
    yield "channels samples", Table(columns, rows).markdown()
    proofs = summary()["proofs"]
    own = [one for one in proofs if one["trained on"] != "train_channels"]
    fresh = [one for one in proofs if one["trained on"] == "train_channels"]
    cases = [one["cases"] for one in proofs]
    yield (
        "channels proofs",
        f"`certify` proves for all integers {count_proved(own)} of {len(own)} "
        f"channel networks trained on {group(channels.FEW)} pairs below 500, and "
        f"{count_proved(fresh)} of {len(fresh)} trained by `train_channels`. Each "
        f"takes {min(cases)} to {max(cases)} cases. The smallest margin is "
        f"{min(one['margin'] for one in proofs):.2f}, the largest bound "
        f"{max(one['bound'] for one in proofs):.4f}.",
    )


def count_proved(certificates: list[dict[str, Any]]) -> int:
    """Return how many networks are proved."""
    return sum(one["status"] == "proved" for one in certificates)


def huge_blocks() -> Iterator[tuple[str, str]]:
    """Yield how small the network can be, how far unseen primes go, and the three predictions."""
    rows = []
    for hidden in huge.HIDDEN:
        some = [one for one in trained() if tuple(one["hidden"]) == hidden]
        rows.append(
            [
                " → ".join(map(str, hidden)),
                group(some[0]["parameters"]),
                ", ".join(group(one["wrong"]) for one in some),
                ", ".join(group(one["predicted wrong"]) for one in some),
                f"{max(one['margin'] for one in some):.2f}",
                f"{count_proved(some)} of {len(some)}",
            ]
        )
    columns = ["hidden", "parameters", "wrong", "predicted", "best margin", "proved"]
    yield "huge sizes", Table(columns, rows).markdown()
    proved = [one for one in trained() if one["status"] == "proved"]
    every = [
        hidden
        for hidden in huge.HIDDEN
        if all(one["status"] == "proved" for one in trained() if tuple(one["hidden"]) == hidden)
    ]
    sizes = {tuple(one["hidden"]): one["parameters"] for one in trained()}
    yield (
        "huge smallest",
        f"The smallest network that is proved has {group(min(o['parameters'] for o in proved))} "
        f"parameters; the smallest proved with every seed has "
        f"{group(min(sizes[hidden] for hidden in every))}.",
    )
    primes = [one["primes"] for one in trained() if "primes" in one]
    unseen = [[found[str(p)] for p in huge.UNSEEN] for found in primes]
    worst = max(abs(o["right"] - o["predicted"]) for found in unseen for o in found)
    whole = [
        max(p for p, one in zip(huge.UNSEEN, found, strict=True) if one["right"] == 1)
        for found in unseen
    ]
    ratios = [one["rms on seen residues"] / one["rms on random angles"] for one in trained()]
    many = [one for one in trained() if one["predicted wrong"] >= 100]
    factors = [max(q, 1 / q) for one in many for q in [one["wrong"] / one["predicted wrong"]]]
    yield (
        "huge predictions",
        f"Measured and predicted share differ by at most {worst:.4f} over {len(huge.UNSEEN)} "
        f"unseen primes and {len(primes)} seeds (predicted: less than 0.005). The root mean "
        f"square error on seen residues is {min(ratios):.3f} to {max(ratios):.3f} of that on all "
        f"angles (predicted: within 5 %). The number of wrong pairs is the predicted one within a "
        f"factor of {max(factors):.2f} in {len(many)} networks (predicted: 1.5).",
    )
    rows = [
        [
            words,
            *(
                "–".join(
                    dict.fromkeys(
                        f"{end(found[str(p)][name] for found in primes):.4f}" for end in (min, max)
                    )
                )
                for p in _SHOWN
            ),
        ]
        for words, name in (("right", "right"), ("predicted", "predicted"))
    ]
    yield "huge primes", Table(["prime", *map(str, _SHOWN)], rows).markdown()
    largest = [math.pi / one["largest on random angles"] for one in trained() if "primes" in one]
    yield (
        "huge reach",
        f"The largest error of a million random angles puts the first failing prime above "
        f"{group(min(largest))} to {group(max(largest))}, by seed; the largest unseen prime "
        f"without an error is {', '.join(map(str, whole))}.",
    )


def _panels(
    headings: Sequence[str], labels: Sequence[tuple[str, str]], *, title: str, key: Any
) -> tuple[Figure, list[Axes]]:
    """Return a figure with two panels, with labels below and beside each."""
    width, height = _SIZE
    figure, body = new_page(
        len(headings) * (width + 0.5), height + 0.6, title=title, caption="", key=key
    )
    panels = list(body.subplots(1, len(headings), squeeze=False).flat)
    for axes, heading, (across, up) in zip(panels, headings, labels, strict=True):
        write_title(axes, heading)
        style_axes(axes, grid="y")
        write_labels(axes, across=across, up=up)
    return figure, panels


def draw_channels() -> Figure:
    """Draw the accuracy of the three networks against the training pairs."""
    figure, panels = _panels(
        ["in range: 0 … 499", "near a million"],
        [("training pairs", "accuracy"), ("training pairs", "")],
        title="A network that cannot mix primes needs few pairs, and holds beyond the range",
        key=[
            (Line2D([], [], color=color, marker=marker), NAMES[name])
            for name, (color, marker) in _LOOKS.items()
        ],
    )
    for axes, test in zip(panels, ("accuracy", _FAR), strict=True):
        for network, (color, marker) in reversed(_LOOKS.items()):
            found = by_pairs(network)
            axes.plot([*found], [np.mean(c[test]) for c in found.values()], color=color, lw=1.6)
            for pairs, cell in found.items():
                axes.plot([pairs] * len(cell[test]), cell[test], marker, color=color, ms=5, lw=0)
        axes.set_xscale("log")
        ticks = list(by_pairs("channels"))
        axes.set_xticks(ticks, [group(pairs) for pairs in ticks], size=8, rotation=35)
        axes.minorticks_off()
        axes.set_ylim(-0.04, 1.06)
    return figure


def draw_huge() -> Figure:
    """Draw the share of right pairs against the prime, and wrong pairs against parameters."""
    figure, (left, right) = _panels(
        ["right pairs of residues, 128 → 128", "wrong pairs of 16 752, by size"],
        [("prime p", "share of right pairs"), ("parameters", "wrong pairs")],
        title="One map of angles, for all primes: p fails where the error exceeds π/p",
        key=[
            (Line2D([], [], color=BLUE, marker="o", lw=0), "measured"),
            (Line2D([], [], color=INK, lw=1.2), "predicted from random angles"),
            (Line2D([], [], mfc="white", mec=BLUE, marker="s", lw=0), "one hidden layer"),
        ],
    )
    for found in (one["primes"] for one in trained() if "primes" in one):
        primes = [int(p) for p in found]
        left.plot(primes, [one["predicted"] for one in found.values()], color=INK, lw=1, zorder=1)
        left.plot(primes, [one["right"] for one in found.values()], "o", color=BLUE, ms=4, lw=0)
    left.axvline(huge.SEEN.primes[-1], color=INK, lw=0.8, ls=":")
    left.text(huge.SEEN.primes[-1] * 1.05, 0.1, "unseen →", size=9, color=INK)
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


CHANNEL_FIGURES = {
    "channels/figures/few-pairs.png": draw_channels,
    "channels/figures/huge.png": draw_huge,
}
"""Files below results, and what draws them."""


def blocks() -> dict[str, str]:
    """Return the text of every block by its name."""
    return {name: text for make in (channel_blocks, huge_blocks) for name, text in make()}
