"""A grid: the models of a study and their records, arranged in cells along two axes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from primefourier._checks import plural
from primefourier.analysis import noise_floor
from primefourier.analysis.ablation import Kind
from primefourier.lab.cells import Cell, make_cell
from primefourier.lab.config import ModelConfig
from primefourier.lab.record import Record
from primefourier.lab.study import Axis, Study, find_axes

Place = tuple[Any, Any]
"""The values of a cell along the rows and along the columns."""


@dataclass(frozen=True, eq=False)
class Grid:
    """The models of a study that differ along two axes, and the captions of its figures.

    Args:
        study: The study.
        row_axis: What varies along the rows; None if nothing does.
        column_axis: What varies along the columns; None if nothing does.
        planned: The models, measured or not.
        records: The records of the run, by key.
        fixed: The values of the study's further axes.
    """

    study: Study
    row_axis: Axis | None
    column_axis: Axis | None
    planned: Sequence[ModelConfig]
    records: Mapping[str, Record]
    fixed: Mapping[str, Any] = field(default_factory=dict)
    _made: dict[Kind, dict[Place, Cell]] = field(default_factory=dict, init=False, repr=False)

    @property
    def title(self) -> str:
        """The study, and the values of its further axes."""
        return ", ".join([self.study.title, *(f"{k} = {v}" for k, v in self.fixed.items())])

    @property
    def row_name(self) -> str:
        """The short name of the rows."""
        return self.row_axis.name if self.row_axis else "all"

    @property
    def column_name(self) -> str:
        """The short name of the columns."""
        return self.column_axis.name if self.column_axis else "all"

    def place_of(self, config: ModelConfig) -> Place:
        """Return where a model belongs."""
        row, column = (
            "" if axis is None else axis.value(config) for axis in (self.row_axis, self.column_axis)
        )
        return row, column

    def name_of(self, place: Place) -> str:
        """Return the name of a cell, such as "N = 15, r = 100"."""
        axes = zip((self.row_axis, self.column_axis), place, strict=True)
        words = [f"{axis.name} = {value}" for axis, value in axes if axis is not None]
        return ", ".join(words) or self.study.title

    def cells_of(self, kind: Kind = "zero") -> dict[Place, Cell]:
        """Return the measured cells by row and column."""
        if kind not in self._made:
            threshold = self.study.threshold
            made = partial(make_cell, records=self.records, threshold=threshold, kind=kind)
            cells = (
                (place, made(self.name_of(place), place, configs))
                for place, configs in self.by_place.items()
            )
            self._made[kind] = {place: cell for place, cell in cells if cell}
        return self._made[kind]

    @property
    def cells(self) -> dict[Place, Cell]:
        """The measured cells, with rows zeroed."""
        return self.cells_of()

    @cached_property
    def by_place(self) -> dict[Place, list[ModelConfig]]:
        """The planned models of every cell."""
        found: dict[Place, list[ModelConfig]] = {}
        for config in self.planned:
            found.setdefault(self.place_of(config), []).append(config)
        return found

    @property
    def rows(self) -> list[Any]:
        """The values along the rows."""
        return in_order(row for row, _ in self.by_place)

    @property
    def columns(self) -> list[Any]:
        """The values along the columns."""
        return in_order(column for _, column in self.by_place)

    @property
    def floors(self) -> dict[Any, float]:
        """The noise floor of each column, measured or not."""
        return {place[1]: floor_of(some[0]) for place, some in self.by_place.items()}

    def found(self, configs: Iterable[ModelConfig]) -> list[Record]:
        """Return the records of some models that are measured, and did not diverge."""
        return [record for record in self._measured(configs) if not record.diverged]

    def diverged(self, configs: Iterable[ModelConfig]) -> list[Record]:
        """Return the records of some models that are measured, and ended with NaN logits."""
        return [record for record in self._measured(configs) if record.diverged]

    def _measured(self, configs: Iterable[ModelConfig]) -> list[Record]:
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
        lost, measured = len(self.diverged(self.planned)), len(self._measured(self.planned))
        nan = f"{lost} of {plural(measured, 'model')} diverged and left out." if lost else ""
        if not shown:
            return f"{text} {nan or 'Nothing is measured yet.'}"
        by_cell: dict[Place, set[int]] = {}
        for record in shown:
            by_cell.setdefault(self.place_of(record.config), set()).add(record.config.seed)
        # incomplete runs have cells of one seed beside cells of several: then the caption says 1–3
        counts = sorted(map(len, by_cell.values()))
        seeds = sorted(set().union(*by_cell.values()))
        words = plural(counts[-1], "seed")
        if counts[0] < counts[-1]:
            words = f"{counts[0]}–{words}"
        if len(seeds) <= 8:
            words += f" ({', '.join(map(str, seeds))})"
        floors = [f"{record.measured.noise_floor:.3f}" for record in shown]
        floor = " to ".join(dict.fromkeys([max(floors), min(floors)]))
        sentences = [text, several if counts[-1] > 1 else ""]
        sentences.append(
            f"{plural(len(shown), 'model')}, {words} per configuration; noise floor {floor}."
        )
        sentences.append(nan)
        planned = (self.records.get(config.key) for config in self.planned)
        failed = sum(record is not None and record.error is not None for record in planned)
        if failed:
            sentences.append(f"{plural(failed, 'model')} failed; pfe status shows why.")
        return " ".join(filter(None, sentences))


def make_grids(studies: Iterable[Study], records: Mapping[str, Record]) -> list[Grid]:
    """Arrange the models of studies in grids; a third axis gives one grid for each of its values.

    Args:
        studies: The studies of a run.
        records: The records of the run, by key.
    """
    grids = []
    for study in studies:
        axes = find_axes(study.configs) if study.axes is None else study.axes
        # the first two axes span a grid; there is one grid per combination of the other axes
        (rows, columns), others = [*axes, None, None][:2], axes[2:]
        groups: dict[tuple[Any, ...], list[ModelConfig]] = {}
        for config in study.configs:
            values = tuple(axis.value(config) for axis in others)
            groups.setdefault(values, []).append(config)
        for values, configs in groups.items():
            fixed = dict(zip((axis.name for axis in others), values, strict=True))
            grids.append(Grid(study, rows, columns, configs, records, fixed))
    return grids


def in_order(values: Iterable[Any]) -> list[Any]:
    """Return different values in order: numbers first, then texts, then nothing.

    >>> in_order([10, "b", 2, None, 2])
    [2, 10, 'b', None]
    """

    def rank(value: Any) -> tuple[int, Any]:
        if value is None:  # which compares with neither
            return 2, 0
        return (1, value) if isinstance(value, str) else (0, value)

    return sorted(set(values), key=rank)


def floor_of(config: ModelConfig) -> float:
    """Return the noise floor of the drops of a model, measured or not."""
    return noise_floor(config.task.sizes()[1])
