"""The numbers of docs/findings/predictions.md: what was registered, beside what a copy gets right.

The predicted configurations are those of seed 42, so the networks of seed 42 are a baseline: they
say which rows a network of another seed misuses, if seeds hardly matter.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from findings.beyond import counts as beyond
from findings.decoys import study as decoys
from findings.decoys.run import doses, power_drops
from findings.panels import INK, PALE, VERMILLION, make_panels
from findings.predictions import rules
from findings.predictions.study import NEAR, RANGES
from findings.probes.networks import read_networks
from findings.runs import FAR, read_json, run_of
from findings.text import number, several, table
from primefourier import PAPER_BASIS, PrimeBasis, lab
from primefourier.encoding import find_alias_pairs

Place = tuple[int, int, int]
"""|P|, N and r of a network."""
Rows = frozenset[int]
"""One row, or a pair of rows, by their primes."""
SMALL = min(RANGES)
WHOLE = (43, 44)
"""The seeds of which every network is trained."""


class Use(NamedTuple):
    """A network that uses a row without need: its most used rows, largest drop first."""

    place: Place
    seed: int
    drops: list[tuple[float, int]]

    def rows(self, count: int) -> Rows:
        """Return the one or two most used rows."""
        return frozenset(row for _, row in self.drops[:count])


def registered() -> dict[str, Any]:
    """Return the registered predictions."""
    found: dict[str, Any] = read_json("predictions/predictions.json")
    return found


@cache
def lists() -> dict[Place, dict[int, list[Rows]]]:
    """Return the registered singles (1) and pairs (2) of every configuration, nearest first."""
    return {
        (one["size"], one["modulus"], one["range"]): {
            1: [frozenset({alias["row"]}) for alias in one["singles"]],
            2: [frozenset(map(abs, alias["periods"])) for alias in one["pairs"]],
        }
        for one in registered()["predictions"]
    }


def place_of(record: lab.Record) -> Place:
    """Return |P|, N and r of a network."""
    task = record.config.task
    return len(record.config.embedding.primes), task.modulus, task.input_range


@cache
def seed_42() -> dict[Place, list[tuple[float, int]]]:
    """Return the drops of the unneeded rows of the networks of seed 42, largest first."""
    found = {}
    for n in read_networks():
        if n.seed == 42:
            drops = zip(n.drops("permute"), n.primes, strict=True)
            others = sorted(((drop, row) for drop, row in drops if row != n.modulus), reverse=True)
            found[len(n.primes), n.modulus, n.input_range] = others
    return {place: found[place] for place in lists()}


@cache
def parts() -> dict[str, list[lab.Record]]:
    """Return the converged networks trained after the predictions were committed, and before."""
    after, before = rules.split_at_commit(run_of("predictions").records)
    return {
        words: [r for r in some if r.measured.accuracy >= rules.CONVERGED]
        for words, some in (("after", after), ("before", before))
    }


@cache
def uses(words: str) -> list[Use]:
    """Return the networks, trained after the commit or before, that use a row without need."""
    measured = [(r, rules.measured_use(r)) for r in parts()[words]]
    return [
        Use(place_of(record), record.config.seed, drops)
        for record, drops in measured
        if drops[0][0] > rules.USED
    ]


def other_moduli(place: Place) -> list[Place]:
    """Return the configurations with the same |P| and r, and another N."""
    return [one for one in lists() if one[::2] == place[::2] and one != place]


def other_lists(use: Use, count: int) -> float:
    """Return the share of the other N whose registered list has the used rows."""
    hits = [use.rows(count) in lists()[place][count] for place in other_moduli(use.place)]
    return float(np.mean(hits))


def clustered(hits: Sequence[tuple[object, bool]]) -> str:
    """Return a count with a 95 % interval of its share, from drawing the clusters again.

    Args:
        hits: For each network, its cluster and whether it counts.
    """
    names = sorted({name for name, _ in hits}, key=str)
    sums = np.array([[sum(h for n, h in hits if n == name), sum(n == name for n, _ in hits)]
                     for name in names])  # fmt: skip
    # Networks of one cluster are alike, so whole clusters are drawn, not networks.
    share = np.full(len(names), 1 / len(names))
    drawn = np.random.default_rng(0).multinomial(len(names), share, size=2000) @ sums
    low, high = np.quantile(drawn[:, 0] / drawn[:, 1], (0.025, 0.975))
    return f"{sums[0:, 0].sum()} of {len(hits)} ({low:.2f}–{high:.2f})"


def row_blocks() -> Iterator[tuple[str, str]]:
    """Yield which rows are used, what was registered, and what baselines get right."""
    rows = []
    for words in parts():
        for count, name, guesses in ((2, "pair", rules.PAIRS), (1, "single", rules.SINGLES)):
            for small in (True, False):
                some = [use for use in uses(words) if (use.place[2] == SMALL) == small]
                if not some:
                    continue
                known = [(use, lists()[use.place][count]) for use in some]
                any_rows = [guesses / math.comb(len(use.drops), count) for use in some]
                where = f"{name}, r {'=' if small else '≥'} {SMALL if small else 500}"
                hits = [(use.place[1:], use.rows(count) in list_) for use, list_ in known]
                first = sum(use.rows(count) == list_[0] for use, list_ in known)
                copies = sum(use.rows(count) == copied(use.place, count) for use in some)
                others = sum(other_lists(use, count) for use in some)
                scores = (clustered(hits), first, copies, f"{others:.1f}", f"{sum(any_rows):.1f}")
                rows.append([words, where, *scores])
    columns = ["trained", "used, and r", "registered list", "its first guess", "seed 42's rows"]
    columns = [*columns, "lists of other N", "lists at random"]
    yield "predictions rows", table(columns, rows)
    short = [row[1:-1] for row in rows if row[0] == "after"]
    yield "predictions rows short", table(columns[1:-1], short)
    listed, *_, by_others = next(row[1:] for row in short if row[0] == "pair, r ≥ 500")
    yield (
        "predictions lead",
        f"At r ≥ 500, {str(listed).partition(' (')[0]} networks misuse a pair that was registered "
        f"for them. Lists of other N would have {by_others} of these pairs.",
    )
    far = [use for use in uses("after") if use.place[2] > SMALL]
    whole = [use for use in far if use.seed in WHOLE]
    clusters = {use.place[1:] for use in far}
    missed = {use.place[1:] for use in far if use.rows(2) not in lists()[use.place][2]}
    kept = sum(use.rows(2) in lists()[use.place][2] for use in whole)
    yield (
        "predictions clusters",
        f"The {len(far)} networks with r ≥ 500 are {len(clusters)} pairs (N, r). In "
        f"{len(clusters - missed)} of them every network uses a registered pair. Of the whole "
        f"seeds {several(WHOLE)} alone, {kept} of {len(whole)} networks do.",
    )


def copied(place: Place, count: int) -> Rows:
    """Return the one or two most used rows of the network of seed 42."""
    return frozenset(row for _, row in seed_42()[place][:count])


def whether_blocks() -> Iterator[tuple[str, str]]:
    """Yield how many networks are trained, and whether they misuse rows and fail."""
    run = run_of("predictions")
    found = score()
    scored = {
        "after": found["trained after the commit"],
        "before": found["trained before the commit"],
    }
    trained = sum(part["networks"] for part in scored.values())
    weak = sum(part["not converged"] for part in scored.values())
    hours = sum(one.provenance.seconds for one in run.records) / 3600
    yield (
        "predictions progress",
        f"{trained} of {found['planned']} networks are trained, in {hours:.1f} hours of machine "
        f"time. {scored['after']['networks']} of them were trained after the predictions were "
        f"committed. {weak} ended below an accuracy of {rules.CONVERGED} and are not scored.",
    )
    names = {
        "uses": "uses a row without need",
        "near": "fails from r to 2r",
        "far": "fails near 10^6",
    }
    rows = [
        [
            *(words, what, f"{one['happened']} of {one['networks']}"),
            *(*_both(one), number(one["area of N/r"])),
        ]
        for words, part in scored.items()
        for name, what in names.items()
        if (one := part.get(name))
    ]
    columns = ["trained", "predicted", "happened", "precision", "recall", "AUC", "AUC of N/r"]
    yield "predictions score", table(columns, rows)
    rows = []
    for words in parts():
        for name, what in names.items():
            rule, copy = compare_with_copies(words, name)
            happened = f"{rule['happened']} of {rule['networks']}"
            rows.append([words, what, happened, *_both(rule), *_both(copy)])
    columns = [
        *("trained", "predicted", "happened", "rule: precision", "recall", "AUC"),
        *("seed 42: precision", "recall", "AUC"),
    ]
    yield "predictions copies", table(columns, rows)


def _both(one: dict[str, Any]) -> list[str]:
    both = one["both"]
    return [f"{both} of {one['predicted']}", f"{both} of {one['happened']}", number(one["area"])]


def compare_with_copies(words: str, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Judge a rule, and the copy of seed 42, on the networks for which seed 42 was tested."""
    exploratory = {
        (one["size"], one["modulus"], one["range"]): one for one in registered()["exploratory"]
    }
    likely = {
        (one["size"], one["modulus"], one["range"]): one[name]
        for one in registered()["predictions"]
    }
    predicted, copies, outcomes, ratios = [], [], [], []
    for record in parts()[words]:
        place, measured = place_of(record), record.measured
        if name == "uses":
            outcome = rules.measured_use(record)[0][0] > rules.USED
            copy = 0.5 + seed_42()[place][0][0] - rules.USED
        elif place not in exploratory:
            continue
        else:
            end = FAR if name == "far" else str(NEAR * place[2])
            outcome = measured.accuracy_beyond[end] < rules.RIGHT
            copy = 0.5 + rules.RIGHT - exploratory[place][name]
        # The rule and the copy are judged on the same networks.
        predicted.append(likely[place])
        copies.append(copy)  # above one half where seed 42 did it
        outcomes.append(outcome)
        ratios.append(place[1] / place[2])
    return (
        rules.judge(predicted, outcomes, ratios),
        rules.judge(copies, outcomes, ratios),
    )


