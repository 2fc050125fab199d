"""The same drops from captum and from ablate, on trained networks; needs the extra interop."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from primefourier import PrimeBasis
from primefourier.analysis import ablate, feature_groups, feature_mask
from primefourier.analysis.groups import Grouping
from primefourier.nn import PrimeFourierEmbedding

captum: Any = pytest.importorskip("captum.attr")

BASIS = PrimeBasis((3, 5, 7, 11), depth=2)
PAIRS = torch.randint(200, (1000, 2), generator=torch.Generator().manual_seed(1))
LABELS = PAIRS.sum(1) % 15


@pytest.fixture(scope="module")
def network() -> nn.Sequential:
    """A network that adds modulo 15, trained briefly and below 100, so that every row matters."""
    torch.manual_seed(0)
    embedding = PrimeFourierEmbedding(BASIS)
    layers = (nn.Flatten(), nn.Linear(2 * BASIS.dim, 128), nn.ReLU(), nn.Linear(128, 15))
    model = nn.Sequential(embedding, *layers)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(300):
        x = torch.randint(100, (200, 2))
        loss = nn.functional.cross_entropy(model(x), x.sum(1) % 15)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.eval()


@pytest.mark.parametrize("kind", ["zero", "mean"])
@pytest.mark.parametrize("by", ["prime", "depth", "channel", "operand"])
def test_captum_finds_the_same_drops(network: nn.Sequential, by: Grouping, kind: Any) -> None:
    embedding, rest = network[0], network[1:]
    codes = embedding(PAIRS)
    groups: dict[Any, Tensor] = feature_groups(BASIS, by, operands=2)

    def right(features: Tensor) -> Tensor:
        return torch.eq(rest(features).argmax(1), LABELS).double()

    found = captum.FeatureAblation(right).attribute(
        codes,
        baselines=codes.mean(0, keepdim=True) if kind == "mean" else 0,
        feature_mask=feature_mask(groups)[None],
    )
    drops = {label: found[:, mask].mean().item() for label, mask in groups.items()}
    ours = ablate(network, PAIRS, LABELS, groups, at=embedding, kind=kind)
    assert drops == pytest.approx({ablation.label: ablation.drop for ablation in ours}, abs=1e-6)
    assert max(drops.values()) > 0.1
    assert len(set(drops.values())) > 1


def test_captum_ablates_the_layer_of_a_network_that_reads_integers(network: nn.Sequential) -> None:
    groups = feature_groups(BASIS, "prime", operands=2)

    def right(x: Tensor) -> Tensor:
        return torch.eq(network(x).argmax(1), LABELS).double()

    layer = captum.LayerFeatureAblation(right, network[0])
    found = layer.attribute(PAIRS, layer_mask=feature_mask(groups)[None])
    ours = ablate(network, PAIRS, LABELS, groups, at=network[0])
    for ablation in ours:
        drop = found[:, groups[ablation.label]].mean().item()
        assert drop == pytest.approx(ablation.drop, abs=1e-6)
