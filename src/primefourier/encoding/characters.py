"""Characters: features that turn multiplication modulo N into rotation, as circles do for addition.

A unit modulo p^k is a product of powers of generators; its exponents, the discrete logarithms, add
when units are multiplied. A row is the code of these logarithms, with the prime powers q, q², … of
the order of each generator as periods. Integers that p divides have no logarithm: their row is 0,
and a first feature, the principal character, is 1 for units and 0 for them. So all features are
Dirichlet characters χ, with χ(a·b) = χ(a)·χ(b) for all integers, 0 and other non-units included.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from primefourier.arithmetic.crt import combine_coprime, machine_residues
from primefourier.arithmetic.integers import as_integer, as_integers
from primefourier.arithmetic.primes import factorize
from primefourier.arithmetic.unit_group import unit_group
from primefourier.encoding.basis import PrimeBasis
from primefourier.encoding.decoder import (
    Decoded,
    UnclearCodeError,
    as_floats,
    code_batch,
    decode,
    default_margins,
    require_margin,
    require_resolution,
)
from primefourier.encoding.encoder import dtype_name, encode


class Character(NamedTuple):
    """One block of a code: its values are multiples of 1/period of a turn, or 0.

    The conductor is the smallest modulus of which it is a function, a prime power. The principal
    character of a row has period 1 and, here, the conductor p.
    """

    conductor: int
    period: int


@dataclass(frozen=True)
class CharacterBasis:
    """Prime powers, each with a row of characters: multiplying integers rotates their codes.

    Attributes:
        moduli: Prime powers of distinct primes in ascending order, at most 2^20 each.

    >>> basis = CharacterBasis((5, 7))
    >>> basis.channels[:3]  # of 5: the principal character, then periods 2 and 4 = 5 - 1
    (Character(conductor=5, period=1), Character(conductor=5, period=2), Character(conductor=5, ...
    >>> a, b = basis.encode([13, 10**30], "float64").view(complex)
    >>> basis.decode((a * b).view(float)).value == 13 * 10**30 % 35
    True
    """

    moduli: tuple[int, ...]

    def __post_init__(self) -> None:
        given = as_integers(self.moduli)
        if given.ndim != 1 or not given.size:
            raise ValueError(f"moduli must be a tuple of prime powers, got {self.moduli!r:.80}")
        moduli = tuple(given.tolist())
        primes = [unit_group(m).prime for m in moduli]
        if len(set(primes)) < len(primes) or any(m > n for m, n in pairwise(moduli)):
            raise ValueError(
                f"moduli must be powers of distinct primes in ascending order, got {moduli}"
            )
        object.__setattr__(self, "moduli", moduli)

    @classmethod
    def for_modulus(cls, modulus: int) -> Self:
        """Return the basis of the prime powers of N.

        >>> CharacterBasis.for_modulus(360)
        CharacterBasis(moduli=(5, 8, 9))
        """
        factors = factorize(as_integer(modulus, "modulus", at_least=2))
        return cls(tuple(sorted(p**e for p, e in factors)))

    @cached_property
    def rows(self) -> tuple[tuple[Character, ...], ...]:
        """The characters of each prime power."""
        rows = []
        for m in self.moduli:
            p = unit_group(m).prime
            row = [Character(p, 1)]
            for generator, circles in _circles(m):
                for t in circles.periods[0]:
                    # a character of order t = p^i is 1 at all units ≡ 1 modulo t·p, and at no
                    # larger set of this kind; for p = 2 and the generator 5 = 1 + 4, modulo 4·t
                    lift = t * (p if p > 2 or generator == 0 else 4)
                    row.append(Character(p if t % p else lift, t))
            rows.append(tuple(row))
        return tuple(rows)

    @cached_property
    def channels(self) -> tuple[Character, ...]:
        """All characters, in the order of a code."""
        return tuple(character for row in self.rows for character in row)

    @cached_property
    def periods(self) -> tuple[tuple[int, ...], ...]:
        """The periods of each row's characters."""
        return tuple(tuple(character.period for character in row) for row in self.rows)

    @property
    def shape(self) -> tuple[int, int]:
        """The shape (C, 2) of one code, for C characters."""
        return (len(self.channels), 2)

    @property
    def dim(self) -> int:
        """The length of a flat code: 2 · (number of characters)."""
        return 2 * len(self.channels)

    @property
    def range(self) -> int:
        """The product of the moduli; a code depends on the integer modulo this product."""
        return math.prod(self.moduli)

    def encode(self, x: object, dtype: DTypeLike = "float32") -> NDArray[Any]:
        """Encode integers as the values of all characters.

        Args:
            x: Integers of any size and sign, in any form that :func:`primefourier.encode` accepts.
            dtype: float16, float32 or float64.

        Returns:
            The codes; values at quarter turns are exactly 0, 1 and -1.

        Shape:
            (..., C, 2), where the last axis holds (cos, sin), or 0 where p divides the integer.

        >>> CharacterBasis((5,)).encode([0, 1, 2, 4])[..., 1:, :].tolist()
        [[[0.0, 0.0], [0.0, 0.0]], [[1.0, 0.0], [1.0, 0.0]], [[-1.0, 0.0], [0.0, 1.0]], [[1.0, ...
        """
        numbers = as_integers(x)
        flat = numbers.reshape(-1)
        out = np.zeros((flat.size, *self.shape), dtype=dtype_name(dtype))
        column = 0
        for m in self.moduli:
            group, residue = unit_group(m), machine_residues(flat, m)
            units = residue % group.prime != 0
            out[units, column, 0] = 1
            column += 1
            for generator, circles in _circles(m):
                logarithms = group.logarithms[generator, residue[units]]
                block = slice(column, column + circles.depth)
                out[units, block] = encode(logarithms, circles, dtype)[:, 0]
                column += circles.depth
        return out.reshape(*numbers.shape, *self.shape)

    def decode(
        self, codes: object, *, min_margin: float | None = None, flat: bool | None = None
    ) -> Decoded:
        """Recover integers modulo the product of the moduli.

        Args:
            codes: Codes as :meth:`encode` returns them, or flat; from numpy or torch.
            min_margin: The smallest accepted margin; by default that of
                :func:`primefourier.decode`.
            flat: Whether a code is one axis; see :func:`primefourier.decode`.

        Raises:
            ValueError: If the dtype is too coarse for the largest prime factor of p - 1, where p is
                a prime of the basis.
            UnclearCodeError: If a vector is not near any code, or is the code of a multiple of p
                for a modulus p², p³, …: all of these have the same code.

        Shape:
            (..., C, 2) or (..., dim) → value and margin (...), residues (..., rows).

        >>> basis = CharacterBasis.for_modulus(77)
        >>> basis.decode(basis.encode([10, 77, 3 - 77])).value
        array([10,  0,  3])
        """
        if min_margin is not None:
            require_margin(min_margin)
        floats, roundoff = as_floats(codes)
        batch = code_batch(floats, self.shape, flat=flat)
        line = floats.astype(np.float64).reshape(-1, *self.shape)
        residues = np.empty((len(line), len(self.moduli)), dtype=np.int64)
        margin, least = np.empty(residues.shape), np.empty(residues.shape)
        column = 0
        for i, m in enumerate(self.moduli):
            row = line[:, column : column + len(self.rows[i])]
            allowed = {circles: _least_margin(m, circles, roundoff) for _, circles in _circles(m)}
            start = min(allowed.values(), default=0.99)  # modulo 2 there are no circles
            if min_margin is not None:
                start, allowed = min_margin, dict.fromkeys(allowed, min_margin)
            residues[:, i], margin[:, i], least[:, i] = _decode_row(row, m, start, allowed)
            column += len(self.rows[i])
        for n, i in np.argwhere(~(margin >= least))[:1].tolist():
            raise UnclearCodeError(
                f"vector {[int(j) for j in np.unravel_index(n, batch)]} is not near the code of an "
                f"integer: modulo {self.moduli[i]} its margin is {margin[n, i]:.3g}, below "
                f"{least[n, i]:.3g}",
                "pass a smaller min_margin if the codes are noisy; modulo p², p³, … only units "
                "can be decoded",
            )
        value = combine_coprime(residues, self.moduli).reshape(batch)
        smallest = margin.min(axis=1).reshape(batch)
        single = batch == ()
        return Decoded(
            value=int(value.item()) if single else value,
            modulus=self.range,
            residues=residues.reshape(*batch, len(self.moduli)),
            margin=float(smallest) if single else smallest,
        )


Basis: TypeAlias = PrimeBasis | CharacterBasis


def require_either(basis: object) -> None:
    """Raise TypeError if the value is neither a PrimeBasis nor a CharacterBasis."""
    if not isinstance(basis, PrimeBasis | CharacterBasis):
        raise TypeError(
            f"basis must be a PrimeBasis or a CharacterBasis, got a {type(basis).__name__}; make "
            "one with PrimeBasis(primes=(3, 5, 7), depth=2)"
        )


def _circles(modulus: int) -> list[tuple[int, PrimeBasis]]:
    """Return the circles of logarithms: the generator, and a prime of its order with its powers."""
    orders = unit_group(modulus).powers.shape
    return [(g, PrimeBasis((q,), e)) for g, order in enumerate(orders) for q, e in factorize(order)]


def _least_margin(modulus: int, circles: PrimeBasis, roundoff: float) -> float:
    """Return the least margin of a circle of logarithms; ValueError if its dtype is too coarse."""
    try:
        require_resolution(circles, roundoff)
    except ValueError as error:
        raise ValueError(f"modulo {modulus}, {error}") from error
    return float(default_margins(circles, roundoff).min())


def _decode_row(
    row: NDArray[np.float64], modulus: int, start: float, allowed: dict[PrimeBasis, float]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return residues, margins and least margins of the rows of one modulus."""
    # The margin is that of the character that is nearest to being refused, -1 if nothing is near.
    # ``start`` is the least margin of principal characters and of zeros, ``allowed`` of circles.
    group = unit_group(modulus)
    principal = row[:, 0, 0]
    units = principal > 0.5
    norm = np.hypot(row[..., 0], row[..., 1])
    margin = 1 - 2 * np.where(units, np.abs(principal - 1), norm.max(axis=1))
    least = np.full(len(row), start)
    if modulus > group.prime:  # all multiples of p have the code of 0, so none is known
        margin[~units] = -1
    logarithms: list[list[NDArray[Any]]] = [[] for _ in group.generators]
    column = 1
    for generator, circles in _circles(modulus):
        part = row[units, None, column : column + circles.depth]
        found = decode(part, circles, errors="mask", min_margin=0)
        logarithms[generator].append(np.ma.getdata(found.value))
        clear = np.where(np.ma.getmaskarray(found.value), -1, found.margin)
        nearer = clear - allowed[circles] < margin[units] - least[units]
        margin[units] = np.where(nearer, clear, margin[units])
        least[units] = np.where(nearer, allowed[circles], least[units])
        column += circles.depth
    index = tuple(
        combine_coprime(np.stack(parts, axis=-1), [q**e for q, e in factorize(order)])
        for parts, order in zip(logarithms, group.powers.shape, strict=True)
    )
    residues = np.zeros(len(row), dtype=np.int64)
    residues[units] = group.powers[index]
    return residues, margin, least


@dataclass(frozen=True)
class ProductPlan:
    """The characters that are relevant for multiplication modulo N.

    A character is relevant exactly if its conductor divides N: only then is it a function of
    a mod N.

    Attributes:
        modulus: N.
        basis: The basis.
        relevant: The relevant characters of the basis.
        missing: The characters that N needs and the basis does not have.
        squares: Primes whose squares divide N: characters do not tell their multiples apart.
    """

    modulus: int
    basis: CharacterBasis
    relevant: tuple[Character, ...]
    missing: tuple[Character, ...]
    squares: tuple[int, ...]

    @property
    def complete(self) -> bool:
        """Whether the basis determines a·b mod N for all integers."""
        return not self.missing and not self.squares

    def explain(self) -> str:
        """Describe the plan in words.

        >>> print(plan_product(35, CharacterBasis((5, 11))).explain())
        Relevant for products modulo 35: 3 of the 6 characters, those modulo 5.
        A linear map that respects multiplication mod 35 is zero on the others.
        The basis lacks characters modulo 7.
        """
        n, used = self.modulus, len(self.relevant)
        own, lacking = (
            ", ".join(map(str, dict.fromkeys(c.conductor for c in some))) or "none"
            for some in (self.relevant, self.missing)
        )
        lines = [
            f"Relevant for products modulo {n}: {used} of the {len(self.basis.channels)} "
            f"characters, those modulo {own}.",
            f"A linear map that respects multiplication mod {n} is zero on the others.",
        ]
        if self.missing:
            lines.append(f"The basis lacks characters modulo {lacking}.")
        if self.squares:
            primes = ", ".join(map(str, self.squares))
            lines.append(f"Squares divide {n}: characters do not tell multiples of {primes} apart.")
        if self.complete:
            lines.append(f"The basis determines a·b mod {n} for all integers.")
        return "\n".join(lines)


def plan_product(modulus: int, basis: CharacterBasis) -> ProductPlan:
    """Find the characters of a basis that are relevant for multiplication modulo N.

    Args:
        modulus: N, at least 2; its prime powers must be at most 2^20.
        basis: The basis.

    >>> found = plan_product(35, CharacterBasis((3, 5)))
    >>> [character.period for character in found.relevant]
    [1, 2, 4]
    >>> [character.period for character in found.missing]
    [1, 2, 3]
    """
    n = as_integer(modulus, "modulus", at_least=2)
    if not isinstance(basis, CharacterBasis):
        raise TypeError(
            f"basis must be a CharacterBasis, got a {type(basis).__name__}; make one with "
            "CharacterBasis.for_modulus(modulus), or use plan for sums"
        )
    needed = CharacterBasis.for_modulus(n).channels
    relevant = tuple(c for c in basis.channels if n % c.conductor == 0)
    missing = tuple(c for c in needed if c not in relevant)
    return ProductPlan(n, basis, relevant, missing, tuple(p for p, e in factorize(n) if e > 1))
