"""Predictions of which circles networks misuse, registered before the networks were trained.

Experiment 1 of the paper with |P| = 10, 12, 14, 16 had one seed, 42. Its records, and tests of
networks of that seed beyond their range, gave the rules below. The rules were applied to seeds
43 … 46, and the predictions committed before the first of these networks was trained.

1. Which row: the rows with the smallest drift of a block from a harmonic of N (single aliases), and
   the two rows whose circles together have the smallest drift (pairs, first powers only).
2. Whether a row is misused, and whether the network fails beyond its range: logistic regressions on
   log N, log r and |P|.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from findings.predictions.study import FAR, NEAR, RANGES, SEEDS, SIZES, study
from findings.probes.networks import read_networks
from findings.statistics import area
from primefourier import PAPER_BASIS, PrimeBasis, lab
from primefourier.encoding import Alias, find_alias_pairs, find_aliases

SINGLES, PAIRS = 3, 5
USED = 0.1
"""A row is used if replacing it by another pair's costs more accuracy than this."""
RIGHT = 0.9
"""A network fails on a test set if its accuracy is below this."""
COMMITTED = "2026-11-18T14:01:25"
"""When the predictions came into the history, in UTC; see README.md."""
CONVERGED = 0.95
"""Networks with a smaller accuracy in range are counted, and not scored."""

Floats = NDArray[np.float64]


def single_aliases(size: int, modulus: int, input_range: int) -> list[dict[str, Any]]:
    """Return the rows with the nearest aliases, nearest first."""
    basis = PrimeBasis(PAPER_BASIS.primes[:size], PAPER_BASIS.depth)
    nearest: dict[int, Alias] = {}
    for alias in find_aliases(modulus, basis, input_range=input_range):
        if alias.channels[0][0] != modulus:
            nearest.setdefault(alias.channels[0][0], alias)
    return [
        {"row": row, "period": a.period, "harmonic": a.harmonic, "drift": round(a.drift, 4)}
        for row, a in list(nearest.items())[:SINGLES]
    ]


def alias_pairs(size: int, modulus: int, input_range: int) -> list[dict[str, Any]]:
    """Return the pairs of rows whose circles of period p together have the smallest drift."""
    basis = PrimeBasis(PAPER_BASIS.primes[:size], 1)
    return [
        {"periods": list(a.periods), "harmonic": a.harmonic, "drift": round(a.drift, 4)}
        for a in find_alias_pairs(modulus, basis, input_range=input_range)[:PAIRS]
    ]


def features(size: int, modulus: int, input_range: int) -> list[float]:
    """Return what the logistic regressions read: 1, log N, log r, |P|."""
    return [1.0, math.log(modulus), math.log(input_range), float(size)]


def fit(rows: Sequence[Sequence[float]], outcomes: Sequence[bool]) -> list[float]:
    """Return the weights of a logistic regression with a small penalty."""
    x, signs = np.array(rows), 2.0 * np.array(outcomes) - 1

    def loss(weights: Floats) -> float:
        errors = np.logaddexp(0, -signs * (x @ weights)).sum()
        return float(errors + 0.01 * (weights[1:] ** 2).sum())

    return [float(weight) for weight in minimize(loss, np.zeros(x.shape[1])).x]


def probability(weights: Sequence[float], row: Sequence[float]) -> float:
    """Return the probability that a logistic regression gives."""
    return 1 / (1 + math.exp(-float(np.dot(weights, row))))


def measured_use(record: lab.Record) -> list[tuple[float, int]]:
    """Return the drop of every row that the task does not need, largest first."""
    needed = record.measured.relevant or ()
    drops = zip(record.row_drops("permute"), record.measured.row_names, strict=True)
    return sorted(((drop, int(name)) for drop, name in drops if name not in needed), reverse=True)


def register(exploratory: Iterable[dict[str, Any]], date: str) -> dict[str, Any]:
    """Fit the rules to seed 42 and to smaller |P|, and return the predictions.

    Args:
        exploratory: Networks of seed 42 with their accuracy on both test sets beyond the range.
        date: The day of the registration.
    """
    tested = [found for found in exploratory if found["accuracy"] >= CONVERGED]
    rows, used = [], []
    for n in read_networks():
        if n.single:
            # Slower circles are constants rather than look-alikes, as on the page about aliases.
            kept = [n.modulus % t != 0 and n.input_range >= t / 4 for t in n.periods]
            drops = np.array(n.drops("permute", blocks=True))[kept]
            rows.append(features(len(n.primes), n.modulus, n.input_range))
            used.append(bool(drops.max(initial=0) > USED))
    places = [features(found["size"], found["modulus"], found["range"]) for found in tested]
    rules = {
        "uses": fit(rows, used),
        "near": fit(places, [found["near"] < RIGHT for found in tested]),
        "far": fit(places, [found["far"] < RIGHT for found in tested]),
    }
    return {
        "registered": date,
        "seeds": list(SEEDS),
        "thresholds": {"used": USED, "right": RIGHT, "converged": CONVERGED},
        "rules": {"features": ["1", "log N", "log r", "|P|"], **rules},
        "exploratory": list(exploratory),
        "predictions": [
            {
                "size": size,
                "modulus": modulus,
                "range": input_range,
                "singles": single_aliases(size, modulus, input_range),
                "pairs": alias_pairs(size, modulus, input_range),
                **{
                    name: round(probability(rule, features(size, modulus, input_range)), 4)
                    for name, rule in rules.items()
                },
            }
            for size in SIZES
            for input_range in RANGES
            for modulus in PAPER_BASIS.primes[:size]
        ],
    }


