"""Decode codes with torch operations: residues, margins and integers on the device of the codes."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from primefourier.arithmetic.crt import combine_coprime
from primefourier.arithmetic.crt import MACHINE_LIMIT
from primefourier.encoding import PrimeBasis
from primefourier.encoding.decoder import require_margin, require_resolution
from primefourier.nn.device_codes import device_float
from primefourier.nn.embedding import require_codes


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

    With f = (a mod p^d) / p^d known, the phase at depth d is (digit + f) / p turns, as in
    ``primefourier.decode``.

    Returns:
        The residues in int64, and the margins, 0 where a block has no angle.

    Shape:
        (..., dim) → (..., P) and (..., P, D).
    """
    require_codes(codes, basis)
    if (largest := basis.periods[-1][-1]) >= MACHINE_LIMIT:
        raise ValueError(
            f"residues in int64 need periods below 2^63, got {basis.primes[-1]}^{basis.depth} = "
            f"{largest}; use primefourier.decode, or a smaller depth"
        )
    work = device_float(codes.device)
    require_resolution(basis, max(torch.finfo(codes.dtype).eps, torch.finfo(work).eps) / 2)
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
    """Return atan2(sine, cosine); in ONNX, whose runtime has no atan of float64, corrected float32.

    The sine of the rest is as small as a rounding of float32, and so equal to the rest in float64.
    """
    if not torch.onnx.is_in_onnx_export():
        return torch.atan2(sine, cosine)
    largest = torch.maximum(cosine.abs(), sine.abs())
    c, s = cosine / largest, sine / largest
    rough = torch.atan2(s.float(), c.float()).to(c.dtype)
    u, v = rough.cos(), rough.sin()
    return rough + (s * u - c * v) / (c * u + s * v)


def _join(residues: Tensor, basis: PrimeBasis) -> Tensor:
    """Apply the Chinese Remainder Theorem in int64, one prime after the other (Garner).

    The largest modulus comes first: the square of any other one is below the product with it, and
    so below 2^63, and no product overflows.
    """
    value, modulus = residues[..., -1], basis.periods[-1][-1]
    for column in range(len(basis.primes) - 1):
        m = basis.periods[column][-1]
        digit = torch.remainder(residues[..., column] - torch.remainder(value, m), m)
        value = value + torch.remainder(digit * pow(modulus, -1, m), m) * modulus
        modulus *= m
    return value
