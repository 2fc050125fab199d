from itertools import pairwise

import pytest
import torch
from torch import Tensor

from primefourier.lab.model import RowClassifier, new_model
from primefourier.lab.training import TRAINERS, make_examples
from small_models import small_config


def test_every_trainer_gives_a_model_and_a_count_for_each_epoch() -> None:
    config = small_config(epochs=3)
    for train in TRAINERS.values():
        trained = train(config, make_examples(config))
        assert len(trained.correct) == 3
        assert all(isinstance(count, int) for count in trained.correct)
        assert sum(p.numel() for p in trained.model.parameters()) > 0


@pytest.mark.parametrize("trainer", TRAINERS)
def test_a_look_sees_the_network_before_training_and_after_each_epoch(trainer: str) -> None:
    config = small_config(epochs=4)
    examples = make_examples(config, dtype=torch.float64)
    seen: list[list[Tensor]] = []
    correct: list[int] = []

    def look(model: RowClassifier) -> None:
        seen.append([parameter.detach().clone() for parameter in model.parameters()])
        with torch.no_grad():
            answers = model(examples.test_features).argmax(1)
        correct.append(int((answers == examples.test_labels).sum()))

    trained = TRAINERS[trainer](config, examples, look=look)
    assert len(seen) == 5
    assert all(map(torch.equal, seen[0], new_model(config, dtype=torch.float64).parameters()))
    assert all(map(torch.equal, seen[-1], trained.model.parameters()))
    for one, next_one in pairwise(seen):
        assert not any(map(torch.equal, one, next_one))
    assert tuple(correct[1:]) == trained.correct
    assert len(set(correct)) > 2, "it learned meanwhile"


@pytest.mark.parametrize("trainer", TRAINERS)
def test_looking_changes_no_bit_of_what_is_trained(trainer: str) -> None:
    config = small_config()
    examples = make_examples(config)

    def look(model: RowClassifier) -> None:
        with torch.enable_grad():
            x = examples.test_features.clone().requires_grad_()
            torch.autograd.grad(model(x).sum(), x)

    alone, seen = (
        TRAINERS[trainer](config, examples, **({"look": look} if looks else {}))
        for looks in (False, True)
    )
    assert alone.correct == seen.correct
    assert all(map(torch.equal, alone.model.parameters(), seen.model.parameters()))
