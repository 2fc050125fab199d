"""A linear layer that cannot mix channels: two parameters per block, by the theorem."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from primefourier.encoding import PrimeBasis
from primefourier.nn.embedding import BasisModule, require_codes


class EquivariantLinear(BasisModule):
    """The general linear map that commutes with addition: a scaled rotation per (p, d).

    The layer multiplies block (p, d) by xI + yJ, that is, by the complex number x + iy. With the
    code of b as its weight it adds b. It has no bias, because a constant does not rotate with the
    input. On the block of period 2 the input is (±1, 0), and two parameters suffice as well.

    Args:
        basis: The basis of the codes.
        device: The device of the weight.
        dtype: The dtype of the weight.

    Attributes:
        weight: x and y of each block, (P, D, 2), in the order of a code.

    Shape:
        (..., dim) → (..., dim).

    >>> from primefourier import decode, encode
    >>> basis = PrimeBasis((3, 5, 7), depth=2)
    >>> add_30 = EquivariantLinear(basis)
    >>> with torch.no_grad():
    ...     _ = add_30.weight.copy_(torch.from_numpy(encode(30, basis)))
    >>> codes = torch.from_numpy(encode([1, 2, 3], basis)).flatten(1)
    >>> decode(add_30(codes), basis).value
    array([31, 32, 33])
    """

    def __init__(
        self,
        basis: PrimeBasis,
        *,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(basis)
        self.in_features = self.out_features = basis.dim
        self.weight = nn.Parameter(torch.empty(basis.shape, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new weights, as ``torch.nn.Linear`` does for two inputs."""
        nn.init.uniform_(self.weight, -math.sqrt(0.5), math.sqrt(0.5))

    def forward(self, codes: Tensor) -> Tensor:
        """Multiply every block of the codes by its complex number."""
        require_codes(codes, self.basis)
        cosine, sine = codes.reshape(*codes.shape[:-1], len(self.basis.channels), 2).unbind(-1)
        x, y = self.weight.flatten(0, 1).unbind(-1)
        return torch.stack([x * cosine - y * sine, y * cosine + x * sine], dim=-1).flatten(-2)

    def matrix(self) -> Tensor:
        """Return the layer as a matrix that acts on flat codes, (dim, dim)."""
        x, y = self.weight.flatten(0, 1).unbind(-1)
        even = 2 * torch.arange(len(x), device=x.device)
        matrix = x.new_zeros(self.out_features, self.in_features)
        matrix[even, even], matrix[even, even + 1] = x, -y
        matrix[even + 1, even], matrix[even + 1, even + 1] = y, x
        return matrix

    def extra_repr(self) -> str:
        """Describe the sizes for ``print(module)``."""
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"primes={self.basis.primes}, depth={self.basis.depth}"
        )
