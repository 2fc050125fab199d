import torch

from primefourier.lab.task import make_task
from primefourier.lab.training.examples import make_examples
from small_models import small_config


def test_examples_are_the_encoded_task() -> None:
    config = small_config()
    examples, task = make_examples(config, dtype=torch.float64), make_task(config)
    assert examples.train_features.shape == (720, 3, 8)
    assert examples.test_features.dtype == torch.float64
    assert examples.test_labels.tolist() == task.test_labels.tolist()
    turns = 2 * torch.pi * torch.from_numpy(task.test_pairs).double() / 5
    assert torch.allclose(examples.test_features[:, 1, [0, 2]], turns.cos(), atol=1e-12)
    assert examples.device == torch.device("cpu")
