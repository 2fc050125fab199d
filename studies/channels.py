"""Networks that cannot mix primes beside the paper's: in range, beyond it, and with few pairs.

    pfe run studies/channels.py --out results/channels
    python -m studies.channels

The ten moduli of experiment 2 with three networks: the paper's; ``Channels``, which computes each
prime's point from that prime's circles alone; and ``CRTClassifier``, which may mix primes and
answers by the same points. All see the same pairs, with the first powers of eight primes or only
the circles of ``plan``. "All" pairs are the paper's: 10 000 at r = 100, and 80 000 of 250 000 at
r = 500, there for N = 385 alone, since this takes longest. "Few" are 2 000 for training, in batches
of 64, so that the number of steps does not decide. The last study trains N = 385 with ever fewer
pairs, in at least as many steps. The second command counts, trains the networks of few pairs at
r = 500 with the first seed again to prove them prime by prime, proves one of ``train_channels`` for
each N beside them, and writes summary.json.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from primefourier import PAPER_BASIS, PrimeBasis, lab
from primefourier.analysis import certify
from primefourier.lab.channel_training import train_channels
from primefourier.lab.parts import InputShape
from primefourier.lab.record import Record

FOLDER = Path(__file__).parents[1] / "results" / "channels"
PRIMES = PAPER_BASIS.primes[:8]
MODULI = (15, 21, 33, 35, 55, 77, 105, 165, 231, 385)
SEEDS = (42, 43, 44)
BASES = ("depth 1", "plan")
NETWORKS = (lab.RowClassifier(), lab.Channels(), lab.CRTClassifier())
ENDS = ("1000000", "1000000000000000000")
FEW, BATCH = 2000, 64
PAIRS = {
    20: (1000, 0.98),
    50: (1000, 0.95),
    200: (2000, 0.9),
    500: (2500, 0.8),
    1000: (5000, 0.8),
    FEW: (10_000, 0.8),
}
"""Training pairs: how many pairs are drawn for them, and the share of the test pairs."""
RIGHT = 0.99
"""A network is right on a test set if its accuracy is at least this."""


def model(
    network: Any, base: str, modulus: int, input_range: int, pairs: int | None, seed: int
) -> lab.ModelConfig:
    """Return a model of experiment 2 with one of the networks; None is the paper's pairs."""
    own = tuple(p for p in PRIMES if modulus % p == 0)
    samples, share = (80_000, 0.2) if pairs is None else PAIRS[pairs]
    training = lab.Training(epochs=40)
    if pairs is not None:
        training = lab.Training(epochs=min(1600, 40 * FEW // pairs), batch_size=BATCH)
    return lab.ModelConfig(
        embedding=lab.PrimeFourier(PRIMES if base == "depth 1" else own, 1),
        task=lab.ModularArithmetic(
            "add",
            modulus=modulus,
            input_range=input_range,
            samples=samples,
            test_share=share,
            beyond=(2 * input_range, *map(int, ENDS)),
        ),
        network=network,
        training=training,
        seed=seed,
        ablations=("zero", "permute"),
    )


def make_study(name: str, title: str, models: Iterable[lab.ModelConfig]) -> lab.Study:
    """Return a study with a heatmap of N against r."""
    axes = [lab.Axis("task.modulus", "N", "modulus N"), lab.Axis("task.input_range", "r")]
    return lab.Study(name, list(models), title=title, axes=axes)


studies = [
    make_study(
        f"{network.name} {base} {pairs or 'all'}",
        f"{network.name}, basis: {base}, training pairs: {pairs or 'as in the paper'}",
        (
            model(network, base, modulus, input_range, pairs, seed)
            for seed in SEEDS
            for input_range in (100, 500)
            for modulus in MODULI
            if pairs or input_range == 100 or modulus == MODULI[-1]
        ),
    )
    for network in NETWORKS
    for base in BASES
    for pairs in (None, FEW)
] + [
    lab.Study(
        f"{network.name} samples",
        [
            model(network, BASES[0], MODULI[-1], 500, pairs, seed)
            for seed in SEEDS
            for pairs in PAIRS
        ],
        title=f"{network.name}, N = {MODULI[-1]}, ever fewer training pairs",
        axes=[lab.Axis("task.samples", "pairs drawn"), lab.Axis("task.modulus", "N")],
    )
    for network in NETWORKS
]


@cache
def count_parameters(network: Any, basis: PrimeBasis, classes: int) -> int:
    """Return the number of parameters of a network."""
    shape = InputShape(len(basis.primes), 2, 2 * basis.depth, basis)
    return sum(part.numel() for part in network.build(shape, classes).parameters())


def read(record: Record) -> dict[str, Any]:
    """Return what counts of one network."""
    config, measured = record.config, record.measured
    beyond = measured.accuracy_beyond
    return {
        "N": config.task.modulus,
        "r": config.task.input_range,
        "pairs": measured.train_size,
        "parameters": count_parameters(config.network, config.embedding.basis, config.task.classes),
        "accuracy": measured.accuracy,
        **{end: beyond[end] for end in ENDS},
    }


def summarise(run: lab.Run) -> dict[str, Any]:
    """Count right networks, and give mean accuracies and parameters, by study, N and r."""
    records = {record.config.key: record for record in run.records if record.error is None}
    summary: dict[str, Any] = {}
    for study in run.studies:
        found = [read(records[c.key]) for c in study.configs if c.key in records]
        sets = ("accuracy", *ENDS)
        places = sorted({(one["N"], one["r"], one["pairs"]) for one in found})
        summary[study.name] = {
            "networks": len(found),
            "planned": len(study.configs),
            "right": {end: sum(one[end] >= RIGHT for one in found) for end in sets},
            "cells": [
                {
                    "N": n,
                    "r": r,
                    "pairs": pairs,
                    "parameters": some[0]["parameters"],
                    **{end: [one[end] for one in some] for end in sets},
                }
                for n, r, pairs in places
                for some in [[o for o in found if (o["N"], o["r"], o["pairs"]) == (n, r, pairs)]]
            ],
        }
    return summary


def prove(modulus: int) -> list[dict[str, Any]]:
    """Prove the channel networks of one modulus, trained on few pairs below 500 and on any.

    N has no square factor, so the largest logit of ``Channels`` is that of the nearest residues,
    and a proof of its points for the primes of N is one of its answers.
    """
    own = PrimeBasis(tuple(p for p in PRIMES if modulus % p == 0), 1)

    def add(integers: torch.Tensor) -> torch.Tensor:
        return integers.sum(1)

    found = []
    for base in BASES:
        trained: Any = lab.train(model(NETWORKS[1], base, modulus, 500, FEW, SEEDS[0]))
        found.append((f"{FEW} pairs below 500, {base}", trained.network.points.for_basis(own)))
    found.append(("train_channels", train_channels(own, hidden=NETWORKS[1].hidden)))
    proofs = []
    for words, network in found:
        certificate = certify(network, own, add)
        names = ("status", "cases", "wrong", "margin", "bound", "radius")
        values = {name: getattr(certificate, name) for name in names}
        proofs.append({"N": modulus, "trained on": words, **values})
    return proofs


def main() -> None:
    """Write the summary and the proofs of a run, results/channels by default."""
    folder = Path(sys.argv[1]) if sys.argv[1:] else FOLDER
    torch.set_num_threads(1)
    found: dict[str, Any] = {
        "networks": summarise(lab.open(folder)),
        "proofs": [one for modulus in MODULI for one in prove(modulus)],
    }
    for one in found["proofs"]:
        print(one)
    for name, part in found["networks"].items():
        means = {end: float(np.mean([c[end] for c in part["cells"]])) for end in part["right"]}
        print(name, part["networks"], part["planned"], part["right"], means)
    (folder / "summary.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
