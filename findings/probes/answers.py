"""The answers to the four questions, from probes.jsonl alone.

They are the means that stand in questions.json, of the claims those that depend on the replacement.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import pairwise
from operator import attrgetter
from statistics import fmean, mean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from findings.probes.networks import Network, group, read_networks

KINDS = ("zero", "mean", "permute")
"""What replaces a row or block: zeros, its mean over the test pairs, or another pair's."""
MEASURES = ("share_apart", "shift_error", "off_block_energy", "relevant_share")
"""What is measured before training and after each epoch."""
USED = 0.1
"""A block with a larger drop than this counts as used."""
FAR = 2.0
"""Blocks at a greater distance than this from any harmonic by themselves are sorted by pairs."""
LEAST_TURN = 0.25
"""A block with fewer turns over the inputs is nearer to a constant than to any harmonic."""
EDGES = (0.0, 0.1, 0.2, 0.4, 0.7, 1.0, 2.0, 4.0, math.inf)
_TINY = 1e-9  # for a value that is rounded to one end of a range

Floats = NDArray[np.float64]
Values = Sequence[float]
Cell = tuple[int, float, Mapping[int, Sequence[Network]]]
"""One configuration of a claim: |P| or N, the noise floor, and the networks of each seed."""


def groups() -> Iterator[tuple[dict[str, Any], list[Network]]]:
    """Yield what is averaged: each (|P|, r) of experiment 1, all N of each r of experiment 2."""

    def place(n: Network) -> tuple[str, int, int]:
        return "exp1" if n.single else "exp2", len(n.primes) * n.single, n.input_range

    chosen = (n for n in read_networks() if n.single or not n.degenerate)
    for (experiment, size, r), networks in group(chosen, place).items():
        name = f"Experiment 1, |P| = {size}" if size else "Experiment 2, all N"
        seeds = sorted({n.seed for n in networks})
        # Degenerate moduli are left out above: no sum of theirs wraps around.
        about = {"experiment": experiment, "row": size or None, "range": r, "seeds": seeds}
        yield {"group": name, **about, "models": len(networks)}, networks


def over_seeds(networks: Sequence[Network], read: Callable[[Network], Values]) -> list[float]:
    """Return the means over networks, then over seeds."""
    seeds = group(networks, lambda n: n.seed).values()
    by_seed = [np.array([read(n) for n in some]).mean(axis=0) for some in seeds]
    return [mean(values) for values in np.stack(by_seed, axis=1).tolist()]


def depths() -> Iterator[dict[str, Any]]:
    """Yield the drops of single blocks by depth: of primes that divide N, and of the others."""
    for about, networks in groups():
        for kind in KINDS:
            largest = max((largest_drop(n, kind) for n in networks), key=lambda one: one["drop"])
            yield {
                **about,
                "ablation": kind,
                "relevant": over_seeds(networks, partial(by_depth, kind=kind, relevant=True)),
                "other": over_seeds(networks, partial(by_depth, kind=kind, relevant=False)),
                "largest": largest,
            }


def by_depth(n: Network, *, kind: str, relevant: bool) -> Values:
    """Return the mean drop at each depth, over the rows of primes that divide N or do not."""
    drops = np.reshape(n.drops(kind, blocks=True), (-1, n.depth))
    means: Values = drops[[(n.modulus % p == 0) is relevant for p in n.primes]].mean(axis=0)
    return means


def largest_drop(n: Network, kind: str) -> dict[str, Any]:
    """Return the block of a prime that does not divide N with the largest drop."""
    channels = [(p, d) for p in n.primes for d in range(n.depth)]
    drops = zip(n.drops(kind, blocks=True), channels, strict=True)
    drop, (prime, depth) = max(
        (one for one in drops if n.modulus % one[1][0]), key=lambda one: one[0]
    )
    return {"drop": drop, "prime": prime, "depth": depth, "modulus": n.modulus, "seed": n.seed}


def curves() -> Iterator[dict[str, Any]]:
    """Yield the measures of equivariance, before training and after each epoch."""
    for about, networks in groups():
        for name in MEASURES:
            yield {
                **about,
                "measure": name,
                "by_epoch": over_seeds(networks, attrgetter(name)),
            }


