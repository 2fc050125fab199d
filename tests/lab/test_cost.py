"""The arithmetic of models, and the order in which it puts them."""

from torch.utils.flop_counter import FlopCounterMode

from primefourier.lab.cost import longest_first, model_flops, seed_by_seed
from primefourier.lab.measurement import measure
from small_models import small_config


def test_flops_are_what_torch_counts_while_a_model_runs() -> None:
    for changes in ({}, {"modulus": 77, "primes": (3, 5, 7, 11), "depth": 6, "batch_size": 64}):
        config = small_config(**changes)
        with FlopCounterMode(display=False) as counter:
            _ = measure(config).measured
        zero_code = 2 * (4 * config.embedding.depth * 64 + 64 * 32)
        assert counter.get_total_flops() - zero_code == model_flops(config)


def test_long_models_come_first_among_all_or_within_each_seed() -> None:
    configs = [small_config(epochs=epochs, seed=seed) for seed in (0, 1) for epochs in (2, 9, 4)]
    found = [(config.training.epochs, config.seed) for config in longest_first(configs)]
    assert found == [(9, 0), (9, 1), (4, 0), (4, 1), (2, 0), (2, 1)]
    found = [(config.training.epochs, config.seed) for config in seed_by_seed(configs)]
    assert found == [(9, 0), (4, 0), (2, 0), (9, 1), (4, 1), (2, 1)]
