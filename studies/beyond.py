"""Perfect in range, wrong beyond: the paper's networks tested on inputs they never saw.

    pfe run studies/beyond.py --out results/beyond
    python -m studies.beyond

Experiment 2 with five seeds, and experiment 1 with |P| ≤ 8 and three seeds, each with four bases:
the six powers of every prime as in the paper; depth 1; only the channels that ``plan`` names; and
the paper's without the primes of N. Every network is tested in range, from r to 2r, and on integers
of up to 4, 6, 9 and 18 digits.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Container, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primefourier import PAPER_BASIS, PrimeBasis, lab
from primefourier.encoding.aliases import find_alias_pairs, find_aliases
from primefourier.lab.record import Record

MODULI = (15, 21, 33, 35, 55, 77, 105, 165, 231, 385)
RANGES = (100, 500, 1000, 2000, 4000)
BASES = ("paper", "depth 1", "plan", "without N")


def embedding(base: str, modulus: int, primes: tuple[int, ...]) -> lab.PrimeFourier:
    """Return one of the four bases for a modulus."""
    own = tuple(p for p in primes if modulus % p == 0)
    others = tuple(p for p in primes if modulus % p)
    if base == "plan":
        return lab.PrimeFourier(own, 1)
    if base == "depth 1":
        return lab.PrimeFourier(primes, 1)
    return lab.PrimeFourier(primes if base == "paper" else others, PAPER_BASIS.depth)


def model(base: str, modulus: int, size: int, input_range: int, seed: int) -> lab.ModelConfig:
    """Return a model of the paper with one of the four bases and tests beyond the range."""
    ends = (2 * input_range, 10**4, 10**6, 10**9, 10**18)
    primes = PAPER_BASIS.primes[:size]
    return lab.ModelConfig(
        embedding=embedding(base, modulus, primes),
        task=lab.ModularArithmetic("add", modulus=modulus, input_range=input_range, beyond=ends),
        training=lab.Training(epochs=25 if modulus in primes else 40),
        seed=seed,
        ablations=("zero", "permute"),
    )


def make_study(name: str, title: str, models: Iterable[lab.ModelConfig]) -> lab.Study:
    """Return a study with a heatmap of N against r."""
    axes = [lab.Axis("task.modulus", "N", "modulus N"), lab.Axis("task.input_range", "r")]
    return lab.Study(name, list(models), title=title, axes=axes)


studies = [
    make_study(
        f"composite {base}",
        f"Experiment 2, basis: {base}",
        (
            model(base, modulus, 8, input_range, seed)
            for seed in range(42, 47)
            for input_range in RANGES
            for modulus in MODULI
        ),
    )
    for base in BASES
] + [
    make_study(
        f"prime {base}",
        f"Experiment 1, basis: {base}",
        (
            model(base, modulus, size, input_range, seed)
            for seed in range(42, 45)
            for size in (4, 6, 8)
            for input_range in RANGES
            for modulus in PAPER_BASIS.primes[:size]
        ),
    )
    for base in BASES
]

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


def read(record: Record) -> dict[str, Any]:
    """Return what counts of one network: its place, accuracies, and the use of other rows."""
    from studies.predictions import area  # not at the top: pfe run loads this file by its path

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


def whole_seeds(study: lab.Study, measured: Container[str]) -> list[int]:
    """Return the seeds of which every network is measured; others would favour long training."""
    missing = {config.seed for config in study.configs if config.key not in measured}
    return sorted({config.seed for config in study.configs} - missing)


def judge_rule(networks: Sequence[dict[str, Any]], fails: NDArray[np.bool_]) -> dict[str, int]:
    """Count networks that fail with a near alias, and with as many networks chosen by N/r."""
    near = np.array([-one["nearest alias"] < NEAR for one in networks], dtype=bool)
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


def read_studies(run: lab.Run, *, degenerate: bool = False) -> dict[str, list[dict[str, Any]]]:
    """Return what counts of each network of the whole seeds, by study.

    Degenerate networks are left out, as in the paper: no sum of their training data wraps around,
    so nothing tells them N.
    """
    records = {record.config.key: record for record in run.records if record.error is None}
    seeds = {study.name: whole_seeds(study, records) for study in run.studies}
    return {
        study.name: [
            read(records[config.key])
            for config in study.configs
            if config.seed in seeds[study.name] and (degenerate or not config.degenerate)
        ]
        for study in run.studies
    }


def summarise(run: lab.Run) -> dict[str, Any]:
    """Count right networks by basis and test set, and ask what predicts and explains failing.

    A seed counts only if all its networks of a study are measured, and degenerate ones do not.
    """
    from studies.predictions import area

    records = {record.config.key: record for record in run.records if record.error is None}
    seeds = {study.name: whole_seeds(study, records) for study in run.studies}
    found = read_studies(run)
    converged = {
        name: [one for one in some if one["accuracy"] >= RIGHT] for name, some in found.items()
    }
    summary: dict[str, Any] = {}
    for name, networks in converged.items():
        part: dict[str, Any] = {
            "seeds": seeds[name],
            "networks": len(found[name]),
            "right in range": len(networks),
        }
        for end in ENDS:
            part[f"right at {end}"] = sum(one["beyond"][end] >= RIGHT for one in networks)
        part["right at all"] = sum(min(one["beyond"].values()) >= RIGHT for one in networks)
        part["use a row without need"] = sum(one["most used"] > USED for one in networks)
        for end in ("2r", "1000000"):
            fails = np.array([one["beyond"][end] < RIGHT for one in networks], dtype=bool)
            part[f"area at {end}"] = {
                score: area(np.array([one[score] for one in networks]), fails) for score in SCORES
            }
            part[f"rule at {end}"] = judge_rule(networks, fails)
        part["intervals at 1000000"] = draw_areas(networks, fails)
        summary[name] = part
    mixed = [
        one["within"] for base in ("paper", "depth 1") for experiment in ("composite", "prime")
        for one in converged.get(f"{experiment} {base}", [])
        if one["within"]["alias"] is not None
    ]  # fmt: skip
    summary["within networks"] = {
        "networks": len(mixed),
        **{
            name: float(np.mean([one[name] for one in mixed])) if mixed else None
            for name in ("alias", "pair")
        },
    }
    for experiment in ("composite", "prime"):
        shallow = {one["place"]: one for one in converged.get(f"{experiment} depth 1", [])}
        failing = [
            one for one in converged.get(f"{experiment} paper", [])
            if one["beyond"]["1000000"] < RIGHT
        ]  # fmt: skip
        pairs = [(one, shallow[one["place"]]) for one in failing if one["place"] in shallow]
        summary[f"{experiment}: why networks fail near a million"] = {
            "fail": len(failing),
            CAUSES[0]: sum(one["most used"] > USED for one in failing),
            CAUSES[1]: sum(
                one["most used"] <= USED and other["beyond"]["1000000"] >= RIGHT
                for one, other in pairs
            ),
            CAUSES[2]: sum(
                one["most used"] <= USED and other["beyond"]["1000000"] < RIGHT
                for one, other in pairs
            ),
        }
    return summary


def main() -> None:
    """Write the summary of results/beyond."""
    folder = Path(__file__).parents[1] / "results" / "beyond"
    text = json.dumps(summarise(lab.open(sys.argv[1] if sys.argv[1:] else folder)), indent=1)
    print(text)
    if not sys.argv[1:]:
        (folder / "summary.json").write_text(f"{text}\n")


if __name__ == "__main__":
    main()
