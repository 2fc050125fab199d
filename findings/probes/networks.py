"""The networks of probes.jsonl, one for each line."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

PROBES = Path(__file__).with_name("probes.jsonl")
Counts = Mapping[str, Mapping[str, Sequence[int]]]
"""By what replaces a row or block (zero, mean, permute): answers ``lost`` and ``gained``."""


@dataclass(frozen=True, kw_only=True)
class Network:
    """One probed network: what it was trained on, and the answers that change.

    The answers are those to ``test_size`` test pairs, or to the ``shifted_size`` pairs whose first
    operand was shifted. What is measured by epoch begins with the untrained network.
    """

    run: str
    modulus: int
    primes: Sequence[int]
    depth: int
    input_range: int
    epochs: int
    seed: int
    test_size: int
    correct: int
    rows: Counts
    blocks: Counts
    shifted_size: int
    shift_violations: Sequence[int]
    shift_error: Sequence[float]
    off_block_energy: Sequence[float]
    relevant_share: Sequence[float]

    @property
    def single(self) -> bool:
        """Whether the modulus is one of the primes, as in experiment 1 of the paper."""
        return self.modulus in self.primes

    @property
    def degenerate(self) -> bool:
        """Whether no sum of two inputs reaches the modulus."""
        return 2 * (self.input_range - 1) < self.modulus

    @property
    def periods(self) -> tuple[int, ...]:
        """The period of each block, by prime and then by depth."""
        return tuple(p ** (d + 1) for p in self.primes for d in range(self.depth))

    @property
    def share_apart(self) -> Sequence[float]:
        """By epoch, the share of answers that do not follow a shift of the first operand."""
        return [count / self.shifted_size for count in self.shift_violations]

    def drops(self, kind: str, *, blocks: bool = False) -> list[float]:
        """Return the accuracy lost without each row, or without each block."""
        found = (self.blocks if blocks else self.rows)[kind]
        pairs = zip(found["lost"], found["gained"], strict=True)
        return [(lost - gained) / self.test_size for lost, gained in pairs]


@cache
def read_networks(run: str = "paper") -> tuple[Network, ...]:
    """Return the networks of a run: ``paper``, or ``decoys`` (moduli with square factors)."""
    with PROBES.open(encoding="utf-8") as lines:
        return tuple(n for n in (Network(**json.loads(line)) for line in lines) if n.run == run)


def group(networks: Iterable[Network], key: Callable[[Network], Any]) -> dict[Any, list[Network]]:
    """Return networks by a key, in the order of the keys."""
    found = defaultdict(list)
    for network in networks:
        found[key(network)].append(network)
    return dict(sorted(found.items()))
