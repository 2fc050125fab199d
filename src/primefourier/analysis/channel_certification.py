"""Proof by finite check, prime by prime: for networks that cannot mix primes.

A ChannelNetwork computes a prime's circles of the answer from that prime's circles of the operands
alone. So it is right for all integers if it is right on all tuples of residues modulo each p^D,
and every tuple of integers below the largest p^D runs through all primes at once.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from primefourier.analysis.certificate import (
    SINGLE,
    Certificate,
    label_integers,
    require_periodic,
    tuples_of_residues,
)
from primefourier.arithmetic.integers import format_integer
from primefourier.encoding import PrimeBasis
from primefourier.nn import ChannelNetwork, PrimeFourierEmbedding, settle_residues
from primefourier.nn.device_codes import device_periods, residue_codes


def find_channels(model: object, basis: PrimeBasis, operands: int) -> ChannelNetwork | None:
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
    kinds = {nn.Sequential, nn.ParameterList, PrimeFourierEmbedding, ChannelNetwork}
    changed = any(
        type(part) not in kinds
        or part._forward_hooks
        or part._forward_pre_hooks
        or "forward" in vars(part)
        for part in parts
    )
    if changed or [type(layer) for layer in layers[:-1]] not in ([], [PrimeFourierEmbedding]):
        raise ValueError(
            "the model must be a ChannelNetwork itself, or nn.Sequential of a "
            "PrimeFourierEmbedding and a ChannelNetwork, without hooks and other forward methods, "
            f"got {', '.join(type(layer).__name__ for layer in layers)}"
        )
    for layer in layers:
        if layer.basis != basis:
            raise ValueError(
                f"basis must be that of the {type(layer).__name__}, {layer.basis}, got {basis}"
            )
        if getattr(layer, "num_embeddings", None) is not None:
            raise ValueError(
                f"the embedding has a table of {layer.num_embeddings} integers and refuses "
                "others; use one without num_embeddings"
            )
    if operands != network.operands:
        raise ValueError(f"the network has {network.operands} operands, got operands={operands}")
    return network


def certify_channels(
    network: ChannelNetwork, label: Callable[[Tensor], Any], *, most_cases: int, batch_size: int
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
    run, second = _Runner(network), _Runner(copy.deepcopy(network).to(other))
    moduli = torch.tensor(tops)
    wrong, margin, rounding, worst = 0, math.inf, 0.0, (0, 0)
    total = tops[-1] ** operands
    for start in range(0, total, batch_size):
        inputs = tuples_of_residues(start, min(start + batch_size, total), tops[-1], operands)
        right = label_integers(label, inputs)
        distances = run(inputs, right)
        again = [second(inputs, right)]
        if start == 0:  # other batch sizes
            halves = zip(inputs.tensor_split(2), right.tensor_split(2), strict=True)
            again.append(torch.cat([run(*half) for half in halves]))
            few = zip(inputs[:SINGLE].split(1), right[:SINGLE].split(1), strict=True)
            again.append(torch.cat([*(run(*one) for one in few), distances[SINGLE:]]))
        rounding = max(rounding, *(float((one - distances).abs().max()) for one in again))
        # a prime's own tuples; the others repeat them
        own = (inputs.unsqueeze(-1) < moduli).all(1)
        margins = torch.where(own, 1 - distances.abs().amax(-1), math.inf)
        wrong += int((margins <= 0).sum())
        if float(margins.min()) < margin:
            margin = float(margins.min())
            place, column = divmod(int(margins.argmin()), len(tops))
            worst = (start + place, column)
    place, column = worst
    closest = tuples_of_residues(place, place + 1, tops[-1], operands)
    residues, _ = settle_residues(run.codes(closest), basis)
    return Certificate(
        proved=wrong == 0 and margin > 2 * rounding,
        modulus=basis.range,
        operands=operands,
        cases=cases,
        wrong=wrong,
        closest=tuple(closest[0].tolist()),
        expected=int(label_integers(label, closest)) % tops[column],
        answer=int(residues[0, column]),
        margin=margin,
        rounding=rounding,
        period=tops[column],
    )


class _Runner:
    """Run a network on integers, and compare its points with the right ones."""

    def __init__(self, network: ChannelNetwork) -> None:
        like = network.weights[0]
        self.network, self.device = network, like.device
        self.embedding = PrimeFourierEmbedding(network.basis, dtype=like.dtype)
        self.periods = device_periods(network.basis, torch.device("cpu"))

    def codes(self, inputs: Tensor) -> Tensor:
        """Return the codes of the answers in float64, on the CPU."""
        with torch.no_grad():
            codes: Tensor = self.network(self.embedding(inputs.to(self.device)))
        if not bool(codes.isfinite().all()):
            raise ValueError("the network's codes must be finite, got NaN or infinity")
        return codes.to("cpu", torch.float64)

    def __call__(self, inputs: Tensor, right: Tensor) -> Tensor:
        """Return the turn from each right point to that of the network, (n, P, D).

        The unit is half the angle between neighbouring digits, so that 1 is the next digit's half.
        """
        points = torch.view_as_complex(self.codes(inputs).unflatten(-1, self.network.basis.shape))
        target = torch.view_as_complex(
            residue_codes(right[:, None, None], self.periods, torch.float64)
        )
        turns = torch.where(points.abs() > 0.5, (points / target).angle(), math.pi)  # 0: no angle
        return turns * self.periods[:, :1] / math.pi
