"""Codes computed with torch operations alone, for accelerators and for torch.compile."""

from __future__ import annotations

import math

import torch
from torch import Tensor


def device_codes(x: Tensor, periods: Tensor, dtype: torch.dtype) -> Tensor:
    """Encode an integer tensor on its own device.

    The residue is exact in int64. What is left after the nearest quarter turn is an exact integer
    over the period, so quarter turns give exactly 0, 1 and -1. float32 and narrower results are
    within one unit in the last place, float64 within three. On MPS, which has no float64, all of
    this is float32 arithmetic and a few units worse.

    Args:
        x: Integers of any torch integer dtype.
        periods: The periods of the basis in int64, (P, D), below 2^62: sums of two residues
            have to fit.
        dtype: The dtype of the result.

    Shape:
        (...) → (..., P, D, 2).
    """
    top = periods[:, -1]
    if x.dtype == torch.uint64:  # torch has no arithmetic for it: read 2^63 … as negative, mend it
        signed = x.view(torch.int64).unsqueeze(-1)
        wrapped = torch.remainder(torch.remainder(torch.full_like(top, 2**62), top) * 2, top)
        wrapped = torch.remainder(wrapped * 2, top)  # 2^64 mod top
        residue = torch.remainder(signed, top)
        residue = torch.where(signed < 0, torch.remainder(residue + wrapped, top), residue)
    else:
        residue = torch.remainder(x.to(torch.int64).unsqueeze(-1), top)
    residue = torch.remainder(residue.unsqueeze(-1), periods)
    work = torch.float32 if x.device.type == "mps" else torch.float64  # MPS has no float64
    period = periods.to(work)
    quarter = torch.round(residue.to(work) * (4 / period)).to(torch.int64)
    angle = (residue * 4 - quarter * periods).to(work) * (math.pi / 2 / period)
    cosine, sine = torch.cos(angle), torch.sin(angle)
    odd, back = quarter % 2 == 1, quarter % 4 >= 2
    c, s = torch.where(odd, -sine, cosine), torch.where(odd, cosine, sine)
    code = torch.stack([torch.where(back, -c, c), torch.where(back, -s, s)], dim=-1)
    return code.to(dtype) + 0.0  # -0 becomes 0
