"""Which networks are right beyond the range, and what predicts and explains failing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from findings.runs import FAR, run_of
from findings.statistics import area
from primefourier import PrimeBasis, lab
from primefourier.encoding import find_alias_pairs, find_aliases

EXPERIMENTS = ("composite", "prime")
ENDS = ("2r", "10000", "1000000", "1000000000", "1000000000000000000")
RIGHT = 0.99
"""A network is right on a test set if its accuracy is at least this."""
USED = 0.02
"""A row is used if replacing it by another pair's costs more accuracy than this."""
CAUSES = (
    "use a row without need",
    "use none, and are right at depth 1",
    "use none, and fail at depth 1 too",
)
NEAR = 0.4
"""Turns: a rule says that a network fails if its nearest alias drifts less than this."""
SCORES = ("N/r", "nearest alias", "nearest alias or pair", "most used")
"""What may predict failing; the last one is measured after training."""


@cache  # networks of other seeds have the same aliases
def row_drifts(modulus: int, basis: PrimeBasis, input_range: int) -> dict[str, dict[int, float]]:
    """Return for each row that N does not need the drift of its nearest alias and pair."""
    found = {
        name: dict.fromkeys((p for p in basis.primes if modulus % p), math.inf)
        for name in ("alias", "pair")
    }
    for name, search in (("alias", find_aliases), ("pair", find_alias_pairs)):
        for alias in search(modulus, basis, input_range=input_range):
            for prime, _ in alias.channels:
                if prime in found[name]:
                    found[name][prime] = min(found[name][prime], alias.drift)
    return found


def read(record: lab.Record) -> dict[str, Any]:
    """Return what counts of one network: its place, accuracies, and the use of other rows."""
    config, measured = record.config, record.measured
    n, r, basis = config.task.modulus, config.task.input_range, config.embedding.basis
    beyond, drifts = measured.accuracy_beyond, row_drifts(n, basis, r)
    others = {
        int(row): drop
        for row, drop in zip(measured.row_names, record.row_drops("permute"), strict=True)
        if n % int(row)
    }
    alias, pair = (min(drifts[name].values(), default=math.inf) for name in ("alias", "pair"))
    return {
        "place": (n, r, config.seed, len(basis.primes)),
        "accuracy": measured.accuracy,
        "beyond": {end: beyond[str(2 * r) if end == "2r" else end] for end in ENDS},
        "most used": max(others.values(), default=0.0),
        "N/r": n / r,
        "nearest alias": -alias,
        "nearest alias or pair": -min(alias, pair),
        "within": {
            name: area(
                np.array([-drift for drift in drifts[name].values()]),
                np.array([others[row] > USED for row in drifts[name]], dtype=bool),
            )
            for name in drifts
        },
    }


def judge_rule(networks: Sequence[dict[str, Any]], fails: NDArray[np.bool_]) -> dict[str, int]:
    """Count networks that fail with a near alias, and with as many networks chosen by N/r."""
    near = np.array([-one["nearest alias"] < NEAR for one in networks], dtype=bool)
    # As many networks by N/r as the rule names, so that the two compare at equal size.
    by_ratio = np.argsort([-one["N/r"] for one in networks], kind="stable")[: near.sum()]
    return {
        "happened": int(fails.sum()),
        "predicted": int(near.sum()),
        "both": int((near & fails).sum()),
        "both by N/r": int(fails[by_ratio].sum()),
    }


def draw_areas(networks: Sequence[dict[str, Any]], fails: NDArray[np.bool_]) -> dict[str, Any]:
    """Return 95 % intervals of the areas under the curve, and by how much aliases exceed N/r.

    Networks of one (N, r) have the same aliases, so places are drawn again, not networks.
    """
    names = [one["place"][:2] for one in networks]
    places = sorted(set(names)) or [(0, 0)]
    index = np.array([places.index(name) for name in names], dtype=int)
    share = np.full(len(places), 1 / len(places))
    # Counts of places, so each draw weighs all networks of a place alike; the seed fixes the page.
    drawn = np.random.default_rng(0).multinomial(len(places), share, size=2000)[:, index]
    yes, no = drawn * fails, drawn * ~fails
    pairs = yes.sum(1) * no.sum(1)
    found = {}
    for name in SCORES:
        scores = np.array([one[name] for one in networks])
        above = (scores[:, None] > scores) + 0.5 * (scores[:, None] == scores)
        found[name] = ((yes @ above) * no).sum(1)[pairs > 0] / pairs[pairs > 0]
    found["nearest alias - N/r"] = found["nearest alias"] - found["N/r"]
    return {
        name: np.quantile(areas, (0.025, 0.975)).round(3).tolist() if areas.size else None
        for name, areas in found.items()
    }


