"""The encoding: a basis of primes, codes of integers, and decoding; needs numpy only."""

from primefourier.encoding.basis import PAPER_BASIS, PrimeBasis
from primefourier.encoding.characters import (
    Character,
    CharacterBasis,
    ProductPlan,
    plan_product,
)
from primefourier.encoding.decoder import Decoded, UnclearCodeError, decode
from primefourier.encoding.encoder import encode
from primefourier.encoding.planning import Plan, plan

__all__ = [
    "PAPER_BASIS",
    "Character",
    "CharacterBasis",
    "Decoded",
    "Plan",
    "PrimeBasis",
    "ProductPlan",
    "UnclearCodeError",
    "decode",
    "encode",
    "plan",
    "plan_product",
]
