"""Linear equivariant maps from codes to N logits: they use (p, d) only if p^(d+1) divides N.

Let the integers act on N logits by cyclic shift. A linear map L from codes to logits respects both
actions, L·R(b) = S^b·L, exactly if its block at (p, d) is a combination of two waves over the
logits where p^(d+1) divides N, and 0 elsewhere. This is the sharp form of the CRT prediction, with
prime powers, and it names the useful channels before any training.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from primefourier.encoding import CharacterBasis, PrimeBasis, encode, plan, plan_product
from primefourier.encoding.decoder import as_floats, code_batch


@dataclass(frozen=True, eq=False)
class LogitChannels:
    """All linear equivariant maps from codes to N logits.

    They can be non-zero on ``channels`` alone, the (p, d) with p^(d+1) | N. There ``waves``,
    (channels, 2, N, 2), are the two waves over the logits that take the cosine and the sine.
    """

    modulus: int
    basis: PrimeBasis
    channels: tuple[tuple[int, int], ...]
    waves: NDArray[np.float64]

    @property
    def dimension(self) -> int:
        """The number of independent maps: two per channel."""
        return 2 * len(self.channels)

    def maps(self) -> NDArray[np.float64]:
        """Return a basis of the maps, matrices from flat codes to logits, (dimension, N, dim)."""
        out = np.zeros((len(self.channels), 2, self.modulus, self.basis.dim))
        for i, channel in enumerate(self.channels):
            column = 2 * self.basis.channels.index(channel)
            out[i, :, :, column : column + 2] = self.waves[i]
        return out.reshape(self.dimension, self.modulus, self.basis.dim)


def logit_channels(modulus: int, basis: PrimeBasis) -> LogitChannels:
    """Find all linear maps from codes to N logits for which adding b shifts the logits by b.

    On a channel of period m = p^(d+1) dividing N, the two maps send the code (cos, sin) of a to
    cos(2π(a - c)/m) and sin(2π(a - c)/m) at the logits c = 0 … N - 1.

    >>> found = logit_channels(12, PrimeBasis((2, 3, 5), depth=2))
    >>> found.channels
    ((2, 0), (2, 1), (3, 0))
    >>> found.maps().shape
    (6, 12, 12)
    """
    channels = plan(modulus, basis).relevant
    waves = np.empty((len(channels), 2, modulus, 2))
    logits = np.arange(modulus)
    for i, (p, d) in enumerate(channels):
        cosine, sine = encode(logits, PrimeBasis((p,), d + 1), "float64")[:, 0, d].T
        waves[i, 0] = np.stack([cosine, sine], axis=-1)
        waves[i, 1] = np.stack([-sine, cosine], axis=-1)
    return LogitChannels(modulus, basis, channels, waves)


def exact_sum_logits(
    codes_a: ArrayLike, codes_b: ArrayLike, modulus: int, basis: PrimeBasis
) -> NDArray[np.float64]:
    """Return logits for (a + b) mod N without trained weights, correct for every pair.

    The product of two codes, as complex numbers, is the code of the sum. The logit of c is the sum
    over the relevant channels of cos(2π(a + b - c)/p^(d+1)). It is largest at c = (a + b) mod N,
    where every cosine is 1. Any other c differs from a + b modulo some power of a prime p of N, and
    its logit is smaller by at least 1 - cos(2π/p) (see :func:`logit_gap`).

    Codes come from numpy or torch. A basis that does not see all of N is a ValueError.

    Shape:
        Two of (..., P, D, 2) or (..., dim) → (..., N).

    >>> basis = PrimeBasis((3, 5, 7), depth=1)
    >>> logits = exact_sum_logits(encode(13, basis), encode(15, basis), 21, basis)
    >>> int(logits.argmax())
    7
    """
    found = logit_channels(modulus, basis)
    if math.prod(p for p, _ in found.channels) != modulus:
        missing = plan(modulus, basis).explain()
        raise ValueError(f"this basis cannot classify modulo {modulus}. {missing}")
    a, b = (as_floats(codes)[0].astype(np.float64) for codes in (codes_a, codes_b))
    places = [basis.channels.index(channel) for channel in found.channels]
    a, b = (
        codes.reshape(*code_batch(codes, basis.shape), -1, 2)[..., places, :] for codes in (a, b)
    )
    cosine = a[..., 0] * b[..., 0] - a[..., 1] * b[..., 1]
    sine = a[..., 0] * b[..., 1] + a[..., 1] * b[..., 0]
    waves = np.concatenate([found.waves[:, 0, :, 0], found.waves[:, 0, :, 1]])
    logits: NDArray[np.float64] = np.concatenate([cosine, sine], axis=-1) @ waves
    return logits


def exact_product_logits(
    codes_a: ArrayLike, codes_b: ArrayLike, modulus: int, basis: CharacterBasis
) -> NDArray[np.float64]:
    """Return logits for a·b mod N without trained weights, correct for every pair.

    The product of two codes, as complex numbers, is the code of a·b. The logit of c is the sum over
    the relevant characters of Re χ(a·b)·χ(c)*, where the values 1 and 0 of principal characters
    count as 1 and -1. The right c leads by at least 1 - cos(2π/q), where q is the largest prime
    that divides p - 1 for a prime p of N, and by 2 if no p - 1 is greater than 1.

    Codes come from numpy or torch. A basis that does not determine products modulo N is a
    ValueError; N must have no square factors.

    Shape:
        Two of (..., C, 2) or (..., dim) → (..., N).

    >>> basis = CharacterBasis((3, 5, 7))
    >>> logits = exact_product_logits(basis.encode(13), basis.encode(15), 21, basis)
    >>> int(logits.argmax()), 13 * 15 % 21
    (6, 6)
    """
    found = plan_product(modulus, basis)
    if not found.complete:
        raise ValueError(f"this basis cannot classify modulo {modulus}. {found.explain()}")
    places = [basis.channels.index(character) for character in found.relevant]
    # the values 1 and 0 of principal characters count as 1 and -1: z ↦ 2z - 1; others as they are
    scale = np.array([2 if character.period == 1 else 1 for character in found.relevant])

    def values(codes: ArrayLike) -> NDArray[np.complex128]:
        floats = as_floats(codes)[0].astype(np.float64)
        blocks = floats.reshape(*code_batch(floats, basis.shape), *basis.shape)[..., places, :]
        return blocks[..., 0] + 1j * blocks[..., 1]

    product = values(codes_a) * values(codes_b) * scale - (scale - 1)
    answers = values(basis.encode(range(modulus), "float64")) * scale - (scale - 1)
    logits: NDArray[np.float64] = (product @ answers.conj().T).real
    return logits


def logit_gap(modulus: int) -> float:
    """Return 1 - cos(2π/p) for the largest prime factor p of N.

    It is a lower bound on the lead of the correct logit of :func:`exact_sum_logits`.

    >>> round(logit_gap(15), 3)
    0.691
    """
    largest = PrimeBasis.for_modulus(modulus).primes[-1]
    return 2 * math.sin(math.pi / largest) ** 2