@cache
def ranked_pairs(place: Place) -> list[Rows]:
    """Return all pairs of rows of a configuration, nearest first."""
    size, modulus, input_range = place
    basis = PrimeBasis(PAPER_BASIS.primes[:size], 1)
    found = find_alias_pairs(modulus, basis, input_range=input_range)
    return [frozenset(abs(period) for period in alias.periods) for alias in found]


def ranked_uses() -> list[Use]:
    """Return networks trained after the commit with two used rows.

    At the smallest range single aliases are used, so only larger ones count.
    """
    return [
        use
        for use in uses("after")
        if use.place[2] > SMALL and use.drops[1][0] > rules.USED
    ]  # fmt: skip


def used_ranks() -> list[tuple[int, int]]:
    """Return the rank of the used pair and the number of pairs, per network with two used rows."""
    ranked = [(use.rows(2), ranked_pairs(use.place)) for use in ranked_uses()]
    return [(pairs.index(pair) + 1, len(pairs)) for pair, pairs in ranked]


def rank_blocks() -> Iterator[tuple[str, str]]:
    """Yield how early the used pair stands in the order known before training."""
    ranks = used_ranks()
    places = sorted(place for place, _ in ranks)
    copies = sum(use.rows(2) == copied(use.place, 2) for use in ranked_uses())
    yield (
        "rank sentence",
        f"With r ≥ 500, two rows or more cost more than {rules.USED} in {len(ranks)} networks "
        "trained after the commit. The two most used rows are among the five nearest pairs in "
        f"{sum(place <= 5 for place in places)}. They are the nearest pair in {places.count(1)}. "
        f"They are those of seed 42 in {copies}. The median rank is {int(np.median(places))} of "
        f"{int(np.median([n for _, n in ranks]))} pairs.",
    )


