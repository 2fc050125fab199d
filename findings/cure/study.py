"""Cures for networks that are right in range and wrong beyond it, trained side by side.

    python -m findings.cure.study

The paper's basis and protocol, N and r of experiment 2, in one process with one thread. Appends a
line to networks.jsonl for each network, and continues where it stopped. What was predicted, and
when the run stops, is in README.md.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from findings.beyond.study import MODULI, RANGES, model
from primefourier import PrimeBasis, lab
from primefourier.analysis import certify
from primefourier.lab.fast_training import train_fast
from primefourier.lab.modules import RowNetwork
from primefourier.lab.row_ablation import ablate_rows
from primefourier.lab.training import Data, Inputs, count_correct, make_data

FILE = Path(__file__).with_name("networks.jsonl")
SEEDS = (42, 43, 44)
CURES = ("untreated", "refitted", "shifts", "masked")
REFIT_BATCH, REFIT_RATE = 64, 3e-3
MOST_CASES = 105**2
"""Networks with more cases are certified at ``CERTIFIED_RANGE`` only, since that takes long."""
CERTIFIED_RANGE = 1000
MOST_SECONDS = 7200


@lab.register
@dataclass(frozen=True)
class FastCircles(lab.PrimeFourier):
    """The paper's embedding with 0 in place of every circle of a period above a limit."""

    name: ClassVar[str] = "fast-circles"

    limit: int = 100

    def rows(self, integers: Any, dtype: str = "float32") -> Tensor:
        """Return the codes of integers, (n, primes, 2 · depth)."""
        kept = torch.tensor(self.basis.periods) <= self.limit
        return super().rows(integers, dtype) * kept.repeat_interleave(2, dim=1)


def treat(cure: str, modulus: int, input_range: int, seed: int) -> lab.ModelConfig:
    """Return the model of a cure that changes training; the others begin with the untreated."""
    config = model("paper", modulus, 8, input_range, seed)
    if cure == "shifts":
        return replace(config, training=replace(config.training, shifts=True))
    if cure == "masked":
        masked = FastCircles(config.embedding.primes, config.embedding.depth, limit=input_range)
        return replace(config, embedding=masked)
    return config


class Refitted(nn.Module):
    """A trained network that reads the circles of ``plan`` alone, whatever its basis was.

    The circles that are removed are their means in training, and so are the encoded rows of other
    primes; both are part of the biases. Then ``first`` is fitted again.

    Shape:
        codes of plan's basis (n, 2, 2 · own primes) → (n, N) logits.
    """

    weight: Tensor
    bias: Tensor

    def __init__(self, network: RowNetwork, features: Tensor, own: list[int]) -> None:
        super().__init__()
        encode: Any = network.encoder
        classify: Any = network.classifier
        width, rows = encode[2].out_features, features.shape[1]
        others = [row for row in range(rows) if row not in own]
        weight, means = encode[0].weight, features.mean(0)[own]
        self.register_buffer("weight", weight[:, :4].detach().clone())
        self.register_buffer("bias", (means[:, 4:] @ weight[:, 4:].T + encode[0].bias).detach())
        self.second, self.last = encode[2], classify[2]
        self.first = nn.Linear(len(own) * width, classify[0].out_features)
        columns = classify[0].weight.unflatten(1, (rows, width))
        codes = torch.stack([encode(some).mean(0) for some in features.split(1000)]).mean(0)
        with torch.no_grad():
            self.first.weight.copy_(columns[:, own].flatten(1))
            removed = columns[:, others].flatten(1) @ codes[others].flatten()
            self.first.bias.copy_(classify[0].bias + removed)
        for part in (self.second, self.last):
            part.requires_grad_(False)

    def forward(self, codes: Tensor) -> Tensor:
        """Return the logits of a batch of codes."""
        pairs = codes.unflatten(-1, (-1, 2)).transpose(1, 2).flatten(2)
        hidden = torch.relu(nn.functional.linear(pairs, self.weight) + self.bias)
        hidden = torch.relu(self.second(hidden)).flatten(1)
        logits: Tensor = self.last(torch.relu(self.first(hidden)))
        return logits


def read_plan(features: Tensor, own: list[int]) -> Tensor:
    """Return the codes of plan's basis, as joined rows of the paper's basis have them.

    Shape:
        (n, rows, 4 · depth) → (n, 2, 2 · own primes).
    """
    codes: Tensor = features[:, own, :4].unflatten(-1, (2, 2)).transpose(1, 2).flatten(2)
    return codes


