"""Probe a network: ablate rows and blocks in three ways, and measure equivariance by epoch.

Replace the first operand of a pair, a → a + s. The label moves by s, or by s·b for products, so an
equivariant network moves all its logits by the same amount: f(a + s, b) = S^s f(a, b).

If this also holds around the inputs, the second moment E[JᵀJ] of the gradient by the code of a,
with the Jacobian J of the logits, commutes with the action. By Theorem 3.1 it then couples no two
blocks; the off-block energy is the share that does. (The mean is over 0 ≤ a < r, which is the whole
group only for periods up to r; longer periods may stay coupled.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from primefourier.encoding import plan
from primefourier.lab.config import ModelConfig, prime_parts
from primefourier.lab.modules import RowNetwork
from primefourier.lab.probe import KINDS, Probe
from primefourier.lab.row_ablation import ablate_blocks, ablate_rows
from primefourier.lab.training import Data, read_integers
from primefourier.theory import off_block_energy

SHIFTED = 4000
"""The largest number of test pairs that are shifted after each epoch."""
_MOST_LOGITS = 2**24
"""Fewer pairs are shifted if they have more logits than this, to limit memory."""


@dataclass(frozen=True)
class Shifts:
    """Test pairs, and the same pairs with another first operand.

    Shape:
        features and shifted (n, P, 4D), moves (n,): the shift of the label, in 0 … N - 1.
    """

    features: Tensor
    shifted: Tensor
    moves: Tensor


class EquivarianceProbe:
    """Measures the equivariance of a network before training and after each epoch.

    Args:
        config: The model.
        data: The examples that its network is trained on.

    Attributes:
        found: By epoch: shift violations, shift error, off-block energy and relevant share. All
            are None for a diverged network; the share also for a zero gradient.
    """

    def __init__(self, config: ModelConfig, data: Data) -> None:
        self.config = config
        self.shifts = make_shifts(config, dtype=data.train.values.dtype, device=data.device)
        self.found: list[tuple[int | None, float | None, float | None, float | None]] = []

    def observe(self, model: nn.Module) -> None:
        """Measure the network without changing it."""
        violations, error = measure_shifts(model, self.shifts)
        moment = gradient_moment(model, self.shifts.features, self.config)
        if not (math.isfinite(error) and moment.isfinite().all()):
            self.found.append((None, None, None, None))
            return
        outside = off_block_energy(moment, prime_parts(self.config)[0].basis)
        share = relevant_share(moment, self.config)
        rounded = None if share is None else _rounded(share)
        self.found.append((violations, _rounded(error), _rounded(outside), rounded))


def probe_network(
    config: ModelConfig, model: RowNetwork, data: Data, equivariance: EquivarianceProbe
) -> Probe:
    """Ablate all rows and blocks of a trained network, and add its equivariance by epoch.

    Args:
        config: The model.
        model: Its trained network.
        data: Its examples.
        equivariance: The probe that observed the training.
    """
    features, labels = data.test.values, data.test.labels
    size = config.training.batch_size or len(labels)
    rows, blocks = (
        {
            kind: ablate(model, features, labels, batch_size=size, kind=kind, seed=config.seed)
            for kind in KINDS
        }
        for ablate in (ablate_rows, ablate_blocks)
    )
    violations, error, outside, share = zip(*equivariance.found, strict=True)
    return Probe(
        test_size=len(labels),
        rows=rows,
        blocks=blocks,
        shifted_size=len(equivariance.shifts.moves),
        shift_violations=violations,
        shift_error=error,
        off_block_energy=outside,
        relevant_share=share,
    )


def make_shifts(config: ModelConfig, *, dtype: torch.dtype, device: torch.device) -> Shifts:
    """Replace the first operand of each test pair by that of the next pair, which is below r.

    >>> from primefourier.lab import ModularArithmetic, PrimeFourier
    >>> task = ModularArithmetic(modulus=7, input_range=9)
    >>> config = ModelConfig(embedding=PrimeFourier(primes=(3, 7)), task=task)
    >>> shifts = make_shifts(config, dtype=torch.float32, device=torch.device("cpu"))
    >>> shifts.shifted.shape, shifts.moves.shape
    (torch.Size([17, 2, 24]), torch.Size([17]))
    """
    _, task = prime_parts(config)
    test = task.draw(config.seed).test
    count = min(SHIFTED, max(1, _MOST_LOGITS // task.modulus))
    pairs, labels = test.inputs[:count], test.labels[:count]
    shifted = np.stack([np.roll(pairs[:, 0], -1), pairs[:, 1]], axis=1)
    moves = (task.label(shifted) - labels) % task.modulus
    here, there = (read_integers(some, config, dtype=dtype).to(device) for some in (pairs, shifted))
    return Shifts(here, there, torch.from_numpy(moves).to(device))


@torch.no_grad()
def measure_shifts(model: nn.Module, shifts: Shifts) -> tuple[int, float]:
    """Return the number of answers that violate the shift, and the shift error of the logits.

    An answer violates the shift if it does not move as the label does. The error is
    √(Σ‖f(a + s, b) - S^s f(a, b)‖² / Σ(‖f(a + s, b)‖² + ‖f(a, b)‖²)) of centred logits: 0 for an
    equivariant network, 1 for unrelated logits.
    """
    here, there = (_centred(model(x)) for x in (shifts.features, shifts.shifted))
    classes = here.shape[1]
    places = torch.arange(classes, device=here.device)
    moved = here.gather(1, (places - shifts.moves[:, None]) % classes)
    deviation = (there.argmax(1) - here.argmax(1) - shifts.moves) % classes
    total = float(here.square().sum() + there.square().sum())
    distance = float((there - moved).square().sum())
    return int((deviation != 0).sum()), math.sqrt(distance / total) if total else 0.0


def gradient_moment(model: nn.Module, features: Tensor, config: ModelConfig) -> Tensor:
    """Return E[JᵀJ] by the code of the first operand, in the order of flat codes.

    A random combination v of the logits has the gradient Jᵀv, and E[vvᵀ] = 1, so one backward pass
    replaces N. With n pairs the sampling adds at most dim / n to the off-block energy, on average.

    Shape:
        features (n, P, 4D) → (dim, dim), float64.
    """
    x = features.detach().clone().requires_grad_()
    drawn = np.random.default_rng(config.seed).standard_normal((len(x), config.task.classes))
    weights = _centred(torch.from_numpy(drawn)).to(x)
    with torch.enable_grad():
        (gradient,) = torch.autograd.grad((model(x) * weights).sum(), x)
    first = gradient.view(len(x), -1, 2, 2)[:, :, 0].flatten(1).double()
    return first.t() @ first / len(x)


def relevant_share(moment: Tensor, config: ModelConfig) -> float | None:
    """Return the share of the squared gradient on channels whose period divides N.

    It is None if the gradient is zero.
    """
    by_channel = moment.diagonal().view(-1, 2).sum(1)
    embedding, task = prime_parts(config)
    relevant = plan(task.modulus, embedding.basis).relevant
    places = [embedding.basis.channels.index(channel) for channel in relevant]
    total = float(by_channel.sum())
    return float(by_channel[places].sum()) / total if total else None


def _centred(logits: Tensor) -> Tensor:
    double = logits.double()
    return double - double.mean(1, keepdim=True)


def _rounded(value: float) -> float:
    """Round to six significant digits, which keeps records small."""
    return float(f"{value:.6g}")
