import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from primefourier.analysis.stand_in import Kind, stand_in

FEATURES = torch.randn(50, 3, 4, generator=torch.Generator().manual_seed(0))


def test_zeros_need_only_the_shape_of_the_features() -> None:
    others = stand_in("zero", FEATURES[:0], size=50, seed=0)
    assert others.shape == FEATURES.shape
    assert not others.any()


def test_the_mean_is_over_the_inputs_alone() -> None:
    others = stand_in("mean", FEATURES, size=50, seed=0)
    assert others.shape == FEATURES.shape
    for row in others:
        assert torch.allclose(row, FEATURES.double().mean(0).float(), atol=1e-7)


@given(st.integers(0, 2**64))
def test_a_permutation_keeps_the_features_of_an_input_together(seed: int) -> None:
    features = torch.arange(20).reshape(20, 1) * torch.tensor([[1, 100]])
    others = stand_in("permute", features, size=20, seed=seed)
    assert torch.equal(others[:, 1], 100 * others[:, 0])
    assert sorted(others[:, 0].tolist()) == list(range(20))


def test_a_permutation_follows_its_seed_and_leaves_global_random_state_alone() -> None:
    state = torch.get_rng_state()
    one = stand_in("permute", FEATURES, size=50, seed=1)
    assert torch.equal(one, stand_in("permute", FEATURES, size=50, seed=1))
    assert not torch.equal(one, stand_in("permute", FEATURES, size=50, seed=2))
    assert torch.equal(torch.get_rng_state(), state)
    with pytest.raises(ValueError, match="seed must be an integer of at least 0, got -1"):
        stand_in("permute", FEATURES, size=50, seed=-1)


@pytest.mark.parametrize("kind", ["zero", "mean"])
def test_no_number_stands_for_a_missing_integer(kind: Kind) -> None:
    with pytest.raises(TypeError, match=r"got torch\.int64; pass the submodule that embeds"):
        stand_in(kind, torch.arange(3), size=3, seed=0)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_stand_ins_have_the_dtype_of_the_features(dtype: torch.dtype) -> None:
    kinds: list[Kind] = ["zero", "mean", "permute"]
    for kind in kinds:
        assert stand_in(kind, FEATURES.to(dtype), size=50, seed=0).dtype == dtype
