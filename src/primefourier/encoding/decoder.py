"""Decode codes to integers, digit by digit, without loss even at low precision."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from primefourier.arithmetic.crt import MACHINE_LIMIT, combine_coprime
from primefourier.arithmetic.integers import (
    IntegerArray,
    as_integers,
    describe,
    require_dense,
    require_values,
)
from primefourier.encoding.basis import PrimeBasis, require_basis

_BLOCK = 4096  # codes decoded at once
_NUMPY_FLOATS = ("float16", "float32", "float64", "float96", "float128")
_NARROW_FLOATS = ("bfloat16", "float8_e3m4", "float8_e4m3", "float8_e4m3fn", "float8_e5m2")


class UnclearCodeError(ValueError):
    """A vector is not near any code; ``problem`` says which one and why, without the advice."""

    def __init__(self, problem: str, advice: str) -> None:
        super().__init__(f"{problem}; {advice}")
        self.problem = problem


@dataclass(frozen=True, eq=False)
class Decoded:
    """Decoded integers and the margins of their codes.

    Attributes:
        value: The integer: an int for a single code, otherwise an array (int64, or Python ints if
            a value does not fit); a masked array with ``errors="mask"``.
        modulus: The modulus up to which the value is known, ``basis.range``.
        residues: For each prime the value modulo p^D, (..., P); masked like the value.
        margin: The distance from a wrong digit: 1 for a perfect code, 0 for a tie. A phase may be
            wrong by half the angle between neighbouring digits; the margin is the smallest unused
            fraction of this angle over all blocks.
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
    min_margin: float | None = None,
    norm_tolerance: float = 0.25,
    flat: bool | None = None,
) -> Decoded:
    """Recover the integers from their codes, exactly at every depth.

    Once a mod p^d is known, the angle at depth d determines one base-p digit: p choices, a p-th of
    a turn apart, for every period. Float32, float16 and bfloat16 codes therefore suffice at any
    depth, and 8-bit floats (e4m3) up to p = 61. The Chinese Remainder Theorem combines the primes.

    A margin measures the distance to the nearest code. It cannot show that this is the intended
    code: if a whole row (all depths of one prime) belongs to another integer, the vector is a
    perfect code of a third integer.

    Args:
        vectors: Codes in the shape that ``encode`` returns, or flat as the modules in
            ``primefourier.nn`` return them; numpy or torch, in float64, float32, float16, bfloat16
            or an 8-bit format.
        basis: The basis of the codes.
        signed: Return the representative nearest zero instead of the one in [0, basis.range).
        errors: What to do with vectors that are not near any code (not finite, norm of a block
            too far from 1, margin too small): "raise" a ValueError that names the first one, or
            "mask" them.
        min_margin: The smallest accepted margin of every block. The default is the margin of a
            code that was rounded four times to its dtype, between 0.2 and 0.99: 0.99 for float64
            and float32, 0.97 for float16 and 0.79 for bfloat16 at p = 59. A block at a random angle
            passes with probability 1 - min_margin. Use 0 to accept the nearest code at any margin,
            for example for predictions of a network.
        norm_tolerance: The largest accepted distance of the norm of a block from 1; infinity for
            no limit. A norm of 0 is never accepted, because it has no angle.
        flat: Whether a code is one axis, as ``encode(…, flat=True)`` returns it. By default the
            shape tells; flat codes of one circle, whose last batch axes are 1 and 1, have the shape
            of other codes too, and lose these axes without ``flat=True``.

    Returns:
        The integers with their residues and margins.

    Raises:
        UnclearCodeError: If ``errors`` is "raise" and a vector is not near any code.
        ValueError: If the shape does not fit the basis, or if the dtype is too coarse for the
            largest prime.

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
    if not isinstance(errors, str) or errors not in ("raise", "mask"):
        raise ValueError(f"errors must be 'raise' or 'mask', got {errors!r:.80}")
    if min_margin is not None:
        require_margin(min_margin)
    if not (_is_number(norm_tolerance) and norm_tolerance >= 0):
        raise ValueError(
            f"norm_tolerance must be a number of at least 0, got {describe(norm_tolerance)}"
        )
    array, roundoff = as_floats(vectors)
    require_resolution(basis, roundoff)
    least = default_margins(basis, roundoff)
    if min_margin is not None:
        least[:] = min_margin
    batch = code_batch(array, basis.shape, flat=flat)
    line = array.reshape(-1, *basis.shape)
    machine = basis.primes[-1] ** basis.depth < MACHINE_LIMIT
    residues: IntegerArray = np.empty(
        (len(line), len(basis.primes)), dtype="int64" if machine else "O"
    )
    margin: Any = np.empty(len(line))
    valid = np.empty(len(line), dtype=bool)
    for start in range(0, len(line), _BLOCK):
        rows = slice(start, start + _BLOCK)
        with np.errstate(invalid="ignore"):  # NaN is refused below
            block = line[rows].astype(np.float64)
            norm = np.hypot(block[..., 0], block[..., 1])
        clear = _settle_digits(block, basis, residues[rows])
        with np.errstate(invalid="ignore"):
            usable = (norm > 0) & (np.abs(norm - 1) <= norm_tolerance) & (clear >= least)
        margin[rows] = clear.min(axis=(1, 2))
        valid[rows] = usable.all(axis=(1, 2))
        if errors == "raise" and not usable.all():
            row, i, d = first = tuple(np.argwhere(~usable)[0].tolist())
            where = [int(k) for k in np.unravel_index(start + row, batch)] if batch else []
            which = f"vector {where}" if batch else "the vector"
            raise UnclearCodeError(
                f"{which} is not near any code: at prime {basis.primes[i]}, depth {d}, "
                f"{_reason(norm[first], clear[first], least[i, 0], norm_tolerance)}",
                "pass errors='mask' to mask such vectors, or a smaller min_margin if the codes are "
                "noisy",
            )
    value: Any = combine_coprime(residues, [row[-1] for row in basis.periods])
    if signed:
        value = np.where(value > basis.range // 2, value - basis.range, value)
    if value.dtype == object:  # a masked vector may have any value, and would prevent int64
        value = as_integers(np.where(valid, value, 0))
    if errors == "mask":
        value = np.ma.MaskedArray(value, mask=~valid)
        unknown = np.broadcast_to(~valid[:, None], residues.shape)
        residues = np.ma.MaskedArray(residues, mask=unknown)
    value, margin = value.reshape(batch), margin.reshape(batch)
    if batch == ():  # one code: its entry instead of an array of no axes
        value = np.ma.masked if np.ma.is_masked(value) else int(value.item())
        margin = float(margin)
    residues = residues.reshape(*batch, len(basis.primes))
    return Decoded(value=value, modulus=basis.range, residues=residues, margin=margin)


def _settle_digits(
    block: NDArray[np.float64], basis: PrimeBasis, residues: IntegerArray
) -> NDArray[np.float64]:
    """Write a mod p^D for every code and prime, and return the margin of each block."""
    # With f = (a mod p^d) / p^d known, the phase at depth d is (digit + f) / p turns.
    clear = np.empty(block.shape[:-1])
    with np.errstate(invalid="ignore"):
        turns = np.arctan2(block[..., 1], block[..., 0]) / (2 * np.pi)
        turns[~np.isfinite(block).all(axis=-1)] = np.nan
    primes = np.array([float(prime) for prime in basis.primes])
    fraction = np.zeros(residues.shape)
    residues[:] = 0
    for d in range(basis.depth):  # all primes at once
        position = primes * turns[:, :, d] - fraction
        nearest = np.rint(position)
        clear[:, :, d] = 1 - 2 * np.abs(position - nearest)
        nearest[np.isnan(nearest)] = 0
        digit = np.mod(nearest, primes)  # rounding can give the prime itself
        fraction = (digit + fraction) / primes
        powers = np.array([prime**d for prime in basis.primes], dtype=residues.dtype)
        residues += digit.astype(np.int64).astype(residues.dtype) * powers
    return clear


def require_resolution(basis: PrimeBasis, roundoff: float) -> None:
    """Raise ValueError if the dtype cannot separate the residues of the largest prime."""
    # Rounding cosine and sine turns a unit vector by at most 0.71 rounding errors (2^-53 for a
    # float64); 2^-50 bounds the rounding of the float64 arithmetic in this module.
    prime = basis.primes[-1]
    allowed = np.pi / prime
    if 0.71 * roundoff + 2.0**-50 >= allowed:
        raise ValueError(
            f"codes with a rounding error of {roundoff:.1e} cannot separate the residues modulo "
            f"{prime}, which are {2 * allowed:.1e} radians apart; use a wider float dtype or leave "
            "out large primes"
        )


def default_margins(basis: PrimeBasis, roundoff: float) -> NDArray[np.float64]:
    """Return for each prime the margin of a code after four roundings, clipped to 0.2 … 0.99."""
    # each rounding turns a block by at most 0.71 rounding errors; a digit may be off by π / p
    share = 0.71 * roundoff * np.array([float(p) for p in basis.primes]) / np.pi
    return np.clip(1 - 4 * share, 0.2, 0.99)[:, None]


def require_margin(value: object) -> None:
    """Raise ValueError if a value is no margin, a number between 0 and 1."""
    if not (_is_number(value) and 0 <= value <= 1):  # type: ignore[operator]
        raise ValueError(f"min_margin must be a number between 0 and 1, got {describe(value)}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.floating | np.integer) and value == value


def code_batch(
    array: NDArray[Any], shape: tuple[int, ...], *, flat: bool | None = None
) -> tuple[int, ...]:
    """Return the batch shape of codes, whose last axes have the shape of one code or are flat."""
    if not (flat is None or isinstance(flat, bool)):
        raise ValueError(f"flat must be True, False or None, got {describe(flat)}")
    # where both layouts fit, which happens for a single circle, the first one counts
    layouts = {False: shape, True: (math.prod(shape),)}
    if flat is not None:
        layouts = {flat: layouts[flat]}
    for axes in layouts.values():
        if array.shape[-len(axes) :] == axes:
            return array.shape[: -len(axes)]
    required = " or ".join(f"(..., {', '.join(map(str, axes))})" for axes in layouts.values())
    raise ValueError(
        f"codes of this basis have shape {required}, got {array.shape}; pass the basis that "
        "encoded them"
    )


def _reason(norm: float, clear: float, min_margin: float, norm_tolerance: float) -> str:
    """Explain why a block is not near any code."""
    if not np.isfinite(norm):
        return "it is not finite"
    if norm == 0:
        return "its norm is 0, so it has no angle"
    if abs(norm - 1) > norm_tolerance:
        return f"its norm is {norm:.3g}, more than {norm_tolerance:g} from 1"
    return f"its angle leaves a margin of {clear:.3f} to the next digit, below {min_margin:.3g}"


def as_floats(vectors: object) -> tuple[NDArray[Any], float]:
    """Return floats of numpy or torch, narrow formats included, and their rounding error."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(vectors, torch.Tensor):
        if not vectors.dtype.is_floating_point:
            raise TypeError(f"floats are required, got a tensor of {vectors.dtype}")
        require_dense(vectors, "floats")
        require_values(vectors, "floats")
        roundoff = torch.finfo(vectors.dtype).eps / 2
        return vectors.detach().to(torch.float64).cpu().numpy(), roundoff
    if np.ma.is_masked(vectors):
        raise ValueError("masked floats have no value; fill or drop masked entries first")
    try:
        array = np.asarray(vectors)
    except (TypeError, ValueError, RuntimeError) as error:
        raise ValueError(
            "floats are required as an array, or as nested sequences of one shape, got "
            f"{describe(vectors)}, which numpy cannot read ({str(error)[:100]})"
        ) from error
    ml_dtypes = sys.modules.get("ml_dtypes")  # bfloat16 and 8-bit floats for numpy
    if array.dtype.name in _NUMPY_FLOATS:
        return array, float(np.finfo(array.dtype).eps) / 2
    if ml_dtypes is not None and array.dtype.name in _NARROW_FLOATS:
        return array, float(ml_dtypes.finfo(array.dtype).eps) / 2
    if array.dtype.kind in "iu":  # zeros and ones, written by hand
        return array.astype(np.float64), 0.0
    raise TypeError(f"floats are required, got an array of {array.dtype}")
