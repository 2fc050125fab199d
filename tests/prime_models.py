"""The numbers of a model of the paper's kind, with rows of primes and a modulus."""

from primefourier.encoding import PrimeBasis
from primefourier.lab.config import ModelConfig, prime_parts


def modulus(config: ModelConfig) -> int:
    return prime_parts(config)[1].modulus


def input_range(config: ModelConfig) -> int:
    return prime_parts(config)[1].input_range


def primes(config: ModelConfig) -> tuple[int, ...]:
    return prime_parts(config)[0].primes


def basis(config: ModelConfig) -> PrimeBasis:
    return prime_parts(config)[0].basis
