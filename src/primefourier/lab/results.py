"""A run: a folder with a store, read once, and everything that can be made of its records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

from primefourier._checks import printable, require_choice
from primefourier._files import write_file, writing
from primefourier.analysis.ablation import Kind
from primefourier.explorer import make_page, page_data
from primefourier.lab.config import ModelConfig
from primefourier.lab.export import COLUMNS, Format, record_rows, write_rows
from primefourier.lab.grid import Grid, in_order, make_grids
from primefourier.lab.page import run_as_data
from primefourier.lab.record import Record
from primefourier.lab.store import STORE_NAME, read_store
from primefourier.lab.study import Axis, Study, find_axes
from primefourier.lab.tables import Table
from primefourier.plugins import in_order as plugins_first


@dataclass(frozen=True)
class Comparison:
    """Accuracies of models that differ in one part or field; ``Run.compare`` returns one.

    Attributes:
        path: What is compared.
        axes: The names of what else varies.
        values: The values that are compared, one per column.
        means: For each combination of the axes, the mean accuracy with each value, or None.
    """

    path: str
    axes: tuple[str, ...]
    values: tuple[Any, ...]
    means: Mapping[tuple[Any, ...], tuple[float | None, ...]]

    def frame(self, library: Literal["pandas", "polars"] = "pandas") -> Any:
        """Return a data frame: one row for each combination, one column per value."""
        names = [*self.axes, *map(str, self.values)]
        rows = [dict(zip(names, (*key, *row), strict=True)) for key, row in self.means.items()]
        return _frame(library, rows, names)

    def table(self) -> Table:
        """Return the accuracies as a table of words."""
        rows = [
            [*map(str, key), *("–" if mean is None else f"{mean:.3f}" for mean in row)]
            for key, row in self.means.items()
        ]
        return Table([*self.axes, *map(str, self.values)], rows)

    def __str__(self) -> str:
        return self.table().markdown()


@dataclass(frozen=True, eq=False)
class Run:
    """The studies of a run and their records. Everything derived is computed once.

    Args:
        studies: The studies with their planned models.
        records: The records, at most one per model.
        commands: The commands that wrote them, as they stand in the store.
        folder: The folder of the run.
        more: Records of other runs, which count for what plugins show, such as claims, and for
            nothing else.
    """

    studies: Sequence[Study]
    records: Sequence[Record]
    commands: Sequence[str] = ()
    folder: Path = Path()
    more: Sequence[Record] = ()

    def __repr__(self) -> str:
        measured = self.counts["measured"]
        return f"Run({str(self.folder)!r}: {measured} of {len(self.planned)} models measured)"

    @cached_property
    def planned(self) -> list[ModelConfig]:
        """The planned models of all studies, each once."""
        configs = (config for study in self.studies for config in study.configs)
        return list({config.key: config for config in configs}.values())

    @cached_property
    def _by_key(self) -> dict[str, Record]:
        return {record.config.key: record for record in self.records}

    @cached_property
    def failures(self) -> list[Record]:
        """The records of models that failed."""
        return [record for record in self.records if record.error is not None]

    @cached_property
    def diverged(self) -> list[Record]:
        """The records of models whose networks ended with NaN logits; no mean counts them."""
        return [record for record in self.records if record.diverged]

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many models are planned, measured, failed and waiting."""
        return self._count(self.planned)

    def progress(self) -> dict[str, dict[str, int]]:
        """Return how many models of each study are planned, measured, failed and waiting."""
        return {study.name: self._count(study.configs) for study in self.studies}

    def _count(self, configs: Sequence[ModelConfig]) -> dict[str, int]:
        records = [self._by_key[c.key] for c in configs if c.key in self._by_key]
        failed = sum(record.error is not None for record in records)
        return {
            "planned": len(configs),
            "measured": len(records) - failed,
            "failed": failed,
            "waiting": len(configs) - len(records),
        }

    @cached_property
    def grids(self) -> list[Grid]:
        """The models of each study and their records in cells, the studies of plugins first."""
        return plugins_first(make_grids(self.studies, self._by_key))

    def summary(self, kind: Kind = "zero") -> list[dict[str, Any]]:
        """Return one row per measured configuration of every study.

        Each has the study, the values along its axes, the number of seeds and models, and the
        means over them: test accuracy, the drop of relevant rows and of other rows under one kind
        of ablation, and the accuracy on each test set beyond the input range. Networks that
        diverged are left out of seeds, models and means; ``diverged`` counts them. ``rows`` are the
        names of the rows of its first model, and ``range`` its input range.
        """
        rows = []
        for grid in self.grids:
            cells = grid.cells_of(kind)
            for place, planned in grid.by_place.items():
                cell, diverged = cells.get(place), grid.diverged(planned)
                if cell is None and not diverged:
                    continue
                first = (cell.records if cell else diverged)[0]
                rows.append(
                    {
                        "study": grid.study.name,
                        **grid.fixed,
                        **({grid.row_name: place[0]} if grid.row_axis else {}),
                        **({grid.column_name: place[1]} if grid.column_axis else {}),
                        "seeds": len(cell.seeds) if cell else 0,
                        "models": len(cell.records) if cell else 0,
                        "diverged": len(diverged),
                        "accuracy": cell and cell.accuracy.mean,
                        "relevant_drop": cell and cell.relevant and cell.relevant.mean,
                        "other_drop": cell and cell.other and cell.other.mean,
                        "beyond": cell.accuracy_beyond if cell else {},
                        "rows": list(first.measured.row_names),
                        "range": getattr(first.config.task, "input_range", None),
                    }
                )
        return rows

    def compare(self, path: str, *, beyond: str | None = None) -> Comparison:
        """Compare the accuracy of models that differ in one part, or in one field of a part.

        Args:
            path: What is compared, such as "embedding", "network" or "training.epochs".
            beyond: The name of a test set beyond the input range, such as "1000000", or "2r" for
                the integers from r to 2r; by default accuracy is that in range.

        Returns:
            One row for each configuration of everything else, one column per value. Each accuracy
            is a mean over seeds, without networks that diverged; None where nothing was measured.
        """
        compared = Axis(path)
        if not compared.names_field_of(self.planned):
            raise ValueError(f"no model of this run has the part or field {path!r}; see Axis")
        part = path.partition(".")[0]
        # a mean over models that differ in something else would compare apples and oranges
        others = [
            axis
            for axis in find_axes(self.planned)
            if axis.path not in (path, "task.beyond")  # tests change no network
            and (axis.path.partition(".")[0] != part or "." in path)
        ]
        found: dict[tuple[Any, ...], dict[Any, list[float]]] = {}
        for record in self.records:
            if record.measurement is None or record.diverged:
                continue
            accuracy = _accuracy(record, beyond)
            row = found.setdefault(tuple(axis.value(record.config) for axis in others), {})
            if accuracy is not None:
                row.setdefault(compared.value(record.config), []).append(accuracy)
        values = in_order({value for row in found.values() for value in row})
        if found and not values:
            raise ValueError(f"no model of this run was tested beyond its range on {beyond!r}")
        means = {
            key: tuple(fmean(row[value]) if value in row else None for value in values)
            for key, row in found.items()
        }
        return Comparison(path, tuple(axis.name for axis in others), tuple(values), means)

    def frame(self, library: Literal["pandas", "polars"] = "pandas") -> Any:
        """Return one row per model as a data frame, with the columns of :meth:`export`.

        What would be averaged is missing where ``diverged`` is true, so that means leave it out.
        """
        return _frame(library, record_rows(self.records, self._study_names), list(COLUMNS))

    @cached_property
    def _study_names(self) -> dict[str, str]:
        names: dict[str, list[str]] = {}
        for study in self.studies:
            for config in study.configs:
                names.setdefault(config.key, []).append(study.name)
        return {key: ", ".join(found) for key, found in names.items()}

    def page_data(self) -> dict[str, Any]:
        """Return everything that a report shows, as plain data."""
        return run_as_data(self)

    def report(self, path: Path | str | None = None) -> Path:
        """Write the results as one HTML page that works offline, and return its path.

        Args:
            path: The file to write; by default report.html in the folder of the run.
        """
        target = self.folder / "report.html" if path is None else Path(path)
        data = self.page_data()
        title = f"{printable(data['name'])}: {data['title']}"
        write_file(target, make_page(page_data(run=data), title=title).encode())
        return target

    def figures(self, out: Path | str | None = None) -> list[Path]:
        """Draw every figure as PNG and SVG, and return the files.

        Args:
            out: The folder to write to; by default figures in the folder of the run.
        """
        from primefourier.lab.figures import draw_figures, write_figures

        target = self.folder / "figures" if out is None else Path(out)
        if out is None and target.is_symlink():
            raise ValueError(f"{target} is a link; remove it, or name another folder to write to")
        with writing(target):
            target.mkdir(parents=True, exist_ok=True)
        return write_figures(draw_figures(self.grids), target)

    def export(self, path: Path | str, format: Format | None = None) -> None:  # noqa: A002
        """Write all records as one table, one row per model; completely or not at all.

        Args:
            path: The file to write; an existing one is replaced.
            format: jsonl, csv (lists as JSON texts, and an apostrophe before texts that a
                spreadsheet would read as a formula) or parquet; by default the suffix of the file.

        Raises:
            OSError: If the file cannot be written.
            ValueError: If a Parquet file cannot hold a number, such as one beyond 64 bits.
        """
        if Path(path).resolve() == (self.folder / STORE_NAME).resolve():
            raise ValueError(f"{path} holds the records themselves; choose another file")
        write_rows(record_rows(self.records, self._study_names), path, format)


