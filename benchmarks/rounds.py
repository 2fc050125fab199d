"""Time several ways of doing one thing side by side: alternating rounds, the best of each."""

import time
from collections.abc import Callable, Mapping


def best_of_rounds(ways: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Return the shortest seconds of each way.

    The ways take turns, so that a slow moment of a shared machine hits all of them alike.
    """
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(rounds + 1):  # the first round only warms up
        for name, way in ways.items():
            start = time.perf_counter()
            way()
            seconds = time.perf_counter() - start
            if _ > 0:
                best[name] = min(best[name], seconds)
    return best
