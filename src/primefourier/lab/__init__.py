"""The laboratory: the paper's experiments, from pairs of integers to judged claims.

Data flows one way: studies give configs, a sweep measures each config and stores a record, and a
:class:`Run` makes claims, figures, pages and exports of the records. Names are loaded when they are
first used, so that results can be read without torch, dask and matplotlib.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from primefourier.lab.config import ModelConfig
    from primefourier.lab.measurement import measure
    from primefourier.lab.results import Run
    from primefourier.lab.results import open_run as open  # noqa: A004
    from primefourier.lab.sweep import run

__all__ = ["ModelConfig", "Run", "measure", "open", "run"]

_HOMES = {
    "ModelConfig": ("config", "ModelConfig"),
    "Run": ("results", "Run"),
    "measure": ("measurement", "measure"),
    "open": ("results", "open_run"),
    "run": ("sweep", "run"),
}
"""The module of each public name, and its name there."""


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, inner = _HOMES[name]
    return getattr(import_module(f"{__name__}.{module}"), inner)
