"""The trials, with smaller networks: what they train and turn is what they say."""

import math
from dataclasses import replace

import numpy as np
import torch

from primefourier.lab.network import row_features
from small_models import small_config
from trials.two_blocks import turn, turned_drops


def test_turning_a_circle_by_a_step_adds_one_to_its_residue() -> None:
    config = small_config()
    prime = config.primes[-1]
    pairs = np.array([[0, 5], [4, 9], [prime, 1]])
    rows = row_features(pairs, config)
    turned = turn(rows, config, prime, torch.full((3,), 2 * math.pi / prime))
    changed = (turned != rows).view(3, len(config.primes), config.depth, 2, 2)
    assert changed[:, -1, 0, 0].any()
    changed[:, -1, 0, 0] = False
    assert not changed.any()
    expected = row_features(pairs + np.array([1, 0]), config).view(3, -1, config.depth, 2, 2)
    found = turned.view(3, -1, config.depth, 2, 2)
    assert torch.allclose(found[:, -1, 0, 0], expected[:, -1, 0, 0], atol=1e-6)


def test_turning_the_circle_a_network_reads_costs_its_accuracy() -> None:
    config = replace(small_config(), epochs=20)
    found = turned_drops(config, config.modulus, config.primes[0])
    assert found["accuracy"] > 0.9
    assert found[f"{config.modulus} alone"] > 0.5
    assert set(found) == {
        "accuracy", f"{config.modulus} alone", f"{config.primes[0]} alone", "same way",
        "opposite ways",
    }  # fmt: skip
