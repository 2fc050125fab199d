"""The numbers of docs/findings that come from the networks of the paper: tables, and sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from findings.probes.networks import read_networks
from findings.probes.run import FAR, KINDS, LEAST_TURN, answers
from primefourier import lab
from primefourier_paper import judge
from primefourier_paper.rule import SECTIONS, Finding, claims_table, tally
from studies.finding_studies import PAPER, RESULTS, several, table

TITLES = {
    "share_apart": "answers that do not follow a shift",
    "shift_error": "shift error of the logits",
    "off_block_energy": "off-block energy of the gradient",
    "relevant_share": "gradient on relevant channels",
}
"""What the measures of equivariance are called."""


def alias_blocks() -> Iterator[tuple[str, str]]:
    """Yield how often blocks are used by their drift, alone and with a partner."""
    alone, together = answers()["aliases"], answers()["alias_pairs"]
    near, *_, far = alone
    sentence = (
        f"Of circles that drift by less than {near['high']} turns {near['used']} of "
        f"{near['blocks']} are used, of those that drift by {far['low']:g} or more {far['used']} "
        f"of {spaced(far['blocks'])}."
    )
    yield "aliases sentence", sentence
    every = unneeded_circles()
    kept = sum(one["blocks"] for one in alone)
    slow = every - kept
    sentence = (
        f"Left out are the {spaced(slow)} of {spaced(every)} circles ({slow / every:.0%}) that "
        f"make less than {LEAST_TURN:g} turns over the inputs; of them the distance says nothing."
    )
    yield "aliases left out", sentence
    pairs = {one["low"]: one for one in together}
    rows = [
        [
            f"{one['low']:g}–{one['high']:g}" if one["high"] else f"{one['low']:g} or more",
            *map(_used, (one, pairs.get(one["low"]))),
        ]
        for one in alone
    ]
    columns = ["drift in turns", "every circle, by itself", f"{FAR:g} or more away, with a partner"]
    yield "aliases bins", table(columns, rows)


def _used(one: dict[str, Any] | None) -> str:
    return f"{spaced(one['used'])} of {spaced(one['blocks'])}" if one else "–"


def unneeded_circles() -> int:
    """Count the circles whose period does not divide N in all probed networks of the paper."""
    chosen = [network for network in read_networks() if not network.degenerate]
    return sum(n.modulus % period != 0 for n in chosen for period in n.periods)


def unneeded_answers() -> dict[str, Counter[str]]:
    """Count answers that change if a row that N does not need is replaced by another pair's."""
    found = {"r ≥ 500": Counter[str](), "r = 100": Counter[str]()}
    for network in read_networks():
        if not network.single or len(network.primes) > 8:
            continue
        count = found["r ≥ 500" if network.input_range >= 500 else "r = 100"]
        count["networks"] += 1
        lost, gained = (network.rows["permute"][what] for what in ("lost", "gained"))
        for prime, down, up in zip(network.primes, lost, gained, strict=True):
            if prime != network.modulus:
                count.update(rows=1, changed=down + up, answers=network.test_size)
    return found


def zeroing_blocks() -> Iterator[tuple[str, str]]:
    """Yield what replaces a row, and which claims depend on it."""
    found = unneeded_answers()
    near, far = found["r = 100"], found["r ≥ 500"]
    sentence = (
        f"With up to 8 primes and r ≥ 500, {far['changed']} of {spaced(far['answers'])} answers of "
        "experiment 1 change when a row that N does not need is replaced by another pair's, in "
        f"{far['rows']} rows of {far['networks']} networks. At r = 100, {near['changed']} of "
        f"{spaced(near['answers'])} do."
    )
    yield "zeroing sentence", sentence
    rows = [
        [
            name + probed_seeds(name, by_kind["zero"]),
            *(in_short(name, by_kind[kind]) for kind in KINDS),
        ]
        for name, by_kind in answers()["claims"].items()
        if name in ("E1.3", "E1.4", "E2.1", "T.2")
    ]
    yield "zeroing table", table(["claim", "by zeros", "by the mean", "by another pair's"], rows)


def probed_seeds(claim: str, found: dict[str, Any]) -> str:
    """Return the seeds of the probed networks behind a claim that other networks count for."""
    seeds = several([*map(int, found["by_seed"])])
    return f" (probed: seed {seeds} alone)" if claim == "E1.4" else ""


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


def spaced(count: int) -> str:
    """Return a count with its digits in groups.

    >>> spaced(31360000)
    '31 360 000'
    """
    return f"{count:,}".replace(",", " ")


def depth_blocks() -> Iterator[tuple[str, str]]:
    """Yield the mean drop of single blocks by depth."""
    rows = []
    for group, words in (("Experiment 1, |P| = 8", "1"), ("Experiment 2, all N", "2")):
        for found in answers()["depths"]:
            if found["group"] == group and found["range"] == 1000:
                first, *deeper = (interval["mean"] for interval in found["relevant"])
                largest = found["largest"]
                place = f"{largest['prime']}^{largest['depth'] + 1}, N = {largest['modulus']}"
                rows.append(
                    [
                        words,
                        found["ablation"],
                        f"{first:.2f}",
                        f"{max(deeper):.2f}",
                        f"{max(one['mean'] for one in found['other']):.2f}",
                        f"{largest['drop']:.2f} ({place})",
                    ]
                )
    columns = ["experiment", "replaced by", "d = 0", "deeper", "other primes", "largest other"]
    yield "depths table", table(columns, rows)


