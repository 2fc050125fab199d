"""Which features a trained network uses: ablation of any torch classifier, with uncertainty.

What needs torch loads it when it is first used; exact tests and bounds load scipy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from primefourier._checks import missing_extra
from primefourier.analysis.ablation import Ablation, ablation_frame
from primefourier.analysis.risk import PublishedRisk, published_risk
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
    from primefourier.analysis.certification import certify
    from primefourier.analysis.diagnosis import Diagnosis, diagnose
    from primefourier.analysis.finite_check import Certificate
    from primefourier.analysis.groups import feature_groups, feature_mask
    from primefourier.analysis.repairs import Repair, repair
    from primefourier.analysis.torch_ablation import ablate

__all__ = [
    "Ablation",
    "Certificate",
    "Diagnosis",
    "Interval",
    "PublishedRisk",
    "Ratio",
    "Repair",
    "Selectivity",
    "ablate",
    "ablation_frame",
    "certify",
    "diagnose",
    "drop_bounds",
    "feature_groups",
    "feature_mask",
    "mean_interval",
    "noise_floor",
    "paired_p_value",
    "published_risk",
    "repair",
    "selectivity",
    "specialisation_ratio",
]

_WITH_TORCH = ("certification", "diagnosis", "finite_check", "groups", "repairs", "torch_ablation")


def __getattr__(name: str) -> Any:
    """Load what needs torch when it is first used."""
    if name in __all__:
        try:
            modules = [import_module(f"{__name__}.{module}") for module in _WITH_TORCH]
        except ImportError as error:
            raise missing_extra(f"primefourier.analysis.{name}", error, "nn") from error
        return next(getattr(module, name) for module in modules if hasattr(module, name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
