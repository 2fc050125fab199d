"""What installed packages add: commands of ``pfe``, and how studies of a kind are shown.

A package names an instance of :class:`Plugin` among its entry points, in the group
``primefourier.plugins``. The ``kind`` of a study is looked up among installed plugins, and nowhere
else: nothing that a store holds is imported or executed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from primefourier.lab.config import ModelConfig
    from primefourier.lab.figures import FigureFile
    from primefourier.lab.grid import Grid
    from primefourier.lab.record import Record
    from primefourier.lab.results import Run

GROUP = "primefourier.plugins"
_LOG = logging.getLogger("primefourier.lab")


class Plugin:
    """What a package adds; every method may stay as it is here, where it adds nothing.

    It is loaded whenever ``pfe`` starts, so its module should import heavy packages in its methods.

    Attributes:
        kinds: The kinds of studies that it knows, as in ``Study(kind=…)``.
        heading: Above its commands in ``pfe --help``.

    >>> class Mine(Plugin):
    ...     kinds = ("mine",)
    ...
    ...     def about(self, grid, more):
    ...         return {"expectation": "Only the row of p should matter."}
    """

    kinds: Sequence[str] = ()
    heading: str = ""

    def commands(self) -> Mapping[str, Callable[..., object]]:
        """Return further commands of ``pfe``, by name; "run mine" becomes ``pfe run mine``."""
        return {}

    def rank(self, grid: Grid) -> Any:
        """Return the place of a grid of its kinds among them; None if it is not its own after all.

        A store may come from somebody else, so the models must be those that the kind promises.
        """
        return 0

    def about(self, grid: Grid, more: Sequence[Record]) -> dict[str, Any]:
        """Return what the report page says of a grid, such as its ``expectation``.

        Args:
            grid: One of its grids.
            more: The records of other runs that the user opened beside this one.
        """
        return {}

    def model_name(self, config: ModelConfig) -> str:
        """Return the name of a model in its cell on the report page."""
        return config.describe()

    def figures(self, grids: Sequence[Grid]) -> Iterator[FigureFile] | None:
        """Return the figures of all its grids of a run; None for those of any study."""
        return None

    def sections(self, run: Run) -> dict[str, Any]:
        """Return further parts of the report page of a run with its studies, such as ``claims``."""
        return {}


@cache
def installed() -> tuple[Plugin, ...]:
    """Return the plugins of all installed packages; a warning names any that cannot be loaded."""
    found = []
    for entry in entry_points(group=GROUP):
        try:
            plugin = entry.load()
        except Exception as error:  # of a package that does not fit this version
            _LOG.warning("warning: the plugin %s cannot be loaded: %s", entry.value, error)
            continue
        if isinstance(plugin, Plugin):
            found.append(plugin)
        else:
            _LOG.warning("warning: the plugin %s is not a Plugin", entry.value)
    return tuple(found)


def plugin_of(grid: Grid) -> Plugin | None:
    """Return the plugin that a grid belongs to, if any."""
    for plugin in installed():
        if grid.study.kind in plugin.kinds and plugin.rank(grid) is not None:
            return plugin
    return None


def in_order(grids: Iterable[Grid]) -> list[Grid]:
    """Return grids with those of plugins first, in their order; the others in that of the run."""
    every = list(grids)
    return [grid for _, own in by_plugin(every) for grid in own]


def by_plugin(grids: Sequence[Grid]) -> list[tuple[Plugin | None, list[Grid]]]:
    """Return each plugin that has grids with these in order; grids of no plugin come last."""
    owners = [plugin_of(grid) for grid in grids]
    found: list[tuple[Plugin | None, list[Grid]]] = []
    for plugin in (*installed(), None):
        own = [grid for grid, owner in zip(grids, owners, strict=True) if owner is plugin]
        if own:
            found.append((plugin, sorted(own, key=plugin.rank) if plugin else own))
    return found
