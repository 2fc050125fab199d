"""The numbers and figures of five pages about the paper's networks, from probes.jsonl."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from findings.panels import BLUE, GREY, INK, VERMILLION, make_panels
from findings.probes.answers import FAR, KINDS, LEAST_TURN, answers, mean_drops
from findings.probes.networks import Network, group, read_networks
from findings.statistics import interval
from findings.text import spaced, table

TITLES = {
    "share_apart": "answers that do not follow a shift",
    "shift_error": "shift error of the logits",
    "off_block_energy": "off-block energy of the gradient",
    "relevant_share": "gradient on relevant channels",
}
"""What the measures of equivariance are called."""
GROUPS = {"Experiment 1, |P| = 8": "1", "Experiment 2, all N": "2"}
"""The networks of the pages on depths and equivariance, all at r = 1000, and their experiment."""
HOW = ("by zeros", "by the mean", "by another pair's")
# Zeros mislead, another pair's row does not; the mean lies in between.
_COLORS = dict(zip(KINDS, (VERMILLION, GREY, BLUE), strict=True))
_KEY = [
    (Line2D([], [], color=color, marker="o", lw=0), f"replaced {how}")
    for how, color in zip(HOW, _COLORS.values(), strict=True)
]


def blocks() -> Iterator[tuple[str, str]]:
    """Yield the answers to the four questions."""
    for make in (alias_blocks, zeroing_blocks, depth_blocks, equivariance_blocks, seed_blocks):
        yield from make()


def alias_blocks() -> Iterator[tuple[str, str]]:
    """Yield how often blocks are used by their drift, alone and with a partner."""
    alone, together = answers()["aliases"], answers()["alias_pairs"]
    yield (
        "aliases sentence",
        f"Of the circles nearest to a harmonic of N, {_used(alone[0])} are used. Of the farthest, "
        f"{_used(alone[-1])} are.",
    )
    chosen = [network for network in read_networks() if not network.degenerate]
    every = sum(n.modulus % period != 0 for n in chosen for period in n.periods)
    slow = every - sum(one["blocks"] for one in alone)
    yield (
        "aliases left out",
        f"The circles that make less than {LEAST_TURN:g} turns over the inputs are left out, since "
        f"the distance says nothing of them. They are {spaced(slow)} of {spaced(every)}.",
    )
    pairs = {one["low"]: one for one in together}
    rows = [
        [
            f"{one['low']:g}–{one['high']:g}" if one["high"] else f"{one['low']:g} or more",
            *map(_used, (one, pairs[one["low"]])),
        ]
        for one in alone
    ]
    columns = ["drift in turns", "every circle, by itself", f"{FAR:g} or more away, with a partner"]
    yield "aliases bins", table(columns, rows)


def _used(one: dict[str, Any]) -> str:
    return f"{spaced(one['used'])} of {spaced(one['blocks'])}"


def unneeded_answers() -> dict[str, Counter[str]]:
    """Count answers that change if a row that N does not need is replaced by another pair's."""
    found = {"r ≥ 500": Counter[str](), "r = 100": Counter[str]()}
    for network in read_networks():
        if not network.single or len(network.primes) > 8:
            continue
        count = found["r ≥ 500" if network.input_range >= 500 else "r = 100"]
        lost, gained = (network.rows["permute"][what] for what in ("lost", "gained"))
        for prime, down, up in zip(network.primes, lost, gained, strict=True):
            if prime != network.modulus:
                count.update(changed=down + up, answers=network.test_size)
    return found


def unneeded_drops() -> dict[tuple[str, int], dict[str, float]]:
    """Return mean drops of rows that N does not need, by number of primes, range and kind."""

    def place(n: Network) -> tuple[str, int]:
        return "up to 8 primes" if len(n.primes) <= 8 else "10 primes or more", n.input_range

    chosen = group((n for n in read_networks() if n.single), place)
    few_first = sorted(chosen.items(), key=lambda one: (one[0][0] != "up to 8 primes", one[0][1]))
    return {at: {kind: mean_drops(some, kind)[1] for kind in KINDS} for at, some in few_first}


def zeroing_blocks() -> Iterator[tuple[str, str]]:
    """Yield what replaces a row, and which claims depend on it."""
    found = unneeded_answers()
    near, far = found["r = 100"], found["r ≥ 500"]
    yield (
        "zeroing sentence",
        f"Experiment 1 with up to 8 primes and r ≥ 500: {far['changed']} of "
        f"{spaced(far['answers'])} answers change when a row that N does not need is replaced by "
        "another pair's.",
    )
    yield (
        "zeroing near",
        f"At r = 100, {spaced(near['changed'])} of {spaced(near['answers'])} answers change.",
    )
    rows = [
        [f"{words}, r = {r}", *(f"{drop + 0.0:.3f}" for drop in drops.values())]
        for (words, r), drops in unneeded_drops().items()
        if r in (100, 1000)
    ]
    yield "zeroing means", table(["networks", *HOW], rows)
    rows = [
        [
            name + " (probed: seed 42 alone)" * (name == "E1.4"),
            *(in_short(name, by_kind[kind]) for kind in KINDS),
        ]
        for name, by_kind in answers()["claims"].items()
        if name in ("E1.3", "E1.4", "E2.1", "T.2")
    ]
    yield "zeroing table", table(["claim", *HOW], rows)


