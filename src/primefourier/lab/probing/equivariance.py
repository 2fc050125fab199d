"""Does a network answer a shifted question with a shifted answer, and does Schur's lemma bind it?

Exchange the first operand of a pair, a → a + s. The label moves by s, or by s·b for products, so an
equivariant network moves all its logits by as much: f(a + s, b) = S^s f(a, b).

If that holds around the inputs too, the second moment of the gradient by the code of a, E[JᵀJ] with
the Jacobian J of the logits, commutes with the action; so by Theorem 3.1 it couples no two blocks.
How much of it does so nevertheless is the off-block energy. (The mean is over 0 ≤ a < r, which is
the whole group only up to periods of r; longer ones may stay coupled.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from primefourier.encoding import plan
from primefourier.lab.config import ModelConfig
from primefourier.lab.features import OPERANDS, row_features
from primefourier.lab.model import RowClassifier
from primefourier.lab.task import make_labels, make_task
from primefourier.lab.training.examples import Examples
from primefourier.theory import off_block_energy

SHIFTED = 4000
"""At most so many test pairs are exchanged after each epoch."""
_MOST_LOGITS = 2**24
"""Fewer pairs if they had more logits than this, which would not fit into memory."""


@dataclass(frozen=True)
class Shifts:
    """Test pairs, and the same with another first operand.

    Shape:
        features and exchanged (n, P, 4D), moves (n,): by how much the label moves, in 0 … N - 1.
    """

    features: Tensor
    exchanged: Tensor
    moves: Tensor


@dataclass
class EquivarianceWatch:
    """Looks at a network again and again while it is trained; it changes nothing of it."""

    config: ModelConfig
    shifts: Shifts
    answers_apart: list[int] = field(default_factory=list)
    shift_error: list[float] = field(default_factory=list)
    off_block_energy: list[float] = field(default_factory=list)
    relevant_share: list[float] = field(default_factory=list)

    @classmethod
    def of(cls, config: ModelConfig, examples: Examples) -> EquivarianceWatch:
        """Make a watch for the network of a config that is trained on these examples."""
        dtype = examples.train_features.dtype
        return cls(config, make_shifts(config, dtype=dtype, device=examples.device))

    def look(self, model: RowClassifier) -> None:
        """Measure the network as it is now."""
        apart, error = follow_shifts(model, self.shifts)
        moment = gradient_moment(model, self.shifts.features, self.config)
        if math.isfinite(error) and moment.isfinite().all():
            outside = off_block_energy(moment, self.config.basis)
            share = relevant_share(moment, self.config)
        else:  # its weights ran away: nothing it computes has to do with anything
            error, outside, share = 1.0, 1.0, 0.0
        self.answers_apart.append(apart)
        self.shift_error.append(_rounded(error))
        self.off_block_energy.append(_rounded(outside))
        self.relevant_share.append(_rounded(share))


def make_shifts(config: ModelConfig, *, dtype: torch.dtype, device: torch.device) -> Shifts:
    """Take test pairs and give each the first operand of the next one, so that inputs stay below r.

    >>> config = ModelConfig(experiment="e", modulus=7, input_range=9, primes=(3, 7))
    >>> shifts = make_shifts(config, dtype=torch.float32, device=torch.device("cpu"))
    >>> shifts.exchanged.shape, shifts.moves.shape
    (torch.Size([17, 2, 24]), torch.Size([17]))
    """
    task = make_task(config)
    count = min(SHIFTED, max(1, _MOST_LOGITS // config.modulus))
    pairs, labels = task.test_pairs[:count], task.test_labels[:count]
    exchanged = np.stack([np.roll(pairs[:, 0], -1), pairs[:, 1]], axis=1)
    moves = (make_labels(exchanged, config) - labels) % config.modulus
    return Shifts(
        row_features(pairs, config, dtype=dtype).to(device),
        row_features(exchanged, config, dtype=dtype).to(device),
        torch.from_numpy(moves).to(device),
    )


@torch.no_grad()
def follow_shifts(model: RowClassifier, shifts: Shifts) -> tuple[int, float]:
    """Return how many answers do not move as the label does, and how far the logits are from it.

    The distance is √(Σ‖f(a + s, b) - S^s f(a, b)‖² / Σ(‖f(a + s, b)‖² + ‖f(a, b)‖²)), of logits
    less their mean, which no answer depends on: 0 for an equivariant network, 1 for one whose
    logits have nothing to do with each other.
    """
    here, there = (_centred(model(x)) for x in (shifts.features, shifts.exchanged))
    classes = here.shape[1]
    places = torch.arange(classes, device=here.device)
    moved = here.gather(1, (places - shifts.moves[:, None]) % classes)
    apart = (there.argmax(1) - here.argmax(1) - shifts.moves) % classes
    total = float(here.square().sum() + there.square().sum())
    distance = float((there - moved).square().sum())
    return int((apart != 0).sum()), math.sqrt(distance / total) if total else 0.0


def gradient_moment(model: RowClassifier, features: Tensor, config: ModelConfig) -> Tensor:
    """Return E[JᵀJ] by the code of the first operand, in the order of flat codes.

    A random combination v of the logits has the gradient Jᵀv, and E[vvᵀ] = 1: one backward pass
    instead of N. With n pairs that adds at most dim / n to the off-block energy, on average.

    Shape:
        features (n, P, 4D) → (dim, dim), float64.
    """
    x = features.detach().clone().requires_grad_()
    drawn = np.random.default_rng(config.seed).standard_normal((len(x), config.modulus))
    weights = _centred(torch.from_numpy(drawn)).to(x)
    with torch.enable_grad():
        (gradient,) = torch.autograd.grad((model(x) * weights).sum(), x)
    first = gradient.view(len(x), -1, OPERANDS, 2)[:, :, 0].flatten(1).double()
    return first.t() @ first / len(x)


def relevant_share(moment: Tensor, config: ModelConfig) -> float:
    """Return the share of the gradient's square on the channels whose period divides N."""
    by_channel = moment.diagonal().view(-1, 2).sum(1)
    relevant = plan(config.modulus, config.basis).relevant
    places = [config.basis.channels.index(channel) for channel in relevant]
    total = float(by_channel.sum())
    return float(by_channel[places].sum()) / total if total else 0.0


def _centred(logits: Tensor) -> Tensor:
    double = logits.double()
    return double - double.mean(1, keepdim=True)


def _rounded(value: float) -> float:
    """Keep the digits that mean something, so that records stay small."""
    return float(f"{value:.6g}")
