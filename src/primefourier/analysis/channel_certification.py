"""Proof by finite check, prime by prime: for networks that cannot mix primes.

A ChannelNetwork computes a prime's circles of the answer from that prime's circles of the operands
alone. So it is right for all integers if it is right on all tuples of residues modulo each p^D,
and every tuple of integers below the largest p^D runs through all primes at once.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from primefourier.analysis.finite_check import (
    Certificate,
    check_tuples,
    is_unchanged,
    label_integers,
    refuse_table,
    require_periodic,
)
from primefourier.arithmetic.integers import format_integer
from primefourier.encoding.characters import Basis
from primefourier.nn import ChannelNetwork, PrimeFourierEmbedding, settle_residues
from primefourier.nn.device_codes import device_periods, residue_codes

_MIXED = 1000
"""How many tuples of large integers are run through the model that was given."""


def find_channels(model: object, basis: Basis, operands: int) -> ChannelNetwork | None:
    """Return the ChannelNetwork that a model is, alone or behind an embedding; None if it is not.

    Raises:
        ValueError: If the network has hooks, another forward method, another basis or another
            number of operands, so that the proof would be one of something else.
    """
    layers: list[Any] = list(model) if type(model) is nn.Sequential else [model]
    network = layers[-1] if layers else None
    if not isinstance(network, ChannelNetwork):
        return None
    parts = [model, *layers, network.weights, network.biases]
    kinds = nn.Sequential, nn.ParameterList, PrimeFourierEmbedding, ChannelNetwork
    if (
        not all(is_unchanged(part, *kinds) for part in parts)
        or any(type(weight) is not nn.Parameter for weight in [*network.weights, *network.biases])
        or [type(layer) for layer in layers[:-1]] not in ([], [PrimeFourierEmbedding])
    ):
        raise ValueError(
            "the model must be a ChannelNetwork itself, or nn.Sequential of a "
            "PrimeFourierEmbedding and a ChannelNetwork, not compiled, without hooks, replaced "
            "methods and other kinds of parameters, got "
            f"{', '.join(type(layer).__name__ for layer in layers)}"
        )
    for layer in layers:
        if layer.basis != basis:
            raise ValueError(
                f"basis must be that of the {type(layer).__name__}, {layer.basis}, got {basis}"
            )
        if layer is not network:
            refuse_table(layer)
    if operands != network.operands:
        raise ValueError(f"the network has {network.operands} operands, got operands={operands}")
    return network


def certify_channels(
    model: nn.Module,
    network: ChannelNetwork,
    label: Callable[[Tensor], Any],
    *,
    most_cases: int,
    batch_size: int,
) -> Certificate:
    """Check every tuple of residues modulo every p^D; see ``certify``."""
    basis, operands = network.basis, network.operands
    tops = [row[-1] for row in basis.periods]
    cases = sum(top**operands for top in tops)
    if cases > most_cases:
        raise ValueError(
            f"certify checks at most {most_cases} cases, got {format_integer(cases)}, the sum of "
            f"p^{basis.depth * operands} over the primes; use smaller primes or a smaller depth, "
            "or raise most_cases"
        )
    for top in tops:
        require_periodic(label, top, operands, residues=True)
    dtype = network.weights[0].dtype
    other = torch.float32 if dtype == torch.float64 else torch.float64
    twin = copy.deepcopy(network).to(other)
    periods, moduli = device_periods(basis, torch.device("cpu")), torch.tensor(tops)

    def distances(model: ChannelNetwork, inputs: Tensor) -> Tensor:
        """Return the turns from the right points to those of a model, 1 for half a digit."""
        right = label_integers(label, inputs)[:, None, None]
        points = torch.view_as_complex(_answers(model, inputs).unflatten(-1, basis.shape))
        target = torch.view_as_complex(residue_codes(right, periods, torch.float64))
        angles = torch.where(points.abs() > 0.5, (points / target).angle(), math.pi)  # 0: none
        return angles * periods[:, :1] / math.pi

    def margins(inputs: Tensor, values: Tensor) -> Tensor:
        own = (inputs.unsqueeze(-1) < moduli).all(1)  # others repeat a prime's own tuples
        return torch.where(own, 1 - values.abs().amax(-1), math.inf)

    check = check_tuples(
        partial(distances, network),
        partial(distances, twin),
        margins,
        tops[-1],
        operands,
        batch_size,
    )
    if check.passed:
        _require_apart(model, network, label)
    residues, _ = settle_residues(_answers(network, check.closest), basis)
    period = tops[check.column]
    return Certificate(
        proved=check.passed,
        modulus=basis.range,
        operands=operands,
        cases=cases,
        wrong=check.wrong,
        closest=tuple(check.closest[0].tolist()),
        expected=int(label_integers(label, check.closest)) % period,
        answer=int(residues[0, check.column]),
        margin=check.margin,
        rounding=check.rounding,
        period=period,
    )


def _require_apart(
    model: nn.Module, network: ChannelNetwork, label: Callable[[Tensor], Any]
) -> None:
    """Run the given model on random large integers, whose residues differ from prime to prime.

    The tuples of the check are small integers. A proved model that is wrong on large ones mixes
    primes in a way that cannot be seen in its parts, such as a hook on all modules.
    """
    generator = torch.Generator().manual_seed(0)
    shape = (_MIXED, network.operands)
    integers = torch.randint(-(2**62), 2**62, shape, generator=generator)
    like = network.weights[0]
    given = integers.to(like.device)
    with torch.no_grad():
        if model is network:
            given = PrimeFourierEmbedding(network.basis, dtype=like.dtype)(given)
        found, _ = settle_residues(model(given).cpu(), network.basis)
    for column, row in enumerate(network.basis.periods):
        top = row[-1]
        if not torch.equal(found[:, column], label_integers(label, integers % top) % top):
            raise ValueError(
                f"the model is right on all tuples of residues but wrong modulo {top} on large "
                "integers, so something outside its layers changes what it computes (a hook on all "
                "modules, a patched method); certify it without that"
            )


def _answers(network: ChannelNetwork, inputs: Tensor) -> Tensor:
    """Return the codes of the network's answers to integers in float64, on the CPU."""
    like = network.weights[0]
    embedding = PrimeFourierEmbedding(network.basis, dtype=like.dtype)
    with torch.no_grad():
        codes: Tensor = network(embedding(inputs.to(like.device)))
    if not bool(codes.isfinite().all()):
        raise ValueError("the network's codes must be finite, got NaN or infinity")
    return codes.to("cpu", torch.float64)
