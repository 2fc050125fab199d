"""What a trained network uses: ablation of any torch classifier, and how sure the result is."""

try:
    import torch  # noqa: F401
except ImportError as error:
    raise ImportError(
        "primefourier.analysis needs torch, which is not installed; run "
        "pip install 'primefourier[nn]'"
    ) from error

from primefourier.analysis.ablation import Ablation, ablate
from primefourier.analysis.groups import feature_groups
from primefourier.analysis.intervals import Interval, mean_interval
from primefourier.analysis.noise_floor import noise_floor
from primefourier.analysis.paired import paired_p_value
from primefourier.analysis.selectivity import (
    Ratio,
    Selectivity,
    selectivity,
    specialisation_ratio,
)

__all__ = [
    "Ablation",
    "Interval",
    "Ratio",
    "Selectivity",
    "ablate",
    "feature_groups",
    "mean_interval",
    "noise_floor",
    "paired_p_value",
    "selectivity",
    "specialisation_ratio",
]
