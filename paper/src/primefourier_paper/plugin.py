"""The plugin of ``primefourier``: the paper's commands, its grids, figures and claims.

``pfe`` loads it whenever it starts, so everything else is imported when it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from primefourier.plugins import Plugin

if TYPE_CHECKING:
    from primefourier.lab import ModelConfig, Run
    from primefourier.lab.figures import FigureFile
    from primefourier.lab.grid import Grid
    from primefourier.lab.record import Record


class Paper(Plugin):
    """The paper's experiments."""

    kinds = ("exp1", "control", "exp2")
    heading = "The paper"

    def commands(self) -> Mapping[str, Callable[..., object]]:
        """Return ``reproduce`` and ``claims``, and what ``pfe run`` knows by name."""
        from primefourier_paper.commands import COMMANDS

        return COMMANDS

    def rank(self, grid: Grid) -> tuple[int, bool] | None:
        """Return the place of an experiment; None if its models are not those of its settings."""
        from primefourier_paper.grids import rank

        return rank(grid)

    def about(self, grid: Grid, more: Sequence[Record]) -> dict[str, Any]:
        """Return what is expected, and the networks of other runs tested beyond the range."""
        from primefourier_paper.page import about

        return about(grid, more)

    def model_name(self, config: ModelConfig) -> str:
        """Return the modulus."""
        return str(config.task.modulus)

    def figures(self, grids: Sequence[Grid]) -> Iterator[FigureFile]:
        """Yield the paper's figures."""
        from primefourier_paper.figures import paper_figures

        return paper_figures(grids)

    def sections(self, run: Run) -> dict[str, Any]:
        """Return the claims of the paper."""
        from primefourier_paper.page import sections

        return sections(run)


PLUGIN = Paper()
