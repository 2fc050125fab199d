"""Groups of features by prime, depth, channel and operand, in both layouts."""

from typing import Any, Literal

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from primefourier import PrimeBasis, encode
from primefourier.analysis import feature_groups, feature_mask
from primefourier.analysis.groups import require_mask
from primefourier.nn import PrimeFourierEmbedding
from strategies import BASES

BASIS = PrimeBasis((3, 5, 7), 2)
OPERANDS = st.integers(1, 3)
LAYOUTS: st.SearchStrategy[Literal["flat", "rows"]] = st.sampled_from(["flat", "rows"])


def named(basis: PrimeBasis, operands: int, layout: Literal["flat", "rows"]) -> Tensor:
    """Give every feature a number of its own: 1000000·p index + 10000·d + 100·operand + cos/sin."""
    one = [
        [[[10**6 * i + 10**4 * d + 100 * j + c for c in (0, 1)] for j in range(operands)]
         for d in range(basis.depth)]
        for i in range(len(basis.primes))
    ]  # fmt: skip
    if layout == "rows":
        return torch.tensor([[x for pairs in row for pair in pairs for x in pair] for row in one])
    flat = torch.tensor(
        [[x for row in one for pairs in row for x in pairs[j]] for j in range(operands)]
    )
    return flat[0] if operands == 1 else flat


@given(BASES, OPERANDS, LAYOUTS)
def test_groups_contain_exactly_their_features(
    basis: PrimeBasis, operands: int, layout: Literal["flat", "rows"]
) -> None:
    names = named(basis, operands, layout)
    prime, depth, operand = names // 10**6, names // 10**4 % 100, names // 100 % 100
    for i, (p, mask) in enumerate(
        feature_groups(basis, "prime", operands=operands, layout=layout).items()
    ):
        assert p == basis.primes[i]
        assert torch.equal(mask, prime == i)
    for d, mask in feature_groups(basis, "depth", operands=operands, layout=layout).items():
        assert torch.equal(mask, depth == d)
    for j, mask in feature_groups(basis, "operand", operands=operands, layout=layout).items():
        assert torch.equal(mask, operand == j)
    channels = feature_groups(basis, "channel", operands=operands, layout=layout)
    assert tuple(channels) == basis.channels
    for (p, d), mask in channels.items():
        assert mask.dtype == torch.bool
        assert torch.equal(mask, (prime == basis.primes.index(p)) & (depth == d))


@pytest.mark.parametrize("p", BASIS.primes)
def test_the_flat_features_of_a_prime_are_its_block_of_the_embedding(p: int) -> None:
    pairs = torch.tensor([[9, 17], [13, 15]])
    codes = PrimeFourierEmbedding(BASIS)(pairs)
    mask = feature_groups(BASIS, "prime", operands=2)[p]
    expected = torch.from_numpy(encode(pairs, PrimeBasis((p,), 2))).reshape(2, -1)
    assert mask.shape == codes.shape[1:]
    assert torch.equal(codes[:, mask], expected)


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match=r"by must be 'prime', .* did you mean 'prime'\?"):
        feature_groups(BASIS, "primes")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match=r"layout must be 'flat' or 'rows', got 'row'; did you"):
        feature_groups(BASIS, "prime", layout="row")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="operands must be an integer of at least 1, got 0"):
        feature_groups(BASIS, "prime", operands=0)
    with pytest.raises(TypeError, match="basis must be a PrimeBasis, got a tuple"):
        feature_groups((3, 5), "prime")  # type: ignore[call-overload]


def test_masks_are_boolean_tensors() -> None:
    with pytest.raises(ValueError, match=r"dtype torch\.bool .* got torch\.float32 of shape"):
        require_mask(torch.ones(4), 7, torch.ones(9, 4))
    with pytest.raises(TypeError, match="the mask of group 7 must be a torch tensor, got a list"):
        require_mask([True], 7, torch.ones(9, 1))  # type: ignore[arg-type]


@given(BASES, OPERANDS, LAYOUTS)
def test_a_feature_mask_numbers_the_groups(
    basis: PrimeBasis, operands: int, layout: Literal["flat", "rows"]
) -> None:
    groups = feature_groups(basis, "channel", operands=operands, layout=layout)
    mask = feature_mask(groups)
    for i, group in enumerate(groups.values()):
        assert torch.equal(mask == i, group)


@pytest.mark.parametrize(
    "groups",
    [
        {},
        [torch.tensor([True])],
        {"a": torch.tensor([True, True]), "b": torch.tensor([True])},
        {"a": torch.tensor([True, True]), "b": torch.tensor([True, False])},
        {"a": torch.tensor([True, False])},
    ],
    ids=["none", "a list", "two shapes", "overlapping", "incomplete"],
)
def test_a_feature_mask_needs_every_feature_in_one_group(groups: Any) -> None:
    with pytest.raises(ValueError, match="every feature in exactly one group, got"):
        feature_mask(groups)
