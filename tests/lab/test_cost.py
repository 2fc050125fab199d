from torch.utils.flop_counter import FlopCounterMode

from primefourier.lab.cost import model_flops
from primefourier.lab.run_model import measure
from small_models import small_config


def test_the_count_is_what_torch_counts_while_a_model_runs() -> None:
    for changes in ({}, {"modulus": 77, "primes": (3, 5, 7, 11), "depth": 6, "batch_size": 64}):
        config = small_config(**changes)
        with FlopCounterMode(display=False) as counter:
            measure(config)
        zero_code = 2 * (4 * config.depth * 64 + 64 * 32)
        assert counter.get_total_flops() - zero_code == model_flops(config)
