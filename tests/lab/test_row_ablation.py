"""The quick ablation of rows and blocks agrees with ablating any network, part by part."""

from collections.abc import Mapping
from typing import Any

import pytest
import torch
from torch import Tensor

from primefourier.analysis import ablate, feature_groups
from primefourier.analysis.stand_in import Kind
from primefourier.lab.config import ModelConfig
from primefourier.lab.model import RowClassifier
from primefourier.lab.row_ablation import RowAblation, ablate_blocks, ablate_rows
from primefourier.lab.training import Examples, make_examples, train_fast
from small_models import small_config

KINDS: tuple[Kind, ...] = ("zero", "mean", "permute")
Trained = tuple[ModelConfig, Examples, RowClassifier]


@pytest.fixture(scope="module", params=[(3, 5, 7), (5,), (3, 5, 7, 11)], ids=str)
def trained(request: pytest.FixtureRequest) -> Trained:
    config = small_config(primes=request.param, epochs=5, depth=3)
    examples = make_examples(config, dtype=torch.float64)
    return config, examples, train_fast(config, examples).model


def by_any_network(
    trained: Trained, groups: Mapping[Any, Tensor], kind: Kind, seed: int
) -> RowAblation:
    """Ablate with one forward pass for each group."""
    _, examples, model = trained
    x, y = examples.test_features, examples.test_labels
    results = ablate(model, x, y, groups, kind=kind, seed=seed)
    return RowAblation(
        results[0].correct_before,
        tuple(result.lost for result in results),
        tuple(result.gained for result in results),
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("batch_size", [7, 179, 180, 1000])
@pytest.mark.parametrize("seed", [0, 42, 2**63 - 1])
def test_ablated_rows_agree_with_the_ablation_of_any_network(
    trained: Trained, kind: Kind, batch_size: int, seed: int
) -> None:
    config, examples, model = trained
    x, y = examples.test_features, examples.test_labels
    found = ablate_rows(model, x, y, batch_size=batch_size, kind=kind, seed=seed)
    groups = feature_groups(config.basis, "prime", operands=2, layout="rows")
    assert found == by_any_network(trained, groups, kind, seed)
    assert sum(found.lost) > 0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("batch_size", [7, 180])
@pytest.mark.parametrize("seed", [0, 42])
def test_ablated_blocks_agree_with_the_ablation_of_any_network(
    trained: Trained, kind: Kind, batch_size: int, seed: int
) -> None:
    config, examples, model = trained
    x, y = examples.test_features, examples.test_labels
    found = ablate_blocks(model, x, y, batch_size=batch_size, kind=kind, seed=seed)
    groups = feature_groups(config.basis, "channel", operands=2, layout="rows")
    assert tuple(groups) == config.basis.channels
    assert len(found.lost) == len(found.gained) == len(config.basis.channels)
    assert found == by_any_network(trained, groups, kind, seed)
    assert sum(found.lost) > 0


def test_another_seed_is_another_permutation_and_the_other_kinds_have_none(
    trained: Trained,
) -> None:
    _, examples, model = trained
    x, y = examples.test_features, examples.test_labels
    for ablated in (ablate_rows, ablate_blocks):
        for kind in KINDS:
            found = {ablated(model, x, y, batch_size=64, kind=kind, seed=seed) for seed in range(4)}
            assert (len(found) > 1) == (kind == "permute")


def test_a_network_of_one_depth_has_a_block_for_each_row() -> None:
    config = small_config(depth=1, epochs=5)
    examples = make_examples(config, dtype=torch.float64)
    model = train_fast(config, examples).model
    x, y = examples.test_features, examples.test_labels
    for kind in KINDS:
        rows, blocks = (
            f(model, x, y, batch_size=50, kind=kind) for f in (ablate_rows, ablate_blocks)
        )
        assert rows == blocks


def test_ablation_leaves_the_network_and_its_inputs_alone(trained: Trained) -> None:
    _, examples, model = trained
    x, y = examples.test_features, examples.test_labels
    before = [x.clone(), *(parameter.clone() for parameter in model.parameters())]
    for kind in KINDS:
        ablate_rows(model, x, y, batch_size=64, kind=kind)
        ablate_blocks(model, x, y, batch_size=64, kind=kind)
    assert all(map(torch.equal, before, [x, *model.parameters()]))


def test_zeroed_rows_are_those_of_the_features() -> None:
    config = small_config(epochs=6)
    examples = make_examples(config, dtype=torch.float64)
    model = train_fast(config, examples).model
    x, y = examples.test_features, examples.test_labels
    found = ablate_rows(model, x, y, batch_size=1024)
    with torch.no_grad():
        before = model(x).argmax(1) == y
        for row in range(3):
            zeroed = x.clone()
            zeroed[:, row] = 0
            after = model(zeroed).argmax(1) == y
            assert found.lost[row] == int((before & ~after).sum())
            assert found.gained[row] == int((after & ~before).sum())
