"""Time several ways of doing one thing side by side, in alternating rounds of one process."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

_LINE = "  {:<38}{:<24}{:<24}{:<22}{}"


@dataclass(frozen=True)
class Spread:
    """The median of several rounds, the smallest and the largest."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Self:
        return cls(statistics.median(values), min(values), max(values))

    def __mul__(self, factor: float) -> Spread:
        return Spread(self.median * factor, self.low * factor, self.high * factor)

    def __str__(self) -> str:
        return "{} ({} to {})".format(*map(_three_digits, (self.median, self.low, self.high)))


def _three_digits(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


@dataclass(frozen=True)
class Times:
    """Seconds of one way in each round: of the processors, and on the wall."""

    cpu: tuple[float, ...]
    wall: tuple[float, ...]

    def cpu_ratio(self, other: Times) -> Spread:
        """Return how many times the processor time of the other way this one takes."""
        return Spread.of([a / b for a, b in zip(self.cpu, other.cpu, strict=True)])

    def wall_ratio(self, other: Times) -> Spread:
        """Return how many times as long as the other way this one takes."""
        return Spread.of([a / b for a, b in zip(self.wall, other.wall, strict=True)])


def time_rounds(
    ways: Mapping[str, Callable[[], object]], rounds: int, *, calls: int = 1
) -> dict[str, Times]:
    """Time each way in every round.

    The ways take turns, so that a slow moment of a shared machine hits all of them alike.

    Args:
        ways: What to time.
        rounds: How many rounds count; one more goes before them, to warm up.
        calls: How often a way is called in a round; times are of one call.
    """
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for _ in range(rounds + 1):
        for name, way in ways.items():
            cpu, wall = time.process_time(), time.perf_counter()
            for _ in range(calls):
                way()
            cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
            found[name].append((cpu / calls, wall / calls))
    columns = {name: zip(*pairs[1:], strict=True) for name, pairs in found.items()}
    return {name: Times(*map(tuple, pair)) for name, pair in columns.items()}


def print_times(title: str, times: Mapping[str, Times], unit: tuple[float, str]) -> None:
    """Print the times of each way, and how many times the first way's they are."""
    factor, name = unit
    first = next(iter(times.values()))
    print(f"\n{title}\n  median (range) of {len(first.cpu)} rounds")
    head = (f"CPU, {name}", f"wall, {name}", "CPU ÷ first", "wall ÷ first")
    print(_LINE.format("", *head).rstrip())
    for way, each in times.items():
        seconds = (Spread.of(each.cpu) * factor, Spread.of(each.wall) * factor)
        ratios = (each.cpu_ratio(first), each.wall_ratio(first))
        print(_LINE.format(way, *map(str, seconds + ratios)).rstrip())
