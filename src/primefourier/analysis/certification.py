"""Proof by finite check: a network that reads only residues is right for all integers, or not.

Circles whose periods divide L have bit-identical codes for a and a + L. A network that reads
integers only through such circles is a function of the residues modulo L, so its answers to all
tuples of residues are its answers to all integers. A ChannelNetwork is checked prime by prime.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from contextlib import ExitStack
from itertools import chain
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from primefourier.analysis.channel_certification import certify_channels, find_channels
from primefourier.analysis.finite_check import (
    Certificate,
    check_tuples,
    is_unchanged,
    label_integers,
    refuse_table,
    require_periodic,
    shift,
)
from primefourier.analysis.site import evaluating
from primefourier.arithmetic.integers import as_integer, format_integer
from primefourier.encoding import CharacterBasis, encode
from primefourier.encoding.characters import Basis, require_either
from primefourier.nn import ChannelNetwork, PrimeFourierEmbedding

MOST_CASES = 5_000_000
_MOVES = {
    *("__get__", "__getitem__", "unbind", "select", "narrow", "chunk", "split", "view", "reshape"),
    *("flatten", "unsqueeze", "squeeze", "transpose", "permute", "movedim", "size"),
    *("dim", "__len__", "numel", "stack", "cat", "expand", "to", "unflatten", "__iter__"),
    *("long", "clone", "detach", "contiguous", "flip", "repeat", "swapaxes"),
}
"""What a network may do with integers on their way to the embedding: move them, not compute."""


def certify(
    model: nn.Module,
    basis: Basis,
    label: Callable[[Tensor], Any],
    *,
    operands: int = 2,
    most_cases: int = MOST_CASES,
    batch_size: int = 16_384,
) -> Certificate:
    """Prove that a network is right for all integers, or find a counterexample.

    Every tuple of residues modulo L, the product of the largest periods of the basis, is checked,
    and again with random integers of the same residues, which must not change a bit. The proof
    holds for the given weights on this device and dtype, up to the stated rounding. It takes for
    granted that the model is a function of its input, without state or chance, and that the labels
    depend on residues alone, which is tried on 1000 random shifts.

    A ChannelNetwork is proved prime by prime: a prime's circles of the answer depend on that
    prime's circles of the operands alone, so the tuples of residues modulo each p^D suffice, the
    sum of all p^(D · operands) instead of the product. What is proved is that the decoded integer
    equals the label modulo L, for all integers.

    Args:
        model: A classifier that reads integers (n, operands) through PrimeFourierEmbedding, and
            nothing else; or one without such a module, which reads codes (n, operands, dim). Or a
            ChannelNetwork, alone or as ``nn.Sequential(PrimeFourierEmbedding, ChannelNetwork)``.
        basis: The circles or characters that the model may read.
        label: The right class for integers (n, operands); it must have the same value for
            operands that are equal modulo L. It is tried on integers below 2^31 in absolute value.
            For a ChannelNetwork the right integer, whose residue modulo p^D must depend only on
            the operands modulo p^D, for every prime.
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
    if not isinstance(model, nn.Module):
        raise TypeError(f"model must be a torch module, got a {type(model).__name__}")
    count = as_integer(operands, "operands", at_least=1)
    step = as_integer(batch_size, "batch_size", at_least=2)
    most_cases = as_integer(most_cases, "most_cases", at_least=1)
    if channels := find_channels(model, basis, count):
        return certify_channels(model, channels, label, most_cases=most_cases, batch_size=step)
    period = basis.range
    cases = period**count
    hint = ""
    if any(isinstance(module, ChannelNetwork) for module in model.modules()):
        hint = (
            "; a ChannelNetwork inside another module is not proved prime by prime, so certify the "
            "ChannelNetwork itself"
        )
    if cases > most_cases:
        raise ValueError(
            f"certify checks at most {most_cases} cases, got {format_integer(cases)} = "
            f"{format_integer(period)}^{count}; use fewer primes or a smaller depth, or raise "
            f"most_cases{hint}"
        )
    embeddings = _embeddings(model, period)
    require_periodic(label, period, count, hint=hint)
    reference = next(chain(model.parameters(), model.buffers()), torch.empty(0))
    other = torch.float32 if reference.dtype == torch.float64 else torch.float64
    twin = copy.deepcopy(model).to(other)
    run = _Runner(model, basis, embeddings, reference)
    second = _Runner(twin, basis, _embeddings(twin, period), reference.new_empty(0, dtype=other))
    generator = np.random.default_rng(0)

    def margins(inputs: Tensor, logits: Tensor) -> Tensor:
        if not torch.equal(run(shift(inputs, period, generator, 2**62)), logits):
            raise ValueError(
                "the model's logits are not the same for integers with the same residues, or not "
                "the same every time; it must read integers only through PrimeFourierEmbedding, "
                "and have neither state nor chance"
            )
        expected = label_integers(label, inputs)
        if int(expected.min()) < 0 or int(expected.max()) >= logits.shape[1]:
            raise ValueError(
                f"labels must be classes 0 … {logits.shape[1] - 1} of the model, got "
                f"{int(expected.min())} … {int(expected.max())}"
            )
        right = logits.gather(1, expected[:, None])
        return right - logits.scatter(1, expected[:, None], -torch.inf).amax(1, keepdim=True)

    with torch.no_grad(), evaluating(model), evaluating(twin):
        check = check_tuples(run, second, margins, period, count, step)
    expected = int(label_integers(label, check.closest))
    check.values[expected] = -torch.inf  # a tie is wrong
    return Certificate(
        proved=check.passed,
        modulus=period,
        operands=count,
        cases=cases,
        wrong=check.wrong,
        closest=tuple(check.closest[0].tolist()),
        expected=expected,
        answer=int(check.values.argmax()) if check.wrong else expected,
        margin=check.margin,
        rounding=check.rounding,
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
    found = [m for m in model.modules() if isinstance(m, PrimeFourierEmbedding)]
    for embedding in found:
        if not is_unchanged(embedding, PrimeFourierEmbedding):
            raise ValueError(
                "the model must read integers through PrimeFourierEmbedding itself, without hooks "
                f"and replaced methods, got a {type(embedding).__name__}"
            )
        refuse_table(embedding)
        for foreign in (t for row in embedding.basis.periods for t in row if period % t):
            raise ValueError(
                f"the model reads a circle of period {foreign}, which does not divide {period}; "
                "name the basis that it reads, or remove the circle"
            )
    return found
