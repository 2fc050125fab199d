"""The shuffled control: one permutation, decided by the seed and stored in the state."""

import pytest
import torch
from torch import nn

from primefourier import PrimeBasis
from primefourier.nn import PrimeFourierEmbedding, ShuffledPrimeFourier
from primefourier.nn.shuffled import Unit

BASIS = PrimeBasis((3, 5, 7), 2)
PAIRS = torch.tensor([[9, 17], [0, 4], [123, -5]])


def in_order(pairs: torch.Tensor) -> torch.Tensor:
    """Lay out prime, depth, operand, (cos, sin), without a permutation."""
    codes: torch.Tensor = PrimeFourierEmbedding(BASIS)(pairs).reshape(-1, 2, 3, 2, 2)
    return codes.permute(0, 2, 3, 1, 4).reshape(-1, 24)


@pytest.mark.parametrize(("unit", "width"), [("column", 1), ("pair", 2), ("block", 4)])
def test_the_permutation_moves_whole_units(unit: Unit, width: int) -> None:
    module = ShuffledPrimeFourier(BASIS, unit=unit, operands=2, seed=42)
    order = module.permutation.tolist()
    assert sorted(order) == list(range(24))
    assert order != list(range(24))
    for start in range(0, 24, width):
        first = order[start]
        assert first % width == 0
        assert order[start : start + width] == list(range(first, first + width))
    assert torch.equal(module(PAIRS), in_order(PAIRS)[:, order])
    mask = torch.tensor([[True, True], [False, True], [False, False]])
    zeros = mask.repeat_interleave(2, dim=1).repeat(1, 6)[:, order]
    padded = module(PAIRS, padding_mask=mask)
    assert torch.equal(padded, module(PAIRS).masked_fill(zeros, 0))
    assert torch.equal(module(PAIRS, attention_mask=~mask), padded)
    pairs_stay = all(order[i] // 2 == order[i + 1] // 2 for i in range(0, 24, 2))
    assert pairs_stay == (unit != "column")


def test_the_permutation_depends_on_the_seed_only() -> None:
    torch.manual_seed(1)
    one = ShuffledPrimeFourier(BASIS, seed=7).permutation
    torch.manual_seed(2)
    state = torch.random.get_rng_state()
    assert torch.equal(one, ShuffledPrimeFourier(BASIS, seed=7).permutation)
    assert torch.equal(state, torch.random.get_rng_state())
    assert not torch.equal(one, ShuffledPrimeFourier(BASIS, seed=8).permutation)


def test_the_state_restores_the_permutation() -> None:
    saved = ShuffledPrimeFourier(BASIS, operands=2, seed=1)
    loaded = nn.Sequential(ShuffledPrimeFourier(BASIS, operands=2, seed=2))
    assert not torch.equal(saved(PAIRS), loaded(PAIRS))
    state = saved.state_dict(prefix="0.")
    loaded.load_state_dict(state)
    assert torch.equal(saved(PAIRS), loaded(PAIRS))


def test_a_state_without_a_permutation_is_refused() -> None:
    module = ShuffledPrimeFourier(BASIS, operands=2, seed=1)
    before = module(PAIRS)
    state = module.state_dict() | {"_extra_state": torch.arange(1, 25)}
    with pytest.raises(ValueError, match="a permutation of 24 columns is required"):
        module.load_state_dict(state)
    assert torch.equal(module(PAIRS), before)


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="unit must be 'column', 'pair' or 'block', got 'row'"):
        ShuffledPrimeFourier(BASIS, unit="row")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="operands must be an integer of at least 1, got 0"):
        ShuffledPrimeFourier(BASIS, operands=0)
    with pytest.raises(TypeError, match="seed must be an integer of at least 0"):
        ShuffledPrimeFourier(BASIS, seed=None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"must hold the 2 operands, got shape \(3,\)"):
        ShuffledPrimeFourier(BASIS, operands=2)(torch.arange(3))
