"""The trials, with smaller networks: what they train and turn is what they say."""

import math

import torch

from findings.predictions.two_blocks import turn, turned_drops
from primefourier import PrimeBasis
from primefourier.nn import PrimeFourierEmbedding
from small_models import small_config


def test_turning_a_circle_by_a_step_adds_one_to_its_residue() -> None:
    basis = PrimeBasis((3, 5, 7), 2)
    embedding, pairs = PrimeFourierEmbedding(basis), torch.tensor([[0, 5], [4, 9], [7, 1]])
    step = torch.full((3,), 2 * math.pi / 7)
    codes, shifted = (
        embedding(p).view(3, 2, 3, 2, 2) for p in (pairs, pairs + torch.tensor([1, 0]))
    )
    turned = turn(embedding(pairs), basis, {7: step}).view(3, 2, 3, 2, 2)
    assert torch.allclose(turned[:, 0, -1, 0], shifted[:, 0, -1, 0], atol=1e-6)
    changed = turned != codes
    assert changed[:, 0, -1, 0].any()
    changed[:, 0, -1, 0] = False
    assert not changed.any()


def test_turning_the_circle_a_network_reads_costs_its_accuracy() -> None:
    config = small_config(epochs=20)
    modulus, other = config.task.modulus, config.embedding.primes[0]
    found = turned_drops(config, modulus, other)
    assert found["accuracy"] > 0.9
    assert found[f"{modulus} alone"] > 0.5
    names = {"accuracy", f"{modulus} alone", f"{other} alone", "same way", "opposite ways"}
    assert set(found) == names
