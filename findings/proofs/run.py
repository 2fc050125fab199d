"""The numbers and the figure of docs/findings/proofs.md, from the published certificates."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from findings.panels import GREEN, INK, make_panels
from findings.runs import read_json
from findings.text import number, table


def blocks() -> Iterator[tuple[str, str]]:
    """Yield the certificates as a table."""
    found = read_json("proofs/certificates.json")
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


def draw_radii() -> Figure:
    """Draw how far the codes of each proved network may move, beside the units of three dtypes."""
    found = read_json("proofs/certificates.json")
    figure, (axes,) = make_panels(
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


FIGURES = {"proofs.png": draw_radii}
