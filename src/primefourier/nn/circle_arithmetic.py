"""Decode codes with torch operations, and compute with them: add, multiply, invert, take powers.

Adding multiplies complex numbers, block by block, and is smooth. The other operations turn a block
by a multiple of its own angle, which would multiply its error as well; they round to the nearest
residues, compute with them in int64, and return the exact code of the result, rounded to the dtype
of the codes. Their gradient passes straight through the rounding. If f is the function of residues
and f' its derivative modulo the period T, the centred integer in (-T/2, T/2], then the block
behaves like z ↦ z^f'(a) near the code z of a: a small turn of the input turns the output f'(a)
times as far. For large periods f' and the gradient are as large.

A block without an angle (norm 0, or not finite) makes all circles of its prime in the result zero,
which no decoder takes for a number.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from primefourier.arithmetic.crt import MACHINE_LIMIT, combine_coprime
from primefourier.arithmetic.integers import as_integer
from primefourier.encoding import PrimeBasis
from primefourier.encoding.decoder import require_margin, require_resolution
from primefourier.nn.device_codes import device_float, device_periods, residue_codes
from primefourier.nn.embedding import BasisModule, require_codes


class DecodedCodes(NamedTuple):
    """Decoded integers, as tensors on the device of their codes.

    Attributes:
        value: The integers (...): an int64 tensor if ``basis.range`` is below 2^63, otherwise an
            object array of Python ints.
        residues: For each prime the value modulo p^D, int64, (..., P).
        margin: The distance of the closest digit decision from the next digit, from 0 to 1, (...).
        mask: True where the value is unclear, (...).
    """

    value: Any
    residues: Tensor
    margin: Tensor
    mask: Tensor


def decode_codes(
    codes: Tensor, basis: PrimeBasis, *, signed: bool = False, min_margin: float = 0.0
) -> DecodedCodes:
    """Decode flat codes, or points near them, to the nearest integers.

    The values are those of ``primefourier.decode``, which checks more and raises errors; this
    function runs on every device, in ``torch.compile`` and ``torch.export`` (Python ints excepted).

    Args:
        codes: Flat codes; only the angles of their blocks count.
        basis: The basis of the codes; its periods must be below 2^63.
        signed: Return the representative nearest zero instead of the one in [0, basis.range).
        min_margin: Mask values with a smaller margin. A block of norm 0 or without a finite value
            has no angle; its margin is 0, and its value is always masked.

    Shape:
        (..., dim) → value, margin and mask (...), residues (..., P).

    >>> from primefourier import encode
    >>> basis = PrimeBasis((3, 5, 7), depth=2)
    >>> found = decode_codes(torch.from_numpy(encode([1234, -5], basis)).flatten(1), basis)
    >>> found.value.tolist(), found.mask.tolist()
    ([1234, 11020], [False, False])
    """
    residues, margins = settle_residues(codes, basis)
    require_margin(min_margin)
    margin = margins.flatten(-2).amin(-1)
    value: Any
    if basis.range < MACHINE_LIMIT:
        value = _join(residues, basis)
        if signed:
            value = torch.where(value > basis.range // 2, value - basis.range, value)
    elif torch.compiler.is_exporting():
        raise ValueError(
            "an exported model has no Python ints, and basis.range must be below 2^63 for int64 "
            "values; export the codes, and read them with primefourier.decode"
        )
    else:
        exact = residues.reshape(-1, len(basis.primes)).cpu().numpy()
        value = combine_coprime(exact, [row[-1] for row in basis.periods])
        if signed:
            value = np.where(value > basis.range // 2, value - basis.range, value)
        value = value.reshape(margin.shape)
    return DecodedCodes(value, residues, margin, (margin <= 0) | (margin < min_margin))


def settle_residues(codes: Tensor, basis: PrimeBasis) -> tuple[Tensor, Tensor]:
    """Return the residues modulo p^D that are nearest to codes, and the margin of every digit.

    Residues are int64, (..., P), and margins, (..., P, D), are 0 where a block has no angle.
    """
    require_codes(codes, basis)
    if (largest := basis.periods[-1][-1]) >= MACHINE_LIMIT:
        raise ValueError(
            f"residues in int64 need periods below 2^63, got {basis.primes[-1]}^{basis.depth} = "
            f"{largest}; use primefourier.decode, or a smaller depth"
        )
    work = device_float(codes.device)
    require_resolution(basis, max(torch.finfo(codes.dtype).eps, torch.finfo(work).eps) / 2)
    # as in ``primefourier.decode``: with f = (a mod p^d) / p^d known, the phase at depth d is
    # (digit + f) / p turns
    points = codes.detach().to(work).unflatten(-1, basis.shape)
    cosine, sine = points.unbind(-1)
    usable = points.isfinite().all(-1) & ((cosine != 0) | (sine != 0))
    turns = torch.where(usable, _angles(cosine, sine) / cosine.new_tensor(2 * math.pi), 0)
    prime = torch.tensor(basis.primes, device=codes.device)
    step = torch.ones_like(prime)
    fraction = torch.zeros_like(turns[..., 0])
    residues = torch.zeros_like(fraction, dtype=torch.int64)
    margins = []
    for d in range(basis.depth):
        position = prime * turns[..., d] - fraction
        nearest = torch.round(position)
        margins.append(torch.where(usable[..., d], 1 - 2 * (position - nearest).abs(), 0))
        digit = torch.remainder(nearest, prime)  # rounding can give the prime itself
        fraction = (digit + fraction) / prime
        residues = residues + digit.to(torch.int64) * step
        step = step * prime
    return residues, torch.stack(margins, dim=-1)


def _angles(cosine: Tensor, sine: Tensor) -> Tensor:
    """Return atan2(sine, cosine), in an exported model too."""
    if not torch.onnx.is_in_onnx_export():
        return torch.atan2(sine, cosine)
    # The runtime has no atan of float64, so float32 is corrected by the sine of the rest, which is
    # as small as a rounding of float32, and so equal to the rest in float64.
    largest = torch.maximum(cosine.abs(), sine.abs())
    c, s = cosine / largest, sine / largest
    rough = torch.atan2(s.float(), c.float()).to(c.dtype)
    u, v = rough.cos(), rough.sin()
    return rough + (s * u - c * v) / (c * u + s * v)


def _join(residues: Tensor, basis: PrimeBasis) -> Tensor:
    """Apply the Chinese Remainder Theorem in int64, one prime after the other (Garner)."""
    # The largest modulus comes first: the square of any other one is below the product with it,
    # and so below 2^63, and no product overflows.
    value, modulus = residues[..., -1], basis.periods[-1][-1]
    for column in range(len(basis.primes) - 1):
        m = basis.periods[column][-1]
        digit = torch.remainder(residues[..., column] - torch.remainder(value, m), m)
        value = value + torch.remainder(digit * pow(modulus, -1, m), m) * modulus
        modulus *= m
    return value


class CircleProduct(BasisModule):
    """Add integers by their codes: the bilinear equivariant partner of EquivariantLinear.

    Block (p, d) of the result is the product of the two complex numbers, so that a turn of either
    input turns the result. The layer has no parameters, and ``state_dict`` contains the basis.

    Args:
        basis: The basis of the codes.

    Shape:
        (..., dim) and (..., dim), broadcast → (..., dim).

    >>> from primefourier import decode, encode
    >>> basis = PrimeBasis((3, 5, 7), depth=2)
    >>> a, b = torch.from_numpy(encode([10**20, 400], basis)).flatten(1)
    >>> decode(CircleProduct(basis)(a, b), basis).value == (10**20 + 400) % basis.range
    True
    """

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        """Return the codes of the sums."""
        return add_codes(a, b, self.basis)


def add_codes(a: Tensor, b: Tensor, basis: PrimeBasis) -> Tensor:
    """Return the codes of a + b, for codes (..., dim) that broadcast."""
    (x, y), (u, v) = _pairs(a, basis), _pairs(b, basis)
    return torch.stack([x * u - y * v, x * v + y * u], dim=-1).flatten(-2)


def subtract_codes(a: Tensor, b: Tensor, basis: PrimeBasis) -> Tensor:
    """Return the codes of a - b, for codes (..., dim) that broadcast."""
    return add_codes(a, negate_codes(b, basis), basis)


def negate_codes(codes: Tensor, basis: PrimeBasis) -> Tensor:
    """Return the codes of -a: every block is conjugated."""
    cosine, sine = _pairs(codes, basis)
    return torch.stack([cosine, -sine], dim=-1).flatten(-2)


def scale_codes(codes: Tensor, factor: int, basis: PrimeBasis) -> Tensor:
    """Return the codes of factor · a; f' is the factor.

    >>> from primefourier import decode, encode
    >>> basis = PrimeBasis((3, 5, 7), depth=1)
    >>> decode(scale_codes(torch.from_numpy(encode(9, basis)).flatten(), -11, basis), basis).value
    6
    """
    residues, known = _settle(codes, basis)
    by = _of_each_prime(as_integer(factor, "factor"), basis, residues)
    return _codes_of(_multiply(residues, by, basis), known, [(codes, residues, by)], basis)


def multiply_codes(a: Tensor, b: Tensor, basis: PrimeBasis) -> Tensor:
    """Return the codes of a · b, for codes (..., dim) that broadcast; f' is b for a, and a for b.

    >>> from primefourier import decode, encode
    >>> basis = PrimeBasis((3, 5, 7), depth=1)
    >>> a, b = torch.from_numpy(encode([17, 6], basis)).flatten(1)
    >>> decode(multiply_codes(a, b, basis), basis).value
    102
    """
    (first, first_known), (second, second_known) = _settle(a, basis), _settle(b, basis)
    product = _multiply(first, second, basis)
    inputs = [(a, first, second), (b, second, first)]
    return _codes_of(product, first_known & second_known, inputs, basis)


def power_codes(codes: Tensor, exponent: int, basis: PrimeBasis) -> Tensor:
    """Return the codes of a^n; f' is n · a^(n - 1). With n = -1 it is the inverse.

    As in Python, 0^0 is 1. With a negative exponent, a prime that divides a has no power: its
    circles become zero, while those of the other primes are right.

    >>> from primefourier import decode, encode
    >>> basis = PrimeBasis((3, 5, 7), depth=1)
    >>> decode(power_codes(torch.from_numpy(encode(2, basis)).flatten(), -1, basis), basis).value
    53
    """
    n = as_integer(exponent, "exponent")
    residues, known = _settle(codes, basis)
    if n < 0:
        known = known & (residues % torch.tensor(basis.primes, device=codes.device) != 0)
    slope = _multiply(_power(residues, n - 1, basis), _of_each_prime(n, basis, residues), basis)
    return _codes_of(_power(residues, n, basis), known, [(codes, residues, slope)], basis)


def _pairs(codes: Tensor, basis: PrimeBasis) -> tuple[Tensor, Tensor]:
    require_codes(codes, basis)
    cosine, sine = codes.unflatten(-1, (-1, 2)).unbind(-1)
    return cosine, sine


def _settle(codes: Tensor, basis: PrimeBasis) -> tuple[Tensor, Tensor]:
    """Return the residues modulo p^D, (..., P), and for which primes they are known."""
    residues, margins = settle_residues(codes, basis)
    return residues, (margins > 0).all(-1)


def _codes_of(
    residues: Tensor,
    known: Tensor,
    inputs: list[tuple[Tensor, Tensor, Tensor]],
    basis: PrimeBasis,
) -> Tensor:
    """Return the exact codes of the known residues, with a gradient straight through to the inputs.

    An input is its codes, its residues, and f' modulo p^D.
    """
    # Near the code z of an input, the result is w + f' · (w / z) · (input - z): the derivative of
    # z^f', which is w at z. The bracket is written as a difference that is always 0.
    narrow = inputs[0][0].dtype
    for codes, _, _ in inputs:
        narrow = torch.promote_types(narrow, codes.dtype)
    dtype = torch.promote_types(narrow, torch.float32)  # f' · 0 must not be infinity · 0
    periods = device_periods(basis, residues.device)
    shown = known[..., None, None].expand(*known.shape, *basis.shape[1:]).flatten(-3)
    exact = residue_codes(residues.unsqueeze(-1), periods, dtype).flatten(-3)
    exact = result = torch.where(shown, exact, 0)
    for codes, at, slope in inputs:
        here = residue_codes(at.unsqueeze(-1), periods, dtype).flatten(-3)
        change = torch.where(shown, codes.to(dtype), 0)
        turned = add_codes(subtract_codes(exact, here, basis), change - change.detach(), basis)
        centred = torch.remainder(slope.unsqueeze(-1), periods)
        centred = torch.where(centred > periods // 2, centred - periods, centred)
        result = result + turned * centred.to(dtype).repeat_interleave(2, -1).flatten(-2)
    return result.to(narrow)


def _of_each_prime(number: int, basis: PrimeBasis, like: Tensor) -> Tensor:
    """Return a Python int of any size modulo every p^D, (P,)."""
    return torch.tensor([number % row[-1] for row in basis.periods], device=like.device)


def _multiply(a: Tensor, b: Tensor, basis: PrimeBasis) -> Tensor:
    """Multiply residues modulo p^D, in parts of b that are small enough for int64."""
    moduli = device_periods(basis, a.device)[:, -1]
    # a residue times a part of b has at most 63 bits
    bits = basis.periods[-1][-1].bit_length()
    part = 63 - bits
    total = torch.zeros_like(a)
    for shift in reversed(range(0, bits, part)):
        term = torch.remainder(a * ((b >> shift) & (2**part - 1)), moduli)
        total = torch.remainder(torch.remainder(total << part, moduli) + term, moduli)
    return total


def _power(residues: Tensor, n: int, basis: PrimeBasis) -> Tensor:
    """Raise residues modulo p^D to a power; those that p divides to a power of at least 0."""
    # From a^D on, powers repeat after φ(p^D) = p^(D-1) (p - 1) steps, also where p divides a.
    depth = basis.depth
    exponents = [
        n if 0 <= n < depth else depth + (n - depth) % (row[-1] // p * (p - 1))
        for p, row in zip(basis.primes, basis.periods, strict=True)
    ]
    # square and multiply, with an exponent for each prime
    wanted = torch.tensor(exponents, device=residues.device)
    result, square = torch.ones_like(residues), residues
    for bit in range(max(exponents).bit_length()):
        with_it = _multiply(result, square, basis)
        result = torch.where((wanted >> bit) & 1 == 1, with_it, result)
        square = _multiply(square, square, basis)
    return result
