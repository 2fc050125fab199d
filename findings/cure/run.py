"""The numbers and the figure of docs/findings/cure.md."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from findings.cure.study import FILE, MOST_SECONDS, SEEDS, networks
from findings.panels import BLUE, INK, VERMILLION, make_panels
from findings.runs import read_json, run_of
from findings.statistics import interval
from findings.text import several, share, spaced, table
from primefourier import PAPER_BASIS, lab

RIGHT = 0.99
"""A network is right on a test set if at least this share of its answers is."""
USED = 0.02
"""A row is used if replacing it by another pair's loses more of the answers than this."""
NEXT, FAR, FARTHEST = "r … 2r", "10^6", "10^18"
TESTS = ("in range", NEXT, FAR, FARTHEST)
_ENDS = {FAR: "1000000", FARTHEST: "1000000000000000000"}
WORDS = {
    "untreated": "untreated",
    "masked": "slow circles masked",
    "refitted": "cut to `plan` after training, one layer refitted",
    "shifts": "trained with shifts",
    "plan": "only the circles of `plan`",
    "channels": "channel networks",
}
"""What the networks are called; the last two are those of other findings."""


@dataclass(frozen=True)
class One:
    """What counts of one network: its place and its accuracy on the four test sets."""

    modulus: int
    input_range: int
    seed: int
    accuracy: dict[str, float]
    line: dict[str, Any]

    @property
    def degenerate(self) -> bool:
        """Whether no sum wraps around in training."""
        return 2 * (self.input_range - 1) < self.modulus

    def right(self, *tests: str) -> bool:
        """Return whether the network is right on all these test sets, by default on all four."""
        return min(self.accuracy[test] for test in tests or TESTS) >= RIGHT


@cache
def lines() -> list[dict[str, Any]]:
    """Return what is measured of each network."""
    return [json.loads(line) for line in FILE.read_text().splitlines()]


@cache
def seeds(cure: str) -> tuple[int, ...]:
    """Return the seeds of which every network of a cure is measured, or all before there is one."""
    count = len({place[1:3] for place in networks()})
    done = [one["seed"] for one in lines() if one["cure"] == cure]
    return tuple(s for s in SEEDS if done.count(s) == count) or tuple(sorted({*done}))


def read_line(line: dict[str, Any]) -> One:
    """Return what counts of a network that is trained here."""
    r = line["r"]
    ends = {"in range": "in range", NEXT: str(2 * r), **_ENDS}
    found = {test: line["right"][end] for test, end in ends.items()}
    accuracy = {test: right / size for test, (right, size) in found.items()}
    return One(line["N"], r, line["seed"], accuracy, line)


def read_record(record: lab.Record) -> One:
    """Return what counts of a network of another finding."""
    task, measured = record.config.task, record.measured
    beyond = measured.accuracy_beyond
    accuracy = {
        "in range": measured.accuracy,
        NEXT: beyond[str(2 * task.input_range)],
        **{test: beyond[end] for test, end in _ENDS.items()},
    }
    return One(task.modulus, task.input_range, record.config.seed, accuracy, {})


@cache
def every(cure: str) -> tuple[One, ...]:
    """Return the networks of a cure that count; degenerate ones are among them."""
    if cure in ("shifts", "masked", "refitted"):
        some = [read_line(one) for one in lines() if one["cure"] == cure]
        return tuple(one for one in some if one.seed in seeds(cure))
    run, name = ("channels", "channels depth 1 all") if cure == "channels" else ("beyond", cure)
    name = {"untreated": "composite paper", "plan": "composite plan"}.get(cure, name)
    (study,) = (study for study in run_of(run).studies if study.name == name)
    keys = {config.key for config in study.configs if config.seed in SEEDS}
    return tuple(read_record(r) for r in run_of(run).records if r.config.key in keys)


def counted(cure: str, *, small: bool | None = None) -> list[One]:
    """Return the networks without degenerate ones, maybe only those of the smallest r or others."""
    some = [one for one in every(cure) if not one.degenerate]
    return [one for one in some if small in (None, one.input_range == 100)]


def ratios(cure: str) -> list[float]:
    """Return CPU seconds beside the untreated network of the same (N, r), for r ≥ 500."""
    seconds = {(o["cure"], o["N"], o["r"]): o["seconds"] for o in lines() if o["seed"] == SEEDS[0]}
    return [
        seconds[cure, n, r] / seconds["untreated", n, r]
        for name, n, r in seconds
        if name == cure and r >= 500 and ("untreated", n, r) in seconds
    ]


def certificates(cure: str) -> str:
    """Say how many networks are certified."""
    if cure == "refitted":
        tried = [one.line["status"] for one in counted(cure) if "status" in one.line]
        return f"{tried.count('proved')} of {len(tried)} tried"
    name = {"plan": "proofs/certificates.json", "channels": "channels/proofs.json"}.get(cure)
    if name is None:
        return "too many cases"
    found = [one["status"] for one in read_json(name)]
    return f"{found.count('proved')} of {len(found)}, others"