def right_everywhere() -> tuple[list[lab.Record], list[lab.Record]]:
    """Return networks with plan's channels that are right in range, and those wrong beyond it."""
    run = run_of("beyond")
    keys = {c.key for study in run.studies if study.name.endswith("plan") for c in study.configs}
    right = [r for r in run.records if r.config.key in keys and r.measured.accuracy >= 0.999]
    return right, [r for r in right if min(r.measured.accuracy_beyond.values()) < 1]


def further() -> Iterator[tuple[str, str, bool]]:
    """Yield each further prediction in short, what came out, and whether it held as written."""
    right, failed = right_everywhere()
    places = sorted({(r.config.task.modulus, r.config.task.input_range) for r in failed})
    named = " and ".join(f"N = {n}, r = {r}" for n, r in places)
    yield (
        "with `plan`, right in range means right everywhere",
        f"{len(right) - len(failed)} of {len(right)} networks"
        + (f"; not {named}" if failed else ""),
        not failed,
    )
    networks = beyond.read_studies(degenerate=True)
    composite = networks["composite paper"]
    failing, unused = (_failing(some) for some in (composite, _unused(composite)))
    shallow = _failing(networks["composite depth 1"])
    yield (
        "with six powers most of experiment 2 fail, also those that use no other row; with depth 1 "
        "fewer than half as many",
        f"{failing} of {len(composite)}; {unused} of {len(_unused(composite))}; depth 1: {shallow}",
        2 * failing > len(composite) and 2 * unused > len(_unused(composite))
        and 2 * shallow < failing,
    )  # fmt: skip
    without = [
        one
        for who in ("composite", "prime")
        for one in networks[f"{who} without N"]
        if one["place"][1] == SMALL
    ]
    best = max(one["accuracy"] for one in without)
    above = sum(one["beyond"][FAR] > 0.1 + 1 / one["place"][0] for one in without)
    yield (
        "without N's primes, some exceed 0.5 in range at r = 100, none 0.1 + 1/N near a million",
        f"at most {best:.2f} in range; {above} of {len(without)} above near a million",
        best > 0.5 and not above,
    )
    dose = [doses(f"dose {modulus}") for modulus in decoys.HARMONICS]
    shares = {
        drift: sum(d[drift][0] for d in dose) / sum(d[drift][2] for d in dose) for drift in dose[0]
    }
    falling = list(shares.values())
    yield (
        "the share that uses a decoy falls with its drift: above one half at 0.05 turns, 0 at 3.2",
        f"{shares[0.05]:.2f} at 0.05, {shares[3.2]:.2f} at 3.2, and never rises",
        sorted(falling, reverse=True) == falling and shares[0.05] > 0.5 and not shares[3.2],
    )
    used = {
        words: [n / of for n, _, of in doses(f"remedy {words}").values()]
        for words in decoys.REMEDIES
    }
    larger, *rest = (
        max(used[words])
        for words in ("4 times the range", "4 times the epochs", "2.5 times the pairs")
    )
    yield (
        "four times the range helps more than four times the epochs or 2.5 times the pairs",
        f"largest share that uses the decoy: {larger:.2f}, {rest[0]:.2f} and {rest[1]:.2f}",
        larger < min(rest),
    )
    exceptions = [
        f"{period} for N = {modulus}, in {wrong} of {len(drops)} networks"
        for modulus, blocks in power_drops().items()
        for period, need, drops in blocks
        if (wrong := sum((drop > decoys.USED) != need for drop in drops)) and _deep(period)
    ]
    yield (
        "with square factors, blocks with d ≥ 1 are used exactly where p^(d+1) divides N",
        f"all but {len(exceptions)}: {', '.join(exceptions)}" if exceptions else "all",
        not exceptions,
    )


