"""The paper's network and its input: one row of 4D numbers per prime.

An encoder, shared by all rows, encodes each row; a classifier reads the concatenated results.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from primefourier.encoding import encode
from primefourier.lab.config import CLASSIFIER_WIDTH, ENCODER_WIDTHS, OPERANDS, ModelConfig
from primefourier.lab.task import Pairs
from primefourier.nn import ShuffledPrimeFourier
from primefourier.nn.shuffled import Unit

_UNITS: dict[str, Unit] = {
    "shuffled-column": "column",
    "shuffled-pair": "pair",
    "shuffled-block": "block",
}


def row_features(
    pairs: Pairs, config: ModelConfig, *, dtype: torch.dtype = torch.float32
) -> Tensor:
    """Encode pairs as rows, and shuffle the features for the shuffled embeddings.

    Args:
        pairs: The operands.
        config: The basis, the embedding and the seed of the shuffle.
        dtype: float32 or float64.

    Returns:
        One row per prime; the order within a row is depth, operand, then (cos, sin).

    Shape:
        (n, 2) → (n, P, 4D).

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
    rows = rows.view(len(pairs), len(config.primes), config.row_width)
    if config.embedding == "pfe":
        return rows
    shuffled = ShuffledPrimeFourier(
        config.basis, unit=_UNITS[config.embedding], operands=OPERANDS, seed=config.seed
    )
    return rows.flatten(1).index_select(1, shuffled.permutation).view_as(rows)


class RowClassifier(nn.Module):
    """Encode each row separately, concatenate the encoded rows, and classify.

    NOTE[PAPER]: the paper says "ReLU activations" of the encoder; here both layers have one.

    Args:
        rows: The number of primes.
        width: The length of a row.
        classes: N.

    Shape:
        (n, rows, width) → (n, classes) logits.

    >>> RowClassifier(rows=4, width=24, classes=7)(torch.zeros(5, 4, 24)).shape
    torch.Size([5, 7])
    """

    def __init__(self, *, rows: int, width: int, classes: int) -> None:
        super().__init__()
        first, second = ENCODER_WIDTHS
        self.encoder = nn.Sequential(
            nn.Linear(width, first), nn.ReLU(), nn.Linear(first, second), nn.ReLU()
        )
        self.classifier = nn.Sequential(
            nn.Linear(rows * second, CLASSIFIER_WIDTH),
            nn.ReLU(),
            nn.Linear(CLASSIFIER_WIDTH, classes),
        )

    def forward(self, features: Tensor) -> Tensor:
        """Return the logits of a batch of rows."""
        logits: Tensor = self.classifier(self.encoder(features).flatten(1))
        return logits


def new_model(config: ModelConfig, *, dtype: torch.dtype = torch.float32) -> RowClassifier:
    """Create the untrained network of a config with PyTorch's default initialisation.

    The seed of the config determines the weights. They are drawn in float32 and then converted, so
    that they are the same in every dtype. The global random state does not change.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        model = RowClassifier(
            rows=len(config.primes), width=config.row_width, classes=config.modulus
        )
    return model.to(dtype)
