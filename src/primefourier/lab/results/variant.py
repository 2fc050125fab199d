"""Which records belong on one page: models of an experiment that differ only in what it sweeps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cache

from primefourier.encoding import PAPER_BASIS
from primefourier.lab.config import ModelConfig
from primefourier.lab.experiments import EXPERIMENTS


@dataclass(frozen=True, order=True)
class Variant:
    """What the models of one sweep have in common.

    ``pool`` holds the primes from which experiment 1 and the control take the first |P|.
    """

    experiment: str
    pool: tuple[int, ...]
    depth: int
    operation: str
    embedding: str
    epochs: int
    batch_size: int
    learning_rate: float
    pairs: int
    trainer: str

    @property
    def follows_paper(self) -> bool:
        """Whether these are the paper's settings; the trainers agree, so either counts."""
        return not self.differences()

    def differences(self) -> dict[str, object]:
        """Return the settings that are not the paper's."""
        paper = paper_variant(self.experiment)
        found = {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if field.name not in ("pool", "trainer")
            and getattr(self, field.name) != getattr(paper, field.name)
        }
        return found if self.pool == paper.pool else {**found, "primes": list(self.pool)}

    @classmethod
    def of(cls, config: ModelConfig, pool: tuple[int, ...]) -> Variant:
        """Return the variant a model belongs to, given its pool of primes."""
        values = {f.name: getattr(config, f.name) for f in fields(cls) if f.name != "pool"}
        return cls(pool=pool, **values)

    def models(self, row: int, input_range: int, seed: int) -> list[ModelConfig]:
        """Return the models that one seed of a cell has, asked for or not.

        Args:
            row: |P| in experiment 1 and the control, N in experiment 2.
            input_range: r.
            seed: The seed.

        >>> [model.modulus for model in paper_variant("exp1").models(4, 100, seed=42)]
        [3, 5, 7, 11]
        """
        settings = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "pool"}
        primes = self.pool if self.experiment == "exp2" else self.pool[:row]
        return [
            ModelConfig(
                modulus=modulus, input_range=input_range, primes=primes, seed=seed, **settings
            )
            for modulus in ([row] if self.experiment == "exp2" else primes)
        ]


@cache
def paper_variant(experiment: str) -> Variant:
    """Return the variant with the paper's settings.

    >>> paper_variant("exp2").pool
    (3, 5, 7, 11, 13, 17, 19, 23)
    """
    example = EXPERIMENTS[experiment]()
    return Variant.of(example.configs()[0], example.primes)


def find_variants(configs: Iterable[ModelConfig]) -> dict[Variant, list[ModelConfig]]:
    """Sort the models of the paper's experiments into variants; its own settings come first.

    A model whose primes begin several pools belongs to each of them: one with 3, 5, 7 and 11 to the
    paper's pool, and to a longer one that was asked for with the same settings.
    """
    models = {config.key: config for config in configs if config.experiment in EXPERIMENTS}
    asked: dict[Variant, set[tuple[int, ...]]] = {}
    for config in models.values():
        asked.setdefault(Variant.of(config, ()), {PAPER_BASIS.primes}).add(config.primes)
    pools = {settings: _longest(found) for settings, found in asked.items()}
    found: dict[Variant, list[ModelConfig]] = {}
    for config in models.values():
        swept = config.experiment != "exp2"  # whose primes are fixed; the others take the first |P|
        for pool in pools[Variant.of(config, ())] if swept else [config.primes]:
            if _begins(config.primes, pool):
                found.setdefault(Variant.of(config, pool), []).append(config)
    names = list(EXPERIMENTS)
    order = {v: (names.index(v.experiment), not v.follows_paper, v.trainer, v) for v in found}
    return {variant: found[variant] for variant in sorted(found, key=order.__getitem__)}


def _longest(pools: set[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return the paper's pool, and those that do not begin a longer one."""
    return [
        pool
        for pool in pools
        if pool == PAPER_BASIS.primes or not any(pool != p and _begins(pool, p) for p in pools)
    ]


def _begins(primes: tuple[int, ...], pool: tuple[int, ...]) -> bool:
    return pool[: len(primes)] == primes
