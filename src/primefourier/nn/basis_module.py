"""A torch module that belongs to a basis, and whose saved state knows which."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from primefourier.encoding import PrimeBasis
from primefourier.encoding.basis import require_basis


class BasisModule(nn.Module):
    """Keeps the primes and the depth as buffers, and refuses the state of another basis.

    Args:
        basis: The basis.
        device: Where the buffers live.
    """

    primes: Tensor
    depth: Tensor

    def __init__(self, basis: PrimeBasis, device: torch.device | str | None) -> None:
        super().__init__()
        require_basis(basis)
        if basis.primes[-1] >= 2**63:
            raise ValueError(f"torch modules need primes below 2^63, got {basis.primes[-1]}")
        self.basis = basis
        self.register_buffer("primes", torch.tensor(basis.primes, device=device))
        self.register_buffer("depth", torch.tensor(basis.depth, device=device))

    def _load_from_state_dict(
        self, state_dict: dict[str, Any], prefix: str, metadata: Any, strict: bool,
        missing: list[str], unexpected: list[str], errors: list[str],
    ) -> None:  # fmt: skip
        primes, depth = state_dict.get(prefix + "primes"), state_dict.get(prefix + "depth")
        if primes is not None and depth is not None:
            saved = (tuple(primes.tolist()), int(depth))
            if saved != (self.basis.primes, self.basis.depth):
                errors.append(
                    f"the state was saved with primes {saved[0]} and depth {saved[1]}, this module "
                    f"has primes {self.basis.primes} and depth {self.basis.depth}"
                )
                return
        super()._load_from_state_dict(
            state_dict, prefix, metadata, strict, missing, unexpected, errors
        )
