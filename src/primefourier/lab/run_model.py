"""Config in, record out: draw the pairs, train, ablate every row."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from primefourier.analysis import ablate, feature_groups
from primefourier.lab.config import ModelConfig
from primefourier.lab.features import OPERANDS
from primefourier.lab.probing import EquivarianceWatch, Probe, can_be_probed, take_apart
from primefourier.lab.provenance import provenance_now
from primefourier.lab.record import Measurement, Record
from primefourier.lab.row_ablation import RowAblation, ablate_rows
from primefourier.lab.training import TRAINERS, Examples, Trained, make_examples


def run_model(config: ModelConfig, *, device: str = "cpu", probe: bool = False) -> Record:
    """Train one model and ablate its rows; a failure becomes a record with its traceback.

    Args:
        config: The model.
        device: The torch device to train on.
        probe: Whether to take the network apart, too, where its rows belong to primes.
    """
    start = time.perf_counter()
    measurement, found, error = None, None, None
    try:
        measurement, found = _measure(config, device=device, threads=1, probe=probe)
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


def measure(config: ModelConfig, *, device: str = "cpu", threads: int | None = 1) -> Measurement:
    """Train one model and ablate its rows.

    Args:
        config: The model.
        device: The torch device to train on.
        threads: Torch's threads; with one, sums are taken in the same order wherever a model runs.
            None leaves them as they are.

    >>> config = ModelConfig(experiment="e", modulus=3, input_range=9, primes=(3, 5), epochs=2)
    >>> measured = measure(config)
    >>> measured.test_size, len(measured.correct_by_epoch), len(measured.drops)
    (17, 2, 2)
    """
    return _measure(config, device=device, threads=threads, probe=False)[0]


def _measure(
    config: ModelConfig, *, device: str, threads: int | None, probe: bool
) -> tuple[Measurement, Probe | None]:
    with _threads(threads):
        examples = make_examples(config, device=device)
        found = None
        if probe and can_be_probed(config):
            watch = EquivarianceWatch.of(config, examples)
            trained = TRAINERS[config.trainer](config, examples, look=watch.look)
            found = take_apart(config, trained.model, examples, watch)
        else:
            trained = TRAINERS[config.trainer](config, examples)
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
