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
PAIRS = torch.randint(200, (500, 2), generator=torch.Generator().manual_seed(1))
LABELS = PAIRS.sum(1) % 15


@pytest.fixture(scope="module")
def network() -> nn.Sequential:
    """A network that adds modulo 15, trained briefly and below 100, so that every row matters."""
    torch.manual_seed(0)
    embedding = PrimeFourierEmbedding(BASIS)
    layers = (nn.Flatten(), nn.Linear(2 * BASIS.dim, 64), nn.ReLU(), nn.Linear(64, 15))
    model = nn.Sequential(embedding, *layers)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for _ in range(100):
        x = torch.randint(100, (200, 2))
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), x.sum(1) % 15).backward()
        optimizer.step()
    return model.eval()


@pytest.mark.parametrize(
    ("by", "kind"), [("prime", "zero"), ("depth", "mean"), ("channel", "mean"), ("operand", "zero")]
)
def test_captum_finds_the_same_drops(network: nn.Sequential, by: Grouping, kind: Any) -> None:
    codes, groups = network[0](PAIRS), feature_groups(BASIS, by, operands=2)

    def right(features: Tensor) -> Tensor:
        return torch.eq(network[1:](features).argmax(1), LABELS).double()

    found = captum.FeatureAblation(right).attribute(
        codes,
        baselines=codes.mean(0, keepdim=True) if kind == "mean" else 0,
        feature_mask=feature_mask(groups)[None],
    )
    drops = {label: found[:, mask].mean().item() for label, mask in groups.items()}
    ours = ablate(network, PAIRS, LABELS, groups, at=network[0], kind=kind)
    assert drops == pytest.approx({ablation.label: ablation.drop for ablation in ours}, abs=1e-6)
    assert max(drops.values()) > 0.1
    assert len(set(drops.values())) > 1


def test_captum_ablates_the_layer_of_a_network_that_reads_integers(network: nn.Sequential) -> None:
    groups = feature_groups(BASIS, "prime", operands=2)

    def right(x: Tensor) -> Tensor:
        return torch.eq(network(x).argmax(1), LABELS).double()

    layer = captum.LayerFeatureAblation(right, network[0])
    found = layer.attribute(PAIRS, layer_mask=feature_mask(groups)[None])
    for ablation in ablate(network, PAIRS, LABELS, groups, at=network[0]):
        drop = found[:, groups[ablation.label]].mean().item()
        assert drop == pytest.approx(ablation.drop, abs=1e-6)
