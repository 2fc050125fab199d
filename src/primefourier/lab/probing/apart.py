"""Take a trained network apart: ablate its rows and its blocks, in three ways."""

from __future__ import annotations

from primefourier.lab.config import ModelConfig
from primefourier.lab.model import RowClassifier
from primefourier.lab.probing.equivariance import EquivarianceWatch
from primefourier.lab.probing.probe import KINDS, Probe
from primefourier.lab.row_ablation import ablate_blocks, ablate_rows
from primefourier.lab.training.examples import Examples


def can_be_probed(config: ModelConfig) -> bool:
    """Tell whether the rows of a network belong to primes, so that a probe means something."""
    return config.embedding == "pfe"


def take_apart(
    config: ModelConfig, model: RowClassifier, examples: Examples, watch: EquivarianceWatch
) -> Probe:
    """Return what the watch saw while a network was trained, and what its parts are worth now.

    Args:
        config: The model.
        model: Its trained network.
        examples: Its task.
        watch: What looked at it while it was trained.
    """
    features, labels = examples.test_features, examples.test_labels
    rows, blocks = (
        {
            kind: ablate(
                model, features, labels, batch_size=config.batch_size, kind=kind, seed=config.seed
            )
            for kind in KINDS
        }
        for ablate in (ablate_rows, ablate_blocks)
    )
    return Probe(
        test_size=len(labels),
        rows=rows,
        blocks=blocks,
        shifted_size=len(watch.shifts.moves),
        answers_apart=tuple(watch.answers_apart),
        shift_error=tuple(watch.shift_error),
        off_block_energy=tuple(watch.off_block_energy),
        relevant_share=tuple(watch.relevant_share),
    )
