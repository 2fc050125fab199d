"""The encoding: a basis of primes, codes of integers, and decoding; needs numpy only."""

from primefourier.encoding.aliases import Alias, find_alias_pairs, find_aliases
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
    "Alias",
    "Character",
    "CharacterBasis",
    "Decoded",
    "Plan",
    "PrimeBasis",
    "ProductPlan",
    "UnclearCodeError",
    "decode",
    "encode",
    "find_alias_pairs",
    "find_aliases",
    "plan",
    "plan_product",
]
