"""Proof by finite check: a network that reads only residues is right for all integers, or not.

Circles whose periods divide L have bit-identical codes for a and a + L. A network that reads
integers only through such circles is a function of the residues modulo L, so its answers to all
tuples of residues are its answers to all integers.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from primefourier.analysis.site import evaluating
from primefourier.arithmetic.integers import as_integer, format_integer
from primefourier.encoding import PrimeBasis, encode
from primefourier.encoding.basis import require_basis
from primefourier.nn import PrimeFourierEmbedding

MOST_CASES = 5_000_000
_SHIFTED = 1000
_MOVES = {
    *("__get__", "__getitem__", "unbind", "select", "narrow", "chunk", "split", "view", "reshape"),
    *("flatten", "unsqueeze", "squeeze", "transpose", "permute", "movedim", "contiguous", "size"),
    *("dim", "__len__", "numel", "stack", "cat", "expand", "to", "unflatten", "__iter__"),
}
"""What a network may do with integers on their way to the embedding: move them, not compute."""


@dataclass(frozen=True)
class Certificate:
    """The result of checking a network on every tuple of residues.

    Attributes:
        proved: Whether the network is right for all integers.
        modulus: L; the network is a function of the operands modulo L.
        operands: The number of operands.
        cases: The number of tuples of residues, all checked.
        wrong: The number of wrong answers.
        closest: The operands with the smallest margin; a counterexample if their answer is wrong.
        expected: The right answer to them.
        answer: The network's answer to them.
        margin: The smallest difference between the logit of the right answer and the next.
        rounding: The largest change of a logit by another precision or batch size.
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

    @property
    def counterexample(self) -> tuple[int, ...] | None:
        """The operands of a wrong answer, or None if there is none."""
        return self.closest if self.wrong else None

    def explain(self) -> str:
        """Describe the result in words."""
        cases = f"all {self.cases} tuples of {self.operands} residues modulo {self.modulus}"
        if self.proved:
            return (
                f"Proved for all integers: right on {cases}. Smallest margin {self.margin:.3g}; "
                f"rounding changes logits by at most {self.rounding:.2g}."
            )
        at = ", ".join(map(str, self.closest))
        if self.wrong:
            return (
                f"Not right for all integers: {self.wrong} of {cases} are wrong. For ({at}) the "
                f"answer is {self.answer}, not {self.expected}."
            )
        return (
            f"Not proved: right on {cases}, but for ({at}) by a margin of {self.margin:.3g}, and "
            f"rounding changes logits by up to {self.rounding:.2g}."
        )


def certify(
    model: nn.Module,
    basis: PrimeBasis,
    label: Callable[[Tensor], Any],
    *,
    operands: int = 2,
    most_cases: int = MOST_CASES,
    batch_size: int = 16_384,
) -> Certificate:
    """Prove that a classifier is right for all integers, or find a counterexample.

    Every tuple of residues modulo L, the product of the largest periods of the basis, is checked.
    The proof holds for the given weights on this device and dtype, up to the stated rounding.

    Args:
        model: A classifier that reads integers (n, operands) through PrimeFourierEmbedding, and
            nothing else; or one without such a module, which reads codes (n, operands, dim).
        basis: The circles that the model may read.
        label: The right class for integers (n, operands); it must have the same value for
            operands that are equal modulo L.
        operands: The number of integers per input.
        most_cases: Refuse to check more than this.
        batch_size: The number of cases per forward pass.

    Raises:
        ValueError: If there are too many cases, if the model reads a circle whose period does not
            divide L, if it computes with integers outside the embedding, or if the labels are no
            function of the residues.

    >>> from primefourier.theory import exact_sum_logits
    >>> basis = PrimeBasis((3, 5), depth=1)
    >>> class Exact(nn.Module):
    ...     def forward(self, codes):
    ...         a, b = (c.reshape(-1, 2, 1, 2).numpy() for c in codes.unbind(1))
    ...         return torch.from_numpy(exact_sum_logits(a, b, 15, basis))
    >>> certify(Exact(), basis, lambda x: x.sum(1) % 15).explain()
    'Proved for all integers: right on all 225 tuples of 2 residues modulo 15. Smallest margin ...
    """
    require_basis(basis)
    count = as_integer(operands, "operands", at_least=1)
    step = as_integer(batch_size, "batch_size", at_least=2)
    period = basis.range
    cases = period**count
    if cases > most_cases:
        raise ValueError(
            f"certify checks at most {most_cases} cases, got {format_integer(cases)} = "
            f"{format_integer(period)}^{count}; use fewer primes or a smaller depth, or raise "
            "most_cases"
        )
    embeddings = [m for m in model.modules() if isinstance(m, PrimeFourierEmbedding)]
    for foreign in (t for e in embeddings for row in e.basis.periods for t in row if period % t):
        raise ValueError(
            f"the model reads a circle of period {foreign}, which does not divide {period}; name "
            "the basis that it reads, or remove the circle"
        )
    _require_periodic(label, period, count)
    reference = next(chain(model.parameters(), model.buffers()), torch.empty(0))
    other = torch.float32 if reference.dtype == torch.float64 else torch.float64
    twin = copy.deepcopy(model).to(other)
    run = _Runner(basis, embeddings, reference)
    second = _Runner(basis, [m for m in twin.modules() if isinstance(m, PrimeFourierEmbedding)],
                     reference.new_empty(0, dtype=other))  # fmt: skip
    wrong, margin, worst, rounding = 0, float("inf"), (0, 0, 0), 0.0
    with torch.no_grad(), evaluating(model), evaluating(twin):
        for start in range(0, cases, step):
            inputs = _residues(start, min(start + step, cases), period, count)
            expected = torch.as_tensor(label(inputs), dtype=torch.int64, device="cpu")
            logits = run(model, inputs)
            parts = [run(model, half) for half in inputs.tensor_split(2)] if start == 0 else []
            for again in (second(twin, inputs), *([torch.cat(parts)] if parts else [])):
                rounding = max(rounding, float((again - logits).abs().max()))
            right = logits.gather(1, expected[:, None]).squeeze(1)
            rest = logits.scatter(1, expected[:, None], -torch.inf).max(1)
            margins = (right - rest.values).nan_to_num(nan=-torch.inf)
            wrong += int((margins <= 0).sum())
            if float(margins.min()) < margin:
                i = int(margins.argmin())
                margin = float(margins[i])
                answer = int(rest.indices[i] if margin <= 0 else expected[i])
                worst = (start + i, int(expected[i]), answer)
    place, correct, answer = worst
    return Certificate(
        proved=wrong == 0 and margin > 2 * rounding,
        modulus=period,
        operands=count,
        cases=cases,
        wrong=wrong,
        closest=tuple(_residues(place, place + 1, period, count)[0].tolist()),
        expected=correct,
        answer=answer,
        margin=margin,
        rounding=rounding,
    )


