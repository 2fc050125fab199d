"""What the network sees of a pair: one row of 4D numbers for each prime."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from primefourier.encoding import encode
from primefourier.lab.config import ModelConfig
from primefourier.lab.task import Pairs
from primefourier.nn import ShuffledPrimeFourier
from primefourier.nn.shuffled import Unit

OPERANDS = 2
_UNITS: dict[str, Unit] = {
    "shuffled-column": "column",
    "shuffled-pair": "pair",
    "shuffled-block": "block",
}


def row_width(config: ModelConfig) -> int:
    """Return how many numbers a row has: (cos, sin) of both operands at each depth."""
    return 2 * OPERANDS * config.depth


def row_features(
    pairs: Pairs, config: ModelConfig, *, dtype: torch.dtype = torch.float32
) -> Tensor:
    """Encode pairs as rows, and shuffle the columns if the config says so.

    Args:
        pairs: The operands.
        config: Basis, embedding and the seed of the shuffle.
        dtype: float32 or float64.

    Shape:
        (n, 2) → (n, P, 4D); within a row by depth, operand, then (cos, sin).

    >>> config = ModelConfig(experiment="exp1", modulus=7, input_range=100, primes=(3, 5, 7))
    >>> row_features(np.array([[9, 17], [0, 1]]), config).shape
    torch.Size([2, 3, 24])
    """
    values, where = np.unique(pairs, return_inverse=True)
    name = "float64" if dtype == torch.float64 else "float32"
    codes = torch.from_numpy(encode(values, config.basis, dtype=name))
    rows = torch.empty(len(pairs), len(config.primes), config.depth, OPERANDS, 2, dtype=dtype)
    for operand, index in enumerate(torch.from_numpy(where).view(-1, OPERANDS).unbind(1)):
        rows[:, :, :, operand] = codes.index_select(0, index)
    rows = rows.view(len(pairs), len(config.primes), row_width(config))
    if config.embedding == "pfe":
        return rows
    shuffled = ShuffledPrimeFourier(
        config.basis, unit=_UNITS[config.embedding], operands=OPERANDS, seed=config.seed
    )
    return rows.flatten(1).index_select(1, shuffled.permutation).view_as(rows)
