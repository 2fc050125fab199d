"""Decode codes back to integers, digit by digit, without loss even from low precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from primefourier.arithmetic.crt import combine_coprime
from primefourier.arithmetic.integers import IntegerArray
from primefourier.arithmetic.residues import MACHINE_LIMIT
from primefourier.encoding.basis import PrimeBasis, require_basis
from primefourier.encoding.floats import as_floats

_BLOCK = 4096  # codes decoded at once


@dataclass(frozen=True, eq=False)
class Decoded:
    """What a code says, and how clearly.

    Attributes:
        value: The integer: an int for a single code, else an array (int64, or Python ints where
            the basis reaches beyond); a masked array with ``errors="mask"``.
        modulus: The value is known modulo this, ``basis.range``.
        residues: For each prime the value modulo p^D, (..., P); masked like the value.
        margin: How far the closest call was from a wrong digit: 1 for a perfect code, 0 for a tie.
            The phase may be wrong by half the angle between neighbouring digits; the margin is the
            smallest unused fraction of that, over all blocks.
    """

    value: Any
    modulus: int
    residues: IntegerArray
    margin: Any


def decode(
    vectors: object,
    basis: PrimeBasis,
    *,
    signed: bool = False,
    errors: Literal["raise", "mask"] = "raise",
    min_margin: float = 0.2,
    norm_tolerance: float = 0.25,
) -> Decoded:
    """Recover the integers from their codes, exactly at every depth.

    Once a mod p^d is known, the angle at depth d only has to settle one base-p digit: p choices, a
    p-th of a turn apart, whatever the period. So float32, float16 and bfloat16 codes suffice at
    any depth, and 8-bit floats (e4m3) up to p = 61. The Chinese Remainder Theorem joins the primes.

    Args:
        vectors: Codes as ``encode`` makes them, or flat as the modules in ``primefourier.nn``
            make them; numpy or torch, in float64, float32, float16, bfloat16 or an 8-bit format.
        basis: The basis of the codes.
        signed: Return the representative nearest zero instead of the one in [0, basis.range).
        errors: What to do with vectors that are not near any code (not finite, norm of a block
            too far from 1, margin too small): "raise" a ValueError that names the first one, or
            "mask" them.
        min_margin: The smallest margin that counts as clear. Unit vectors at random angles pass
            with probability (1 - min_margin)^(P·D): next to never for the paper's 96 blocks, but
            often for a basis of a few. Use 0 to take the nearest code whatever its margin.
        norm_tolerance: How far the norm of a block may be from 1; infinity for no limit, but 0
            has no angle and is near no code.

    Returns:
        The integers with their residues and margins.

    Raises:
        ValueError: For shapes that are not of this basis, for unclear vectors if ``errors`` is
            "raise", and if the dtype is too coarse for the largest prime.

    Shape:
        (..., P, D, 2) or (..., dim) → value and margin (...), residues (..., P).

    >>> from primefourier import encode
    >>> basis = PrimeBasis((3, 5, 7), depth=2)
    >>> decode(encode(1234, basis, "float16"), basis).value
    1234
    >>> decode(encode([-5, 5], basis), basis, signed=True).value
    array([-5,  5])
    """
    require_basis(basis)
    if errors not in ("raise", "mask"):
        raise ValueError(f"errors must be 'raise' or 'mask', got {errors!r}")
    if not 0 <= min_margin <= 1:
        raise ValueError(f"min_margin must be between 0 and 1, got {min_margin}")
    if not norm_tolerance >= 0:
        raise ValueError(f"norm_tolerance must be 0 or more, got {norm_tolerance}")
    array, roundoff = as_floats(vectors)
    _check_resolution(basis, roundoff)
    batch = code_batch(array, basis)
    flat = array.reshape(-1, *basis.shape)
    machine = basis.primes[-1] ** basis.depth < MACHINE_LIMIT
    residues: IntegerArray = np.empty(
        (len(flat), len(basis.primes)), dtype="int64" if machine else "O"
    )
    margin = np.empty(len(flat))
    valid = np.empty(len(flat), dtype=bool)
    for start in range(0, len(flat), _BLOCK):
        rows = slice(start, start + _BLOCK)
        with np.errstate(invalid="ignore"):  # of NaN, which is refused below
            block = flat[rows].astype(np.float64)
            norm = np.hypot(block[..., 0], block[..., 1])
        clear = _settle_digits(block, basis, residues[rows])
        with np.errstate(invalid="ignore"):
            usable = (norm > 0) & (np.abs(norm - 1) <= norm_tolerance) & (clear >= min_margin)
        margin[rows] = clear.min(axis=(1, 2))
        valid[rows] = usable.all(axis=(1, 2))
        if errors == "raise" and not usable.all():
            row, i, d = first = tuple(np.argwhere(~usable)[0].tolist())
            where = np.unravel_index(start + row, batch) if batch else ()
            raise ValueError(
                f"{_vector(where)} is not near any code: at prime {basis.primes[i]}, depth {d}, "
                f"{_reason(norm[first], clear[first], min_margin, norm_tolerance)}; pass "
                "errors='mask' to mask such vectors"
            )
    value = combine_coprime(residues, [row[-1] for row in basis.periods])
    if signed:
        value = np.where(value > basis.range // 2, value - basis.range, value)
    if errors == "mask":
        value = np.ma.MaskedArray(value, mask=~valid)
        unknown = np.broadcast_to(~valid[:, None], residues.shape)
        residues = np.ma.MaskedArray(residues, mask=unknown)
    value, margin = value.reshape(batch), margin.reshape(batch)
    single = batch == ()
    return Decoded(
        value=_single(value) if single else value,
        modulus=basis.range,
        residues=residues.reshape(*batch, len(basis.primes)),
        margin=float(margin) if single else margin,
    )


def _settle_digits(
    block: NDArray[np.float64], basis: PrimeBasis, residues: IntegerArray
) -> NDArray[np.float64]:
    """Write a mod p^D for every code and prime, and return the margin of each block.

    With f = (a mod p^d) / p^d known, the phase at depth d is (digit + f) / p of a turn.
    """
    clear = np.empty(block.shape[:-1])
    with np.errstate(invalid="ignore"):
        turns = np.arctan2(block[..., 1], block[..., 0]) / (2 * np.pi)
        turns[~np.isfinite(block).all(axis=-1)] = np.nan
    for column, prime in enumerate(basis.primes):
        fraction = np.zeros(len(block))
        total: IntegerArray = np.zeros(len(block), dtype=residues.dtype)
        for d in range(basis.depth):
            position = prime * turns[:, column, d] - fraction
            nearest = np.rint(position)
            clear[:, column, d] = 1 - 2 * np.abs(position - nearest)
            digit = np.mod(np.nan_to_num(nearest), prime)  # rounding may reach prime itself
            fraction = (digit + fraction) / prime
            total += digit.astype(np.int64).astype(residues.dtype) * prime**d
        residues[:, column] = total
    return clear


def _single(value: Any) -> Any:
    """Return the one entry of a 0-d array as an int, or numpy's mark for a masked value."""
    return np.ma.masked if np.ma.is_masked(value) else int(value.item())


