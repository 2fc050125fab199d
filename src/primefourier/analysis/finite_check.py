"""Finite checks: every tuple of residues is run, bounded, and tried in other batches."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor

from primefourier.analysis.boxes import CODE_UNITS, Box, NoProofError
from primefourier.arithmetic.integers import format_integer

SIZES = (1, 2, 3, 7)
"""The sizes of batches in which a network is tried, besides all cases at once."""
_COPIED = 1000
"""How many of the closest cases are tried in batches of copies."""
_SAMPLE = 16
"""How many of the closest cases are tried in other batches if a proof covers the rest."""
_SEARCHED = 64
"""How many of the least sure cases the radius is searched for; the others only confirm it."""
_SHIFTED = 1000
"""How many labels are compared with those of other integers of the same residues."""


@dataclass(frozen=True)
class Certificate:
    """The result of checking a network on every tuple of residues.

    A classifier is checked on tuples of residues modulo L, a ChannelNetwork on those modulo each
    largest period p^D. Then answers and labels are residues modulo ``period``, and margins are
    those of ``decode``: the unused share of half the angle between neighbouring digits.

    Attributes:
        status: "proved" for all integers on every device with IEEE arithmetic of ``dtype``;
            "checked" if all cases are right on this machine and ``reason`` says why no proof
            follows; "refuted" with a counterexample.
        modulus: L, the product of all p^D; the network is a function of the operands modulo L.
        operands: The number of operands.
        cases: The number of tuples of residues, all checked.
        wrong: The number of wrong answers.
        closest: The operands with the smallest margin; a counterexample if their answer is wrong.
        expected: The right answer to them.
        answer: The network's answer to them.
        margin: The smallest difference between the logit of the right answer and the next, or
            the smallest margin of a digit.
        dtype: The dtype of the codes that the network read.
        bound: The most that rounding can change a margin, of codes and of every operation, on any
            device and in any order of summation; None without a proof.
        radius: How far every number of the codes may move with the proof intact; None without one.
        reason: Why there is no proof, or None.
        batch: The size of the batch in which the counterexample was wrong.
        period: The p^D of ``closest`` in a ChannelNetwork; None for a classifier.
    """

    status: Literal["proved", "checked", "refuted"]
    modulus: int
    operands: int
    cases: int
    wrong: int
    closest: tuple[int, ...]
    expected: int
    answer: int
    margin: float
    dtype: str
    bound: float | None = None
    radius: float | None = None
    reason: str | None = None
    batch: int | None = None
    period: int | None = None

    @property
    def proved(self) -> bool:
        """Whether the network is right for all integers, which has been proved."""
        return self.status == "proved"

    @property
    def counterexample(self) -> tuple[int, ...] | None:
        """The operands of a wrong answer, or None if there is none."""
        return self.closest if self.wrong else None

    def covers(self, dtype: torch.dtype) -> bool:
        """Return whether the proof holds for codes that are rounded to a dtype."""
        return self.radius is not None and CODE_UNITS[dtype] <= self.radius

    def explain(self) -> str:
        """Describe the result in words."""
        modulus = format_integer(self.modulus)
        by = modulus if self.period is None else "the largest period of each prime"
        cases = f"{self.cases} tuples of {self.operands} residues modulo {by}"
        if self.status == "refuted":
            at = ", ".join(map(str, self.closest))
            answer = f"{self.expected}{'' if self.period is None else f' modulo {self.period}'}"
            return (
                f"Refuted: wrong on {self.wrong} of {cases}. For ({at}) the answer is "
                f"{self.answer}, not {answer}, in a batch of {self.batch} in {self.dtype}."
            )
        if self.status == "checked":
            return (
                f"Checked: right on all {cases}, on this machine, in {self.dtype}, in batches of "
                f"{', '.join(map(str, SIZES))} and more. Smallest margin {self.margin:.3g}. It "
                f"need not hold elsewhere or in other batches: {self.reason}."
            )
        halves = " and ".join(
            f"{name} codes are {'' if self.covers(getattr(torch, name)) else 'not '}covered"
            for name in ("float16", "bfloat16")
        )
        return (
            f"Proved for all integers, on every device with IEEE {self.dtype} arithmetic: right on "
            f"all {cases}{'' if self.period is None else f', and so modulo {modulus}'}. Smallest "
            f"margin {self.margin:.3g}; rounding changes margins by at most {self.bound:.2g}. "
            f"Every number of a code may move by {self.radius:.2g}: {halves}."
        )


def logit_leads(box: Box, right: Tensor) -> tuple[Tensor, Tensor]:
    """Return the leads of the right logits, and those that hold for all logits of a box."""
    classes = box.middle.shape[1]
    if int(right.min()) < 0 or int(right.max()) >= classes:
        raise ValueError(
            f"labels must be classes 0 … {classes - 1} of the model, got {int(right.min())} … "
            f"{int(right.max())}"
        )

    def leads(low: Tensor, high: Tensor) -> Tensor:
        # the right logit at its least, and the others at their most
        own = low.gather(1, right[:, None])
        others = high.scatter(1, right[:, None], -torch.inf).amax(1, keepdim=True)
        return torch.where(own == -torch.inf, own, own - others).squeeze(1)

    low, high = box.middle - box.spread, box.middle + box.spread
    return leads(box.middle, box.middle), leads(low, high)


def _largest_other(values: Tensor, right: int) -> int:
    """Return the class with the largest logit among the wrong ones."""
    others = values.clone()
    others[right] = -torch.inf
    return int(others.argmax())


class Wrong(NamedTuple):
    """Wrong answers: how many, and one of them with the size of its batch."""

    wrong: int
    inputs: Tensor
    expected: int
    answer: int
    batch: int


@dataclass
class Task:
    """What is checked: how integers are answered, which answers are right, and by what margin."""

    # integers (n, operands) → logits or codes in float64; with how far codes are moved → their box
    run: Callable[[Tensor], Tensor]
    bound: Callable[[Tensor, float], Box]
    label: Callable[[Tensor], Tensor]
    period: int
    operands: int
    dtype: torch.dtype
    reason: str | None = None  # why there is no bound
    # margins, and those that are certain, of a box; the wrong answer among values; and what a box
    # that margins are read from becomes before the model returns it
    leads: Callable[[Box, Tensor], tuple[Tensor, Tensor]] = logit_leads
    answer: Callable[[Tensor, int], int] = _largest_other
    given: Callable[[Box], Box] = lambda box: box

    @property
    def cases(self) -> int:
        """The number of tuples of residues."""
        return int(self.period**self.operands)

    def inputs(self, numbers: Tensor) -> Tensor:
        """Return the tuples of residues with these numbers."""
        return torch.stack(torch.unravel_index(numbers, (self.period,) * self.operands), dim=1)

    def margins(self, inputs: Tensor, values: Tensor) -> Tensor:
        """Return the margins of what the model gave."""
        return self.leads(Box(values), self.label(inputs))[0]

    def sure(self, inputs: Tensor, moved: float) -> Tensor:
        """Return which margins are certain on every device with codes moved so far."""
        return self.leads(self.bound(inputs, moved), self.label(inputs))[1] > 0

    def find_wrong(
        self, inputs: Tensor, values: Tensor, given: Tensor | None = None
    ) -> Wrong | None:
        """Return the wrong answers among values, the worst as the example, shown as ``given``."""
        margins = self.margins(inputs, values)
        if not bool((margins <= 0).any()):
            return None
        worst = int(margins.argmin())
        here = slice(worst, worst + 1)
        right = int(self.label(inputs[here]))
        shown = (inputs if given is None else given)[here]
        answer = self.answer(values[worst], right)
        return Wrong(int((margins <= 0).sum()), shown, right, answer, len(inputs))


def check(task: Task, step: int) -> Certificate:
    """Run every case, bound its rounding, and try other batches."""
    generator = np.random.default_rng(0)
    bounds = _Bounds(task)
    margins, wrong = [], None
    for numbers in torch.arange(task.cases).split(step):
        inputs = task.inputs(numbers)
        values = task.run(inputs)
        margins.append(task.margins(inputs, values))
        found = task.find_wrong(inputs, values)
        if found is None:
            # other integers of the same residues must not change a bit
            moved = _shift(inputs, task.period, generator, 2**62)
            again = task.run(moved)
            found = task.find_wrong(inputs, again, moved)
            if found is None and not torch.equal(again, values):
                random = (
                    "" if torch.equal(task.run(moved), again) else ", and not the same every time"
                )
                example = tuple(moved[(again != values).flatten(1).any(1)][0].tolist())
                raise ValueError(
                    f"the model's output for {example} is not that for its residues modulo "
                    f"{task.period}{random}; it must read integers only through "
                    "PrimeFourierEmbedding, and have neither state nor chance"
                )
        if found is not None:
            wrong = found._replace(wrong=found.wrong + (wrong.wrong if wrong else 0))
        # bounds of a refuted network are of no use
        if wrong is None:
            bounds.include(inputs, values)
    every = torch.cat(margins)
    if wrong is None:
        order = every.argsort()
        _require_alone(task, order, step)
        wrong = _try_batches(task, order, step, whole=bounds.reason is not None)
    if wrong is None:
        closest = task.inputs(order[:1])
        right = int(task.label(closest))
        wrong = Wrong(0, closest, right, right, 0)
    proved = not wrong.wrong and bounds.reason is None
    return Certificate(
        status="refuted" if wrong.wrong else "proved" if proved else "checked",
        modulus=task.period,
        operands=task.operands,
        cases=task.cases,
        wrong=wrong.wrong,
        closest=tuple(wrong.inputs[0].tolist()),
        expected=wrong.expected,
        answer=wrong.answer,
        margin=float(every.min()),
        dtype=str(task.dtype).removeprefix("torch."),
        bound=bounds.bound if proved else None,
        radius=bounds.radius if proved else None,
        reason=None if wrong.wrong else bounds.reason,
        batch=wrong.batch or None,
        period=task.period,
    )


class _Bounds:
    """The proof as it grows: the most that rounding changes, and how far codes may move."""

    def __init__(self, task: Task) -> None:
        self.task, self.reason, self.bound, self.radius = task, task.reason, 0.0, 0.5

    def include(self, inputs: Tensor, values: Tensor) -> None:
        """Bound some cases, for which the model gave values; or note why that fails."""
        if self.reason is not None:
            return
        try:
            box = self.task.bound(inputs, 0.0)
            middle, sure = self.task.leads(box, self.task.label(inputs))
            self.bound = max(self.bound, float((middle - sure).nan_to_num(0).max()))
            if not bool((sure > 0).all()):
                self.reason = f"rounding may change margins by up to {self.bound:.2g}"
            elif not self.task.given(box).holds(values):
                self.reason = "the model does not compute what its graph says"
            else:
                self._shrink(inputs, sure)
        except NoProofError as error:
            self.reason = str(error)

    def _shrink(self, inputs: Tensor, sure: Tensor) -> None:
        """Reduce the radius to what these cases bear."""
        # the least sure nearly always bear the least, and are few to search
        radius = self._search(inputs[sure.argsort()[:_SEARCHED]])
        if bool((failing := self._failing(inputs, radius)).any()):
            radius = min(radius, self._search(inputs[failing]))
        self.radius = radius

    def _search(self, inputs: Tensor) -> float:
        """Return the largest radius, up to that of the proof so far, that all cases bear."""
        # by bisection; cases that bear a radius bear every smaller one
        low, high, trial = 0.0, self.radius, self.radius
        for _ in range(30):
            failing = self._failing(inputs, trial)
            if bool(failing.any()):
                inputs, high = inputs[failing], trial
            else:
                low = trial
            if high - low <= 1e-3 * high:
                break
            trial = (low + high) / 2
        return low

    def _failing(self, inputs: Tensor, radius: float) -> Tensor:
        try:
            return ~self.task.sure(inputs, radius)
        except NoProofError:  # of any of them
            return torch.ones(len(inputs), dtype=torch.bool)


def _require_alone(task: Task, order: Tensor, step: int) -> None:
    """Raise ValueError if the answer to one input depends on the others of its batch."""
    # In a batch of the same size, the same sums are computed in the same order, so that other
    # inputs must not change a bit; a small change could still be rounding on other hardware.
    generator = torch.Generator().manual_seed(0)
    for size in (*SIZES[1:], min(step, task.cases)):
        for place in order[:2]:
            first, second = (
                torch.randint(task.cases, (size,), generator=generator) for _ in range(2)
            )
            first[0] = second[0] = place
            a, b, c = (task.run(task.inputs(numbers)) for numbers in (first, second, first))
            if not torch.equal(a, c):
                raise ValueError(
                    "the model's output is not the same every time; it must have neither state "
                    "nor chance"
                )
            size_of_answer = 1 + float(a[0].nan_to_num(0, 0, 0).abs().max())
            small = 1000 * torch.finfo(task.dtype).eps * size_of_answer
            if not torch.allclose(a[0], b[0], rtol=0, atol=small):
                change = float((a[0] - b[0]).abs().max())
                raise ValueError(
                    f"the model's output for {tuple(task.inputs(place[None])[0].tolist())} depends "
                    f"on the other inputs of its batch: it changes by {change:.2g} in a batch of "
                    f"{size}; a layer joins the samples (a batch taken for a sequence, statistics "
                    "of a batch)"
                )


def _try_batches(task: Task, order: Tensor, step: int, *, whole: bool) -> Wrong | None:
    """Return the first wrong answers in small batches, mixed ones and batches of copies."""
    generator = torch.Generator().manual_seed(1)
    numbers = order if whole else order[:_SAMPLE]  # the closest; a proof covers the rest

    def batches() -> Iterator[Tensor]:
        for size in SIZES:
            yield from numbers.split(size)
        for size in (SIZES[-1], step):
            yield from numbers[torch.randperm(len(numbers), generator=generator)].split(size)
        for one in numbers[:_COPIED]:
            yield from (one.repeat(size) for size in SIZES[1:])

    for batch in batches():
        inputs = task.inputs(batch)
        if (wrong := task.find_wrong(inputs, task.run(inputs))) is not None:
            return wrong
    return None


def _shift(inputs: Tensor, period: int, generator: np.random.Generator, most: int) -> Tensor:
    """Return integers of both signs and all sizes below a limit, with the same residues."""
    # uniform in the number of digits, so that small and large integers are tried alike
    largest = math.log2(max(2, most // period - 1))
    sizes = np.exp2(generator.uniform(0, largest, size=inputs.shape)).astype(np.int64)
    turns = sizes * generator.choice([-1, 1], size=inputs.shape)
    return inputs + torch.from_numpy(turns * period)


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
    label: Callable[[Tensor], Any], period: int, operands: int, *, moduli: Sequence[int] = ()
) -> None:
    """Raise ValueError if labels change when operands change by multiples of a period.

    With ``moduli``, only the residues of the labels must not change.
    """
    if not callable(label):
        raise TypeError(f"label must be a function of integers (n, operands), got {label!r}")
    generator = np.random.default_rng(1)
    base = torch.from_numpy(generator.integers(period, size=(_SHIFTED, operands)))
    shifted = _shift(base, period, generator, 2**15 if moduli else 2**31)  # 2^15: cubes fit
    first, second = label_integers(label, base), label_integers(label, shifted)
    for modulus in moduli or (0,):
        a, b = (first % modulus, second % modulus) if modulus else (first, second)
        for i in torch.nonzero(a != b)[:1].flatten().tolist():
            raise ValueError(
                f"label{f' modulo {modulus}' if modulus else ''} must depend only on the operands "
                f"modulo {period}, got {int(a[i])} for {tuple(base[i].tolist())} and {int(b[i])} "
                f"for {tuple(shifted[i].tolist())}; if it does, check that it does not overflow "
                "int64"
            )
