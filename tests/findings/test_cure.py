"""Cures: what is masked, what is cut from a network, and which networks the run trains."""

import numpy as np
import torch

from findings.cure.study import FastCircles, Refitted, networks, read_plan, treat
from primefourier import lab
from primefourier.lab.modules import RowNetwork
from primefourier.lab.training import make_data, new_model
from small_models import small_config


def test_masked_circles_are_those_that_turn_less_than_once_in_range() -> None:
    integers = np.array([0, 99, 10**12])
    whole = lab.PrimeFourier((3, 11), 6).rows(integers)
    masked = FastCircles((3, 11), 6, limit=100).rows(integers)
    assert torch.equal(masked[:, 0, :8], whole[:, 0, :8])
    assert torch.equal(masked[:, 1, :2], whole[:, 1, :2])
    assert not masked[:, 0, 8:].any()
    assert not masked[:, 1, 2:].any()


def test_cut_network_answers_as_before_where_all_that_is_cut_is_at_its_mean() -> None:
    config = small_config(modulus=15, primes=(3, 5), depth=3)
    data = make_data(config)
    network = new_model(config, data)
    assert isinstance(network, RowNetwork)
    features = data.train.values
    cut = Refitted(network, features, [0, 1])
    still = features.clone()
    still[:, :, 4:] = features.mean(0)[:, 4:]
    assert torch.allclose(cut(read_plan(features, [0, 1])), network(still), atol=1e-5)
    other = torch.cat([features, features[:1].expand(len(features), -1, -1)], dim=1)
    assert torch.equal(read_plan(other, [0, 1]), read_plan(features, [0, 1]))


def test_cures_differ_from_the_untreated_in_one_thing() -> None:
    usual, shifts, masked = (treat(c, 33, 500, 42) for c in ("untreated", "shifts", "masked"))
    assert shifts.training.shifts
    assert (shifts.embedding, shifts.task) == (usual.embedding, usual.task)
    assert (masked.training, masked.task) == (usual.training, usual.task)
    assert masked.embedding.limit == 500
    planned = [*networks()]
    assert len(planned) == len({*planned}) == 350
    assert [place[3] for place in planned] == [42] * 150 + [43] * 100 + [44] * 100
