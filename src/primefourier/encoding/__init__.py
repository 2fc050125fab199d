"""The encoding: a basis of primes, codes of integers, and decoding; needs numpy only."""

from primefourier.encoding.basis import PAPER_BASIS, PrimeBasis
from primefourier.encoding.decoder import Decoded, UnclearCodeError, decode
from primefourier.encoding.encoder import encode
from primefourier.encoding.planning import Plan, plan

__all__ = [
    "PAPER_BASIS",
    "Decoded",
    "Plan",
    "PrimeBasis",
    "UnclearCodeError",
    "decode",
    "encode",
    "plan",
]
