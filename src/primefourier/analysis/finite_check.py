"""Finite checks: every tuple of residues is run, and a certificate says what that proves."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from primefourier.arithmetic.integers import format_integer
from primefourier.nn import PrimeFourierEmbedding

_SHIFTED = 1000
"""How many labels are compared with those of other integers of the same residues."""
_SINGLE = 8
"""How many cases are also run one by one."""


@dataclass(frozen=True)
class Certificate:
    """The result of checking a network on every tuple of residues.

    A classifier is checked on tuples of residues modulo L, a ChannelNetwork on those modulo each
    largest period p^D. Then answers and labels are residues modulo ``period``, and margins are
    those of ``decode``: the unused share of half the angle between neighbouring digits.

    Attributes:
        proved: Whether the network is right for all integers.
        modulus: L, the product of all p^D; the network is a function of the operands modulo L.
        operands: The number of operands.
        cases: The number of tuples of residues, all checked.
        wrong: The number of wrong answers.
        closest: The operands with the smallest margin; a counterexample if their answer is wrong.
        expected: The right answer to them.
        answer: The network's answer to them.
        margin: The smallest difference between the logit of the right answer and the next, or
            the smallest margin of a digit.
        rounding: The largest change of a logit, or of a margin, by another precision or batch size.
        period: The p^D of ``closest`` in a ChannelNetwork; None for a classifier.
    """

    proved: bool
    modulus: int
    operands: int
    cases: int
    wrong: int
    closest: tuple[int, ...]
    expected: int
    answer: int
    margin: float
    rounding: float
    period: int | None = None

    @property
    def counterexample(self) -> tuple[int, ...] | None:
        """The operands of a wrong answer, or None if there is none."""
        return self.closest if self.wrong else None

    def explain(self) -> str:
        """Describe the result in words."""
        classifier = self.period is None
        modulus = format_integer(self.modulus)
        by = modulus if classifier else "the largest period of each prime"
        cases = f"{self.cases} tuples of {self.operands} residues modulo {by}"
        what = "logits" if classifier else "margins"
        if self.proved:
            return (
                f"Proved for all integers: right on all {cases}"
                f"{'' if classifier else f', and so modulo {modulus}'}. Smallest margin "
                f"{self.margin:.3g}; rounding changes {what} by at most {self.rounding:.2g}."
            )
        at = ", ".join(map(str, self.closest))
        by = "" if classifier else f" modulo {self.period}"
        if self.wrong:
            return (
                f"Not right for all integers: wrong on {self.wrong} of {cases}. For ({at}) the "
                f"answer is {self.answer}, not {self.expected}{by}."
            )
        return (
            f"Not proved: right on all {cases}, but for ({at}) by a margin of {self.margin:.3g}, "
            f"and rounding changes {what} by up to {self.rounding:.2g}."
        )


class Check(NamedTuple):
    """What running every tuple of residues has found.

    Attributes:
        wrong: The number of margins that are not positive.
        margin: The smallest margin.
        rounding: The largest change of a value by another precision or batch size.
        closest: The operands of the smallest margin, (1, operands).
        column: Which of their margins it is.
        values: The values of the model for them.
    """

    wrong: int
    margin: float
    rounding: float
    closest: Tensor
    column: int
    values: Tensor

    @property
    def passed(self) -> bool:
        """Whether every margin exceeds what rounding can change in two values."""
        return self.wrong == 0 and self.margin > 2 * self.rounding


def check_tuples(
    run: Callable[[Tensor], Tensor],
    second: Callable[[Tensor], Tensor],
    margins_of: Callable[[Tensor, Tensor], Tensor],
    period: int,
    operands: int,
    batch_size: int,
) -> Check:
    """Run a model on every tuple of residues modulo a period.

    Args:
        run: Gives the values of the model, (n, ...), for integers (n, operands).
        second: The same in another precision.
        margins_of: Gives the margins, (n, columns), for integers and values.
        period: The residues are 0 … period - 1.
        operands: The number of residues in a tuple.
        batch_size: The number of tuples per run.
    """
    total = period**operands
    wrong, rounding, found = 0, 0.0, None
    for start in range(0, total, batch_size):
        numbers = torch.arange(start, min(start + batch_size, total))
        inputs = torch.stack(torch.unravel_index(numbers, (period,) * operands), dim=1)
        values = run(inputs)
        margins = margins_of(inputs, values)
        again = [second(inputs)]
        if start == 0:  # other batch sizes
            again.append(torch.cat([run(half) for half in inputs.tensor_split(2)]))
            single = [run(one) for one in inputs[:_SINGLE].split(1)]
            again.append(torch.cat([*single, values[_SINGLE:]]))
        rounding = max(rounding, *(float((one - values).abs().max()) for one in again))
        wrong += int((margins <= 0).sum())
        if found is None or float(margins.min()) < found.margin:
            i, column = divmod(int(margins.argmin()), margins.shape[1])
            place = inputs[i : i + 1]
            found = Check(0, float(margins.min()), 0.0, place, column, values[i].clone())
    assert found is not None, "a period has residues"
    return found._replace(wrong=wrong, rounding=rounding)


def shift(inputs: Tensor, period: int, generator: np.random.Generator, most: int) -> Tensor:
    """Return integers of both signs and all sizes below a limit, with the same residues."""
    largest = math.log2(max(2, most // period - 1))
    sizes = np.exp2(generator.uniform(0, largest, size=inputs.shape)).astype(np.int64)
    turns = sizes * generator.choice([-1, 1], size=inputs.shape)
    return inputs + torch.from_numpy(turns * period)


def is_unchanged(module: nn.Module, *kinds: type) -> bool:
    """Return whether a module is of one of the classes itself, without hooks and other methods."""
    hooks = module._forward_hooks or module._forward_pre_hooks
    return type(module) in kinds and not hooks and not any(map(callable, vars(module).values()))


def refuse_table(embedding: PrimeFourierEmbedding) -> None:
    """Raise ValueError if an embedding has a table, and so does not read all integers."""
    if embedding.num_embeddings is not None:
        raise ValueError(
            f"the embedding has a table of {embedding.num_embeddings} integers and refuses others; "
            "use one without num_embeddings"
        )


def label_integers(label: Callable[[Tensor], Any], inputs: Tensor) -> Tensor:
    """Return the labels of integers (n, operands) as int64."""
    given = label(inputs.clone())  # a label that writes into its input must not change the check
    try:
        found = torch.as_tensor(given, device="cpu")
    except (TypeError, ValueError, RuntimeError):
        raise ValueError(
            "label must return integers of 64 bits, one for each tuple of integers, got "
            f"{given!r:.80}; reduce larger ones modulo the periods"
        ) from None
    if found.shape != inputs.shape[:1] or found.is_floating_point():
        raise ValueError(
            f"label must return one integer for each of {len(inputs)} tuples of integers, got "
            f"{found.dtype} of shape {tuple(found.shape)}"
        )
    return found.to(torch.int64)


def require_periodic(
    label: Callable[[Tensor], Any],
    period: int,
    operands: int,
    *,
    residues: bool = False,
    hint: str = "",
) -> None:
    """Raise ValueError if labels change when operands change by multiples of a period.

    With ``residues``, only the residues of the labels modulo the period must not change. The hint
    ends the message.
    """
    if not callable(label):
        raise TypeError(f"label must be a function of integers (n, operands), got {label!r}")
    generator = np.random.default_rng(1)
    base = torch.from_numpy(generator.integers(period, size=(_SHIFTED, operands)))
    shifted = shift(base, period, generator, 2**15 if residues else 2**31)  # 2^15: cubes fit
    first, second = label_integers(label, base), label_integers(label, shifted)
    if residues:
        first, second = first % period, second % period
    what = f"label modulo {period}" if residues else "label"
    for i in torch.nonzero(first != second)[:1].flatten().tolist():
        raise ValueError(
            f"{what} must depend only on the operands modulo {period}, got {int(first[i])} for "
            f"{tuple(base[i].tolist())} and {int(second[i])} for {tuple(shifted[i].tolist())}; "
            f"if it does, check that it does not overflow int64{hint}"
        )
