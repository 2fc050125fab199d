"""The numbers and the figure of docs/findings/proofs.md, from the published certificates."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from findings.panels import BLUE, INK, make_panels
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
    proved = sum(one["status"] == "proved" for one in found)
    yield (
        "certificates lead",
        f"For {proved} of {len(found)} moduli a network is proved to be right for all integers.",
    )
    sentence = (
        f"They take {found[0]['cases']} to {found[-1]['cases']} cases each. The smallest margin is "
        f"{min(one['margin'] for one in found):.1f}. Rounding changes no margin by more than "
        f"{max(one['bound'] for one in found):.3f}. Every number of a code may move by at least "
        f"{min(one['radius'] for one in found):.1e}. So codes in float16 are covered, which are "
        "off by at most 4.9e-04."
    )
    yield "certificates sentence", sentence


def draw_margins() -> Figure:
    """Draw the smallest lead of a right logit of each network, and what rounding can change."""
    found = read_json("proofs/certificates.json")
    looks = {"margin": BLUE, "bound": INK}
    words = ("smallest lead of a right logit", "most that rounding can change it")
    figure, (axes,) = make_panels(
        ["ten networks, right on all N² pairs of residues"],
        title="Every right answer leads by far more than rounding can take away",
        key=[
            (Line2D([], [], color=color, marker="o", lw=0), text)
            for color, text in zip(looks.values(), words, strict=True)
        ],
        up="difference of logits",
        across="modulus N",
        widths=[5.5],
    )
    for name, color in looks.items():
        axes.plot([one["N"] for one in found], [one[name] for one in found], "o", color=color, ms=7)
    axes.set_xscale("log")
    axes.set_xticks(ticks := (15, 33, 77, 165, 385), list(map(str, ticks)))
    axes.minorticks_off()
    axes.set_yscale("log")
    axes.set_ylim(1e-3, 100)
    return figure


FIGURES = {"proofs.png": draw_margins}