def _deep(period: int) -> bool:
    """Say whether a period is a higher power of a prime."""
    return any(period % p == 0 and period > p for p in range(2, period))


def _failing(networks: Iterable[dict[str, Any]]) -> int:
    return sum(one["beyond"][FAR] < rules.RIGHT for one in networks)


def _unused(networks: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one for one in networks if one["most used"] <= beyond.USED]


def further_blocks() -> Iterator[tuple[str, str]]:
    """Yield the six further predictions as a table."""
    rows = [
        [number_, words, found, "held" if held else "**failed**"]
        for number_, (words, found, held) in enumerate(further(), start=1)
    ]
    yield "further predictions", table(["", "predicted, in short", "measured", "as written"], rows)
    held, failed = ([row[0] for row in rows if (row[3] == "held") is it] for it in (True, False))
    yield (
        "further sentence",
        f"Of six further predictions, numbers {several(held)} held. Numbers {several(failed)} "
        "failed as written.",
    )


def blocks() -> Iterator[tuple[str, str]]:
    """Yield what was registered, and what came of it."""
    for make in (row_blocks, whether_blocks, rank_blocks, further_blocks):
        yield from make()


def score() -> dict[str, Any]:
    """Return the published scores."""
    return rules.score(run_of("predictions"), registered())


def draw_ranks() -> Figure:
    """Draw how many networks use a pair among the first k of the registered order."""
    uses = ranked_uses()
    ranks = used_ranks()
    sizes = [size for _, size in ranks]
    figure, (axes,) = make_panels(
        ["the two most used rows are among the k nearest pairs"],
        title="At r ≥ 500, the misused pair was mostly among five named before training",
        key=[
            (Line2D([], [], color=VERMILLION, lw=2), f"{len(ranks)} networks, lists of their N"),
            (Line2D([], [], color=INK, marker="D", lw=0), "one guess: the two rows of seed 42"),
            (Line2D([], [], color=PALE, lw=2), "lists of other N"),
        ],
        up="share of networks",
        across=f"k, of {min(sizes)} to {max(sizes)} pairs",
    )
    ks = np.arange(21)
    used = [np.mean([place <= k for place, _ in ranks]) for k in ks]
    elsewhere = [
        ranked_pairs(place).index(use.rows(2)) + 1 if use.rows(2) in ranked_pairs(place) else 999
        for use in uses
        for place in other_moduli(use.place)
    ]
    others = [np.mean([place <= k for place in elsewhere]) for k in ks]
    axes.step(ks, used, where="post", color=VERMILLION, lw=2)
    axes.step(ks, others, where="post", color=PALE, lw=2)
    copies = np.mean([use.rows(2) == copied(use.place, 2) for use in uses])
    axes.plot(1, copies, "D", color=INK, ms=6)
    axes.set_xlim(0, 20)
    axes.set_xticks([1, 5, 10, 15, 20])
    axes.set_ylim(0, 1.04)
    axes.axvline(5, color=INK, lw=0.8, ls=":")
    axes.text(5.3, 0.5, "registered: five", size=9, color=INK)
    return figure


SUMMARIES = {"score.json": score}
FIGURES = {"rank-of-the-pair.png": draw_ranks}
