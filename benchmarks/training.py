"""How much memory a worker needs for the paper's largest model."""

import resource

from primefourier.cluster import local_client
from primefourier.lab.config import ModelConfig
from primefourier.lab.measurement import measure
from primefourier.lab.studies import SinglePrime


def worker_megabytes() -> float:
    """Return the peak of a fresh worker process that trains and ablates one model."""
    config = SinglePrime(sizes=(16,), ranges=(4000,), epochs=2).configs()[-1]
    with local_client(1) as client:
        return float(client.submit(_peak_after, config).result())


def _peak_after(config: ModelConfig) -> float:
    _ = measure(config).measured
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
