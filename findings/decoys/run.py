"""The numbers and figures of docs/findings/decoys.md and powers.md."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from findings.beyond import counts as beyond
from findings.decoys.study import DRIFTS, HARMONICS, RANGE, REMEDIES, RIGHT, USED, studies
from findings.panels import BLUE, GREY, INK, PALE, VERMILLION, make_panels
from findings.predictions import rules as predictions
from findings.probes.networks import group, read_networks
from findings.runs import FAR, run_of
from findings.statistics import interval
from findings.text import several, share, table

Doses = dict[float, tuple[int, int, int]]
"""For each drift how many networks use the decoy, fail near a million, and there are."""


def blocks() -> Iterator[tuple[str, str]]:
    """Yield dose, response and remedies, and whether powers are used that divide N."""
    yield from decoy_blocks()
    yield from power_blocks()


def doses(name: str) -> Doses:
    """Return what networks of a study make of the decoy."""
    run = run_of("decoys")
    records = {record.config.key: record for record in run.records if record.error is None}
    found: dict[float, list[tuple[bool, bool]]] = {}
    (study,) = (study for study in run.studies if study.name == name)
    for config in study.configs:
        if record := records.get(config.key):
            modulus, period = config.task.modulus, config.embedding.periods[-1]
            # From the record alone: the drift is not stored, it is what the period makes of it.
            drift = RANGE * (1 / period - HARMONICS[modulus] / modulus)
            used = record.row_drops("permute")[-1] > USED
            fails = record.measured.accuracy_beyond[FAR] < RIGHT
            found.setdefault(round(drift, 6), []).append((used, fails))
    return {
        drift: (sum(u for u, _ in some), sum(f for _, f in some), len(some))
        for drift, some in sorted(found.items())
    }


def decoy_blocks() -> Iterator[tuple[str, str]]:
    """Yield dose, response and remedies as tables."""
    planned = {config.key for study in studies for config in study.configs}
    trained = planned & {record.config.key for record in run_of("decoys").records}
    yield "decoys progress", f"{len(trained)} of {len(planned)} networks are trained."
    dose = {modulus: doses(f"dose {modulus}") for modulus in HARMONICS}
    rows = [
        [f"{drift:g}", *(cell for one in dose.values() for cell in use_and_fail(one[drift]))]
        for drift in DRIFTS
    ]
    columns = [f"{what}, N = {n}" for n in dose for what in ("use the decoy", "fail near 10^6")]
    yield "decoys dose", table(["drift in turns", *columns], rows)
    rows = [
        [words, f"{drift:g}", *use_and_fail(counts)]
        for words in REMEDIES
        for drift, counts in doses(f"remedy {words}").items()
    ]
    columns = ["training", "drift at r = 500", "use the decoy", "fail near 10^6"]
    yield "decoys remedies", table(columns, rows)
    at = {drift: [one[drift] for one in dose.values()] for drift in DRIFTS}
    every = [d for d in DRIFTS if d and all(used == size for used, _, size in at[d])]
    none = [d for d in DRIFTS if not any(used for used, _, _ in at[d])]
    used, failed, size = (sum(counts) for counts in zip(*at[0.0], strict=True))
    yield (
        "decoys threshold",
        f"Up to a drift of {max(every):g} turns every network uses the decoy. From a drift of "
        f"{min(none):g} turns on, none of {sum(size for d in none for _, _, size in at[d])} does.",
    )
    yield (
        "decoys harmless",
        f"At drift 0, {used} of {size} networks use the decoy, and {failed} fail.",
    )
    near = {words: doses(f"remedy {words}")[0.1] for words in REMEDIES}
    rows = [[words, f"{used} of {size}"] for words, (used, _, size) in near.items()]
    yield "decoys helps", table(["training", "networks that use the decoy"], rows)


def use_and_fail(counts: tuple[int, int, int]) -> tuple[str, str]:
    """Return how many networks use the decoy and fail, with intervals."""
    used, failed, size = counts
    return share(used, size), share(failed, size)


@cache
def power_drops() -> dict[int, list[tuple[int, bool, list[float]]]]:
    """Return per modulus each block's period, whether N needs it, and its drop in each network."""
    drops: dict[int, list[tuple[int, bool, list[float]]]] = {}
    for modulus, networks in group(read_networks("decoys"), lambda n: n.modulus).items():
        by_block = zip(*(n.drops("permute", blocks=True) for n in networks), strict=True)
        drops[modulus] = [
            (period, modulus % period == 0, list(values))
            for period, values in zip(networks[0].periods, by_block, strict=True)
        ]
    return drops


