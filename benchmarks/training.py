"""Speed of the trainers, and memory of a worker."""

import resource
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from benchmarks import by_hand
from benchmarks.rounds import Times, time_rounds
from primefourier.lab.config import ModelConfig
from primefourier.lab.fast_training import train_fast
from primefourier.lab.measurement import measure, use_threads
from primefourier.lab.training import epoch_orders, make_data, new_model, train_plain
from primefourier_paper import SinglePrime


def worker_megabytes() -> float:
    """Return the peak of a fresh worker process that trains and ablates one model."""
    config = SinglePrime(sizes=(16,), ranges=(4000,), epochs=2).configs[-1]
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(_peak_after, config).result()


def _peak_after(config: ModelConfig) -> float:
    _ = measure(config).measured
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def time_trainers(primes: int, *, epochs: int = 5, rounds: int = 5) -> dict[str, Times]:
    """Train one model with each trainer, on one thread, and test it after every epoch.

    All start from the same weights and see the same batches; the times include neither drawing and
    encoding the examples nor ablating rows, which would be the same.
    """
    (config, *_) = SinglePrime(sizes=(primes,), ranges=(1000,), epochs=epochs).configs
    training = config.training
    data = make_data(config)

    def by_hand_too() -> list[int]:
        return by_hand.train(
            new_model(config, data),
            data.train,
            data.test,
            orders=epoch_orders(config, len(data.train.labels)),
            batch_size=training.batch_size,
            learning_rate=training.learning_rate,
        )

    ways: dict[str, Callable[[], object]] = {
        "fast trainer": lambda: train_fast(config, data),
        "general loop": lambda: train_plain(config, data),
        "torch by hand, fused Adam": by_hand_too,
    }
    with use_threads(1):
        return time_rounds(ways, rounds)