def judge(predicted: Sequence[float], outcomes: Sequence[bool], baseline: Sequence[float]) -> Any:
    """Compare probabilities with outcomes, beside a baseline that orders the same networks."""
    scores, happened = np.array(predicted), np.array(outcomes, dtype=bool)
    yes = scores > 0.5
    both = int((yes & happened).sum())
    return {
        "networks": len(happened),
        "happened": int(happened.sum()),
        "predicted": int(yes.sum()),
        "both": both,
        "precision": both / max(1, int(yes.sum())),
        "recall": both / max(1, int(happened.sum())),
        "brier": float(((scores - happened) ** 2).mean()),
        "area": area(scores, happened),
        "area of N/r": area(np.array(baseline), happened),
    }


def score(run: lab.Run, registered: dict[str, Any]) -> dict[str, Any]:
    """Compare the predictions with the records, as far as they are measured.

    Networks whose training began before the predictions were committed are scored apart.
    """
    after, before = split_at_commit(run.records)
    return {
        "planned": len(study.configs),
        "trained after the commit": score_records(after, registered),
        "trained before the commit": score_records(before, registered),
    }


def split_at_commit(records: Iterable[lab.Record]) -> tuple[list[lab.Record], list[lab.Record]]:
    """Return networks trained after the predictions were committed, and those trained before."""
    measured = [record for record in records if record.error is None]
    after = [record for record in measured if _began(record) >= COMMITTED]
    return after, [record for record in measured if _began(record) < COMMITTED]


def _began(record: lab.Record) -> str:
    """Return when the training of a network began."""
    finished = datetime.fromisoformat(record.provenance.finished)
    return (finished - timedelta(seconds=record.provenance.seconds)).isoformat()[:19]


def score_records(records: Sequence[lab.Record], registered: dict[str, Any]) -> dict[str, Any]:
    """Compare the predictions with some records."""
    predicted = {(p["size"], p["modulus"], p["range"]): p for p in registered["predictions"]}
    found: dict[str, list[tuple[float, bool, float]]] = {"uses": [], "near": [], "far": []}
    hits: dict[str, list[tuple[bool, float]]] = {}
    weak = 0
    for record in records:
        task, primes = record.config.task, record.config.embedding.primes
        prediction = predicted[len(primes), task.modulus, task.input_range]
        # A network that has not learned misuses nothing; it is counted, and not scored.
        if record.measured.accuracy < CONVERGED:
            weak += 1
            continue
        use = measured_use(record)
        beyond = record.measured.accuracy_beyond
        outcomes = {
            "uses": use[0][0] > USED,
            "near": beyond[str(NEAR * task.input_range)] < RIGHT,
            "far": beyond[str(FAR)] < RIGHT,
        }
        for name, outcome in outcomes.items():
            found[name].append((prediction[name], outcome, task.modulus / task.input_range))
        if outcomes["uses"]:
            place = "r = 100" if task.input_range == 100 else "r ≥ 500"
            others = len(use)
            rows = [alias["row"] for alias in prediction["singles"]]
            hits.setdefault(f"single, {place}", []).append((use[0][1] in rows, SINGLES / others))
            # The two most used rows, in the order in which periods of pairs are registered.
            pair = sorted((use[0][1], use[1][1]))
            known = pair in [[abs(t) for t in p["periods"]] for p in prediction["pairs"]]
            hits.setdefault(f"pair, {place}", []).append((known, PAIRS / math.comb(others, 2)))
    return {
        "networks": len(records),
        "not converged": weak,
        **{name: judge(*zip(*rows, strict=True)) for name, rows in found.items() if rows},
        "which": {
            name: {
                "networks": len(rows),
                "hits": sum(hit for hit, _ in rows),
                "by chance": sum(chance for _, chance in rows),
            }
            for name, rows in sorted(hits.items())
        },
    }
