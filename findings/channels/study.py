"""Networks that cannot mix primes beside the paper's: in range, beyond it, and with few pairs.

    pfe run findings/channels/study.py --out findings/channels

The ten moduli of experiment 2 with three networks: the paper's; ``Channels``, which computes each
prime's point from that prime's circles alone; and ``CRTClassifier``, which may mix primes and
answers by the same points. All see the same pairs, with the first powers of eight primes or only
the circles of ``plan``. "All" pairs are the paper's: 10 000 at r = 100, and 80 000 of 250 000 at
r = 500, there for N = 385 alone, since this takes longest. "Few" are 2 000 for training, in batches
of 64, so that the number of steps does not decide. The last study trains N = 385 with ever fewer
pairs, in at least as many steps.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from primefourier import PAPER_BASIS, lab

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