def mean(cure: str, test: str) -> float:
    """Return the mean accuracy of the networks of a cure."""
    return float(np.mean([one.accuracy[test] for one in counted(cure)]))


def blocks() -> Iterator[tuple[str, str]]:
    """Yield which cures work, what they cost, and what came of the predictions."""
    planned = len([*networks()])
    trained = [one for one in lines() if one["cure"] != "refitted"]
    whole = {cure: f"seed {several(seeds(cure))}" for cure in ("shifts", "masked", "refitted")}
    seconds = sum(one["seconds"] for one in trained)
    yield (
        "cure progress",
        f"{len(trained)} of {planned} networks are trained, in {spaced(seconds)} CPU seconds. "
        f"Counted are: {'; '.join(f'{cure}, {some}' for cure, some in whole.items())}.",
    )
    rows = []
    for cure, words in WORDS.items():
        some, cost = counted(cure), ratios(cure) if cure in whole else []
        right = [sum(one.right(test) for one in some) for test in TESTS]
        rows.append(
            [
                words,
                len(some),
                *right,
                sum(one.right() for one in some),
                f"{mean(cure, 'in range'):.4f}",
                f"{np.median(cost):.2f}" if cost else "1" if cure == "untreated" else "–",
                certificates(cure),
            ]
        )
    short = [[row[0], row[1], row[2], row[6], row[8], row[9]] for row in rows]
    columns = ["networks", "right in range", "right on all four", "time", "certified"]
    yield "cure short", table(["cure", *columns], short)
    columns = ["networks", *TESTS, "all four", "mean in range", "time", "certified"]
    yield "cure table", table(["cure", *columns], rows)
    before, after = (
        f"{sum(one.right() for one in counted(cure))} of {len(counted(cure))}"
        for cure in ("untreated", "shifts")
    )
    yield (
        "cure sentence",
        f"{after} networks that were trained with shifts are right in range, on the next integers, "
        f"near a million and near 10^18. Untreated, {before} are. Training took "
        f"{np.median(ratios('shifts')):.2f} times as long.",
    )
    yield "cure failures", failures()
    yield from judge(finished=len(trained) == planned or seconds >= MOST_SECONDS)


def judge(*, finished: bool) -> Iterator[tuple[str, str]]:
    """Yield what came of the predictions."""
    found = [(words, short, *look()) for words, short, look in PREDICTIONS]
    rows = [
        [i, words, values, "yes" if held else "**no**"]
        for i, (words, _, values, held) in enumerate(found, 1)
    ]
    columns = ["", "predicted", "found", "held" if finished else "held so far"]
    yield "cure predictions", table(columns, rows)
    failed = [f"{short} ({values})" for _, short, values, held in found if not held]
    held = f"{len(found) - len(failed)} of {len(found)} predictions held"
    sentence = f"{held}." if not failed else f"{held}; wrong: {'; '.join(failed)}."
    yield "cure failed", sentence if finished else f"So far, {sentence}"


def failures() -> str:
    """Name the networks that shifts and refitting do not cure, and count the degenerate ones."""
    words = []
    for cure in ("shifts", "refitted"):
        wrong = [one for one in counted(cure) if not one.right()]
        places = sorted({(one.modulus, one.input_range) for one in wrong})
        names = "; ".join(
            f"N = {several([n for n, at in places if at == r])} at r = {r}"
            for r in sorted({r for _, r in places})
        )
        words.append(f"Not right on all four, {WORDS[cure]}: {names or 'none'}.")
    dull = [one for one in every("shifts") if one.degenerate]
    words.append(
        f"Where no sum wraps around, {sum(one.right(FAR) for one in dull)} of {len(dull)} networks "
        "with shifts are right near a million."
    )
    return " ".join(words)


def _compare(cure: str, least: float, most: float, *tests: str) -> tuple[str, bool]:
    some = counted(cure)
    right = sum(one.right(*tests) for one in some)
    return share(right, len(some)), least <= right / len(some) <= most


def _first() -> tuple[str, bool]:
    inside, every_set = (
        _compare("shifts", n / 144, 1, *tests) for n, tests in ((136, TESTS[:1]), (132, ()))
    )
    return f"{inside[0]}; {every_set[0]}", inside[1] and every_set[1]


def _second() -> tuple[str, bool]:
    wrong = [one for one in counted("shifts") if not one.right()]
    small = sum(one.input_range == 100 for one in wrong)
    return f"{small} of {len(wrong)} at r = 100", small == len(wrong)


def _third() -> tuple[str, bool]:
    some = counted("shifts")
    most = [max(_drops(one)) for one in some]
    used = sum(drop > USED for drop in most)
    return f"{used} of {len(some)}; the largest drop is {max(most):.4f}", not used


