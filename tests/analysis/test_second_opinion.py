"""The cases of certificates, proved again by Marabou, an independent verifier of networks."""

import math
import warnings
from collections.abc import Sequence
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from primefourier import PrimeBasis, encode
from primefourier.analysis import certify
from primefourier.nn import ChannelNetwork, PrimeFourierEmbedding, circular_loss

with warnings.catch_warnings():  # it misses readers of other files, which are not used
    warnings.simplefilter("ignore")
    marabou = pytest.importorskip(
        "maraboupy.Marabou", reason="maraboupy has wheels for Python 3.11 on Linux only"
    )
    from maraboupy.MarabouNetwork import MarabouNetwork
    from maraboupy.MarabouUtils import Equation

pytestmark = pytest.mark.slow
Layers = Sequence[tuple[Tensor, Tensor]]


def can_fail(layers: Layers, codes: Tensor, radius: float, wrong: Tensor) -> bool:
    """Return whether some codes within a radius give outputs with ⟨wrong, outputs⟩ ≥ 0."""
    network: Any = MarabouNetwork()
    values = [network.getNewVariable() for _ in codes]
    for variable, code in zip(values, codes.tolist(), strict=True):
        network.setLowerBound(variable, code - radius)
        network.setUpperBound(variable, code + radius)
    for i, (weight, bias) in enumerate(layers):
        outputs = []
        for row, offset in zip(weight.tolist(), bias.tolist(), strict=True):
            total, equation = network.getNewVariable(), Equation()
            for factor, variable in zip(row, values, strict=True):
                equation.addAddend(factor, variable)
            equation.addAddend(-1.0, total)
            equation.setScalar(-offset)
            network.addEquation(equation)
            outputs.append(total)
        if i < len(layers) - 1:
            values = [network.getNewVariable() for _ in outputs]
            for before, after in zip(outputs, values, strict=True):
                network.addRelu(before, after)
        else:
            values = outputs
    network.addInequality(values, (-wrong).tolist(), 0.0)
    options = marabou.createOptions(verbosity=0, timeoutInSeconds=60)
    answer, *_ = network.solve(verbose=False, options=options)
    assert answer in ("sat", "unsat"), answer
    return bool(answer == "sat")


def train(model: nn.Module, loss: Any, steps: int) -> None:
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    for _ in range(steps):
        x = torch.randint(2**40, (128, 2))
        optimizer.zero_grad()
        loss(x).backward()
        optimizer.step()


def test_every_case_of_a_small_classifier() -> None:
    """Sums modulo 3: 9 cases and 2 wrong classes, from all codes within the radius."""
    torch.manual_seed(0)
    basis = PrimeBasis((3,), depth=1)
    first, second = nn.Linear(4, 12), nn.Linear(12, 3)
    model = nn.Sequential(PrimeFourierEmbedding(basis), nn.Flatten(), first, nn.ReLU(), second)
    train(model, lambda x: nn.functional.cross_entropy(model(x), x.sum(1) % 3), 150)
    found = certify(model, basis, lambda x: x.sum(1) % 3)
    assert found.proved
    assert found.radius is not None
    layers = [(layer.weight.detach().double(), layer.bias.detach().double()) for layer in
              (first, second)]  # fmt: skip
    pairs = torch.cartesian_prod(torch.arange(3), torch.arange(3))
    codes, eye = torch.from_numpy(encode(pairs, basis, "float64")).flatten(1), torch.eye(3)
    for code, right in zip(codes, (pairs.sum(1) % 3).tolist(), strict=True):
        for other in set(range(3)) - {right}:
            assert not can_fail(layers, code, found.radius, eye[other] - eye[right])
    assert can_fail(layers, codes[0], 0.0, eye[0] - eye[1]), "the right class exceeds the others"
    assert can_fail(layers, codes[0], 1.0, eye[1] - eye[0]), "codes moved too far"


def test_every_case_of_a_channel_network() -> None:
    """Both sides of every digit of the primes 2 and 3: the angle stays within half a digit."""
    torch.manual_seed(0)
    basis = PrimeBasis((2, 3), depth=1)
    network = ChannelNetwork(basis, hidden=(12, 12))
    model = nn.Sequential(PrimeFourierEmbedding(basis), network)
    train(model, lambda x: circular_loss(model(x), x.sum(1), basis), 200)
    found = certify(model, basis, lambda x: x.sum(1))
    assert found.proved
    assert found.radius is not None
    layers = [(w.detach().double(), b.detach().double()) for w, b in
              zip(network.weights, network.biases, strict=True)]  # fmt: skip
    for p in basis.primes:
        pairs = torch.cartesian_prod(torch.arange(p), torch.arange(p))
        codes = torch.from_numpy(encode(pairs, PrimeBasis((p,), 1), "float64")).flatten(1)
        for code, right in zip(codes, (pairs.sum(1) % p).tolist(), strict=True):
            for side in (-1, 1):
                edge = 2 * math.pi * (right + side / 2) / p
                outside = side * torch.tensor([-math.sin(edge), math.cos(edge)])
                assert not can_fail(layers, code, found.radius, outside)