def in_short(claim: str, found: dict[str, Any]) -> str:
    """Return what was measured of a claim about drops, in a few words."""
    if claim == "T.2":
        return f"above 500 in {found['agreeing']} of {found['configurations']} configurations"
    if claim == "E1.4":
        _, (low, high) = found["spans"]
        return f"{round(low, 3) + 0.0:.3f}–{high:.3f}"  # no minus before 0.000
    return f"{seed_counts(found)} below the noise floor, seed by seed"


def seed_counts(found: dict[str, Any]) -> str:
    """Return how many configurations agree with a claim with each seed alone."""
    return f"{', '.join(map(str, found['by_seed'].values()))} of {found['configurations']}"


def of_page(answer: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the experiment and the answer for each group of networks on a page."""
    for name, experiment in GROUPS.items():
        for found in answers()[answer]:
            if found["group"] == name and found["range"] == 1000:
                yield experiment, found


def depth_blocks() -> Iterator[tuple[str, str]]:
    """Yield the mean drop of single blocks by depth."""
    rows, largest = [], []
    for experiment, found in of_page("depths"):
        first, *deeper = found["relevant"]
        drops = (first, max(deeper), max(found["other"]))
        rows.append([experiment, found["ablation"], *(f"{drop:.2f}" for drop in drops)])
        one = found["largest"]
        place = f"{one['prime']}^{one['depth'] + 1}, N = {one['modulus']}"
        largest.append([experiment, found["ablation"], f"{one['drop']:.2f}", place])
    first, deeper = next(row[2:4] for row in rows if row[:2] == ["1", "permute"])
    yield (
        "depths lead",
        f"Replaced by another pair's, the first power of N's prime costs {first} of the accuracy "
        f"in experiment 1. The deeper circles of that prime cost {deeper}.",
    )
    columns = ["experiment", "replaced by"]
    yield "depths table", table([*columns, "d = 0", "deeper", "other primes"], rows)
    yield "depths largest", table([*columns, "drop", "circle"], largest)


def equivariance_blocks() -> Iterator[tuple[str, str]]:
    """Yield the measures of equivariance before and after training, and their range by N."""
    rows = [
        [experiment, TITLES[curve["measure"]], *(f"{end:.2f}" for end in ends)]
        for experiment, curve in of_page("equivariance")
        for ends in [(curve["by_epoch"][0], curve["by_epoch"][-1])]
    ]
    (_, _, before, after), (*_, logits) = rows[:2]
    yield (
        "equivariance lead",
        "Training in experiment 1 lowers the share of answers that do not follow a shift from "
        f"{before} to {after}. The shift error of the logits ends at {logits}, where 1 is "
        "unrelated.",
    )
    columns = ["experiment", "measure", "untrained", "trained"]
    yield "equivariance table", table(columns, rows)
    chosen = (n for n in read_networks() if n.single and len(n.primes) == 8)
    by_modulus = group((n for n in chosen if n.input_range >= 500), lambda n: n.modulus)
    found = {n: [one.shift_error[-1] for one in some] for n, some in by_modulus.items()}
    means = {n: float(np.mean(values)) for n, values in found.items()}
    every = [value for values in found.values() for value in values]
    low, high = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
    yield (
        "shift sentence",
        f"In experiment 1 with |P| = 8 and r ≥ 500 the mean shift error is smallest for N = {low}, "
        f"{means[low]:.2f}, and largest for N = {high}, {means[high]:.2f}. Single networks end "
        f"between {min(every):.2f} and {max(every):.2f}. It is a root mean square: at 0.5, a "
        "quarter of the energy does not follow the shift.",
    )


def seed_blocks() -> Iterator[tuple[str, str]]:
    """Yield how two claims depend on the seed, by what replaces a row."""
    rows = []
    for name in ("E1.3", "E2.1"):
        by_kind = answers()["claims"][name]
        rows += [[name, kind, seed_counts(by_kind[kind])] for kind in KINDS]
    columns = ["claim", "row replaced by", "configurations below the noise floor, seeds 42–46"]
    yield "seeds table", table(columns, rows)


def draw_drift() -> Figure:
    """Draw the share of blocks that are used against their drift, alone and in pairs."""
    words = "used: costs more than 0.1 of the accuracy, with 95 % interval"
    figure, panels = make_panels(
        ["every circle, by itself", "2 turns or more away, with a partner"],
        title="The nearer a circle is to a harmonic of N, the more often it is used",
        key=[(Line2D([], [], color=VERMILLION, marker="o", lw=1.4), words)],
        up="share of circles used",
        across="drift from the harmonic, in turns below r",
        share_y=True,
    )
    for axes, bins in zip(panels, (answers()["aliases"], answers()["alias_pairs"]), strict=True):
        for x, one in enumerate(bins):
            low, high = interval(one["used"], one["blocks"])
            axes.vlines(x, max(low, 1e-5), high, color=VERMILLION, lw=1.4)
            if one["used"]:
                axes.plot(x, one["used"] / one["blocks"], "o", color=VERMILLION, ms=7)
            else:
                axes.text(x, high * 1.2, "none", ha="center", size=8, color=INK)
        names = [f"{one['low']:g}" + (f"–{one['high']:g}" if one["high"] else "+") for one in bins]
        axes.set_xticks(range(len(bins)), names, size=8, rotation=35)
        axes.set_yscale("log")
        axes.set_ylim(1e-4, 2)
        axes.set_xlim(-0.6, len(bins) - 0.4)
    return figure


def _draw_bars(axes: Axes, heights: Mapping[str, Sequence[float]], names: Sequence[object]) -> None:
    """Draw bars side by side, one for each kind of replacement."""
    for i, (kind, some) in enumerate(heights.items()):
        places = np.arange(len(names)) + 0.27 * (i - 1)
        axes.bar(places, np.maximum(some, 0), 0.25, color=_COLORS[kind])
        for x in places[np.array(some) < 0.0005]:  # a bar of no height is not a bar left out
            axes.plot(x, 0, "_", color=_COLORS[kind], ms=6)
    axes.set_xticks(range(len(names)), list(map(str, names)))


def draw_depths() -> Figure:
    """Draw the drop of one block of N's primes by its depth and by what replaces it."""
    figure, panels = make_panels(
        [f"experiment {experiment}, r = 1000" for experiment in GROUPS.values()],
        title="Without one circle of N's primes: only the first power carries the answer",
        key=_KEY,
        up="mean drop of the accuracy",
        across="depth d: the circle of period p^(d+1)",
        share_y=True,
    )
    for axes, wanted in zip(panels, GROUPS.values(), strict=True):
        heights = {
            found["ablation"]: found["relevant"]
            for experiment, found in of_page("depths")
            if experiment == wanted
        }
        _draw_bars(axes, heights, range(6))
        axes.set_ylim(0, 1)
    return figure


def draw_zeroing() -> Figure:
    """Draw the mean drop of rows that N does not need, by r and by what replaces them."""
    found = unneeded_drops()
    headings = dict.fromkeys(words for words, _ in found)
    figure, panels = make_panels(
        list(headings),
        title="Rows that N does not need: zeros make them seem to matter",
        key=_KEY,
        up="mean drop of the accuracy",
        across="input range r",
        share_y=True,
    )
    for axes, words in zip(panels, headings, strict=True):
        by_range = {r: drops for (name, r), drops in found.items() if name == words}
        heights = {kind: [drops[kind] for drops in by_range.values()] for kind in KINDS}
        _draw_bars(axes, heights, list(by_range))
    return figure


def draw_equivariance() -> Figure:
    """Draw which answers do not follow a shift, and the shift error of the logits, by epoch."""
    looks = {"share_apart": (BLUE, "answers: share that does not follow a shift"),
             "shift_error": (VERMILLION, "logits: shift error")}  # fmt: skip
    figure, panels = make_panels(
        [f"experiment {experiment}, r = 1000" for experiment in GROUPS.values()],
        title="Training makes answers follow shifts, and logits only partly",
        key=[(Line2D([], [], color=color, lw=1.8), words) for color, words in looks.values()],
        up="0 if equivariant, 1 if unrelated",
        across="epoch",
        share_y=True,
    )
    for axes, wanted in zip(panels, GROUPS.values(), strict=True):
        for experiment, curve in of_page("equivariance"):
            if experiment == wanted and curve["measure"] in looks:
                axes.plot(curve["by_epoch"], color=looks[curve["measure"]][0], lw=1.8)
        axes.set_ylim(0, 1.04)
    return figure


def draw_seeds() -> Figure:
    """Draw the share of configurations below the noise floor for each seed."""
    claimed = {"E1.3": 8, "E2.1": 37}
    figure, panels = make_panels(
        [f"{name}: {claimed[name]} are claimed" for name in claimed],
        title="With zeros a verdict depends on the seed",
        key=[*_KEY, (Line2D([], [], color=INK, lw=1.2, ls="--"), "claimed in the paper")],
        up="configurations below the noise floor",
        across="seed",
    )
    for axes, (name, least) in zip(panels, claimed.items(), strict=True):
        for i, kind in enumerate(KINDS):
            found = answers()["claims"][name][kind]
            places = np.arange(len(found["by_seed"])) + 0.2 * (i - 1)
            axes.plot(places, [*found["by_seed"].values()], "o", color=_COLORS[kind], ms=7)
            axes.set_xticks(range(len(found["by_seed"])), list(map(str, found["by_seed"])))
            axes.set_ylim(0, 1.06 * found["configurations"])
        axes.axhline(least, color=INK, lw=1.2, ls="--", zorder=0)
    return figure


FIGURES = {
    "drift-and-use.png": draw_drift,
    "depths.png": draw_depths,
    "zeroing.png": draw_zeroing,
    "equivariance.png": draw_equivariance,
    "seeds.png": draw_seeds,
}