def _drops(one: One) -> list[float]:
    """Return the drops of the rows that N does not need."""
    size = one.line["right"]["in range"][1]
    pairs = zip(PAPER_BASIS.primes[:8], one.line["changed"], strict=True)
    return [lost / size for p, lost in pairs if one.modulus % p]


def _fourth() -> tuple[str, bool]:
    words, held = _compare("masked", 60 / 144, 110 / 144, FAR)
    small = counted("masked", small=True)
    right = sum(one.right(FAR) for one in small)
    return f"{words}; at r = 100 {right} of {len(small)}", held and right / len(small) <= 4 / 24


def _fifth() -> tuple[str, bool]:
    some = counted("refitted")
    words, held = _compare("refitted", 36 / 48, 44 / 48)
    whole = sum(not one.line["wrong"] for one in some)
    known = all(one.right() or one.input_range == 100 or one.modulus == 385 for one in some)
    tried = [one.line["status"] for one in some if "status" in one.line]
    proved = tried.count("proved") == len(tried)
    return (
        f"{words}; {whole} on all pairs; the others are {'as' if known else 'not as'} predicted; "
        f"{tried.count('proved')} of {len(tried)} proved"
    ), held and whole / len(some) >= 30 / 48 and known and proved


def _sixth() -> tuple[str, bool]:
    dull = [one for one in every("shifts") if one.degenerate]
    right = sum(one.right(FAR) for one in dull)
    return f"{right} of {len(dull)}", not right


def _seventh() -> tuple[str, bool]:
    limits = {"shifts": (1.15, 1.35), "masked": (0.97, 1.05), "refitted": (1.02, 1.10)}
    found = {cure: float(np.median(ratios(cure))) for cure in limits}
    held = all(low <= found[cure] <= high for cure, (low, high) in limits.items())
    return ", ".join(f"{cure} {value:.2f}" for cure, value in found.items()), held


def _eighth() -> tuple[str, bool]:
    places = {(one.modulus, one.input_range, one.seed) for one in counted("shifts")}
    before = [o for o in counted("untreated") if (o.modulus, o.input_range, o.seed) in places]
    loss = float(np.mean([one.accuracy["in range"] for one in before])) - mean("shifts", "in range")
    return f"{loss:.4f}", loss <= 0.003


PREDICTIONS: Sequence[tuple[str, str, Callable[[], tuple[str, bool]]]] = (
    ("shifts: at least 136 of 144 right in range, 132 on all four", "how many shifts cure", _first),
    ("shifts: those that are not are at r = 100", "where shifts do not", _second),
    ("shifts: no row is used without need", "that no row is used without need", _third),
    ("masked: 60 to 110 of 144 near 10^6, at most 4 of 24 at r = 100", "masking", _fourth),
    (
        "refitted: 36 to 44 of 48 on all four, at least 30 on all pairs of residues; the others "
        "have r = 100 or N = 385; all that are certified are proved",
        "refitting",
        _fifth,
    ),
    ("shifts: no degenerate network is right near 10^6", "degenerate networks", _sixth),
    ("time: shifts 1.15–1.35, masked 0.97–1.05, refitted 1.02–1.10", "the time", _seventh),
    ("shifts lower the mean accuracy in range by at most 0.003", "accuracy in range", _eighth),
)
"""What was predicted, in short and in a few words, and what came of it."""


def draw_cures() -> Figure:
    """Draw how many networks are right on all four test sets, by cure."""
    figure, panels = make_panels(
        ["r = 100", "r = 500 … 4000"],
        title="Shifting operands by multiples of N in training cures networks that cheat",
        key=[
            (Patch(facecolor=BLUE), "right in range, on r … 2r, near a million and near 10^18"),
            (Line2D([], [], color=INK, lw=1.2), "95 % interval"),
        ],
        across="share of networks",
        up="",
        share_y=True,
    )
    cures = [cure for cure in WORDS if cure != "channels"]
    for axes, small in zip(panels, (True, False), strict=True):
        for y, cure in enumerate(reversed(cures)):
            some = counted(cure, small=small)
            right = sum(one.right() for one in some)
            color = VERMILLION if cure == "untreated" else BLUE
            axes.barh(y, right / len(some), 0.62, facecolor=color)
            axes.hlines(y, *interval(right, len(some)), color=INK, lw=1.2)
            words = f"{right} of {len(some)}"
            axes.text(1.04, y, words, va="center", size=8, color=INK, clip_on=False)
        names = [WORDS[cure].replace("`", "").replace(", ", ",\n") for cure in reversed(cures)]
        axes.set_yticks(range(len(cures)), names, size=9)
        axes.set_xlim(0, 1.02)
        axes.grid(visible=False)
    return figure


FIGURES = {"cures.png": draw_cures}
