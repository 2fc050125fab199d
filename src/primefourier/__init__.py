"""Prime Fourier Embeddings: integers as prime-indexed (cos, sin) pairs.

The core needs numpy only. ``primefourier.nn`` needs torch; the command line and the figures need
their extras. This import loads none of them.
"""

from primefourier.arithmetic import Congruence, combine_residues
from primefourier.encoding import PAPER_BASIS, Decoded, Plan, PrimeBasis, decode, encode, plan

__version__ = "0.1.0"

__all__ = [
    "PAPER_BASIS",
    "Congruence",
    "Decoded",
    "Plan",
    "PrimeBasis",
    "__version__",
    "combine_residues",
    "decode",
    "encode",
    "plan",
]