@cache
def distances(modulus: int, periods: tuple[int, ...], r: int) -> tuple[Floats, Floats]:
    """Return how far each block drifts from a harmonic of N below r, alone and with a partner."""
    alone = []
    for t in periods:
        # In integers, since a float quotient may round to the wrong harmonic.
        k = min(max((2 * modulus + t) // (2 * t), 1), modulus - 1)  # the harmonic nearest to 1/t
        alone.append(r * abs(modulus - k * t) / (t * modulus))
    partners = [i for i, t in enumerate(periods) if modulus % t and r >= LEAST_TURN * t]
    rates, together = 1 / np.array(periods, float), np.full(len(periods), np.inf)
    for sign in (1, -1):  # products of two circles turn with the sum and the difference
        # In harmonics of N: the fraction beyond an integer is what drifts apart.
        turns = (rates[:, None] + sign * rates[partners]) * modulus % modulus
        drift = np.abs(turns - np.clip(np.rint(turns), 1, modulus - 1)) / modulus * r
        drift[partners, range(len(partners))] = np.inf  # a block is not its own partner
        together = np.minimum(together, drift.min(axis=1, initial=np.inf))
    return np.array(alone), together


def aliases() -> dict[str, list[dict[str, Any]]]:
    """Return how often blocks that N does not need are used, by how near they are to a harmonic."""
    found = []
    for n in read_networks():
        if not n.degenerate:
            r, periods = n.input_range, n.periods
            chosen = [n.modulus % t != 0 and r >= LEAST_TURN * t for t in periods]
            drops = np.array(n.drops("permute", blocks=True))
            found.append(np.stack([*distances(n.modulus, periods, r), drops])[:, chosen])
    alone, together, drops = np.concatenate(found, axis=1)
    # Nearer ones explain themselves; only for the others does a partner say something.
    far = alone >= FAR
    sorted_by = {"aliases": (alone, drops), "alias_pairs": (together[far], drops[far])}
    return {name: list(bins(*both)) for name, both in sorted_by.items()}


def bins(distance: Floats, drops: Floats) -> Iterator[dict[str, Any]]:
    """Yield how many blocks of each distance there are, and how many are used."""
    for low, high in pairwise(EDGES):
        here = drops[(distance >= low) & (distance < high)]
        ends = {"low": low, "high": None if high == math.inf else high}
        values = {"mean": float(here.mean()), "largest": float(here.max())}
        used = int((here > USED).sum())
        yield {"kind": "permute", **ends, "blocks": here.size, **values, "used": used}


def claims() -> dict[str, dict[str, dict[str, Any]]]:
    """Judge the claims that depend on the replacement, by means and by each seed."""
    one = cells(lambda n: n.single, lambda n: (len(n.primes), n.input_range))
    two = cells(lambda n: not n.single, lambda n: (n.modulus, n.input_range))

    def below_floor(v: Values, floor: float) -> Values:
        return floor - v[1], floor + v[1]

    return {
        "E1.3": judge([cell for cell in one if cell[0] < 10], below_floor),
        "E1.4": judge([cell for cell in one if cell[0] >= 10], lambda v, _: (
            v[1] - 0.03 + 0.005 + _TINY, 0.09 + 0.005 - v[1] + _TINY)),
        "E2.1": judge(two, below_floor),
        "T.2": judge(one + two, lambda v, _: (v[0] - 500 * v[1],)),
    }  # fmt: skip


def cells(about: Callable[[Network], bool], place: Callable[[Network], Any]) -> list[Cell]:
    """Return the configurations that a claim is about."""
    chosen = (n for n in read_networks() if about(n) and (n.single or not n.degenerate))
    return [
        (at[0], math.sqrt(2 / some[0].test_size), group(some, lambda n: n.seed))
        for at, some in group(chosen, place).items()
    ]


def judge(
    chosen: Sequence[Cell], margins: Callable[[Values, float], Values]
) -> dict[str, dict[str, Any]]:
    """Count the configurations whose margins are above 0, for each kind of replacement."""
    found = {}
    for kind in KINDS:
        agreeing, by_seed, means = 0, [], []
        for _, floor, seeds in chosen:
            values = {seed: mean_drops(some, kind) for seed, some in seeds.items()}
            every = {seed: margins(v, floor) for seed, v in values.items()}
            # margins are linear in the drops, so their mean is the margin of the mean drop
            agreeing += all(mean(some) > 0 for some in zip(*every.values(), strict=True))
            by_seed.append({seed: min(some) > 0 for seed, some in every.items()})
            means.append([mean(some) for some in zip(*values.values(), strict=True)])
        shared = sorted(set.intersection(*map(set, by_seed)))
        found[kind] = {
            "configurations": len(chosen),
            "agreeing": agreeing,
            "by_seed": {seed: sum(one[seed] for one in by_seed) for seed in shared},
            "spans": [(min(some), max(some)) for some in zip(*means, strict=True)],
        }
    return found


def mean_drops(networks: Sequence[Network], kind: str) -> tuple[float, float]:
    """Return the mean drop of the rows of N's primes, and of the other rows."""
    parts: tuple[list[float], list[float]] = ([], [])
    for n in networks:
        rows = list(zip(n.primes, n.drops(kind), strict=True))
        for some, relevant in zip(parts, (True, False), strict=True):
            some.append(fmean(drop for p, drop in rows if (n.modulus % p == 0) is relevant))
    return fmean(parts[0]), fmean(parts[1])


@cache
def answers() -> dict[str, Any]:
    """Return the answers to all questions."""
    return {
        "depths": list(depths()), "equivariance": list(curves()), **aliases(), "claims": claims(),
    }  # fmt: skip
