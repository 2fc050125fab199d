"""The studies of channel networks: what they count agrees with proofs."""

import math

import torch

from findings.channels import study as channels
from findings.huge import train as huge
from primefourier import PrimeBasis
from primefourier.analysis import certify
from primefourier.lab.channel_training import train_channels


def test_errors_of_angles_agree_with_the_proof_by_residues() -> None:
    basis = PrimeBasis((5, 11), 1)
    network = train_channels(basis, hidden=(6,), steps=60)
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
