"""The trials, with smaller networks: what they train and turn is what they say."""

import math

import numpy as np
import pytest
import torch

from primefourier.lab.config import prime_parts
from primefourier.lab.training import read_integers
from small_models import small_config
from studies import beyond, slow_circles
from studies.two_blocks import turn, turned_drops


def test_turning_a_circle_by_a_step_adds_one_to_its_residue() -> None:
    config = small_config()
    embedding, _ = prime_parts(config)
    prime = embedding.primes[-1]
    pairs = np.array([[0, 5], [4, 9], [prime, 1]])
    rows = read_integers(pairs, config)
    turned = turn(rows, config, prime, torch.full((3,), 2 * math.pi / prime))
    changed = (turned != rows).view(3, len(embedding.primes), embedding.depth, 2, 2)
    assert changed[:, -1, 0, 0].any()
    changed[:, -1, 0, 0] = False
    assert not changed.any()
    shifted = read_integers(pairs + np.array([1, 0]), config)
    expected = shifted.view(3, -1, embedding.depth, 2, 2)
    found = turned.view(3, -1, embedding.depth, 2, 2)
    assert torch.allclose(found[:, -1, 0, 0], expected[:, -1, 0, 0], atol=1e-6)


def test_turning_the_circle_a_network_reads_costs_its_accuracy() -> None:
    config = small_config(epochs=20)
    embedding, task = prime_parts(config)
    found = turned_drops(config, task.modulus, embedding.primes[0])
    alone, other = f"{task.modulus} alone", f"{embedding.primes[0]} alone"
    assert found["accuracy"] > 0.9
    assert found[alone] > 0.5
    assert set(found) == {"accuracy", alone, other, "same way", "opposite ways"}


@pytest.mark.slow
def test_slow_circles_from_the_range_make_a_network_right_again() -> None:
    found = slow_circles.repair(beyond.model("paper", 7, 8, 1000, 42))
    assert found.inside >= beyond.RIGHT
    assert found.slow >= beyond.RIGHT
    assert max(found.far, found.others) < 0.95
