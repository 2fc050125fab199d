"""Proof by finite check: a network that reads only residues is right for all integers, or not.

Circles whose periods divide L have bit-identical codes for a and a + L. A network that reads
integers only through such circles is a function of the residues modulo L, so its answers to all
tuples of residues are its answers to all integers.
"""

from __future__ import annotations

import copy
import math
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
from primefourier.encoding import CharacterBasis, encode
from primefourier.encoding.characters import Basis, require_either
from primefourier.nn import PrimeFourierEmbedding

MOST_CASES = 5_000_000
_SHIFTED = 1000
_SINGLE = 8
"""How many cases are also run one by one."""
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
    basis: Basis,
    label: Callable[[Tensor], Any],
    *,
    operands: int = 2,
    most_cases: int = MOST_CASES,
    batch_size: int = 16_384,
) -> Certificate:
    """Prove that a classifier is right for all integers, or find a counterexample.

    Every tuple of residues modulo L, the product of the largest periods of the basis, is checked,
    and again with random integers of the same residues, which must not change a bit. The proof
    holds for the given weights on this device and dtype, up to the stated rounding. It takes for
    granted that the model is a function of its input, without state or chance, and that the labels
    depend on residues alone, which is tried on 1000 random shifts.

    Args:
        model: A classifier that reads integers (n, operands) through PrimeFourierEmbedding, and
            nothing else; or one without such a module, which reads codes (n, operands, dim).
        basis: The circles or characters that the model may read.
        label: The right class for integers (n, operands); it must have the same value for
            operands that are equal modulo L. It is tried on integers below 2^31 in absolute value.
        operands: The number of integers per input.
        most_cases: Refuse to check more than this.
        batch_size: The number of cases per forward pass.

    Raises:
        ValueError: If there are too many cases, if the model reads a circle whose period does not
            divide L, if it computes with integers outside the embedding, or if the labels are no
            function of the residues.

    >>> from primefourier import PrimeBasis
    >>> from primefourier.theory import exact_sum_logits
    >>> basis = PrimeBasis((3, 5), depth=1)
    >>> class Exact(nn.Module):
    ...     def forward(self, codes):
    ...         a, b = (c.reshape(-1, 2, 1, 2).numpy() for c in codes.unbind(1))
    ...         return torch.from_numpy(exact_sum_logits(a, b, 15, basis))
    >>> certify(Exact(), basis, lambda x: x.sum(1) % 15).explain()
    'Proved for all integers: right on all 225 tuples of 2 residues modulo 15. Smallest margin ...
    """
    require_either(basis)
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
    embeddings = _embeddings(model, period)
    _require_periodic(label, period, count)
    reference = next(chain(model.parameters(), model.buffers()), torch.empty(0))
    other = torch.float32 if reference.dtype == torch.float64 else torch.float64
    twin = copy.deepcopy(model).to(other)
    run = _Runner(model, basis, embeddings, reference)
    second = _Runner(twin, basis, _embeddings(twin, period), reference.new_empty(0, dtype=other))
    generator = np.random.default_rng(0)
    wrong, margin, worst, rounding = 0, float("inf"), (0, 0, 0), 0.0
    with torch.no_grad(), evaluating(model), evaluating(twin):
        for start in range(0, cases, step):
            inputs = _residues(start, min(start + step, cases), period, count)
            expected = _labels(label, inputs)
            logits = run(inputs)
            if not torch.equal(run(_shift(inputs, period, generator, 2**62)), logits):
                raise ValueError(
                    "the model's logits are not the same for integers with the same residues, or "
                    "not the same every time; it must read integers only through "
                    "PrimeFourierEmbedding, and have neither state nor chance"
                )
            again = [second(inputs)]
            if start == 0:  # other batch sizes
                again.append(torch.cat([run(half) for half in inputs.tensor_split(2)]))
                single = torch.cat([run(one[None]) for one in inputs[:_SINGLE]])
                again.append(torch.cat([single, logits[_SINGLE:]]))
            rounding = max(rounding, *(float((one - logits).abs().max()) for one in again))
            if int(expected.min()) < 0 or int(expected.max()) >= logits.shape[1]:
                raise ValueError(
                    f"labels must be classes 0 … {logits.shape[1] - 1} of the model, got "
                    f"{int(expected.min())} … {int(expected.max())}"
                )
            right = logits.gather(1, expected[:, None]).squeeze(1)
            rest = logits.scatter(1, expected[:, None], -torch.inf).max(1)
            margins = right - rest.values
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
        looked_up = name == "__getitem__" and not isinstance(args[0], _Sealed)
        found: Any = None
        if name in _MOVES and not looked_up:
            found = super().__torch_function__(func, types, args, kwargs or {})  # type: ignore[no-untyped-call]
        cast = isinstance(found, Tensor) and found.dtype != torch.int64
        if name not in _MOVES or looked_up or cast:
            raise ValueError(
                f"the model computes with its integers ({name}) outside PrimeFourierEmbedding, so "
                "it need not be a function of their residues; certify a model that reads codes"
            )
        return found