def whole_seeds(run: lab.Run) -> dict[str, list[int]]:
    """Return the seeds of which every network is measured; others would favour long training."""
    measured = {record.config.key for record in run.records if record.error is None}
    return {
        study.name: sorted(
            {config.seed for config in study.configs}
            - {config.seed for config in study.configs if config.key not in measured}
        )
        for study in run.studies
    }


@cache
def read_studies(*, degenerate: bool = False) -> dict[str, list[dict[str, Any]]]:
    """Return what counts of each network of the whole seeds, by study.

    Degenerate networks are left out, as in the paper: no sum of their training data wraps around,
    so nothing tells them N.
    """
    run = run_of("beyond")
    records, seeds = {record.config.key: record for record in run.records}, whole_seeds(run)
    return {
        study.name: [
            read(records[config.key])
            for config in study.configs
            if config.seed in seeds[study.name] and (degenerate or not config.degenerate)
        ]
        for study in run.studies
    }


def right_in_range() -> dict[str, list[dict[str, Any]]]:
    """Return what counts of the networks that are right in range, by study."""
    return {
        name: [one for one in some if one["accuracy"] >= RIGHT]
        for name, some in read_studies().items()
    }


@cache
def summarise() -> dict[str, Any]:
    """Count right networks by basis and test set, and ask what predicts and explains failing.

    A seed counts only if all its networks of a study are measured, and degenerate ones do not.
    """
    seeds, converged = whole_seeds(run_of("beyond")), right_in_range()
    summary: dict[str, Any] = {}
    for name, networks in converged.items():
        part: dict[str, Any] = {
            "seeds": seeds[name],
            "networks": len(read_studies()[name]),
            "right in range": len(networks),
        }
        for end in ENDS:
            part[f"right at {end}"] = sum(one["beyond"][end] >= RIGHT for one in networks)
        part["right at all"] = sum(min(one["beyond"].values()) >= RIGHT for one in networks)
        part["use a row without need"] = sum(one["most used"] > USED for one in networks)
        for end in ("2r", FAR):
            fails = np.array([one["beyond"][end] < RIGHT for one in networks], dtype=bool)
            part[f"area at {end}"] = {
                score: area(np.array([one[score] for one in networks]), fails) for score in SCORES
            }
            part[f"rule at {end}"] = judge_rule(networks, fails)
        part[f"intervals at {FAR}"] = draw_areas(networks, fails)
        summary[name] = part
    mixed = [
        one["within"]
        for base in ("paper", "depth 1")
        for experiment in EXPERIMENTS
        for one in converged[f"{experiment} {base}"]
        if one["within"]["alias"] is not None
    ]
    summary["within networks"] = {
        "networks": len(mixed),
        **{name: float(np.mean([one[name] for one in mixed])) for name in ("alias", "pair")},
    }
    for experiment in EXPERIMENTS:
        causes = [cause for _, cause in causes_of(experiment) if cause != "right"]
        summary[f"{experiment}: why networks fail near a million"] = {
            "fail": len(causes),
            **{cause: causes.count(cause) for cause in CAUSES},
        }
    return summary


def causes_of(experiment: str) -> list[tuple[dict[str, Any], str]]:
    """Return the networks with the paper's basis, and why each fails near a million, or "right"."""
    found = right_in_range()
    shallow = {one["place"]: one for one in found[f"{experiment} depth 1"]}

    def cause(one: dict[str, Any]) -> str:
        if one["beyond"][FAR] >= RIGHT:
            return "right"
        if one["most used"] > USED:
            return CAUSES[0]
        twin = shallow.get(one["place"])
        if twin is None:
            return "no network at depth 1 is right in range"
        return CAUSES[1 if twin["beyond"][FAR] >= RIGHT else 2]

    return [(one, cause(one)) for one in found[f"{experiment} paper"]]
