"""The numbers and the figure of docs/findings/products.md."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from findings.panels import BLUE, VERMILLION, make_panels
from findings.products import study
from findings.runs import FAR, read_json, run_of
from findings.text import several, table
from primefourier import lab

BASES = {
    "characters": "characters of N",
    "circles": "circles of N",
    "paper": "the paper's circles",
    "eight characters": "characters of more primes",
}
_YES = {True: "yes", False: "no"}


@cache
def records(name: str) -> list[lab.Record]:
    """Return the records of a study of products."""
    run = run_of("products")
    keys = {c.key for one in run.studies if one.name == name for c in one.configs}
    return [record for record in run.records if record.config.key in keys and record.error is None]


def _mean(chosen: list[lab.Record], end: str | None = None) -> float:
    values = [r.measured.accuracy_beyond[end] if end else r.measured.accuracy for r in chosen]
    return float(np.mean(values))


def blocks() -> Iterator[tuple[str, str]]:
    """Yield how products are learned by basis, and where fixed primes stop helping."""
    rows: list[list[object]] = []
    moduli = sorted({record.config.task.modulus for record in records("characters")})
    for n in moduli:
        row: list[object] = [n]
        for base in BASES:
            some = [record for record in records(base) if record.config.task.modulus == n]
            row.append(f"{_mean(some):.2f} / {_mean(some, FAR):.2f}")
        rows.append(row)
    seeds = sorted({record.config.seed for record in records("characters")})
    many = records("eight characters")
    unneeded = [
        drop > 0.02
        for record in many
        for name, drop in zip(record.measured.row_names, record.row_drops("permute"), strict=True)
        if name not in (record.measured.relevant or ())
    ]
    (first, *_) = remainders = records("modulus as input")
    ends = [end for end in first.measured.accuracy_beyond if end.endswith("beyond")]
    means = {int(end.split()[0]): _mean(remainders, end) for end in ends}
    planned = study.studies[-1].configs[0]  # the task of a record need not be known here
    basis = planned.embedding.basis
    seen = [m for m in planned.task.moduli if basis.range % m == 0]
    low, where = min(
        (record.measured.accuracy_beyond[f"{m} beyond"], m) for record in remainders for m in seen
    )
    proofs = read_json("products/proofs.json")
    proved = {base: [one for one in proofs if one["base"] == base] for base in study.BASES[:2]}
    own, circles = (
        f"{sum(one['status'] == 'proved' for one in some)} of {len(some)}"
        for some in proved.values()
    )
    failing = {one["N"] for one in proved["circles"] if one["status"] != "proved"}
    yield (
        "products proofs",
        f"With characters of N, {own} networks are proved right for all integers. With circles of "
        f"N, {circles} are; the others are wrong for some residues modulo "
        f"{several(sorted(failing))}.",
    )
    yield "products table", table(["N", *BASES.values()], rows)
    yield (
        "products sentence",
        f"Accuracies are means over seeds {several(seeds)}, and *in range* is r = 500. Of the rows "
        f"without need of networks with characters of further primes, {sum(unneeded)} of "
        f"{len(unneeded)} cost more than 0.02.",
    )
    yield (
        "products inputs",
        table(
            ["m", "trained", "its primes are in the basis", "accuracy near a million"],
            [
                [m, _YES[m in planned.task.moduli], _YES[basis.range % m == 0], f"{value:.2f}"]
                for m, value in sorted(means.items())
            ],
        )
        + "\n\nThe primes are 3 … 23, and accuracies are means. Where m is trained and its primes "
        f"are in the basis, the lowest accuracy of a single network is {low:.3f} (m = {where}).",
    )


def draw_products() -> Figure:
    """Draw the accuracy against the number of examples, for characters and circles."""
    looks = {"characters": (BLUE, "o"), "circles": (VERMILLION, "X")}
    key = [
        (Line2D([], [], color=color, marker=marker), f"{BASES[base]}, one dot per seed")
        for base, (color, marker) in looks.items()
    ]
    places = sorted({record.config.task.modulus for record in records("few examples characters")})
    figure, panels = make_panels(
        [f"a·b mod {n}" for n in places],
        title="Products are learned from few examples where they are rotations",
        key=key,
        across="examples drawn",
        up="accuracy near a million",
        share_y=True,
    )
    for axes, n in zip(panels, places, strict=True):
        for base, (color, marker) in looks.items():
            some = [r for r in records(f"few examples {base}") if r.config.task.modulus == n]
            dots = [(r.config.task.samples, r.measured.accuracy_beyond[FAR]) for r in some]
            axes.plot(*zip(*dots, strict=True), marker, color=color, ms=5, lw=0)
            sizes = sorted({size for size, _ in dots})
            means = [np.mean([value for at, value in dots if at == size]) for size in sizes]
            axes.plot(sizes, means, color=color, lw=1.6)
        axes.set_xscale("log")
        axes.set_xticks(sizes, [str(size) for size in sizes], size=8)
        axes.minorticks_off()
        axes.set_ylim(0, 1.05)
    return figure


FIGURES = {"few-examples.png": draw_products}
