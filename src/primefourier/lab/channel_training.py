"""Train networks that cannot mix primes, on random integers of 62 bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from primefourier.arithmetic.integers import as_integer
from primefourier.encoding import PrimeBasis
from primefourier.lab.measurement import use_threads
from primefourier.nn import ChannelNetwork, PrimeFourierEmbedding, circular_loss


@use_threads(1)
def train_channels(
    basis: PrimeBasis,
    *,
    label: Callable[[Tensor], Tensor] = lambda integers: integers.sum(1),
    operands: int = 2,
    hidden: Sequence[int] = (128, 128),
    steps: int = 1000,
    batch_size: int = 512,
    learning_rate: float = 3e-3,
    seed: int = 0,
    observe: Callable[[int], None] | None = None,
) -> ChannelNetwork:
    """Train a ChannelNetwork on fresh random integers with Adam and a cosine schedule.

    Nothing is drawn twice, so there is no test set; ``analysis.certify`` checks all residues. With
    one thread, sums have the same order on every machine, and a busy one is no obstacle.

    Args:
        basis: The primes and the depth.
        label: The right answers to integers (n, operands), as int64 without overflow; by default
            their sum. The network learns them modulo every period.
        operands: The number of integers per input.
        hidden: The widths of the hidden layers, shared by all primes.
        steps: The number of batches.
        batch_size: The number of inputs per batch; each trains every prime once.
        learning_rate: The learning rate of the first step; it falls to 0 with a half cosine.
        seed: The seed of weights and integers.
        observe: Called after each step with the number of steps done.

    >>> network = train_channels(PrimeBasis((3, 5), depth=1), hidden=(32,), steps=200)
    >>> from primefourier.analysis import certify
    >>> certify(network, network.basis, lambda integers: integers.sum(1)).proved
    True
    """
    count = as_integer(steps, "steps", at_least=1)
    size = as_integer(batch_size, "batch_size", at_least=1)
    generator = torch.Generator().manual_seed(as_integer(seed, "seed", at_least=0))
    network = ChannelNetwork(basis, operands=operands, hidden=hidden)
    network.reset_parameters(generator)
    embedding = PrimeFourierEmbedding(basis)
    optimizer = torch.optim.Adam(network.parameters(), lr=learning_rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, count)
    largest = 2**62 // operands  # sums fit into int64
    for step in range(count):
        integers = torch.randint(largest, (size, operands), generator=generator)
        loss = circular_loss(network(embedding(integers)), label(integers), basis)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if observe is not None:
            observe(step + 1)
    return network
