"""The numbers and the figure of docs/findings/products.md."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from primefourier.figures.style import (
    BLUE,
    VERMILLION,
    new_page,
    style_axes,
    write_labels,
    write_title,
)
from primefourier.lab.record import Record
from studies import products
from studies.finding_studies import FAR, run_of, several, table

BASES = {
    "characters": "characters of N",
    "circles": "circles of N",
    "paper": "the paper's circles",
    "eight characters": "characters of more primes",
}


@cache
def records(study: str) -> list[Record]:
    """Return the records of a study of products."""
    run = run_of("products")
    keys = {c.key for one in run.studies if one.name == study for c in one.configs}
    return [record for record in run.records if record.config.key in keys and record.error is None]


def _mean(chosen: list[Record], end: str | None = None) -> float:
    values = [r.measured.accuracy_beyond[end] if end else r.measured.accuracy for r in chosen]
    return float(np.mean(values))


def product_blocks() -> dict[str, str]:
    """Return how products are learned by basis, and where fixed primes stop helping."""
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
    planned = products.studies[-1].configs[0]  # the task of a record need not be known here
    basis = planned.embedding.basis
    seen = {m: means[m] for m in planned.task.moduli if basis.range % m == 0}
    low, where = min(
        (record.measured.accuracy_beyond[f"{m} beyond"], m) for record in remainders for m in seen
    )
    rest = [f"{m}: {value:.2f}" for m, value in means.items() if m not in seen]
    proofs = json.loads(products.PROOFS.read_text())
    proved = {base: [one for one in proofs if one["base"] == base] for base in products.BASES[:2]}
    own, circles = (
        f"{sum(one['status'] == 'proved' for one in some)} of {len(some)}"
        for some in proved.values()
    )
    failing = {one["N"] for one in proved["circles"] if one["status"] != "proved"}
    return {
        "products proofs": (
            f"`analysis.certify` proves {own} networks with characters of N for all integers, "
            f"and {circles} with circles; the others are wrong for some residues modulo "
            f"{several(sorted(failing))}."
        ),
        "products table": table(["N", *BASES.values()], rows),
        "products sentence": (
            f"Accuracy in range (r = 500) / near a million, means over seeds {several(seeds)}. In "
            f"{len(many)} networks with characters of further primes, {sum(unneeded)} of "
            f"{len(unneeded)} rows without need cost more than 0.02."
        ),
        "products inputs": (
            "With the primes 3 … 23 the mean accuracy near a million is at least "
            f"{min(seen.values()):.2f} for each m that was trained and has its primes in the "
            f"basis: {several(sorted(seen))}. The lowest of a single network is {low:.3f} "
            f"(m = {where}). Means for other m: {', '.join(rest)}. The basis "
            "has the primes of 35."
        ),
    }


def draw_products() -> Figure:
    """Draw the accuracy against the number of examples, for characters and circles."""
    looks = {"characters": (BLUE, "o"), "circles": (VERMILLION, "X")}
    key = [
        (Line2D([], [], color=color, marker=marker), f"{BASES[base]}, one dot per seed")
        for base, (color, marker) in looks.items()
    ]
    title = "Products are learned from few examples where they are rotations"
    figure, body = new_page(8.2, 3.2, title=title, caption="", key=key)
    places = sorted({record.config.task.modulus for record in records("few examples characters")})
    panels = body.subplots(1, len(places), sharey=True, squeeze=False)[0]
    for i, (axes, n) in enumerate(zip(panels, places, strict=True)):
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
        style_axes(axes, grid="y")
        write_title(axes, f"a·b mod {n}")
        up = "" if i else "accuracy near a million"
        write_labels(axes, across="examples drawn", up=up)
    return figure


FIGURES = {"products/figures/few-examples.png": draw_products}
"""Files below results, and what draws them."""
