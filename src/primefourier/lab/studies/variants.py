"""Variants: which models belong to one grid, and the commands that train them.

A store lists models, not the studies that planned them, since several studies may share a model.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache

from primefourier.lab.config import ModelConfig
from primefourier.lab.probe import can_be_probed
from primefourier.lab.studies.paper import EXPERIMENTS, PROFILES, models_of, profile
from primefourier.lab.studies.study import Study


@dataclass(frozen=True, order=True)
class Variant:
    """The settings that the models of one grid share.

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

    @classmethod
    def of(cls, config: ModelConfig, pool: tuple[int, ...]) -> Variant:
        """Return the variant of a model, given its pool of primes."""
        values = {f.name: getattr(config, f.name) for f in fields(cls) if f.name != "pool"}
        return cls(pool=pool, **values)

    @property
    def study(self) -> type[Study]:
        """The study that the models belong to."""
        return EXPERIMENTS[self.experiment]

    @property
    def follows_paper(self) -> bool:
        """Whether these are the paper's settings. Both trainers count, since they agree."""
        return not self.differences()

    def differences(self) -> dict[str, object]:
        """Return the settings that differ from the paper's."""
        paper = paper_variant(self.experiment)
        found = {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if field.name not in ("pool", "trainer")
            and getattr(self, field.name) != getattr(paper, field.name)
        }
        return found if self.pool == paper.pool else {**found, "primes": list(self.pool)}

    @property
    def title(self) -> str:
        """The experiment, and the settings that differ from the paper's."""
        words = [
            f"{name} {', '.join(map(str, value)) if isinstance(value, list) else value}"
            for name, value in self.differences().items()
        ]
        return ", ".join([self.study.title, *words]).replace("_", " ")

    @property
    def command(self) -> list[str]:
        """The words of a command that trains models of the variant; rows and ranges are missing.

        Settings that equal the paper's are left out. ``pfe run`` refuses an embedding that does
        not belong to the experiment, which only a program can combine with it.

        >>> paper_variant("exp1").command
        ['pfe', 'run', 'exp1']
        """
        other = self.differences()
        if self.trainer != self.study.trainer:
            other["trainer"] = self.trainer
        words = ["pfe", "run", self.experiment]
        for name, value in other.items():
            text = _join(value) if isinstance(value, list) else str(value)
            words += [f"--{name.replace('_', '-')}", text]
        return words

    def models(self, row: int, input_range: int, seed: int) -> list[ModelConfig]:
        """Return the models of one seed of a cell, planned or not.

        Args:
            row: |P| in experiment 1 and the control, N in experiment 2.
            input_range: r.
            seed: The seed.

        >>> [model.modulus for model in paper_variant("exp1").models(4, 100, seed=42)]
        [3, 5, 7, 11]
        """
        settings = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "pool"}
        return [
            ModelConfig(
                modulus=modulus, primes=primes, input_range=input_range, seed=seed, **settings
            )
            for modulus, primes in self.study.tasks(row, self.pool)
        ]


@cache
def paper_variant(experiment: str) -> Variant:
    """Return the variant with the paper's settings.

    >>> paper_variant("exp2").pool
    (3, 5, 7, 11, 13, 17, 19, 23)
    """
    example = EXPERIMENTS[experiment]()
    return Variant.of(example.configs()[0], example.primes)


@cache
def paper_places(experiment: str) -> frozenset[tuple[int, int]]:
    """Return the row and the input range of every cell of the paper's grid."""
    study = EXPERIMENTS[experiment]
    return frozenset(map(study.cell_of, study().configs()))


def find_variants(configs: Iterable[ModelConfig]) -> dict[Variant, list[ModelConfig]]:
    """Sort the models of the paper's experiments into variants, the paper's settings first.

    A model belongs to every pool whose first primes are its own. One with 3, 5, 7 and 11 belongs to
    the paper's pool, and to another longer one that was planned with the same settings.
    """
    models = {config.key: config for config in configs if config.experiment in EXPERIMENTS}
    by_settings: dict[Variant, list[ModelConfig]] = {}
    for config in models.values():
        by_settings.setdefault(Variant.of(config, ()), []).append(config)
    found: dict[Variant, list[ModelConfig]] = {}
    for settings, some in by_settings.items():
        for pool in _pools(settings, some):
            inside = [config for config in some if settings.study.contains(config, pool)]
            if inside:
                found[replace(settings, pool=pool)] = inside
    names = list(EXPERIMENTS)
    order = {v: (names.index(v.experiment), not v.follows_paper, v.trainer, v) for v in found}
    return {variant: found[variant] for variant in sorted(found, key=order.__getitem__)}


def _pools(settings: Variant, configs: Iterable[ModelConfig]) -> list[tuple[int, ...]]:
    """Return the paper's pool, and the primes of models that no larger pool contains."""
    paper = paper_variant(settings.experiment).pool
    examples = {config.primes: config for config in configs}
    known = {paper, *examples}
    largest = [
        pool
        for pool, config in examples.items()
        if pool != paper
        and not any(settings.study.contains(config, other) for other in known - {pool})
    ]
    return [paper, *largest]


def training_commands(planned: Sequence[ModelConfig], *, probe: bool) -> list[str]:
    """Return commands that train all planned models of the paper's experiments.

    They are made from the models. A store also holds the commands that wrote it, but whoever made
    the store chose those words, so they are not safe to recommend.

    Args:
        planned: The models.
        probe: Whether the commands also probe the networks.

    >>> training_commands(models_of(profile("smoke")), probe=False)
    ['pfe reproduce --profile smoke']
    """
    seeds = sorted({config.seed for config in planned})
    keys = {config.key for config in planned}
    for name in PROFILES if planned else ():
        one = _profile_models(name)
        if len(keys) == len(one) * len(seeds) and keys == {
            replace(config, seed=seed).key for config in one for seed in seeds
        }:
            words = ["pfe", "reproduce", "--profile", name]
            return [shlex.join(words + _seed_words(seeds) + ["--probe"] * probe)]
    commands = []
    for variant, configs in find_variants(planned).items():
        new = [config for config in configs if config.key in keys]  # pools may share models
        keys -= {config.key for config in new}
        for rows, ranges, of_seeds in _blocks(variant.study, new):
            words = [*variant.command, variant.study.row_option, _join(rows)]
            words += ["--ranges", _join(ranges), *_seed_words(of_seeds)]
            commands.append(shlex.join(words + ["--probe"] * (probe and can_be_probed(new[0]))))
    return commands


@cache
def _profile_models(name: str) -> list[ModelConfig]:
    return models_of(profile(name))


def _blocks(study: type[Study], configs: Iterable[ModelConfig]) -> list[tuple[Sequence[int], ...]]:
    """Cover cells by blocks of rows, ranges and seeds, each with all its combinations."""
    seeds: dict[tuple[int, int], set[int]] = {}
    for config in configs:
        seeds.setdefault(study.cell_of(config), set()).add(config.seed)
    ranges: dict[tuple[int, tuple[int, ...]], list[int]] = {}
    for (row, input_range), found in sorted(seeds.items()):
        ranges.setdefault((row, tuple(sorted(found))), []).append(input_range)
    rows: dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]] = {}
    for (row, of_seeds), of_ranges in ranges.items():
        rows.setdefault((tuple(of_ranges), of_seeds), []).append(row)
    return [(of_rows, *block) for block, of_rows in rows.items()]


def _seed_words(seeds: Sequence[int]) -> list[str]:
    return [] if list(seeds) == [42] else ["--seeds", _join(seeds)]


def _join(numbers: Iterable[int]) -> str:
    return ",".join(map(str, numbers))