def equivariance_blocks() -> Iterator[tuple[str, str]]:
    """Yield the measures of equivariance before and after training, and their range by N."""
    rows = []
    for group, words in (("Experiment 1, |P| = 8", "1"), ("Experiment 2, all N", "2")):
        for curve in answers()["equivariance"]:
            if curve["group"] == group and curve["range"] == 1000:
                ends = (curve["by_epoch"][at]["mean"] for at in (0, -1))
                rows.append([words, TITLES[curve["measure"]], *(f"{end:.2f}" for end in ends)])
    columns = ["experiment, r = 1000", "measure", "untrained", "trained"]
    yield "equivariance table", table(columns, rows)
    found = final_shift_errors()
    means = {n: float(np.mean(values)) for n, values in sorted(found.items())}
    every = [value for values in found.values() for value in values]
    low, high = min(means, key=lambda n: means[n]), max(means, key=lambda n: means[n])
    sentence = (
        f"In experiment 1 with |P| = 8 and r ≥ 500 the shift error ends at {means[low]:.2f} for N "
        f"= {low} and at {means[high]:.2f} for N = {high} in the mean, in single networks between "
        f"{min(every):.2f} and {max(every):.2f}. It is a root mean square: at 0.5, a quarter "
        "of the energy does not follow the shift."
    )
    yield "shift sentence", sentence


def final_shift_errors() -> dict[int, list[float]]:
    """Return the shift error after the last epoch by N, experiment 1 at |P| = 8 and r ≥ 500."""
    found: dict[int, list[float]] = {}
    for network in read_networks():
        if network.single and len(network.primes) == 8 and network.input_range >= 500:
            found.setdefault(network.modulus, []).append(network.shift_error[-1])
    return found


def seed_blocks() -> Iterator[tuple[str, str]]:
    """Yield how two claims depend on the seed, by what replaces a row."""
    rows = []
    for name in ("E1.3", "E2.1"):
        by_kind = answers()["claims"][name]
        rows += [[name, kind, seed_counts(by_kind[kind])] for kind in KINDS]
    columns = ["claim", "row replaced by", "configurations below the noise floor, seeds 42–46"]
    yield "seeds table", table(columns, rows)


_COUNTS = {0: "none", 1: "one", 2: "two", 3: "three", 4: "four", 5: "five"}
CLAIMED = (PAPER, RESULTS / "predictions", RESULTS / "beyond")
"""The runs whose models count for the claims; the first has the published claims."""


def claim_blocks() -> Iterator[tuple[str, str]]:
    """Yield the tables of the claims, and how many of them hold."""
    findings = judge(lab.open(*CLAIMED))
    for section in SECTIONS:
        yield section, claims_table(findings, section).markdown()
    names = {claim.name: found for claim, found in findings.items()}
    counts = {verdict: words for verdict, _, words, _ in tally(findings)}
    mine = {claim.name: found for claim, found in findings.items() if claim.section == "claims"}
    others = [words for _, count, words, _ in tally(findings, "statements") if count]
    by_mean = [
        f" {name} holds by the mean of {_COUNTS[len(found.seeds)]} seeds, with "
        f"{_COUNTS[found.seeds_that_hold]} of them alone."
        for name, found in mine.items()
        if found.verdict == "holds" != found.words
    ]
    lines = [
        "A configuration agrees with a claim if [its mean over seeds](docs/paper-vs-measured.md) "
        f"does. Of the paper's {len(mine)} claims,",
        "",
        f"- **{counts.pop('holds')}**, among them the main one: a row matters if its prime divides "
        f"N ({mine['E1.1'].by_means} configurations).{''.join(by_mean)}",
        *(
            f"- **{words}**{': ' * bool(shares)}{shares}."
            for verdict, words in counts.items()
            for shares in [
                "; ".join(share_of(n, f) for n, f in mine.items() if f.verdict == verdict)
            ]
        ),
        "",
        f"Of the further statements in its text, {', '.join(others[:-1])} and {others[-1]}. In the "
        "control, rows that hold none of the numbers that a network needs mostly cost next to "
        f"nothing; so “distributed over all rows” {names['S.3'].words}. Ratios above 500, claimed "
        f"in an earlier abstract and not in the paper: {names['T.2'].words}.",
    ]
    yield "claims short", "\n".join(lines)
    rows = [
        [claim.name, claim.paper, found.by_means, found.seed_by_seed]
        for claim, found in findings.items()
        if "alone" in found.words
    ]
    yield "seeds verdicts", table(["claim", "the paper says", "by means", "seed by seed"], rows)


def share_of(name: str, found: Finding) -> str:
    """Return in how many configurations a claim holds, and with how many single seeds."""
    share = f"{name} in {found.by_means}"
    if "alone" not in found.words:
        return share
    seeds = f"{found.seeds_that_hold} of {len(found.seeds)} seeds"
    return f"{share} ({found.needed} are claimed; it holds with {seeds} alone)"


def paper_blocks() -> dict[str, str]:
    """Return the text of every block about the paper's networks by its name."""
    makers = (
        alias_blocks, zeroing_blocks, depth_blocks, equivariance_blocks, seed_blocks, claim_blocks,
    )  # fmt: skip
    return {name: text for make in makers for name, text in make()}
