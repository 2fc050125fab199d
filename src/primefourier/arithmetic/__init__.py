"""Exact integer arithmetic: input, primes, residues, and the Chinese Remainder Theorem."""

from primefourier.arithmetic.crt import Congruence, combine_residues, residues
from primefourier.arithmetic.integers import as_integers
from primefourier.arithmetic.primes import factorize, is_prime, primes_from

__all__ = [
    "Congruence",
    "as_integers",
    "combine_residues",
    "factorize",
    "is_prime",
    "primes_from",
    "residues",
]
