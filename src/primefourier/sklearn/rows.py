"""The circles of one column: channels of a basis or a modulus, or circles of any periods."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from primefourier.arithmetic import combine_residues, factorize, residues
from primefourier.arithmetic.crt import combine_coprime
from primefourier.arithmetic.integers import (
    IntegerArray,
    as_integer,
    as_integers,
    describe,
    format_integer,
)
from primefourier.encoding import PrimeBasis, decode, encode
from primefourier.encoding.basis import require_basis
from primefourier.encoding.circle import PERIOD_LIMIT, machine_codes

Row: TypeAlias = PrimeBasis | Fraction
"""A basis of one prime, or the period n/d of one circle, whose angle determines a mod n."""
_LONGEST = 10**12
"""Larger periods are written as powers in the names of features."""


def read_rows(what: str, value: Any) -> tuple[tuple[Row, ...], list[str]]:
    """Return the rows of a basis, of a modulus (as ``plan`` names them) or of periods; all periods.

    >>> read_rows("modulus", 12)
    ((PrimeBasis(primes=(2,), depth=2), PrimeBasis(primes=(3,), depth=1)), ['2', '4', '3'])
    >>> read_rows("period", [24, 365.2425])
    ((Fraction(24, 1), Fraction(146097, 400)), ['24', '365.2425'])
    """
    if what == "period":
        periods = tuple(map(_read_period, value if isinstance(value, list | tuple) else [value]))
        labels = [str(t) if t.denominator == 1 else f"{float(t):.10g}" for t in periods]
        if len({*labels}) < max(1, len(labels)):
            raise ValueError(f"period must be a number or a list of distinct ones, got {value!r}")
        return periods, labels
    if what == "modulus":
        powers = factorize(as_integer(value, "modulus", at_least=2))
    else:
        require_basis(value)
        powers = tuple((p, value.depth) for p in value.primes)
    rows = tuple(PrimeBasis((p,), exponent) for p, exponent in powers)
    return rows, [
        f"{row.primes[0]}^{d + 1}" if d and period > _LONGEST else str(period)
        for row in rows
        for d, period in enumerate(row.periods[0])
    ]


def _read_period(period: Any) -> Fraction:
    """Read a number above 1; a float is the decimal number that it shows."""
    number = isinstance(period, int | float | Fraction | np.integer | np.floating)
    exact = Fraction(str(period)) if number and 1 < period < PERIOD_LIMIT else Fraction(0)
    if not 0 < exact.numerator < PERIOD_LIMIT:
        raise ValueError(
            "period must be a number above 1 (an int, a float or a Fraction with a numerator below "
            f"2^62) or a list of such numbers, got {describe(period)}"
        )
    return exact


def encode_rows(numbers: IntegerArray, rows: tuple[Row, ...]) -> NDArray[np.float64]:
    """Return the codes of integers from exact residues, (n,) → (n, 2 · circles)."""
    return np.concatenate([_encode_row(numbers, row) for row in rows], axis=1)


def _encode_row(numbers: IntegerArray, row: Row) -> NDArray[np.float64]:
    if isinstance(row, PrimeBasis):
        return encode(numbers, row, "float64", flat=True)
    n, d = row.as_integer_ratio()
    rest = residues(numbers, [n])
    if d > 1:
        rest = (rest.astype(object) * d % n).astype(np.int64)
    return np.concatenate(machine_codes(rest, np.array([n])), axis=1)


def _decode_row(codes: NDArray[np.float64], row: Row) -> IntegerArray:
    """Return residues modulo the range of a row, (n, 2 · circles) → (n,)."""
    if isinstance(row, PrimeBasis):
        return decode(codes, row).residues[:, 0]
    n, d = row.as_integer_ratio()
    steps = np.arctan2(codes[:, 1], codes[:, 0]) / (2 * np.pi) * n
    clear = abs(steps - np.rint(steps)) < 0.05 - n * 2.0**-50  # less what rounding can add
    clear &= abs(np.hypot(codes[:, 0], codes[:, 1]) - 1) < 0.25
    if not clear.all():
        raise ValueError(f"vector [{np.argmin(clear)}] is not near any code of period {row}")
    return np.rint(steps).astype(np.int64).astype(object) * pow(d, -1, n) % n


def decode_rows(
    codes: NDArray[np.float64], rows: tuple[Row, ...], low: int, high: int
) -> IntegerArray:
    """Return the integers around low … high with these codes, (n, 2 · circles) → (n,)."""
    moduli = [row.range if isinstance(row, PrimeBasis) else row.numerator for row in rows]
    total, span = math.lcm(*moduli), high - low + 1
    if span > total:
        raise ValueError(
            f"fit saw integers that are {format_integer(span - 1)} apart, but the circles repeat "
            f"every {format_integer(total)}; use more primes, depth or periods"
        )
    start = low - (total - span) // 2
    widths = [row.dim if isinstance(row, PrimeBasis) else 2 for row in rows]
    parts = np.split(codes, np.cumsum(widths)[:-1], axis=1)
    found = np.stack([_decode_row(*pair) for pair in zip(parts, rows, strict=True)], axis=1)
    if total == math.prod(moduli):
        values = combine_coprime(found, moduli).tolist()
    else:
        values = [combine_residues(row, moduli).value for row in found.tolist()]
    return as_integers([(value - start) % total + start for value in values])
