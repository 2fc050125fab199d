"""What a good engineer would write without this library: codes, decoding, and a training loop.

These are the opponents of the benchmarks, as fast as we could make them in a few lines. Residues
are exact, blocks fit the caches, and nothing is computed twice; a test says that they are right.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from primefourier import PrimeBasis
from primefourier.lab.training import Inputs

_PAIRS_AT_ONCE = 49_152  # the fastest of several, for numpy and for torch


class NumpyCodes:
    """Exact residues, the rest after the nearest whole turn in float64, sines in one dtype.

    Args:
        basis: The basis; its periods are below 2^52, so that the rests are exact.
        work: The dtype of the sines: float64, or float32, which has vector instructions.
    """

    def __init__(self, basis: PrimeBasis, work: type[np.floating[Any]]) -> None:
        self._shape, self._work = basis.shape, work
        periods = np.array(basis.periods)
        self._tops = periods[:, -1].tolist()
        self._period = periods.astype(np.float64)
        self._inverse, self._step = 1 / self._period, 2 * np.pi / self._period
        self._rows = _PAIRS_AT_ONCE // periods.size

    def __call__(self, x: NDArray[np.int64]) -> NDArray[np.float32]:
        out = np.empty((len(x), *self._shape), dtype=np.float32)
        for start in range(0, len(x), self._rows):
            some = x[start : start + self._rows]
            residue = np.empty((len(some), len(self._tops), 1))
            for column, top in enumerate(self._tops):  # % has no vector instructions, // has
                residue[:, column, 0] = some - some // top * top
            rest = residue - np.rint(residue * self._inverse) * self._period
            angle = (rest * self._step).astype(self._work)
            out[start : start + len(some), ..., 0] = np.cos(angle)
            out[start : start + len(some), ..., 1] = np.sin(angle)
        return out


class TorchCodes:
    """The same with torch."""

    def __init__(self, basis: PrimeBasis, work: torch.dtype) -> None:
        self._shape, self._work = basis.shape, work
        periods = torch.tensor(basis.periods)
        self._top, self._period = periods[:, -1].contiguous(), periods.double()
        self._inverse, self._step = 1 / self._period, 2 * math.pi / self._period
        self._rows = _PAIRS_AT_ONCE // periods.numel()

    def __call__(self, x: Tensor) -> Tensor:
        out = torch.empty(len(x), *self._shape)
        for some, codes in zip(x.split(self._rows), out.split(self._rows), strict=True):
            residue = torch.remainder(some[:, None], self._top).double().unsqueeze(-1)
            turns = (residue * self._inverse).round_()
            angle = (residue - turns.mul_(self._period)).mul_(self._step).to(self._work)
            if self._work == torch.float32:
                torch.cos(angle, out=codes[..., 0])
                torch.sin(angle, out=codes[..., 1])
            else:
                codes[..., 0], codes[..., 1] = angle.cos(), angle.sin()
        return out


class TableCodes:
    """One row of a table per prime, which holds the codes of 0 … p^D - 1; for small p^D."""

    def __init__(self, basis: PrimeBasis) -> None:
        self._shape = basis.shape
        self._tables = []
        for row in np.array(basis.periods):
            angle = np.arange(row[-1])[:, None] % row * (2 * np.pi / row)
            self._tables.append(np.stack([np.cos(angle), np.sin(angle)], -1).astype(np.float32))

    def __call__(self, x: NDArray[np.int64], block: int = 16_384) -> NDArray[np.float32]:
        out = np.empty((len(x), *self._shape), dtype=np.float32)
        for start in range(0, len(x), block):
            some = x[start : start + block]
            for column, table in enumerate(self._tables):
                residue = some - some // len(table) * len(table)
                out[start : start + block, column] = np.take(table, residue, axis=0)
        return out


class OneExpression:
    """The first thing that one writes: one expression, all integers at once, in float64."""

    def __init__(self, basis: PrimeBasis) -> None:
        self._periods = np.array(basis.periods)
        self._step = 2 * np.pi / self._periods

    def __call__(self, x: NDArray[np.int64] | int) -> NDArray[np.float32]:
        angle = np.asarray(x)[..., None, None] % self._periods * self._step
        return np.stack([np.cos(angle), np.sin(angle)], axis=-1).astype(np.float32)


class Decoder:
    """Digit by digit for all primes at once, then the Chinese remainders; nothing is checked."""

    def __init__(self, basis: PrimeBasis) -> None:
        self._primes, self._range = np.array(basis.primes), basis.range
        self._powers = self._primes[:, None] ** np.arange(basis.depth)
        rests = [(basis.range // row[-1], row[-1]) for row in basis.periods]
        self._weights = np.array([rest * pow(rest, -1, m) for rest, m in rests], dtype=object)

    def __call__(self, codes: NDArray[np.float32]) -> Any:
        """Return Python ints: one, or an array of them."""
        turns = np.arctan2(codes[..., 1], codes[..., 0], dtype=np.float64) / (2 * np.pi)
        fraction, residues = np.zeros(turns.shape[:-1]), np.zeros(turns.shape[:-1], dtype=np.int64)
        for d in range(turns.shape[-1]):
            digit = np.rint(self._primes * turns[..., d] - fraction) % self._primes
            fraction = (digit + fraction) / self._primes
            residues += digit.astype(np.int64) * self._powers[:, d]
        return residues.astype(object) @ self._weights % self._range


def train(
    model: nn.Module,
    examples: Inputs,
    test: Inputs,
    *,
    orders: Iterable[Tensor],
    batch_size: int,
    learning_rate: float,
) -> list[int]:
    """Train with fused Adam on gathered batches; count correct test answers after each epoch."""
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate, fused=True)
    correct = []
    for order in orders:
        model.train()
        for index in order.split(batch_size):
            logits = model(examples.values.index_select(0, index))
            loss = nn.functional.cross_entropy(logits, examples.labels.index_select(0, index))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.inference_mode():
            batches = zip(test.values.split(batch_size), test.labels.split(batch_size), strict=True)
            right = [(model(values).argmax(1) == labels).sum() for values, labels in batches]
            correct.append(int(torch.stack(right).sum()))
    return correct
