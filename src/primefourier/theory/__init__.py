"""The paper's theorem as code: the action, its commutant, and distances from equivariance."""

from primefourier.encoding.aliases import alias_distance
from primefourier.theory.equivariance import (
    assert_equivariant,
    commutant_dimension,
    coupling_singular_values,
    equivariance_error,
    equivariant_basis,
    off_block_energy,
    project_to_equivariant,
    rotation,
    spread_shifts,
)
from primefourier.theory.logits import (
    LogitChannels,
    exact_product_logits,
    exact_sum_logits,
    logit_channels,
    logit_gap,
)
from primefourier.theory.theorem import Check, check_theorem

__all__ = [
    "Check",
    "LogitChannels",
    "alias_distance",
    "assert_equivariant",
    "check_theorem",
    "commutant_dimension",
    "coupling_singular_values",
    "equivariance_error",
    "equivariant_basis",
    "exact_product_logits",
    "exact_sum_logits",
    "logit_channels",
    "logit_gap",
    "off_block_energy",
    "project_to_equivariant",
    "rotation",
    "spread_shifts",
]