class _Runner:
    """Run a model on integers that it can read only through its embeddings."""

    def __init__(
        self,
        model: nn.Module,
        basis: Basis,
        embeddings: list[PrimeFourierEmbedding],
        like: Tensor,
    ) -> None:
        self.model, self.basis, self.embeddings, self.like = model, basis, embeddings, like

    def __call__(self, inputs: Tensor) -> Tensor:
        """Return the logits in float64, on the CPU."""
        if self.embeddings:
            with ExitStack() as stack:
                for embedding in self.embeddings:
                    stack.enter_context(embedding.register_forward_pre_hook(_unseal))
                logits = self.model(inputs.to(self.like.device).as_subclass(_Sealed))
        else:
            if isinstance(self.basis, CharacterBasis):
                codes = self.basis.encode(inputs, "float64")
            else:
                codes = encode(inputs, self.basis, "float64")
            logits = self.model(torch.from_numpy(codes).flatten(2).to(self.like))
        if not isinstance(logits, Tensor) or logits.ndim != 2 or len(logits) != len(inputs):
            raise ValueError(
                f"the model must return logits of shape ({len(inputs)}, classes), got "
                f"{tuple(logits.shape) if isinstance(logits, Tensor) else type(logits).__name__}"
            )
        found = logits.as_subclass(Tensor).to("cpu", torch.float64)
        if not bool(found.isfinite().all()):
            raise ValueError("the model's logits must be finite, got NaN or infinity")
        return found


def _unseal(module: nn.Module, arguments: tuple[Any, ...]) -> tuple[Any, ...]:  # noqa: ARG001
    return tuple(
        value.as_subclass(Tensor) if isinstance(value, _Sealed) else value for value in arguments
    )


def _embeddings(model: nn.Module, period: int) -> list[PrimeFourierEmbedding]:
    """Return the embeddings of a model, if their codes depend on residues alone."""
    if not isinstance(model, nn.Module):
        raise TypeError(f"model must be a torch module, got a {type(model).__name__}")
    found = [m for m in model.modules() if isinstance(m, PrimeFourierEmbedding)]
    for embedding in found:
        changed = embedding._forward_hooks or embedding._forward_pre_hooks
        if type(embedding) is not PrimeFourierEmbedding or changed or "forward" in vars(embedding):
            raise ValueError(
                "the model must read integers through PrimeFourierEmbedding itself, without hooks "
                f"and other forward methods, got a {type(embedding).__name__}"
            )
        if embedding.num_embeddings is not None:
            raise ValueError(
                f"the embedding has a table of {embedding.num_embeddings} integers and refuses "
                "others; use one without num_embeddings"
            )
        for foreign in (t for row in embedding.basis.periods for t in row if period % t):
            raise ValueError(
                f"the model reads a circle of period {foreign}, which does not divide {period}; "
                "name the basis that it reads, or remove the circle"
            )
    return found


def _residues(start: int, stop: int, period: int, operands: int) -> Tensor:
    """Return the tuples of residues with some numbers, (n, operands)."""
    rest = torch.arange(start, stop)
    digits = []
    for _ in range(operands):
        digits.append(rest % period)
        rest = rest // period
    return torch.stack(digits[::-1], dim=1)


def _shift(inputs: Tensor, period: int, generator: np.random.Generator, most: int) -> Tensor:
    """Return integers of both signs and all sizes below a limit, with the same residues."""
    largest = math.log2(max(2, most // period - 1))
    sizes = np.exp2(generator.uniform(0, largest, size=inputs.shape)).astype(np.int64)
    turns = sizes * generator.choice([-1, 1], size=inputs.shape)
    return inputs + torch.from_numpy(turns * period)


def _labels(label: Callable[[Tensor], Any], inputs: Tensor) -> Tensor:
    found = torch.as_tensor(label(inputs), device="cpu")
    if found.shape != inputs.shape[:1] or found.is_floating_point():
        raise ValueError(
            f"label must return one class for each of {len(inputs)} tuples of integers, got "
            f"{found.dtype} of shape {tuple(found.shape)}"
        )
    return found.to(torch.int64)


def _require_periodic(label: Callable[[Tensor], Any], period: int, operands: int) -> None:
    """Raise ValueError if labels change when operands change by multiples of L."""
    if not callable(label):
        raise TypeError(f"label must be a function of integers (n, operands), got {label!r}")
    generator = np.random.default_rng(1)
    base = torch.from_numpy(generator.integers(period, size=(_SHIFTED, operands)))
    shifted = _shift(base, period, generator, 2**31)
    first, second = _labels(label, base), _labels(label, shifted)
    for i in torch.nonzero(first != second)[:1].flatten().tolist():
        raise ValueError(
            f"label must depend only on the operands modulo {period}, got {int(first[i])} for "
            f"{tuple(base[i].tolist())} and {int(second[i])} for {tuple(shifted[i].tolist())}"
        )
