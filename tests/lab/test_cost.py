from torch.utils.flop_counter import FlopCounterMode

from primefourier.lab.cost import longest_first, model_flops
from primefourier.lab.run_model import measure
from small_models import small_config


def test_the_count_is_what_torch_counts_while_a_model_runs() -> None:
    for changes in ({}, {"modulus": 77, "primes": (3, 5, 7, 11), "depth": 6, "batch_size": 64}):
        config = small_config(**changes)
        with FlopCounterMode(display=False) as counter:
            measure(config)
        zero_code = 2 * (4 * config.depth * 64 + 64 * 32)
        assert counter.get_total_flops() - zero_code == model_flops(config)


def test_long_models_come_first_and_equal_ones_stay_in_order() -> None:
    configs = [small_config(epochs=epochs, seed=seed) for seed in (0, 1) for epochs in (2, 9, 4)]
    found = [(config.epochs, config.seed) for config in longest_first(configs)]
    assert found == [(9, 0), (9, 1), (4, 0), (4, 1), (2, 0), (2, 1)]
