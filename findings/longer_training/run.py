"""Do more epochs change the diagonal drops at r = 100?

    ATEN_CPU_CAPABILITY=avx2 python -m findings.longer_training.run

Writes networks.json. With these kernels the numbers are the same
everywhere, and can be compared with those of the paper's run.

Claim E1.2 says that diagonal drops are 0.82 to 0.92 for |P| ≥ 10. At r = 100 they are smaller for
|P| = 12, 14 and 16, where networks are trained on 8 000 pairs, an eighth of those at larger r. Were
they trained for too few steps? Every network of these three configurations is trained for eight
times the epochs, which gives the steps of larger r; all else is as in the paper. Those of 25 epochs
stand in that run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from findings.predictions.study import model
from findings.runs import run_of
from findings.text import table
from primefourier import PAPER_BASIS, lab

FILE = Path(__file__).with_name("networks.json")
SIZES = (12, 14, 16)
TIMES = 8


def configs() -> Iterator[lab.ModelConfig]:
    """Yield the models of the paper's experiment 1 at r = 100 with 12 primes or more."""
    for size in SIZES:
        for modulus in PAPER_BASIS.primes[:size]:
            config = model(size, modulus, 100, 42)
            yield replace(config, task=replace(config.task, beyond=()), ablations=("zero",))


def longer(config: lab.ModelConfig) -> lab.ModelConfig:
    """Return a model of the paper with more epochs."""
    training = replace(config.training, epochs=TIMES * config.training.epochs)
    return replace(config, training=training)


def summarise(record: lab.Record) -> dict[str, Any]:
    """Return the counts of one network."""
    config, measured = record.config, record.measured
    return {
        "|P|": len(config.embedding.primes),
        "N": config.task.modulus,
        "epochs": config.training.epochs,
        "test size": measured.test_size,
        "correct": measured.correct,
        "lost": list(measured.lost),
        "gained": list(measured.gained),
    }


def mean_drops(lost: list[int], gained: list[int], size: int, own: int) -> tuple[float, float]:
    """Return the drop of N's row, and the mean drop of the others."""
    drops = [(a - b) / size for a, b in zip(lost, gained, strict=True)]
    return drops[own], float(np.mean(drops[:own] + drops[own + 1 :]))


def blocks() -> Iterator[tuple[str, str]]:
    """Yield the mean drops after 25 and after 200 epochs as a table."""
    published = {record.config.key: record for record in run_of("paper").records}
    found = {(one["|P|"], one["N"]): one for one in json.loads(FILE.read_text())}
    drops: dict[int, list[tuple[float, ...]]] = {size: [] for size in SIZES}
    for config in configs():
        primes, modulus = config.embedding.primes, config.task.modulus
        before, after = published[config.key].measured, found[len(primes), modulus]
        own = primes.index(modulus)
        drops[len(primes)].append(
            (
                *mean_drops(list(before.lost), list(before.gained), before.test_size, own),
                *mean_drops(after["lost"], after["gained"], after["test size"], own),
                before.accuracy,
                after["correct"] / after["test size"],
            )
        )
    rows = []
    for size, networks in drops.items():
        on, off, longer_on, longer_off, *_ = (f"{mean:.2f}" for mean in np.mean(networks, axis=0))
        lowest = (f"{least:.3f}" for least in np.min(networks, axis=0)[4:])
        rows.append([size, len(networks), on, longer_on, off, longer_off, *lowest])
    epochs = [f"{times * lab.Training.epochs} epochs" for times in (1, TIMES)]
    heads = [f"{what}, {when}" for what in ("N's row", "other rows", "accuracy") for when in epochs]
    yield "longer training", table([r"\|P\|", "networks", *heads], rows)


def main() -> None:
    """Train the networks that are missing, and write their counts."""
    torch.set_num_threads(1)
    FILE.parent.mkdir(parents=True, exist_ok=True)
    found = json.loads(FILE.read_text()) if FILE.exists() else []
    done = {(one["|P|"], one["N"]) for one in found}
    for config in configs():
        if (len(config.embedding.primes), config.task.modulus) in done:
            continue
        found.append(summarise(lab.measure(longer(config))))
        print(found[-1], flush=True)
        lines = ",\n".join(f" {json.dumps(one, ensure_ascii=False)}" for one in found)
        FILE.write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
