"""The modules inside a real Hugging Face model, saved and loaded; needs the extra interop."""

import os
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from primefourier import PrimeBasis
from primefourier.nn import EquivariantLinear, PrimeFourierEmbedding, ShuffledPrimeFourier

os.environ["HF_HUB_OFFLINE"] = "1"
transformers: Any = pytest.importorskip("transformers")

BASIS = PrimeBasis((2, 3, 4099), 3)  # 4099 is rounded in float16 and bfloat16
X = torch.arange(100)


class Config(transformers.PreTrainedConfig):  # type: ignore[misc]
    model_type = "primefourier-test"

    def __init__(self, largest: int = 4099, seed: int = 0, **options: Any) -> None:
        self.largest, self.seed = largest, seed
        super().__init__(**options)


class Model(transformers.PreTrainedModel):  # type: ignore[misc]
    config_class = Config

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        basis = PrimeBasis((2, 3, config.largest), 3)
        self.every = PrimeFourierEmbedding(basis)
        self.table = PrimeFourierEmbedding(basis, num_embeddings=100)
        self.shuffled = ShuffledPrimeFourier(basis, seed=config.seed)
        self.layer = EquivariantLinear(basis)
        self.head = nn.Linear(basis.dim, 5)
        self.post_init()

    def forward(self, x: Tensor) -> Tensor:
        logits: Tensor = self.head(self.layer(self.every(x) - self.table(x) + self.shuffled(x)))
        return logits


@pytest.fixture
def saved(tmp_path: Path) -> tuple[Model, Path]:
    torch.manual_seed(0)
    model = Model(Config(seed=3)).eval()
    model.save_pretrained(tmp_path / "model")
    return model, tmp_path / "model"


def test_a_loaded_model_gives_the_same_numbers(saved: tuple[Model, Path]) -> None:
    model, folder = saved
    loaded, report = Model.from_pretrained(folder, output_loading_info=True)
    assert not any(report.values())
    assert torch.equal(loaded(X), model(X))
    other = Model.from_pretrained(folder, seed=4)  # the saved permutation wins over the seed
    assert torch.equal(other.shuffled(X), model.shuffled(X))
    for name in ("every", "table", "shuffled"):
        assert torch.equal(getattr(loaded, name)(X), getattr(model, name)(X))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
def test_codes_are_exact_in_the_dtype_that_is_loaded(
    saved: tuple[Model, Path], dtype: torch.dtype
) -> None:
    model, folder = saved
    loaded = Model.from_pretrained(folder, dtype=dtype)
    assert torch.equal(loaded(X), model.to(dtype)(X))
    for table in (None, 100):
        expected = PrimeFourierEmbedding(BASIS, num_embeddings=table, dtype=dtype)(X)
        assert torch.equal((loaded.every if table is None else loaded.table)(X), expected)
    assert torch.equal(loaded.shuffled.permutation, model.shuffled.permutation)


def test_what_the_checkpoint_lacks_follows_from_the_arguments(tmp_path: Path) -> None:
    """As when the modules are added to a network that was trained without them."""
    torch.manual_seed(0)
    model = Model(Config(seed=3))
    state = {name: value for name, value in model.state_dict().items() if "head" in name}
    model.save_pretrained(tmp_path, state_dict=state)
    loaded = Model.from_pretrained(tmp_path)
    for name in ("every", "table", "shuffled"):
        assert torch.equal(getattr(loaded, name)(X), getattr(model, name)(X))


def test_a_checkpoint_of_another_basis_is_refused(saved: tuple[Model, Path]) -> None:
    with pytest.raises(ValueError, match=r"saved with primes \(2, 3, 4099\) and depth 3"):
        Model.from_pretrained(saved[1], largest=4111)
