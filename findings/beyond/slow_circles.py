"""Do slow circles make networks wrong beyond their range? Writes slow-circles.json.

    python -m findings.beyond.slow_circles

Networks with the paper's basis that use no row without need, and are wrong near a million: there,
all circles that make less than one turn in range are replaced by those of inputs in range. If only
these circles were at fault, the answers are right again, although no other circle has changed.

The limit of one turn was chosen after looking: with that of a quarter, accuracy for N = 385 went
from 0.21 to 0.58 only; with one half it is 1.00, as with one. The four networks were chosen by hand
among those that fail. So this shows what slow circles can do, not how often.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
import torch
from torch import Tensor, nn

from findings.beyond.study import model
from findings.runs import write_json
from primefourier import lab
from primefourier.nn import PrimeFourierEmbedding

PLACES = ((7, 1000), (23, 4000), (77, 2000), (385, 4000))
"""N and r of the networks."""
SEED, SIZE = 42, 4000


@dataclass(frozen=True)
class Repair:
    """Accuracy in range, near a million, and there with slow circles, or others, from the range."""

    inside: float
    far: float
    slow: float
    others: float


def repair(config: lab.ModelConfig) -> Repair:
    """Train a network, and replace circles of large inputs by those of inputs in range."""
    network, task = lab.train(config), config.task
    (embedding,) = (m for m in network.modules() if isinstance(m, PrimeFourierEmbedding))
    numbers = np.random.default_rng(0)
    inside, far = (
        torch.from_numpy(numbers.integers(low, high, size=(SIZE, 2)))
        for low, high in ((0, task.input_range), (500_000, 10**6))
    )
    periods = torch.tensor([t for row in embedding.basis.periods for t in row])
    slow = (periods > task.input_range).repeat_interleave(2)
    others = (task.modulus % periods != 0).repeat_interleave(2) & ~slow
    own = embedding(inside)

    def accuracy(inputs: Tensor, replaced: Tensor) -> float:
        def replace(_module: nn.Module, _given: object, codes: Tensor) -> Tensor:
            return torch.where(replaced, own, codes)

        with torch.inference_mode(), embedding.register_forward_hook(replace):
            answers = network(inputs).argmax(1)
        return float((answers == inputs.sum(1) % task.modulus).double().mean())

    nothing = torch.zeros_like(slow)
    return Repair(
        accuracy(inside, nothing),
        accuracy(far, nothing),
        accuracy(far, slow),
        accuracy(far, others),
    )


def main() -> None:
    """Train the networks, and write what they do."""
    rows = []
    for modulus, input_range in PLACES:
        found = asdict(repair(model("paper", modulus, 8, input_range, SEED)))
        rows.append({"N": modulus, "r": input_range, **found})
        print(rows[-1], flush=True)
    write_json("beyond/slow-circles.json", rows)


if __name__ == "__main__":
    main()
