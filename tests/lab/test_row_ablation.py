"""The fast ablation of rows equals the ablation of any network."""

from typing import Any

import pytest
import torch
from torch import Tensor

from primefourier.analysis import ablate, feature_groups
from primefourier.analysis.ablation import Kind
from primefourier.lab.config import ModelConfig
from primefourier.lab.fast_training import train_fast
from primefourier.lab.modules import RowNetwork
from primefourier.lab.record import RowAblation
from primefourier.lab.row_ablation import ablate_rows
from primefourier.lab.training import Data, make_data
from small_models import small_config

KINDS: tuple[Kind, ...] = ("zero", "mean", "permute")
Trained = tuple[ModelConfig, Data, RowNetwork]


@pytest.fixture(scope="module", params=[((3, 5, 7), 3), ((5,), 3), ((3, 5), 1)], ids=str)
def trained(request: pytest.FixtureRequest) -> Trained:
    primes, depth = request.param
    config = small_config(primes=primes, epochs=5, depth=depth)
    data = make_data(config, dtype=torch.float64)
    model = train_fast(config, data).model
    assert isinstance(model, RowNetwork)
    return config, data, model


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("batch_size", "seed"), [(7, 0), (1000, 2**63 - 1)])
def test_counts_equal_the_ablation_of_any_network(
    trained: Trained, kind: Kind, batch_size: int, seed: int
) -> None:
    config, data, model = trained
    x, y = data.test.values, data.test.labels
    before = [x.clone(), *(parameter.clone() for parameter in model.parameters())]
    found = ablate_rows(model, x, y, batch_size=batch_size, kind=kind, seed=seed)
    assert all(map(torch.equal, before, [x, *model.parameters()])), "nothing is changed"
    groups: dict[Any, Tensor] = feature_groups(
        config.embedding.basis, "prime", operands=2, layout="rows"
    )
    results = ablate(model, x, y, groups, kind=kind, seed=seed)
    assert found == RowAblation(
        results[0].correct_before,
        tuple(result.lost for result in results),
        tuple(result.gained for result in results),
    )
    assert sum(found.lost) > 0


@pytest.mark.parametrize("kind", KINDS)
def test_only_permutations_depend_on_the_seed(trained: Trained, kind: Kind) -> None:
    _, data, model = trained
    x, y = data.test.values, data.test.labels
    found = {ablate_rows(model, x, y, batch_size=64, kind=kind, seed=seed) for seed in range(4)}
    assert (len(found) > 1) == (kind == "permute")
