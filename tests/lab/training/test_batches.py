import torch

from primefourier.lab.training.batches import epoch_orders
from small_models import small_config


def test_every_epoch_is_a_fresh_permutation() -> None:
    orders = list(epoch_orders(small_config(epochs=4), 100))
    assert len(orders) == 4
    for order in orders:
        assert torch.equal(order.sort().values, torch.arange(100))
    assert not torch.equal(orders[0], orders[1])


def test_orders_depend_on_the_seed_alone() -> None:
    first, second, other = (
        list(epoch_orders(small_config(seed=seed, modulus=n), 50))
        for seed, n in ((1, 3), (1, 5), (2, 3))
    )
    assert torch.equal(first[1], second[1])
    assert not torch.equal(first[1], other[1])


def test_seeds_may_be_large() -> None:
    assert len(next(epoch_orders(small_config(seed=2**63 - 1), 5))) == 5
