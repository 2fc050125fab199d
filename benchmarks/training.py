"""Memory of a worker, the speed of the readable loop, and seconds of the demonstrations."""

import resource
import subprocess
import sys
import time
from dataclasses import replace

from benchmarks.rounds import best_of_rounds
from primefourier import lab
from primefourier.cluster import local_client
from primefourier.lab.config import ModelConfig
from primefourier.lab.measurement import measure
from primefourier.lab.studies import SinglePrime


def worker_megabytes() -> float:
    """Return the peak of a fresh worker process that trains and ablates one model."""
    config = SinglePrime(sizes=(16,), ranges=(4000,), epochs=2).configs[-1]
    with local_client(1) as client:
        return float(client.submit(_peak_after, config).result())


def _peak_after(config: ModelConfig) -> float:
    _ = measure(config).measured
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def readable_loop() -> dict[str, float]:
    """Return training examples per second of one model, |P| = 8 and r = 500, one thread each."""
    (config, *_) = SinglePrime(sizes=(8,), ranges=(500,), epochs=1).configs
    plain = replace(config, training=lab.Training(epochs=1, trainer="plain"))
    models = {
        "fast trainer, the paper's network": config,
        "readable loop, the paper's network": plain,
        "readable loop, transformer over rows": replace(plain, network=lab.Transformer()),
        "readable loop, linear": replace(plain, network=lab.Linear()),
    }
    examples = config.task.sizes()[0]
    ways = {name: lambda model=model: measure(model).measured for name, model in models.items()}
    return {name: examples / seconds for name, seconds in best_of_rounds(ways, 3).items()}


def demonstrations() -> dict[str, float]:
    """Return the seconds that ``pfe demo cheat`` and ``pfe demo huge`` take from start to end."""
    found = {}
    for name in ("cheat", "huge"):
        begun = time.monotonic()
        words = [sys.executable, "-m", "primefourier", "demo", name]
        subprocess.run(words, check=True, capture_output=True)
        found[f"pfe demo {name}"] = time.monotonic() - begun
    return found
