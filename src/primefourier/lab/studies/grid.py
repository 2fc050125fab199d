"""A grid: the models of one variant and their records, arranged in cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from primefourier._checks import plural
from primefourier.analysis.ablation import Kind
from primefourier.lab.cells import Cell, make_cells
from primefourier.lab.config import ModelConfig
from primefourier.lab.record import Record
from primefourier.lab.studies.study import Study
from primefourier.lab.studies.variants import Variant, training_commands

Place = tuple[int, int]
"""The row and the input range of a cell."""


@dataclass(frozen=True)
class Grid:
    """The models of one variant, their records, and the captions of its figures.

    Args:
        variant: The settings that the models share.
        planned: The models, measured or not.
        records: The records of the run, by key.
    """

    variant: Variant
    planned: Sequence[ModelConfig]
    records: Mapping[str, Record]
    _made: dict[tuple[Kind, bool], dict[Place, Cell]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def study(self) -> type[Study]:
        """The study that the models belong to."""
        return self.variant.study

    @property
    def title(self) -> str:
        """The experiment, and the settings that differ from the paper's."""
        return self.variant.title

    def cells_of(self, kind: Kind = "zero", *, probed: bool = False) -> dict[Place, Cell]:
        """Return the measured cells, by row and range.

        Args:
            kind: The kind of ablation; all but zero need probes.
            probed: Whether only probed models count.
        """
        if (kind, probed) not in self._made:
            records = self.records
            if probed:
                records = {key: record for key, record in records.items() if record.probe}
            self._made[kind, probed] = make_cells(self.study, self.planned, records, kind=kind)
        return self._made[kind, probed]

    @property
    def cells(self) -> dict[Place, Cell]:
        """The measured cells, with rows ablated as in the paper."""
        return self.cells_of()

    @cached_property
    def by_place(self) -> dict[Place, list[ModelConfig]]:
        """The planned models of every cell."""
        found: dict[Place, list[ModelConfig]] = {}
        for config in self.planned:
            found.setdefault(self.study.cell_of(config), []).append(config)
        return found

    @property
    def rows(self) -> list[int]:
        """|P| or N of every planned cell."""
        return sorted({row for row, _ in self.by_place})

    @property
    def ranges(self) -> list[int]:
        """The input range of every planned cell."""
        return sorted({input_range for _, input_range in self.by_place})

    @cached_property
    def made_by(self) -> str:
        """The commands that train the models, for the metadata of a file."""
        probe = any(record.probe for record in self.found(self.planned))
        return "; ".join(training_commands(self.planned, probe=probe))

    def found(self, configs: Iterable[ModelConfig]) -> list[Record]:
        """Return the records of some models that are measured."""
        records = (self.records.get(config.key) for config in configs)
        return [r for r in records if r is not None and r.measurement is not None]

    def caption(self, text: str, records: Iterable[Record], *, several: str = "") -> str:
        """Write a caption: what the figure shows, how many seeds, and the noise floor.

        Args:
            text: What the figure shows.
            records: The records behind it.
            several: What to add where a configuration has several seeds.
        """
        shown = list(records)
        by_cell: dict[Place, set[int]] = {}
        for record in shown:
            by_cell.setdefault(self.study.cell_of(record.config), set()).add(record.config.seed)
        counts = sorted(map(len, by_cell.values()))
        sentences = [text, several if counts and counts[-1] > 1 else ""]
        if not shown:
            sentences.append("Nothing is measured yet.")
            return " ".join(filter(None, sentences))
        seeds = sorted(set().union(*by_cell.values()))
        words = plural(counts[-1], "seed")
        if counts[0] < counts[-1]:
            words = f"{counts[0]}–{words}"
        if len(seeds) <= 8:
            words += f" ({', '.join(map(str, seeds))})"
        floors = [f"{record.measured.noise_floor:.3f}" for record in shown]
        floor = " to ".join(dict.fromkeys([max(floors), min(floors)]))
        models = f"{plural(len(shown), 'model')}, {words} per configuration; noise floor {floor}."
        trainer = "" if self.variant.trainer == "fast" else "Plain trainer."
        sentences += [models, trainer, self._failures()]
        return " ".join(filter(None, sentences))

    def _failures(self) -> str:
        records = (self.records.get(config.key) for config in self.planned)
        failed = sum(record is not None and record.error is not None for record in records)
        return f"{plural(failed, 'model')} failed; pfe status shows why." if failed else ""
