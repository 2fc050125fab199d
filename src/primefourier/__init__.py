"""Prime Fourier Embeddings: integers as prime-indexed (cos, sin) pairs.

The core needs numpy only. ``primefourier.nn`` needs torch; the command line and the figures need
their extras. This import loads none of them.
"""

from primefourier.arithmetic import Congruence, combine_residues
from primefourier.encoding import (
    PAPER_BASIS,
    CharacterBasis,
    Decoded,
    Plan,
    PrimeBasis,
    ProductPlan,
    decode,
    encode,
    plan,
    plan_product,
)

__version__ = "0.2.0"

__all__ = [
    "PAPER_BASIS",
    "CharacterBasis",
    "Congruence",
    "Decoded",
    "Plan",
    "PrimeBasis",
    "ProductPlan",
    "__version__",
    "combine_residues",
    "decode",
    "encode",
    "plan",
    "plan_product",
]
