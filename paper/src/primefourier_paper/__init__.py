"""The paper's reproduction: its experiments, claims and figures, as a guest of the laboratory.

Names are imported when they are first used, since ``pfe`` loads this package whenever it starts.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from primefourier_paper.cells import cells_of
    from primefourier_paper.claims import CLAIMS, judge, save_claims
    from primefourier_paper.control import ControlRow, control_rows
    from primefourier_paper.experiments import (
        EXPERIMENTS,
        PROFILES,
        CompositeModuli,
        Experiment,
        ShuffledControl,
        SinglePrime,
        models_of,
        profile,
    )
    from primefourier_paper.rule import SECTIONS, Finding, claims_table, tally

__version__ = "0.2.0"

__all__ = [
    "CLAIMS",
    "EXPERIMENTS",
    "PROFILES",
    "SECTIONS",
    "CompositeModuli",
    "ControlRow",
    "Experiment",
    "Finding",
    "ShuffledControl",
    "SinglePrime",
    "cells_of",
    "claims_table",
    "control_rows",
    "judge",
    "models_of",
    "profile",
    "save_claims",
    "tally",
]
_MODULES = {
    **dict.fromkeys(("CLAIMS", "judge", "save_claims"), "claims"),
    **dict.fromkeys(("ControlRow", "control_rows"), "control"),
    **dict.fromkeys(("SECTIONS", "Finding", "claims_table", "tally"), "rule"),
    "cells_of": "cells",
}
"""The modules of names that are not of ``experiments``."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES.get(name, 'experiments')}"), name)