def _check_resolution(basis: PrimeBasis, roundoff: float) -> None:
    """Refuse codes that cannot tell the residues of the largest prime apart.

    Rounding cosine and sine turns a unit vector by at most 0.71 rounding errors (2^-53 for a
    float64); to that comes the rounding of this module's own float64 arithmetic.
    """
    prime = basis.primes[-1]
    allowed = np.pi / prime
    if 0.71 * roundoff + 2.0**-50 >= allowed:
        raise ValueError(
            f"codes with a rounding error of {roundoff:.1e} cannot tell the residues modulo "
            f"{prime} apart, which are {2 * allowed:.1e} radians from each other; keep them in "
            "a wider float dtype or leave out large primes"
        )


def code_batch(array: NDArray[Any], basis: PrimeBasis) -> tuple[int, ...]:
    """Return the shape of a batch of codes without the axes of the code itself.

    Codes are (..., P, D, 2) or flat, (..., dim). Where both fit, as they can for one prime at depth
    1, the first counts.
    """
    if array.shape[-3:] == basis.shape:
        return array.shape[:-3]
    if array.shape[-1:] == (basis.dim,):
        return array.shape[:-1]
    raise ValueError(
        f"codes of this basis have shape (..., {', '.join(map(str, basis.shape))}) or "
        f"(..., {basis.dim}), got {array.shape}; is it the basis they were encoded with?"
    )


def _vector(position: tuple[Any, ...]) -> str:
    return f"vector {[int(i) for i in position]}" if position else "the vector"


def _reason(norm: float, clear: float, min_margin: float, norm_tolerance: float) -> str:
    """Say why a block is not near any code."""
    if not np.isfinite(norm):
        return "it is not finite"
    if norm == 0:
        return "its norm is 0, so it has no angle"
    if abs(norm - 1) > norm_tolerance:
        return f"its norm is {norm:.3g}, more than {norm_tolerance:g} from 1"
    return (
        f"its angle leaves a margin of {clear:.2f} to the next digit, below "
        f"min_margin={min_margin:g}"
    )