def power_blocks() -> Iterator[tuple[str, str]]:
    """Yield whether the blocks that a modulus with square factors needs are used."""
    rows, kept, broken = [], 0, []
    for modulus, found in power_drops().items():
        needed = {period: min(drops) for period, need, drops in found if need}
        others = {period: max(drops) for period, need, drops in found if not need}
        other = max(others, key=lambda period: others[period])
        least = ", ".join(f"{period}: {drop:.2f}" for period, drop in needed.items())
        rows.append([modulus, len(found[0][2]), least, f"{other}: {others[other]:.3f}"])
        unused = [period for period, drop in needed.items() if drop <= USED]
        misused = [period for period, drop in others.items() if drop > USED]
        kept += not unused and not misused
        broken += [f"{period} for N = {modulus}" for period in (*unused, *misused)]
    columns = ["N", "networks", "period needed: smallest drop", "most used other period: drop"]
    yield "powers table", table(columns, rows)
    yield (
        "powers sentence",
        f"For {kept} of {len(rows)} moduli, in every network, the circles that are used are "
        "exactly those whose period divides N.",
    )
    yield (
        "powers exceptions",
        f"Trained with r = 1000. A circle is used if replacing it costs more than {USED}. "
        f"Exceptions: {several(broken) if broken else 'none'}.",
    )
    records = run_of("decoys").records
    deep = [record for record in records if record.config.embedding.name == "prime-fourier"]
    right = sum(min(r.measured.accuracy_beyond.values()) >= beyond.RIGHT for r in deep)
    yield (
        "deep but right",
        f"{right} of {len(deep)} networks with six powers of six primes, for N = "
        f"{several(sorted(power_drops()))} and r = {deep[0].config.task.input_range} "
        "([powers](powers.md)), are right up to 10^18.",
    )
    rows = [
        ["beyond the range, two causes", f"{beyond.RIGHT:.0%}", beyond.USED],
        ["decoys, powers", f"{RIGHT:.0%}", USED],
        ["predictions", f"{predictions.RIGHT:.0%}", predictions.USED],
    ]
    yield "thresholds", table(["pages", "right from", "used above a drop of"], rows)


def draw_doses() -> Figure:
    """Draw the share of networks that use the decoy, and that fail, against its drift."""
    looks: dict[str, dict[str, Any]] = {
        "use the decoy": {"color": VERMILLION, "marker": "o", "ms": 7},
        "fail near a million": {"color": INK, "marker": "o", "ms": 11, "mfc": "none"},
    }
    figure, panels = make_panels(
        [f"N = {n}: 1/T ≈ {k}/{n}" for n, k in HARMONICS.items()],
        title="A decoy is used if it drifts little below r",
        key=[(Line2D([], [], lw=0, **look), words) for words, look in looks.items()],
        up="share of networks",
        across="drift in turns below r (and none from 0.4 to 3.2)",
        share_y=True,
    )
    for axes, modulus in zip(panels, HARMONICS, strict=True):
        for drift, (used, fail, size) in doses(f"dose {modulus}").items():
            if drift <= 0.4:  # a true scale; every share beyond is 0, as at 0.4
                for count, look in zip((used, fail), looks.values(), strict=True):
                    axes.vlines(drift, *interval(count, size), color=look["color"], lw=1.2)
                    axes.plot(drift, count / size, **look)
        axes.set_ylim(-0.06, 1.08)
    return figure


def draw_powers() -> Figure:
    """Draw the drop of every block for moduli with square factors."""
    found = power_drops()
    outline = Line2D([], [], mfc="white", mec=GREY, marker="o", lw=0)
    figure, (axes,) = make_panels(
        ["each dot is one circle of one network"],
        title="Powers are used where they divide N",
        key=[
            (Line2D([], [], color=BLUE, marker="o", lw=0), "period divides N (labelled)"),
            (outline, "period does not divide N"),
        ],
        up="drop without the circle",
        across="modulus N",
    )
    for x, circles in enumerate(found.values()):
        needed = [(period, drops) for period, need, drops in circles if need]
        rest = [drop for _, need, drops in circles if not need for drop in drops]
        if x:
            axes.axvline(x - 0.5, color=PALE, lw=0.6)
        axes.plot([x] * len(rest), rest, "o", mfc="white", mec=GREY, ms=4, lw=0)
        for i, (period, drops) in enumerate(needed):
            place = x + 0.19 * (i - (len(needed) - 1) / 2)
            axes.plot([place] * len(drops), drops, "o", color=BLUE, ms=4, lw=0)
            axes.text(place, max(drops) + 0.03, str(period), ha="center", size=7, color=INK)
    axes.set_xticks(range(len(found)), [str(n) for n in found])
    axes.set_xlim(-0.5, len(found) - 0.5)
    axes.set_ylim(-0.04, 1.0)
    return figure


FIGURES = {"dose-and-response.png": draw_doses, "powers.png": draw_powers}
