"""The paper's network: one encoder shared by all rows, and a classifier over their codes."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from primefourier.lab.config import ModelConfig
from primefourier.lab.features import row_width

ENCODER_WIDTHS = (64, 32)
CLASSIFIER_WIDTH = 128


class RowClassifier(nn.Module):
    """Encode each row by itself, concatenate the codes, classify.

    NOTE[PAPER]: the paper says "ReLU activations" of the encoder; here both layers have one.

    Args:
        rows: How many primes.
        width: How many numbers a row has.
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
    """Make the untrained network of a config: PyTorch's default initialisation, from its seed.

    The weights are drawn in float32 and then converted, so that they are the same in every dtype;
    the global random state is left as it was.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        model = RowClassifier(
            rows=len(config.primes), width=row_width(config), classes=config.modulus
        )
    return model.to(dtype)