class _Sealed(Tensor):
    """Integers that can be moved, but not read, until an embedding unseals them."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Refuse everything that computes with the integers."""
        name = getattr(func, "__name__", "")
        if name not in _MOVES:
            raise ValueError(
                f"the model computes with its integers ({name}) outside PrimeFourierEmbedding, so "
                "it need not be a function of their residues; certify a model that reads codes"
            )
        found: Any = super().__torch_function__(func, types, args, kwargs or {})  # type: ignore[no-untyped-call]
        return found


class _Runner:
    """Run a model on integers that it can read only through its embeddings."""

    def __init__(
        self, basis: PrimeBasis, embeddings: list[PrimeFourierEmbedding], like: Tensor
    ) -> None:
        self.basis = basis
        self.embeddings = embeddings
        self.like = like

    def __call__(self, model: nn.Module, inputs: Tensor) -> Tensor:
        """Return the logits in float64, on the CPU."""
        if self.embeddings:
            with ExitStack() as stack:
                for embedding in self.embeddings:
                    stack.enter_context(embedding.register_forward_pre_hook(_unseal))
                sealed = inputs.to(self.like.device).as_subclass(_Sealed)
                logits = model(sealed)
        else:
            codes = torch.from_numpy(encode(inputs, self.basis, "float64")).flatten(2)
            logits = model(codes.to(self.like))
        if not isinstance(logits, Tensor) or logits.ndim != 2 or len(logits) != len(inputs):
            raise ValueError(
                f"the model must return logits of shape ({len(inputs)}, classes), got "
                f"{tuple(logits.shape) if isinstance(logits, Tensor) else type(logits).__name__}"
            )
        return logits.as_subclass(Tensor).to("cpu", torch.float64)


def _unseal(module: nn.Module, arguments: tuple[Any, ...]) -> tuple[Any, ...]:  # noqa: ARG001
    return tuple(
        value.as_subclass(Tensor) if isinstance(value, _Sealed) else value for value in arguments
    )


def _residues(start: int, stop: int, period: int, operands: int) -> Tensor:
    """Return the tuples of residues with some numbers, (n, operands)."""
    rest = torch.arange(start, stop)
    digits = []
    for _ in range(operands):
        digits.append(rest % period)
        rest = rest // period
    return torch.stack(digits[::-1], dim=1)


def _require_periodic(label: Callable[[Tensor], Any], period: int, operands: int) -> None:
    """Raise ValueError if labels change when operands grow by multiples of L."""
    generator = np.random.default_rng(0)
    base = generator.integers(period, size=(_SHIFTED, operands))
    turns = generator.integers(2**40 // period, size=base.shape)
    shifted = base + turns * period
    first, second = (np.asarray(label(torch.from_numpy(x))) for x in (base, shifted))
    for i in np.flatnonzero(first != second)[:1]:
        raise ValueError(
            f"label must depend only on the operands modulo {period}, got {first[i]} for "
            f"{tuple(base[i].tolist())} and {second[i]} for {tuple(shifted[i].tolist())}"
        )
