"""The studies of channel networks: what they count agrees with proofs."""

import math

import pytest
import torch

from findings.channels import study as channels
from findings.huge import train as huge
from findings.summands import train as summands
from primefourier import PrimeBasis
from primefourier.analysis import certify
from primefourier.lab import train_channels
from primefourier.nn import PrimeFourierEmbedding, add_codes


def test_errors_of_angles_agree_with_the_proof_by_residues() -> None:
    basis = PrimeBasis((5, 11), 1)
    network = train_channels(basis, hidden=(6,), steps=200)  # half of the pairs are right
    generator = torch.Generator().manual_seed(0)
    wrong = sum(
        int((huge.errors(network, huge.residue_turns(p, generator)) >= math.pi / p).sum())
        for p in basis.primes
    )
    assert wrong == certify(network, basis, lambda integers: integers.sum(1)).wrong > 0


def test_all_networks_of_a_place_see_the_same_pairs() -> None:
    first, *others = (
        channels.model(network, base, 385, 500, channels.FEW, 42).task.draw(42).train.inputs
        for network in channels.NETWORKS
        for base in channels.BASES
    )
    assert len(first) == channels.FEW
    assert all((first == other).all() for other in others)
    for pairs in channels.PAIRS:
        config = channels.model(channels.NETWORKS[0], "plan", 15, 500, pairs, 42)
        assert config.task.sizes()[0] == pairs
        steps = config.training.epochs * math.ceil(pairs / channels.BATCH)
        assert 1280 <= steps <= 1.25 * 1280, "the number of steps does not decide"


def test_channels_are_trained_with_one_thread_for_the_same_sums_everywhere() -> None:
    before, used = torch.get_num_threads(), []
    try:
        torch.set_num_threads(2)
        basis = PrimeBasis((3,), 1)
        train_channels(basis, steps=1, observe=lambda _: used.append(torch.get_num_threads()))
        assert (used, torch.get_num_threads()) == ([1], 2)
    finally:
        torch.set_num_threads(before)


def test_sums_are_compared_around_the_circle_of_q() -> None:
    codes = PrimeFourierEmbedding(summands.BASIS)(torch.tensor([7, 256, 3, 130]))
    found = summands.score(codes, [7, 0, 3 + 257, 0], modulus=257)
    assert found["exact"] == 0.5
    assert found["circular"] == pytest.approx((1 + 127) / 257 / 4), "256 is one away from 0"
    assert found["within"] == 0.75


def test_rounded_points_are_codes_and_combinations_double_and_add() -> None:
    def exact(codes: torch.Tensor) -> torch.Tensor:
        return add_codes(codes[..., 0, :], codes[..., 1, :], summands.BASIS)

    embedding = PrimeFourierEmbedding(summands.BASIS)
    terms = torch.tensor([[3, 10**9, 5], [0, 7, 1]])
    codes = embedding(terms)
    torch.testing.assert_close(summands.rounded(codes + 0.01), codes)
    sums = summands.add_all(exact, codes, rounding=True)  # type: ignore[arg-type]
    torch.testing.assert_close(sums, embedding(terms.sum(1)))
    mixed = summands.combine(exact, codes, [[2, 5, 0], [9, 1, 1]])  # type: ignore[arg-type]
    torch.testing.assert_close(mixed, embedding(torch.tensor([6 + 5 * 10**9, 8])))
