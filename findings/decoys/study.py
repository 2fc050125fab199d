"""Dose and response: how near must a circle be to a harmonic of N before networks use it?

    pfe run findings/decoys/study.py --out findings/decoys

The network has the rows that ``plan`` names, and one decoy: a circle of real period T with 1/T =
k/N + drift/r. At drift 0 it is an honest harmonic. Further studies try remedies for two drifts, and
whether depth is used for N with square factors, as the sharper theorem says. That its blocks were
ablated one by one stands in ``findings/probes``.
"""

from __future__ import annotations

from typing import Any

from primefourier import lab

HARMONICS = {77: 4, 231: 10}
"""The harmonic k that the decoy resembles, for each N; no divisor of N is shared with k."""
DRIFTS = (0.0, 0.05, 0.1, 0.125, 0.15, 0.175, 0.2, 0.4, 0.8, 1.6, 3.2)
RANGE = 500
USED, RIGHT = 0.1, 0.9
"""As in the registered predictions: a used row costs more, a right network has at least this."""
SEEDS, REMEDY_SEEDS = range(42, 52), range(42, 47)
REMEDIES: dict[str, dict[str, Any]] = {
    "as before": {},
    "4 times the epochs": {"epochs": 160},
    "4 times the range": {"input_range": 4 * RANGE},
    "2.5 times the pairs": {"samples": 200_000},
    "weight decay 0.1": {"weight_decay": 0.1},
    "weight decay 1": {"weight_decay": 1.0},
}


def decoy_period(modulus: int, drift: float) -> float:
    """Return the period that drifts so many turns from the harmonic over inputs below 500."""
    return 1 / (HARMONICS[modulus] / modulus + drift / RANGE)


def model(modulus: int, drift: float, seed: int, **changes: Any) -> lab.ModelConfig:
    """Return a network with the rows of N and a decoy."""
    settings = {
        "epochs": 40,
        "input_range": RANGE,
        "samples": 80_000,
        "weight_decay": 0.0,
    } | changes
    r, decay = settings["input_range"], settings["weight_decay"]
    own = tuple(p for p in (3, 7, 11) if modulus % p == 0)
    return lab.ModelConfig(
        embedding=lab.Periods((*own, decoy_period(modulus, drift))),
        task=lab.ModularArithmetic(
            modulus=modulus,
            input_range=r,
            samples=settings["samples"],
            beyond=(2 * r, 10**4, 10**6, 10**9, 10**18),
        ),
        training=lab.Training(
            epochs=settings["epochs"],
            optimizer_name="adamw" if decay else "adam",
            weight_decay=decay,
        ),
        seed=seed,
        ablations=("zero", "permute"),
    )


def power_model(modulus: int, seed: int) -> lab.ModelConfig:
    """Return a network for a modulus with square factors, with six powers of six primes."""
    return lab.ModelConfig(
        embedding=lab.PrimeFourier((2, 3, 5, 7, 11, 13), 6),
        task=lab.ModularArithmetic(
            modulus=modulus, input_range=1000, beyond=(2000, 10**4, 10**6, 10**9, 10**18)
        ),
        training=lab.Training(epochs=40),
        seed=seed,
        ablations=("zero", "permute"),
    )


studies = [
    lab.Study(
        f"dose {modulus}",
        [model(modulus, drift, seed) for drift in DRIFTS for seed in SEEDS],
        title=f"A decoy beside the rows of {modulus}",
        axes=[lab.Axis("embedding.periods", "periods")],
    )
    for modulus in HARMONICS
]
studies += [
    lab.Study(
        f"remedy {name}",
        [model(231, drift, seed, **changes) for drift in (0.1, 0.4) for seed in REMEDY_SEEDS],
        title=f"A decoy beside the rows of 231, {name}",
        axes=[lab.Axis("embedding.periods", "periods")],
    )
    for name, changes in REMEDIES.items()
]
studies.append(
    lab.Study(
        "powers",
        [power_model(n, seed) for n in (8, 9, 12, 27, 45, 72) for seed in REMEDY_SEEDS],
        title="Moduli with square factors",
        axes=[lab.Axis("task.modulus", "N", "modulus N")],
    )
)
