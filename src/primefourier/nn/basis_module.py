"""A torch module that belongs to a basis, and whose saved state knows which."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from primefourier.encoding import PrimeBasis
from primefourier.encoding.basis import require_basis


class BasisModule(nn.Module):
    """Puts the basis into ``state_dict``, as a tensor, and refuses the state of another basis.

    Args:
        basis: The basis.
    """

    def __init__(self, basis: PrimeBasis) -> None:
        super().__init__()
        require_basis(basis)
        if basis.primes[-1] >= 2**63:
            raise ValueError(f"torch modules need primes below 2^63, got {basis.primes[-1]}")
        self.basis = basis

    def get_extra_state(self) -> Tensor:
        """Return what ``state_dict`` keeps of the basis: its depth, then its primes."""
        return torch.tensor([self.basis.depth, *self.basis.primes], device="cpu")

    def set_extra_state(self, state: Tensor) -> None:
        """Compare the basis of a saved state with this one; called by ``load_state_dict``."""
        depth, *primes = state.tolist()
        if (tuple(primes), depth) != (self.basis.primes, self.basis.depth):
            raise ValueError(
                f"the state was saved with primes {tuple(primes)} and depth {depth}, this module "
                f"has primes {self.basis.primes} and depth {self.basis.depth}"
            )


def require_tensor(value: object, name: str) -> None:
    """Refuse lists and arrays where torch needs a tensor."""
    if not isinstance(value, Tensor):
        raise TypeError(f"{name} must be a torch tensor, got a {type(value).__name__}")
