"""The quick ablation of rows agrees with ablating any network, row by row."""

import pytest
import torch

from primefourier.analysis import ablate, feature_groups
from primefourier.lab.row_ablation import ablate_rows
from primefourier.lab.training import make_examples, train_fast
from small_models import small_config


@pytest.mark.parametrize("primes", [(3, 5, 7), (5,), (3, 5, 7, 11)])
@pytest.mark.parametrize("batch_size", [7, 1000])
def test_it_agrees_with_the_ablation_of_any_network(
    primes: tuple[int, ...], batch_size: int
) -> None:
    config = small_config(primes=primes, epochs=6)
    examples = make_examples(config, dtype=torch.float64)
    model = train_fast(config, examples).model
    found = ablate_rows(model, examples.test_features, examples.test_labels, batch_size=batch_size)
    groups = feature_groups(config.basis, "prime", operands=2, layout="rows")
    expected = ablate(model, examples.test_features, examples.test_labels, groups)
    assert found.correct == expected[0].correct_before
    assert found.lost == tuple(result.lost for result in expected)
    assert found.gained == tuple(result.gained for result in expected)
    assert sum(found.lost) > 0


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