def _frame(library: str, rows: list[dict[str, Any]], columns: list[str]) -> Any:
    """Return rows as a data frame of a library."""
    require_choice(library, ("pandas", "polars"), "library")
    try:
        module = import_module(library)
    except ImportError as error:
        raise ImportError(f"a {library} frame needs {library}: pip install {library}") from error
    if library == "polars":
        return module.DataFrame(rows, schema=columns, infer_schema_length=None)
    return module.DataFrame(rows, columns=columns)


def _accuracy(record: Record, beyond: str | None) -> float | None:
    """Return the accuracy of a network in range, or on a test set beyond it, if it has that."""
    if beyond is None:
        return record.measured.accuracy
    if beyond == "2r":
        beyond = str(2 * getattr(record.config.task, "input_range", 0))
    return record.measured.accuracy_beyond.get(beyond)


def open_run(folder: Path | str, *more: Path | str) -> Run:
    """Read the store of a folder once; ``primefourier.lab.open`` is this function.

    Args:
        folder: A folder that ``pfe run``, ``pfe reproduce`` or ``lab.run`` wrote to. It may be read
            while the run is under way.
        more: Further folders, whose models count for what plugins show, such as claims.
    """
    found, *others = map(read_store, (folder, *more))
    records = [record for other in others for record in other.records]
    return Run(found.studies, found.records, found.commands, Path(folder), records)


def newest_run(place: Path) -> Path | None:
    """Return the folder of the newest store in a folder or in its results/*, if there is one."""
    stores = [place / STORE_NAME, *place.glob(f"results/*/{STORE_NAME}")]
    found = [store for store in stores if store.is_file()]
    return max(found, key=lambda store: store.stat().st_mtime).parent if found else None
