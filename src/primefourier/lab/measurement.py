"""Measure one model: draw its examples, train the network, ablate every row, test beyond r."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from functools import partial
from typing import Any

from primefourier._checks import missing_extra

try:
    import torch
    from torch import nn
except ImportError as error:
    raise missing_extra("training models", error, "lab") from error

from primefourier.analysis import ablate
from primefourier.analysis.ablation import Kind
from primefourier.analysis.answers import count_missing
from primefourier.lab.config import ModelConfig
from primefourier.lab.embeddings import Characters, PrimeFourier
from primefourier.lab.fast_training import applies_to, train_fast
from primefourier.lab.modules import (
    CharacterReader,
    FixedRows,
    JoinedModel,
    PrimeReader,
    RowNetwork,
)
from primefourier.lab.parts import PARTS, UnknownPart, describe_part
from primefourier.lab.provenance import provenance_now
from primefourier.lab.record import Measurement, Record, RowAblation
from primefourier.lab.row_ablation import ablate_rows
from primefourier.lab.training import (
    Data,
    Observe,
    Trained,
    count_correct,
    embed_integers,
    make_data,
    train_plain,
)


def measure(config: ModelConfig, *, device: str = "cpu", threads: int | None = 1) -> Record:
    """Train one model and ablate its rows; an exception becomes a record with its traceback.

    Args:
        config: The model.
        device: The torch device.
        threads: The number of torch threads. With one thread, sums have the same order on every
            machine. None keeps the current number.

    Returns:
        The record, with a measurement or with an error.

    >>> from primefourier.lab import ModularArithmetic, PrimeFourier, Training
    >>> task = ModularArithmetic(modulus=3, input_range=9)
    >>> embedding, training = PrimeFourier(primes=(3, 5)), Training(epochs=2)
    >>> measured = measure(ModelConfig(embedding=embedding, task=task, training=training)).measured
    >>> measured.test_size, len(measured.correct_by_epoch), len(measured.drops)
    (17, 2, 2)
    """
    if not isinstance(config, ModelConfig):
        raise TypeError(
            f"config must be a ModelConfig, got a {type(config).__name__}; lab.run measures studies"
        )
    start = time.perf_counter()
    measurement, error = None, None
    try:
        with use_threads(threads), chdir("."):  # a part may leave another folder behind
            measurement = _measure(config, device=device)
            measurement.require_config(config)
    except KeyboardInterrupt:
        raise
    except BaseException:  # sys.exit in a part ends its model, and nothing else
        measurement, error = None, traceback.format_exc()
    seconds = time.perf_counter() - start
    provenance = provenance_now(config, seconds=seconds, device=device)
    return Record(config=config, measurement=measurement, error=error, provenance=provenance)


def train(
    config: ModelConfig, *, observe: Observe = lambda _: None, threads: int | None = 1
) -> nn.Module:
    """Train one model, and return the network from integers to logits.

    It has the same weights as the model that :func:`measure` measures. It can be ablated and
    diagnosed at its submodule ``embedding``, and certified if it reads codes of primes or
    characters alone.

    Args:
        config: The model.
        observe: Called with the network before training and after each epoch.
        threads: The number of torch threads, see :func:`measure`.

    Shape:
        integers (n, operands), or codes (n, operands, dim) of characters → logits (n, classes).
        The output of ``embedding`` is (n, operands, dim) for codes of primes, and the rows
        (n, rows, operands · width) for other embeddings.

    >>> from primefourier.lab import ModularArithmetic, PrimeFourier
    >>> task = ModularArithmetic(modulus=15, input_range=60)
    >>> network = train(ModelConfig(embedding=PrimeFourier(primes=(3, 5), depth=1), task=task))
    >>> network(torch.tensor([[7, 10**18 + 1]])).argmax().item(), (7 + 10**18 + 1) % 15
    (3, 3)
    """
    embedding: Any = config.fitted
    with use_threads(threads):
        data = make_data(config)
        trainer = train_fast if applies_to(config) else train_plain
        model = trainer(config, data, observe=observe).model.eval()
    if type(embedding) is PrimeFourier:
        return PrimeReader(embedding.basis, model)
    if isinstance(embedding, Characters):
        return CharacterReader(embedding.places(), model)
    if isinstance(model, JoinedModel):
        return model
    return JoinedModel(FixedRows(partial(embed_integers, config=config), config.row_names), model)


def _measure(config: ModelConfig, *, device: str) -> Measurement:
    for kind in PARTS:
        if isinstance(part := getattr(config, kind), UnknownPart):
            name, version = part.data["name"], part.data["version"]
            raise ValueError(
                f"the {kind} {name!r} (version {version}) is not registered here, so its model "
                "cannot be trained; run the file that defines it"
            )
        describe_part(part, strict=True)
    data = make_data(config, device=device)
    trained = (train_fast if applies_to(config) else train_plain)(config, data)
    ablations = {kind: _ablate(config, trained, data, kind) for kind in config.ablations}
    zero = ablations.pop("zero")
    return Measurement(
        train_size=len(data.train.labels),
        test_size=len(data.test.labels),
        correct_by_epoch=trained.correct,
        correct=zero.correct,
        lost=zero.lost,
        gained=zero.gained,
        row_names=config.row_names,
        relevant=config.relevant,
        trainer=trained.trainer,
        ablations=ablations,
        beyond={
            name: (count_correct(trained.model, inputs, config), len(inputs.labels))
            for name, inputs in data.beyond.items()
        },
        nan_answers=_count_nan(config, trained, data),
        train_correct_by_epoch=trained.train_correct,
    )


@torch.no_grad()
def _count_nan(config: ModelConfig, trained: Trained, data: Data) -> int:
    """Return how many test examples the trained network does not answer."""
    size = config.training.batch_size or len(data.test.labels)
    trained.model.eval()
    return sum(count_missing(trained.model(x)) for x in data.test.values.split(size))


def _ablate(config: ModelConfig, trained: Trained, data: Data, kind: Kind) -> RowAblation:
    features, labels = trained.features(data.test), data.test.labels
    network, size = trained.network, config.training.batch_size or len(labels)
    if isinstance(network, RowNetwork) and trained.trainer == "fast":
        return ablate_rows(network, features, labels, batch_size=size, kind=kind, seed=config.seed)
    rows = dict(enumerate(torch.eye(features.shape[1], dtype=torch.bool).unsqueeze(-1)))
    results = ablate(network, features, labels, rows, kind=kind, batch_size=size, seed=config.seed)
    return RowAblation(
        results[0].correct_before,
        tuple(result.lost for result in results),
        tuple(result.gained for result in results),
    )


@contextmanager
def use_threads(count: int | None) -> Iterator[None]:
    """Let torch use a number of threads for a while; None leaves it as it is."""
    before = torch.get_num_threads()
    torch.set_num_threads(before if count is None else count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