def refit(network: RowNetwork, config: lab.ModelConfig, data: Data) -> tuple[Refitted, float]:
    """Remove what ``plan`` does not name, and fit the classifier's first layer for one epoch."""
    start = time.process_time()
    own = own_rows(config)
    found = Refitted(network, data.train.values, own)
    codes, labels = read_plan(data.train.values, own), data.train.labels
    optimizer = torch.optim.Adam(found.first.parameters(), lr=REFIT_RATE)
    order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(config.seed))
    for index in order.split(REFIT_BATCH):
        optimizer.zero_grad()
        nn.functional.cross_entropy(found(codes[index]), labels[index]).backward()
        optimizer.step()
    return found.eval(), time.process_time() - start


def own_rows(config: lab.ModelConfig) -> list[int]:
    """Return the places of the rows whose primes divide N."""
    return [i for i, p in enumerate(config.embedding.primes) if config.task.modulus % p == 0]


def prove(network: Refitted, config: lab.ModelConfig) -> dict[str, Any]:
    """Count the wrong ones of all pairs of residues, and certify a network that has none."""
    modulus = config.task.modulus
    basis = PrimeBasis(tuple(config.embedding.primes[i] for i in own_rows(config)), 1)
    pairs = np.stack(np.divmod(np.arange(modulus**2), modulus), axis=1)
    codes = torch.from_numpy(lab.PrimeFourier(basis.primes, 1).rows(pairs.ravel()).numpy())
    with torch.no_grad():
        answers = [network(part).argmax(1) for part in codes.view(-1, 2, basis.dim).split(4096)]
    wrong = int((torch.cat(answers) != torch.from_numpy(pairs.sum(1) % modulus)).sum())
    found: dict[str, Any] = {"cases": modulus**2, "wrong": wrong}
    if not wrong and (modulus**2 <= MOST_CASES or config.task.input_range == CERTIFIED_RANGE):
        certificate = certify(network, basis, lambda x: (x % modulus).sum(1) % modulus)
        found |= {"status": certificate.status, "margin": certificate.margin}
    return found


def count(network: nn.Module, config: lab.ModelConfig, inputs: Inputs) -> list[int]:
    """Return how many answers are right, and of how many."""
    return [count_correct(network, inputs, config), len(inputs.labels)]


def train(cure: str, modulus: int, input_range: int, seed: int) -> Iterator[dict[str, Any]]:
    """Train a network, and yield what it does; the untreated one of seed 42 again, refitted."""
    config = treat(cure, modulus, input_range, seed)
    start = time.process_time()
    data = make_data(config)
    network: Any = train_fast(config, data).model.eval()
    seconds = time.process_time() - start
    place = {"N": modulus, "r": input_range, "seed": seed}
    sets = {"in range": data.test, **data.beyond}
    used = ablate_rows(
        network, data.test.values, data.test.labels, batch_size=1024, kind="permute", seed=seed
    )
    yield {
        **place,
        "cure": cure,
        "right": {name: count(network, config, inputs) for name, inputs in sets.items()},
        "changed": [a - b for a, b in zip(used.lost, used.gained, strict=True)],
        "seconds": round(seconds, 2),
    }
    if cure == "untreated":
        again, more = refit(network, config, data)
        own = own_rows(config)
        read = {name: Inputs(read_plan(x.values, own), x.labels) for name, x in sets.items()}
        yield {
            **place,
            "cure": "refitted",
            "right": {name: count(again, config, inputs) for name, inputs in read.items()},
            **prove(again, config),
            "seconds": round(seconds + more, 2),
        }


def networks() -> Iterator[tuple[str, int, int, int]]:
    """Yield all networks to train; whatever is done when it stops is a sample of a seed."""
    places = [(modulus, input_range) for modulus in MODULI for input_range in RANGES]
    for seed in SEEDS:
        for i in np.random.default_rng(seed).permutation(len(places)):
            for cure in ("untreated", "shifts", "masked")[seed != SEEDS[0] :]:
                yield (cure, *places[i], seed)


def main() -> None:
    """Train the networks that are missing, and append what they do."""
    torch.set_num_threads(1)
    lines = FILE.read_text().splitlines() if FILE.exists() else []
    done = {(one["cure"], one["N"], one["r"], one["seed"]) for one in map(json.loads, lines)}
    seconds = sum(one["seconds"] for one in map(json.loads, lines) if one["cure"] != "refitted")
    for place in networks():
        if place not in done and seconds < MOST_SECONDS:
            found = list(train(*place))
            seconds += found[-1]["seconds"]
            with FILE.open("a") as file:
                file.write("".join(json.dumps(one) + "\n" for one in found))


if __name__ == "__main__":
    main()
