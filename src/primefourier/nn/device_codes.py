"""Codes by torch operations: on accelerators, under torch.compile and torch.export."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from primefourier.encoding import PrimeBasis
from primefourier.encoding.basis import require_basis
from primefourier.encoding.circle import PERIOD_LIMIT


def device_codes(x: Tensor, periods: Tensor, dtype: torch.dtype) -> Tensor:
    """Encode an integer tensor of any dtype by torch operations, (...) → (..., P, D, 2).

    Results in float32 and narrower dtypes are within one unit in the last place, in float64 within
    three; on MPS, which has no float64, the arithmetic is float32 and the error a few units larger.
    The periods, (P, D), are int64 below 2^62.

    >>> device_codes(torch.tensor([0, 1]), torch.tensor([[4]]), torch.float32).tolist()
    [[[[1.0, 0.0]]], [[[0.0, 1.0]]]]
    """
    residues = device_residues(x, periods[:, -1])
    return residue_codes(residues.unsqueeze(-1), periods, dtype)


def device_residues(x: Tensor, moduli: Tensor) -> Tensor:
    """Reduce an integer tensor of any dtype modulo int64 moduli below 2^62; (...) → (..., M)."""
    if x.dtype != torch.uint64:
        return torch.remainder(x.to(torch.int64).unsqueeze(-1), moduli)
    signed = x.to(torch.int64).unsqueeze(-1)  # uint64 has no arithmetic in torch; add 2^64 below
    wrapped = torch.remainder(torch.remainder(torch.full_like(moduli, 2**62), moduli) * 2, moduli)
    wrapped = torch.remainder(wrapped * 2, moduli)  # 2^64 mod m
    residue = torch.remainder(signed, moduli)
    return torch.where(signed < 0, torch.remainder(residue + wrapped, moduli), residue)


def residue_codes(residues: Tensor, periods: Tensor, dtype: torch.dtype) -> Tensor:
    """Return the points, (..., 2), of int64 residues on circles of int64 periods below 2^62."""
    residue = torch.remainder(residues, periods)
    work = device_float(residue.device)
    period = periods.to(work)
    # The rest after the nearest quarter turn is an exact integer divided by the period, so quarter
    # turns give exactly 0, 1 and -1.
    quarter = torch.round(residue.to(work) * (4 / period)).to(torch.int64)
    angle = (residue * 4 - quarter * periods).to(work) * (period.new_tensor(math.pi / 2) / period)
    cosine, sine = torch.cos(angle), torch.sin(angle)
    odd, back = quarter % 2 == 1, quarter % 4 >= 2
    c, s = torch.where(odd, -sine, cosine), torch.where(odd, cosine, sine)
    code = torch.stack([torch.where(back, -c, c), torch.where(back, -s, s)], dim=-1)
    return code.to(dtype) + 0.0  # -0 becomes 0


def device_float(device: torch.device) -> torch.dtype:
    """Return the most precise float of a device: float64, but float32 on MPS."""
    return torch.float32 if device.type == "mps" else torch.float64


def device_periods(basis: PrimeBasis, device: torch.device) -> Tensor:
    """Return the periods of a basis in int64, (P, D); an error if they do not fit 62 bits."""
    require_basis(basis)
    if basis.periods[-1][-1] >= PERIOD_LIMIT:
        raise ValueError(
            f"exact arithmetic in torch needs periods below 2^62, got {basis.primes[-1]}^"
            f"{basis.depth}; use a smaller depth"
        )
    return torch.tensor(basis.periods, device=device)
