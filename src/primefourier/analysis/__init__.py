"""Which features a trained network uses: ablation of any torch classifier, with uncertainty.

``ablate`` and ``feature_groups`` load torch when they are first used; exact tests and bounds load
scipy.
"""

from typing import TYPE_CHECKING, Any

from primefourier._checks import missing_extra
from primefourier.analysis.ablation import Ablation
from primefourier.analysis.specialisation import (
    Ratio,
    Selectivity,
    selectivity,
    specialisation_ratio,
)
from primefourier.analysis.statistics import (
    Interval,
    drop_bounds,
    mean_interval,
    noise_floor,
    paired_p_value,
)

if TYPE_CHECKING:
    from primefourier.analysis.groups import feature_groups
    from primefourier.analysis.torch_ablation import ablate

__all__ = [
    "Ablation",
    "Interval",
    "Ratio",
    "Selectivity",
    "ablate",
    "drop_bounds",
    "feature_groups",
    "mean_interval",
    "noise_floor",
    "paired_p_value",
    "selectivity",
    "specialisation_ratio",
]


def __getattr__(name: str) -> Any:
    """Load the functions that need torch when they are first used."""
    if name not in ("ablate", "feature_groups"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from primefourier.analysis import groups, torch_ablation
    except ImportError as error:
        raise missing_extra(f"primefourier.analysis.{name}", error, "nn") from error
    return getattr(groups if name == "feature_groups" else torch_ablation, name)
