"""Beyond the paper's measure: other ablations, single blocks, and equivariance while training."""

from primefourier.lab.probing.apart import can_be_probed, take_apart
from primefourier.lab.probing.equivariance import EquivarianceWatch
from primefourier.lab.probing.probe import KINDS, Probe

__all__ = ["KINDS", "EquivarianceWatch", "Probe", "can_be_probed", "take_apart"]
