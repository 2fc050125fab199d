"""Measure one model: draw the pairs, train the network, ablate every row."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from primefourier._checks import missing_extra

try:
    import torch
except ImportError as error:
    raise missing_extra("training models", error, "lab") from error

from primefourier.analysis import ablate, feature_groups
from primefourier.lab.config import OPERANDS, ModelConfig
from primefourier.lab.fast_training import train_fast
from primefourier.lab.network_probe import EquivarianceProbe, probe_network
from primefourier.lab.probe import Probe, RowAblation, can_be_probed
from primefourier.lab.provenance import provenance_now
from primefourier.lab.record import Measurement, Record
from primefourier.lab.row_ablation import ablate_rows
from primefourier.lab.training import Examples, Observe, Trained, make_examples, train_plain


class Train(Protocol):
    """A trainer: config and examples in, trained network out."""

    def __call__(
        self, config: ModelConfig, examples: Examples, *, observe: Observe = ...
    ) -> Trained:
        """Train one model; call ``observe`` before training and after each epoch."""


TRAINERS: dict[str, Train] = {"fast": train_fast, "plain": train_plain}
"""The trainers by their names in a config."""


def measure(
    config: ModelConfig, *, device: str = "cpu", probe: bool = False, threads: int | None = 1
) -> Record:
    """Train one model and ablate its rows; an exception becomes a record with its traceback.

    Args:
        config: The model.
        device: The torch device.
        probe: Whether to probe the network as well, if its rows belong to primes.
        threads: The number of torch threads. With one thread, sums have the same order on every
            machine. None keeps the current number.

    Returns:
        The record, with a measurement or with an error.

    >>> config = ModelConfig(experiment="e", modulus=3, input_range=9, primes=(3, 5), epochs=2)
    >>> measured = measure(config).measured
    >>> measured.test_size, len(measured.correct_by_epoch), len(measured.drops)
    (17, 2, 2)
    """
    start = time.perf_counter()
    measurement, found, error = None, None, None
    try:
        with _threads(threads):
            measurement, found = _measure(config, device=device, probe=probe)
    except Exception:
        error = traceback.format_exc()
    provenance = provenance_now(seconds=time.perf_counter() - start, device=device)
    return Record(
        config=config,
        measurement=measurement,
        error=error,
        provenance=provenance,
        probe=found,
        probed=None if found is None else provenance,
    )


def _measure(config: ModelConfig, *, device: str, probe: bool) -> tuple[Measurement, Probe | None]:
    examples = make_examples(config, device=device)
    train, found = TRAINERS[config.trainer], None
    if probe and can_be_probed(config):
        equivariance = EquivarianceProbe.of(config, examples)
        trained = train(config, examples, observe=equivariance.observe)
        found = probe_network(config, trained.model, examples, equivariance)
    else:
        trained = train(config, examples)
    ablation = _ablate(config, trained, examples)
    measurement = Measurement(
        train_size=len(examples.train_labels),
        test_size=len(examples.test_labels),
        correct_by_epoch=trained.correct,
        correct=ablation.correct,
        lost=ablation.lost,
        gained=ablation.gained,
    )
    return measurement, found


def _ablate(config: ModelConfig, trained: Trained, examples: Examples) -> RowAblation:
    features, labels = examples.test_features, examples.test_labels
    if config.trainer == "fast":
        return ablate_rows(trained.model, features, labels, batch_size=config.batch_size)
    groups = feature_groups(config.basis, "prime", operands=OPERANDS, layout="rows")
    results = ablate(trained.model, features, labels, groups, batch_size=config.batch_size)
    return RowAblation(
        results[0].correct_before,
        tuple(result.lost for result in results),
        tuple(result.gained for result in results),
    )


@contextmanager
def _threads(count: int | None) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(before if count is None else count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
