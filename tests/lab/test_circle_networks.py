"""Networks of points on circles in the laboratory: what they answer, and what they refuse."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from primefourier import PrimeBasis, encode, lab
from primefourier.analysis import certify
from primefourier.lab.modules import CircleClassifier, join_operands
from primefourier.lab.parts import InputShape
from primefourier.nn import CircleProduct
from primefourier.theory import exact_sum_logits
from small_models import small_config

BASIS = PrimeBasis((2, 3, 5, 7), depth=2)
SHAPE = InputShape(4, 2, 4, BASIS)
NETWORKS: list[Any] = [lab.Channels(hidden=(16,)), lab.CRTClassifier(hidden=(16, 8))]


class Sum(nn.Module):
    """The exact points of a + b, from the codes of both."""

    def __init__(self) -> None:
        super().__init__()
        self.product = CircleProduct(BASIS)

    def forward(self, codes: Tensor) -> Tensor:
        points: Tensor = self.product(*codes.unbind(1))
        return points


@pytest.mark.parametrize("modulus", [6, 12, 35, 36, 210])
def test_exact_points_are_classified_by_the_exact_logits(modulus: int) -> None:
    pairs = np.random.default_rng(modulus).integers(10**9, size=(200, 2))
    codes = encode(pairs, BASIS)
    features = join_operands(torch.from_numpy(codes).flatten(3))
    model = CircleClassifier(Sum(), nn.Parameter(torch.zeros(4, 2)), SHAPE, modulus)
    logits = model(features).detach().numpy()
    exact = exact_sum_logits(codes[:, 0], codes[:, 1], modulus, BASIS)
    np.testing.assert_allclose(logits, exact, atol=1e-5)
    assert [int(c) for c in logits.argmax(1)] == [int(a + b) % modulus for a, b in pairs]


def test_scales_are_those_of_circles_and_others_have_no_say() -> None:
    scale = nn.Parameter(torch.randn(4, 2))
    model = CircleClassifier(Sum(), scale, SHAPE, 12)
    model(torch.randn(5, 4, 8)).square().sum().backward()
    used = [[True, True], [True, False], [False, False], [False, False]]  # 2, 4 and 3 divide 12
    assert scale.grad is not None
    assert (scale.grad != 0).tolist() == used


def test_a_channel_network_reads_only_the_rows_of_primes_that_divide_the_modulus() -> None:
    features = torch.randn(9, 4, 8)
    changed = features.clone()
    changed[:, [0, 2]] = torch.randn(9, 2, 8)
    same = [bool((m(features) == m(changed)).all()) for m in (n.build(SHAPE, 21) for n in NETWORKS)]
    assert same == [True, False]


@pytest.mark.parametrize("network", NETWORKS, ids=str)
def test_they_are_measured_like_other_networks(network: Any) -> None:
    config = small_config(
        network=network, modulus=15, epochs=3, beyond=(10**18,), ablations=("permute",)
    )
    one, again = (lab.measure(config).measured for _ in range(2))
    assert one == again
    assert one.trainer == "plain"
    assert one.relevant == ("3", "5")
    assert list(one.ablations) == ["permute"]
    lost, gained = one.lost[2], one.gained[2]
    assert isinstance(network, lab.CRTClassifier) or lost == gained == 0, "7 does not divide 15"


def test_a_trained_channel_network_is_right_beyond_and_proved() -> None:
    config = small_config(network=lab.Channels(), modulus=15, depth=1, input_range=60, epochs=40)
    own, trained = PrimeBasis((3, 5), 1), lab.train(config)
    pairs = torch.randint(10**17, 10**18, (100, 2), generator=torch.Generator().manual_seed(0))
    assert torch.equal(trained(pairs).argmax(1), pairs.sum(1) % 15)
    points: Any = trained.network.points  # type: ignore[union-attr]
    assert certify(points.for_basis(own), own, lambda integers: integers.sum(1)).proved


@pytest.mark.parametrize("network", NETWORKS, ids=str)
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"unit": "pair"}, "reads the rows of the embedding PrimeFourier, got other rows"),
        ({"modulus": 11}, "this basis cannot classify modulo 11"),
    ],
)
def test_other_rows_and_moduli_are_refused(
    network: Any, changes: dict[str, Any], message: str
) -> None:
    assert message in str(lab.measure(small_config(network=network, **changes)).error)
