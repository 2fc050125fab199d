import torch

from primefourier.lab.model import RowClassifier, new_model
from small_models import small_config


def test_the_layers_are_the_paper_s() -> None:
    shapes = [tuple(p.shape) for p in RowClassifier(rows=8, width=24, classes=23).parameters()]
    assert shapes == [(64, 24), (64,), (32, 64), (32,), (128, 256), (128,), (23, 128), (23,)]


def test_every_row_has_the_same_encoder() -> None:
    model = RowClassifier(rows=2, width=4, classes=3)
    x = torch.randn(5, 2, 4)
    codes = model.encoder(x)
    assert torch.allclose(model.encoder(x.flip(1)), codes.flip(1))
    assert (codes >= 0).all()  # both layers end in a ReLU
    joined = torch.cat([codes[:, 0], codes[:, 1]], dim=1)
    assert torch.allclose(model(x), model.classifier(joined))


def test_weights_come_from_the_seed_alone() -> None:
    torch.manual_seed(1)
    first = new_model(small_config())
    state = torch.get_rng_state()
    torch.manual_seed(2)
    second, other = new_model(small_config()), new_model(small_config(seed=43))
    assert torch.equal(first.encoder[0].weight, second.encoder[0].weight)  # type: ignore[arg-type]
    assert not torch.equal(first.encoder[0].weight, other.encoder[0].weight)  # type: ignore[arg-type]
    torch.manual_seed(1)
    assert torch.equal(torch.get_rng_state(), state)  # the global state was left alone


def test_all_models_of_a_seed_start_from_the_same_encoder() -> None:
    """So configurations of one seed are no independent trials."""
    first, second = new_model(small_config()), new_model(small_config(modulus=7))
    for a, b in zip(first.encoder.parameters(), second.encoder.parameters(), strict=True):
        assert torch.equal(a, b)


def test_weights_are_the_same_in_every_dtype() -> None:
    single, double = new_model(small_config()), new_model(small_config(), dtype=torch.float64)
    for a, b in zip(single.parameters(), double.parameters(), strict=True):
        assert torch.equal(a.double(), b)
