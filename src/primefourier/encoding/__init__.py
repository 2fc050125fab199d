"""The idea itself: a basis of primes, codes for integers, and back; numpy only."""

from primefourier.encoding.basis import PAPER_BASIS, PrimeBasis
from primefourier.encoding.decode import Decoded, decode
from primefourier.encoding.encode import encode
from primefourier.encoding.plan import Plan, plan

__all__ = ["PAPER_BASIS", "Decoded", "Plan", "PrimeBasis", "decode", "encode", "plan"]
