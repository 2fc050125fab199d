"""Features and labels of a model, their order in each epoch, and the readable trainer.

``fast_training`` computes the same numbers up to rounding, for the paper's network, in about 0.85
times the time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from primefourier.analysis.answers import right_answers
from primefourier.lab import tasks
from primefourier.lab.config import ModelConfig
from primefourier.lab.embeddings import PrimeFourier
from primefourier.lab.modules import JoinedModel, TrainedRows, join_operands
from primefourier.lab.parts import InputShape, require_integer

Observe = Callable[[nn.Module], None]
"""A function that sees the network before training and after each epoch, and does not change it."""
FARTHEST_SHIFT = 10**12
"""About how far operands are shifted: circles with much smaller periods are then at random."""


@dataclass(frozen=True)
class Inputs:
    """What a network reads, and the labels.

    Shape:
        values: features (n, rows, operands · width), or integers (n, operands) for an embedding
        with parameters; labels (n,).
    """

    values: Tensor
    labels: Tensor


@dataclass(frozen=True)
class Data:
    """The inputs of a model: for training, for testing, and test sets beyond the input range.

    The integers of the training examples are kept if each epoch shifts them.
    """

    train: Inputs
    test: Inputs
    beyond: Mapping[str, Inputs]
    integers: tasks.Integers | None = None

    @property
    def device(self) -> torch.device:
        """The device of the tensors."""
        return self.train.values.device


def make_data(
    config: ModelConfig, *, device: torch.device | str = "cpu", dtype: torch.dtype = torch.float32
) -> Data:
    """Draw the examples of a config and encode them.

    >>> from primefourier.lab import ModularArithmetic, PrimeFourier
    >>> task = ModularArithmetic(modulus=7, input_range=9)
    >>> config = ModelConfig(embedding=PrimeFourier(primes=(3, 7)), task=task)
    >>> make_data(config).train.values.shape
    torch.Size([64, 2, 24])
    """
    samples = config.task.draw(config.seed)

    def convert(examples: tasks.Examples) -> Inputs:
        _check_labels(examples.labels, config.task)
        values = embed_integers(examples.inputs, config, dtype=dtype)
        return Inputs(values.to(device), torch.from_numpy(examples.labels).to(device))

    beyond = {name: convert(examples) for name, examples in samples.beyond.items()}
    integers = None
    if getattr(config.training, "shifts", False):
        integers = samples.train.inputs
        _check_shifts(config, samples.train)
    data = Data(convert(samples.train), convert(samples.test), beyond, integers)
    shapes = {tuple(some.values.shape[1:]) for some in (data.train, data.test, *beyond.values())}
    if len(shapes) > 1:
        raise ValueError(
            f"rows of {type(config.fitted).__name__} must have one width for all integers, got "
            f"examples of shapes {sorted(shapes)}"
        )
    return data


def _check_labels(labels: Any, task: Any) -> None:
    """Raise ValueError for labels that no logit stands for, which would count as wrong answers."""
    if not labels.size or labels.min() < 0 or labels.max() >= task.classes:
        found = f"{labels.min()} to {labels.max()}" if labels.size else "none"
        raise ValueError(
            f"labels of {type(task).__name__} must be 0 to classes - 1 = {task.classes - 1}, got "
            f"{found}"
        )


def embed_integers(
    inputs: tasks.Integers, config: ModelConfig, *, dtype: torch.dtype = torch.float32
) -> Tensor:
    """Return what the network of a config reads: features, or integers if those are trained.

    Args:
        inputs: The integers.
        config: The model.
        dtype: float32; other dtypes are for rows of primes, which are then exact to that dtype.

    Shape:
        (n, operands) → (n, rows, operands · width), or (n, operands).
    """
    embedding: Any = config.fitted
    if not hasattr(embedding, "rows"):
        if inputs.dtype == object:
            raise ValueError(
                f"{type(embedding).__name__} has parameters and reads integers below 2^63; use "
                "smaller values of beyond"
            )
        return torch.from_numpy(inputs)
    values, where = np.unique(inputs, return_inverse=True)
    index = torch.from_numpy(where.reshape(inputs.shape))
    return _mix(_read_rows(values, config, dtype)[index], embedding)


def _read_rows(values: tasks.Integers, config: ModelConfig, dtype: torch.dtype) -> Tensor:
    """Return the rows of integers (n,)."""
    exact = {} if dtype == torch.float32 else {"dtype": str(dtype).removeprefix("torch.")}
    embedding: Any = config.fitted
    rows: Tensor = embedding.rows(values, **exact)
    _check_rows(rows, len(values), config)
    return rows


def _mix(rows: Tensor, embedding: Any) -> Tensor:
    """Join the rows of all operands, and rearrange them if the embedding does."""
    if rows.dtype == torch.float32 and rows.shape[-1] % 2 == 0:
        # as join_operands; a pair moves as one number of 64 bits, in half the time
        pairs = rows.contiguous().view(torch.float64)
        joined = pairs.permute(0, 2, 3, 1).flatten().view(torch.float32)
        joined = joined.view(len(rows), rows.shape[2], -1)
    else:
        joined = join_operands(rows)
    mix = getattr(embedding, "mix", None)
    return joined if mix is None else mix(joined, rows.shape[1])


def _check_rows(rows: Any, count: int, config: ModelConfig) -> None:
    what = f"rows of {type(config.fitted).__name__}"
    if not isinstance(rows, Tensor) or not rows.is_floating_point():
        kind = f"a tensor of {rows.dtype}" if isinstance(rows, Tensor) else type(rows).__name__
        raise TypeError(f"{what} must return a tensor of floats, got {kind}")
    if rows.ndim != 3 or rows.shape[:2] != (count, len(config.row_names)) or not rows.shape[2]:
        raise ValueError(
            f"{what} must return shape ({count}, {len(config.row_names)}, width) for {count} "
            f"integers and {len(config.row_names)} row names, got {tuple(rows.shape)}"
        )
    if not bool(rows.isfinite().all()):
        raise ValueError(f"{what} must return finite features, got NaN or infinity")


def epoch_orders(config: ModelConfig, size: int) -> Iterator[Tensor]:
    """Yield a new order of the training examples for each epoch; it depends on the seed only."""
    generator = torch.Generator().manual_seed(config.seed)
    for _ in range(config.training.epochs):
        yield torch.randperm(size, generator=generator)


def epoch_values(config: ModelConfig, data: Data) -> Iterator[Tensor]:
    """Yield what the network reads of the training examples in each epoch.

    The scale of the shift is drawn per example, log-uniform up to ``FARTHEST_SHIFT``, so that
    operands of every size meet operands of their size. The seed determines all shifts.
    """
    if data.integers is None:
        while True:
            yield data.train.values
    generator, period = np.random.default_rng(config.seed), config.task.period
    inputs, dtype = data.integers, data.train.values.dtype
    while True:
        scale = np.exp(generator.random((len(inputs), 1)) * math.log(FARTHEST_SHIFT / period))
        times = (generator.random(inputs.shape) * scale).astype(np.int64)
        # nearly all are different, so that looking for equal ones would only take time
        rows = _read_rows((inputs + period * times).ravel(), config, dtype)
        yield _mix(rows.unflatten(0, inputs.shape), config.fitted).to(data.device)


def _check_shifts(config: ModelConfig, examples: tasks.Examples) -> None:
    """Raise an error if shifts change labels, or an embedding cannot read shifted integers."""
    task, title = config.task, type(config.task).__name__
    if not hasattr(config.fitted, "rows"):
        raise TypeError(
            f"shifts needs a fixed embedding, which reads integers of any size; "
            f"{type(config.fitted).__name__} has parameters"
        )
    if getattr(task, "period", None) is None:
        raise TypeError(
            f"shifts needs a task with a period, but {title} has none; set its attribute period to "
            "a number that may be added to every operand without changing a label"
        )
    period = require_integer(task.period, f"period of {title}", 1, FARTHEST_SHIFT // 2)
    some = tasks.Examples(examples.inputs[:1000], examples.labels[:1000])
    if hasattr(task, "label") and (task.label(some.inputs + period) != some.labels).any():
        raise ValueError(f"period of {title} is {period}, but adding it to operands changes labels")


def new_model(config: ModelConfig, data: Data) -> nn.Module:
    """Create the untrained network of a config, in the dtype of its features.

    The seed of the config determines the weights. They are drawn in float32 and then converted, so
    that they are the same in every dtype. The global random state does not change.
    """
    embedding: Any = config.fitted
    values, operands = data.train.values, config.task.operands
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        trained = None if hasattr(embedding, "rows") else embedding.module()
        features = values
        if trained is not None:
            some = values[:2].cpu()
            with torch.no_grad():
                rows = trained(some.flatten())
            _check_rows(rows, some.numel(), config)
            features = join_operands(rows.unflatten(0, tuple(some.shape)))
        basis = embedding.basis if type(embedding) is PrimeFourier else None
        shape = InputShape(features.shape[1], operands, features.shape[2] // operands, basis)
        network = config.network.build(shape, config.task.classes)
    if not isinstance(network, nn.Module):
        raise TypeError(
            f"build of {type(config.network).__name__} must return an nn.Module, got "
            f"{type(network).__name__}"
        )
    if trained is None:
        return network.to(data.device, values.dtype)
    return JoinedModel(TrainedRows(trained, config.row_names), network).to(data.device)


@dataclass(frozen=True)
class Trained:
    """A trained network and the numbers of its correct answers in the epochs that were tested.

    Args:
        model: The network, with its embedding if that has parameters.
        correct: Correct test answers after each of these epochs.
        train_correct: Correct training answers during each of them, counted when their batch came.
        trainer: The trainer that was used.
    """

    model: nn.Module
    correct: tuple[int, ...]
    train_correct: tuple[int, ...]
    trainer: str

    @torch.no_grad()
    def features(self, inputs: Inputs) -> Tensor:
        """Return the features that the network itself reads."""
        if isinstance(self.model, JoinedModel):
            rows: Tensor = self.model.embedding(inputs.values)
            return rows
        return inputs.values

    @property
    def network(self) -> nn.Module:
        """The network without its embedding."""
        return self.model.network if isinstance(self.model, JoinedModel) else self.model


def train_plain(config: ModelConfig, data: Data, *, observe: Observe = lambda _: None) -> Trained:
    """Train one model and count its correct answers.

    Args:
        config: The model.
        data: Its examples.
        observe: Called with the network before training and after each epoch.
    """
    model = new_model(config, data)
    optimizer = config.training.optimizer(list(model.parameters()))
    loss_function = nn.CrossEntropyLoss()
    labels, epochs = data.train.labels, epoch_values(config, data)
    batch_size = min(config.training.batch_size or len(labels), len(labels))

    correct, train_correct, tested = [], [], set(config.tested_epochs)
    observe(model)
    for epoch, order in enumerate(epoch_orders(config, len(labels)), start=1):
        model.train()
        values = next(epochs)
        right = torch.zeros((), dtype=torch.int64, device=data.device)
        for index in order.to(data.device).split(batch_size):
            optimizer.zero_grad()
            wanted = labels.index_select(0, index)
            # values[index] is the same, but gathers number by number: four times as long
            logits = _logits(model, values.index_select(0, index), config)
            right += right_answers(logits.detach(), wanted).sum()
            loss_function(logits, wanted).backward()
            optimizer.step()
        if epoch in tested:
            train_correct.append(int(right))
            correct.append(count_correct(model, data.test, config))
        observe(model)
    return Trained(model, tuple(correct), tuple(train_correct), "plain")


@torch.no_grad()
def count_correct(model: nn.Module, inputs: Inputs, config: ModelConfig) -> int:
    """Return the number of correct answers of a network; NaN is none."""
    model.eval()
    size = config.training.batch_size or len(inputs.labels)
    batches = zip(inputs.values.split(size), inputs.labels.split(size), strict=True)
    found = [right_answers(_logits(model, x, config), y).sum() for x, y in batches]
    return int(sum(found))


def _logits(model: nn.Module, values: Tensor, config: ModelConfig) -> Tensor:
    logits: Tensor = model(values)
    if logits.shape != (len(values), config.task.classes):
        raise ValueError(
            f"the network of {type(config.network).__name__} must return logits of shape "
            f"({len(values)}, {config.task.classes}), got {tuple(logits.shape)}"
        )
    return logits
