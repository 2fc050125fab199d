import torch

from primefourier.lab.training import make_examples, train_plain
from small_models import small_config


def test_it_learns_modular_addition() -> None:
    config = small_config(modulus=3, epochs=30)
    examples = make_examples(config)
    trained = train_plain(config, examples)
    assert trained.correct[-1] >= 0.95 * len(examples.test_labels)
    assert trained.correct[0] < trained.correct[-1]


def test_the_last_count_is_that_of_the_model_it_returns() -> None:
    config = small_config()
    examples = make_examples(config)
    trained = train_plain(config, examples)
    with torch.no_grad():
        answers = trained.model(examples.test_features).argmax(1)
    assert int((answers == examples.test_labels).sum()) == trained.correct[-1]
