"""One page of results: the records of a variant of an experiment, ready to be drawn."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from primefourier.lab.config import ModelConfig
from primefourier.lab.experiments import EXPERIMENTS
from primefourier.lab.record import Record
from primefourier.lab.results import Cell, Variant, make_cells
from primefourier.lab.results.cells import cell_of

_PLACES = ("--out", "--workers", "--scheduler")
TITLES = {"exp1": "Experiment 1", "control": "Control (PFE-Shuffled)", "exp2": "Experiment 2"}


@dataclass(frozen=True)
class Page:
    """The models of one variant, their records, and the words below its figures.

    Args:
        variant: What the models have in common.
        asked: The models, measured or not.
        records: The records that are there, by key.
        commands: The commands that made them.
    """

    variant: Variant
    asked: Sequence[ModelConfig]
    records: Mapping[str, Record]
    commands: Sequence[str]

    @cached_property
    def cells(self) -> dict[tuple[int, int], Cell]:
        """The cells that are measured, by row and range."""
        return make_cells(self.asked, self.records)

    @cached_property
    def rows(self) -> list[int]:
        """|P| or N of every cell that was asked for."""
        return sorted({cell_of(config)[0] for config in self.asked})

    @cached_property
    def ranges(self) -> list[int]:
        """Every r that was asked for."""
        return sorted({config.input_range for config in self.asked})

    @property
    def title(self) -> str:
        """Name the experiment and what is not as in the paper."""
        words = [
            f"{name} {', '.join(map(str, value)) if isinstance(value, list) else value}"
            for name, value in self.variant.differences().items()
        ]
        title = TITLES.get(self.variant.experiment, self.variant.experiment)
        return f"{title}, {', '.join(words)}".replace("_", " ") if words else title

    @property
    def row_label(self) -> str:
        """Say what the rows are."""
        return "modulus N" if self.variant.experiment == "exp2" else "number of primes |P|"

    def measured(self, input_range: int) -> list[Record]:
        """Return the records at one r, also those of seeds that are not whole."""
        found = [self.records.get(c.key) for c in self.asked if c.input_range == input_range]
        return [record for record in found if record is not None and record.measurement is not None]

    def caption(self, text: str, records: Iterable[Record], *, several: str = "") -> str:
        """Write a caption: what is shown, how many seeds, the noise floor, and the command.

        Args:
            text: What is shown.
            records: Of which models.
            several: What to add where a configuration has several seeds.
        """
        shown = list(records)
        by_cell: dict[tuple[int, int], set[int]] = {}
        for record in shown:
            by_cell.setdefault(cell_of(record.config), set()).add(record.config.seed)
        counts = sorted(map(len, by_cell.values()))
        sentences = [text, several if counts and counts[-1] > 1 else "", self._command()]
        if not shown:
            sentences.insert(2, "Nothing is measured yet.")
            return " ".join(filter(None, sentences))
        seeds = sorted(set().union(*by_cell.values()))
        words = _count(counts[-1], "seed")
        if counts[0] < counts[-1]:
            words = f"{counts[0]}–{words}"
        if len(seeds) <= 8:
            words += f" ({', '.join(map(str, seeds))})"
        floors = [f"{record.measured.noise_floor:.3f}" for record in shown]
        floor = " to ".join(dict.fromkeys([max(floors), min(floors)]))
        models = f"{_count(len(shown), 'model')}, {words} a configuration; noise floor {floor}."
        trainer = "" if self.variant.trainer == "fast" else "Plain trainer."
        sentences[2:2] = [models, trainer, self._failures()]
        return " ".join(filter(None, sentences))

    def _failures(self) -> str:
        found = (self.records.get(config.key) for config in self.asked)
        failed = sum(record is not None and record.error is not None for record in found)
        return f"{_count(failed, 'model')} failed; pfe status shows why." if failed else ""

    def _may_have_made(self, command: str) -> bool:
        """Tell whether a command is not one that names another experiment."""
        named = set(EXPERIMENTS).intersection(command.split()[2:3])
        return not named or self.variant.experiment in named

    def _command(self) -> str:
        commands = distinct_commands(filter(self._may_have_made, self.commands))
        return f"Made by: {'; '.join(commands)}" if commands else ""


def distinct_commands(commands: Iterable[str]) -> list[str]:
    """Return what was asked, each once; a command is left out where the same one also probes.

    >>> distinct_commands(["pfe run exp1 --out a", "pfe run exp1 --out a --probe", "pfe run exp2"])
    ['pfe run exp1 --probe', 'pfe run exp2']
    """
    asked = dict.fromkeys(filter(None, map(what_was_asked, commands)))
    return [command for command in asked if f"{command} --probe" not in asked]


def what_was_asked(command: str) -> str:
    """Leave out of a command where it ran and wrote to, which the results do not depend on.

    >>> what_was_asked("pfe run exp1 --sizes 4 --out /tmp/x --workers=2")
    'pfe run exp1 --sizes 4'
    """
    kept: list[str] = []
    try:
        words = iter(shlex.split(command))
    except ValueError:  # a quotation mark without its partner, which no shell wrote
        words = iter([command])
    for word in words:
        if word in _PLACES:
            next(words, None)
        elif word.partition("=")[0] not in _PLACES:
            kept.append(word)
    return "".join(c if c.isprintable() else "?" for c in shlex.join(kept))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s'[: number != 1]}"
