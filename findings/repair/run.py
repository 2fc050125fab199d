"""The numbers and the figure of docs/findings/two-causes.md: what repairs networks that fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from findings.panels import BLUE, GREEN, INK, PALE, PURPLE, VERMILLION, make_panels
from findings.predictions.run import clustered
from findings.repair.measure import FEW, read
from findings.runs import FAR
from findings.statistics import interval
from findings.text import several, span, table

RIGHT = 0.99
"""A network is right on a test set if at least this share of its answers is."""
PLANNED, FAILING = 340, 277
"""The networks to measure, and those of them that fail by the published records."""
CAUSES = {
    "slow": "slow circles",
    "alias": "look-alikes",
    "both": "only both together",
    "neither": "both, and still wrong",
}
Network = dict[str, Any]


SLOW = {
    "slow": "slow circles",
    "slow, own primes": "those of N's primes",
    "slow, other primes": "those of other primes",
    "fast": "fast needless circles",
}
WRONG_HANDS = ("both, no offset", "alias put back")


def far(one: Network, way: str, *, place: str = "far") -> float:
    """Return an accuracy near a million, or elsewhere, with other hands."""
    counts = one["right"][place]
    # without an alias nothing is moved
    known = {"alias": "trained", "both": "slow"}.get(way, "trained")
    return float(counts.get(way, counts[known]) / one["size"])


def wraps(one: Network) -> bool:
    """Return whether a sum of two training inputs reaches N."""
    return bool(2 * (one["r"] - 1) >= one["N"])


def fails(one: Network) -> bool:
    """Return whether a network fails near a million, as published."""
    right, size = one["published"][FAR]
    return bool(right / size < RIGHT)


def cause(one: Network) -> str:
    """Return the first repair that makes a network right near a million."""
    return next((way for way in ("slow", "alias", "both") if far(one, way) >= RIGHT), "neither")


@cache
def measured() -> dict[str, list[Network]]:
    """Return the networks measured so far: those that fail, and others by what sets them apart."""
    found: dict[str, list[Network]] = {
        name: [] for name in ("fail", "no sum wraps", "right again", "not learned again", "right")
    }
    for one in read():
        name = "fail" if fails(one) else "right"
        if fails(one) and not wraps(one):
            name = "no sum wraps"
        elif far(one, "trained", place="inside") < RIGHT:
            name = "not learned again"
        elif fails(one) and far(one, "trained") >= RIGHT:
            name = "right again"
        found[name].append(one)
    return found


def share(some: list[Network], holds: Callable[[Network], bool]) -> str:
    """Return how many networks a statement holds for, with an interval by (N, r).

    Pairs (N, r) are drawn again. Where all networks agree this shows no spread; then the interval
    is Clopper and Pearson's, with one observation for each pair.
    """
    if not some:
        return "–"
    hits = [((one["N"], one["r"]), holds(one)) for one in some]
    if len({hit for _, hit in hits}) == 2:
        return clustered(hits)
    pairs = len(dict(hits))
    low, high = interval(pairs if hits[0][1] else 0, pairs)
    return f"{len(hits) if hits[0][1] else 0} of {len(hits)} ({low:.2f}–{high:.2f})"


def name_of(one: Network) -> str:
    """Return what a network is called in lists."""
    size = f", \\|P\\| = {one['primes']}" if one["primes"] != 8 else ""
    return f"N = {one['N']}, r = {one['r']}{size}, seed {one['seed']}"


def blocks() -> Iterator[tuple[str, str]]:
    """Yield what repairs networks, the controls, and how the predictions did."""
    yield from progress_blocks()
    yield from cause_blocks()
    yield from control_blocks()
    yield "repair predictions", predictions()


def progress_blocks() -> Iterator[tuple[str, str]]:
    """Yield how far the run is, and which networks are counted apart."""
    found, every = measured(), list(read())
    failing = [one for one in every if fails(one)]
    apart = [
        f"those in whose training data no sum wraps around: {len(found['no sum wraps'])}, of which "
        f"{sum(cause(one) != 'neither' for one in found['no sum wraps'])} are repaired",
        f"those that are right near a million when trained again: {len(found['right again'])}",
        f"those that are then below {RIGHT} in range: {len(found['not learned again'])}",
    ]
    yield (
        "repair progress",
        f"{len(every)} of {PLANNED} networks are measured, {len(failing)} of the {FAILING} that "
        f"fail. Counted apart are {several(apart)}.",
    )
    same = sum(
        all(one["again"][name] == right for name, (right, _) in one["published"].items())
        for one in every
    )
    gaps = [
        abs(one["again"][FAR] - one["published"][FAR][0]) / one["published"][FAR][1]
        for one in every
    ]
    yield (
        "repair again",
        f"Trained again, {same} of {len(every)} networks have the published counts on every test "
        f"set. Sums are rounded otherwise on another processor, and training magnifies that: the "
        f"median difference near a million is {np.median(gaps):.3f}, the largest {max(gaps):.2f}.",
    )


def cause_blocks() -> Iterator[tuple[str, str]]:
    """Yield how many networks each repair makes right, and the ones that none does."""
    some = measured()["fail"]
    causes = [cause(one) for one in some]
    count = sum(map(len, measured().values()))
    repaired = len(some) - causes.count("neither")
    exact = sum(max(far(one, "slow"), far(one, "both")) == 1 for one in some)
    yield (
        "repair sentence",
        f"**{repaired} of {len(some)} failing networks are right near a million once misread hands "
        f"are put back**, {exact} of them in every answer tried. No weight was changed."
        + (f" So far {count} of {PLANNED} networks are measured." if count < PLANNED else ""),
    )
    rows = [[words, share(some, explained(way))] for way, words in CAUSES.items()]
    rows.append(["control: other fast circles", share(some, after("fast"))])
    yield "repair table", table(["put back", "networks that become right (at least 99%)"], rows)
    rest = [
        f"{name_of(one)} ({far(one, 'trained'):.2f} → {far(one, 'both'):.2f})"
        for one in some
        if cause(one) == "neither"
    ]
    yield "repair unexplained", f"Not explained: {'; '.join(rest) or 'none'}."
    by_experiment: list[list[object]] = []
    for experiment, words in (("composite", "composite N"), ("prime", "prime N")):
        part = [one for one in some if one["experiment"] == experiment]
        counts = [sum(map(explained(way), part)) for way in CAUSES]
        by_experiment.append([words, len(part), *counts])
    yield "repair by experiment", table(["", "fail", *CAUSES], by_experiment)


def control_blocks() -> Iterator[tuple[str, str]]:
    """Yield what is necessary, and what wrong hands do."""
    found, both = measured(), moved_and_repaired()
    slow = [one for one in found["fail"] if far(one, "slow") >= RIGHT]
    rows = [
        [
            words,
            share(slow, after(way)),
            *(share(part, broken(way)) for part in (slow, found["right"])),
        ]
        for way, words in SLOW.items()
    ]
    columns = ["circles", "put back: right near a million", "shown far integers: wrong in range"]
    yield "repair slow", table([*columns, "the same, networks that do not fail"], rows)
    best = [best_wrong(one) for one in both]
    tried = span([len(one["harmonics"]) - 1 for one in both] or [0], "d")
    still = [sum(far(one, way) >= RIGHT for one in both) for way in WRONG_HANDS]
    yield (
        "repair harmonics",
        f"{len(both)} networks with a look-alike are right after both repairs. With wrong "
        f"harmonics of N, the best of {tried} at its best offset, "
        f"{sum(value >= RIGHT for value in best)} are. With the right one and "
        f"no offset {still[0]} are. With the look-alike put back instead of moved {still[1]} are.",
    )
    yield (
        "repair errors",
        "Some networks misread a look-alike and are wrong on the next integers. "
        f"{share(lost(), half_alike)} of them make one error in at least half of their wrong "
        "answers.",
    )


def lost() -> list[Network]:
    """Return the networks with a used alias that fail on the next integers."""
    some = [one for one in measured()["fail"] if one["moved"]]
    return [one for one in some if far(one, "trained", place="next") < RIGHT]


def best_wrong(one: Network) -> float:
    """Return the accuracy with the best wrong harmonic."""
    return float(max(right for _, right in one["harmonics"][1:]) / FEW)


def after(way: str) -> Callable[[Network], bool]:
    """Return whether networks are right near a million with other hands."""
    return lambda one: far(one, way) >= RIGHT


def explained(way: str) -> Callable[[Network], bool]:
    """Return whether networks have one cause."""
    return lambda one: cause(one) == way


def broken(way: str) -> Callable[[Network], bool]:
    """Return whether networks are wrong in range if some circles show integers near a million."""
    return lambda one: one["in range, from far"][way] / one["size"] < RIGHT


def moved_and_repaired() -> list[Network]:
    """Return the networks with a used alias that alias and slow together repair."""
    return [one for one in measured()["fail"] if one["moved"] and far(one, "both") >= RIGHT]


def half_alike(one: Network) -> bool:
    """Return whether one error makes up half of the wrong answers from r to 2r."""
    common, wrong = one["errors"]["next"]
    return common is not None and 2 * common[1] >= wrong


def predictions() -> str:
    """Return the predictions written before the run beside what was measured."""
    found, both = measured(), moved_and_repaired()
    some, right, plain = found["fail"], found["right"], found["no sum wraps"]
    slow = [one for one in some if far(one, "slow") >= RIGHT]

    lines: list[tuple[str, list[Network], Callable[[Network], bool], float, float]] = [
        ("slow alone repairs", some, after("slow"), 200 / 267, 225 / 267),
        ("alias alone repairs", some, after("alias"), 0, 10 / 267),
        ("only both repair", some, explained("both"), 30 / 267, 45 / 267),
        ("neither", some, explained("neither"), 0, 20 / 267),
        ("no sum wraps: repaired", plain, lambda one: cause(one) != "neither", 0, 0),
        ("slow ones of own primes repair", slow, after("slow, own primes"), 0.4, 0.65),
        ("slow ones of other primes repair", slow, after("slow, other primes"), 0, 0.05),
        ("fast ones repair", some, after("fast"), 0, 2 / 267),
        ("slow ones from far break", slow, broken("slow"), 0.9, 1),
        ("fast ones from far break", slow, broken("fast"), 0, 0.05),
        ("slow ones from far, not failing", right, broken("slow"), 0, 0.1),
        ("wrong harmonics do not repair", both, lambda one: best_wrong(one) < RIGHT, 0.9, 1),
        ("no offset still repairs", both, after("both, no offset"), 0, 1 / 3),
        ("one error is half of the wrong", lost(), half_alike, 0.5, 1),
    ]
    rows = [
        [
            words,
            f"{low:.0%}–{high:.0%}",
            f"{hits} of {len(part)}",
            "–" if not part else "yes" if low <= hits / len(part) <= high else "**no**",
        ]
        for words, part, holds, low, high in lines
        for hits in [sum(map(holds, part))]
    ]
    columns = ["prediction", "predicted", "measured", "held"]
    return table(columns, rows)


def draw_repairs() -> Figure:
    """Draw every failing network as trained and repaired, and beside it the control."""
    looks = {"slow": GREEN, "alias": PURPLE, "both": BLUE, "neither": INK}
    words = {
        "slow": "slow hands put back",
        "alias": "look-alike's hand moved",
        "both": "both",
        "neither": "both, and still wrong",
    }
    some = sorted(measured()["fail"], key=lambda one: far(one, "trained"))
    present = [way for way in words if any(cause(one) == way for one in some)]
    figure, (left, right) = make_panels(
        ["Misread hands put back", "Control: other hands put back"],
        title="The same weights, other hands: wrong answers become right",
        key=[(Line2D([], [], color=VERMILLION, marker="o", ls="", ms=4), "as trained")]
        + [
            (Line2D([], [], color=looks[way], marker="o", ls="", ms=4), words[way])
            for way in present
        ]
        + [(Line2D([], [], color=INK, marker="o", mfc="white", ls="", ms=4), "control")],
        up="share right near a million",
        across="one line per failing network",
        share_y=True,
        height=3.0,
    )
    for x, one in enumerate(some):
        way, before = cause(one), far(one, "trained")
        after = far(one, "both" if way == "neither" else way)
        for axes, end, color in ((left, after, looks[way]), (right, far(one, "fast"), INK)):
            axes.plot([x, x], [before, end], color=PALE, lw=0.7, zorder=1)
            axes.plot(x, before, ".", color=VERMILLION, ms=4, zorder=2)
            face = "white" if axes is right else color
            axes.plot(x, end, "o", color=color, mfc=face, mew=0.6, ms=2.8, zorder=3)
    for axes in (left, right):
        axes.set_xticks([])
        axes.set_ylim(-0.03, 1.05)
    return figure


FIGURES = {"repaired.png": draw_repairs}
