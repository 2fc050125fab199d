import pytest
import torch

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
def test_the_permutation_moves_whole_units_and_loses_nothing(unit: Unit, width: int) -> None:
    module = ShuffledPrimeFourier(BASIS, unit=unit, operands=2, seed=42)
    order = module.permutation.tolist()
    assert sorted(order) == list(range(24))
    assert order != list(range(24))
    for start in range(0, 24, width):
        first = order[start]
        assert first % width == 0
        assert order[start : start + width] == list(range(first, first + width))
    assert torch.equal(module(PAIRS), in_order(PAIRS)[:, order])


def test_single_columns_break_up_pairs() -> None:
    order = ShuffledPrimeFourier(BASIS, operands=2).permutation.tolist()
    assert any(order[i] // 2 != order[i + 1] // 2 for i in range(0, 24, 2))


def test_the_seed_alone_decides() -> None:
    torch.manual_seed(1)
    one = ShuffledPrimeFourier(BASIS, seed=7).permutation
    torch.manual_seed(2)
    state = torch.random.get_rng_state()
    assert torch.equal(one, ShuffledPrimeFourier(BASIS, seed=7).permutation)
    assert torch.equal(state, torch.random.get_rng_state())
    assert not torch.equal(one, ShuffledPrimeFourier(BASIS, seed=8).permutation)


def test_the_state_restores_the_permutation() -> None:
    saved = ShuffledPrimeFourier(BASIS, operands=2, seed=1)
    loaded = ShuffledPrimeFourier(BASIS, operands=2, seed=2)
    assert not torch.equal(saved(PAIRS), loaded(PAIRS))
    loaded.load_state_dict(saved.state_dict())
    assert torch.equal(saved(PAIRS), loaded(PAIRS))


def test_one_operand_needs_no_axis_of_its_own() -> None:
    module = ShuffledPrimeFourier(BASIS, num_embeddings=20)
    assert module(torch.arange(6).reshape(2, 3)).shape == (2, 3, 12)
    assert module.embedding_dim == 12


def test_padding_stays_zero() -> None:
    mask = torch.tensor([[True, True], [False, True], [False, False]])
    out = ShuffledPrimeFourier(BASIS, operands=2)(PAIRS, padding_mask=mask)
    assert [(row == 0).sum().item() >= n for row, n in zip(out, (24, 12, 0), strict=True)] == [
        True
    ] * 3
    assert (out[0] == 0).all()


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="unit must be 'column', 'pair' or 'block', got 'row'"):
        ShuffledPrimeFourier(BASIS, unit="row")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="operands must be an integer of at least 1, got 0"):
        ShuffledPrimeFourier(BASIS, operands=0)
    with pytest.raises(TypeError, match="seed must be an integer of at least 0"):
        ShuffledPrimeFourier(BASIS, seed=None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"must hold the 2 operands, got shape \(3,\)"):
        ShuffledPrimeFourier(BASIS, operands=2)(torch.arange(3))


def test_it_says_its_sizes() -> None:
    text = repr(ShuffledPrimeFourier(BASIS, unit="pair", operands=2))
    assert "unit='pair', operands=2, embedding_dim=24" in text
