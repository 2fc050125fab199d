"""A network that cannot mix primes: what it computes for one prime, it computes from that prime."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional

from primefourier.arithmetic.integers import as_integer
from primefourier.encoding import PrimeBasis
from primefourier.encoding.basis import require_basis
from primefourier.nn.embedding import BasisModule, in_dtype_of, require_codes


class ChannelNetwork(BasisModule):
    """Read one prime's circles of all operands, return that prime's circles of the answer.

    Each prime has its own pass through a small network of linear layers with ReLU between them,
    whose last 2 · D numbers are normalised to D points of the unit circle. The result is a code,
    which ``decode`` joins to an integer by the Chinese Remainder Theorem. Primes meet nowhere
    before: a circle that resembles one of another prime has no way in, and ``analysis.certify``
    proves the network for all integers prime by prime. The number of outputs grows with the sum of
    the primes' depths, the modulus of the answer with their product.

    Args:
        basis: The basis of the codes, read and returned.
        operands: The number of integers per input.
        hidden: The widths of the hidden layers.
        shared: One set of weights for all primes, which can be used for other primes too
            (``for_basis``), or one for each prime.
        device: The device of the weights.
        dtype: The dtype of the weights.

    Attributes:
        weights: The matrix of each layer, (out, in), or (P, out, in) if not shared.
        biases: The bias of each layer, (out,) or (P, out).

    Shape:
        (..., operands, dim) → (..., dim).

    >>> network = ChannelNetwork(PrimeBasis((3, 5, 7), depth=1), hidden=(16, 16))
    >>> network(torch.randn(10, 2, 6)).shape
    torch.Size([10, 6])
    """

    def __init__(
        self,
        basis: PrimeBasis,
        *,
        operands: int = 2,
        hidden: Sequence[int] = (128, 128),
        shared: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(basis)
        self.operands = as_integer(operands, "operands", at_least=1)
        if not isinstance(hidden, Sequence):
            raise TypeError(f"hidden must be a sequence of widths such as (128, 128), got {hidden}")
        self.hidden = tuple(as_integer(width, "a hidden width", at_least=1) for width in hidden)
        self.shared = shared
        circles = 2 * basis.depth
        widths = (circles * self.operands, *self.hidden, circles)
        each = () if shared else (len(basis.primes),)
        self.weights, self.biases = nn.ParameterList(), nn.ParameterList()
        for into, out in pairwise(widths):
            self.weights.append(torch.empty(*each, out, into, device=device, dtype=dtype))
            self.biases.append(torch.empty(*each, out, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw new weights, as ``torch.nn.Linear`` does."""
        for weight, bias in zip(self.weights, self.biases, strict=True):
            bound = 1 / math.sqrt(weight.shape[-1])
            nn.init.uniform_(weight, -bound, bound, generator)
            nn.init.uniform_(bias, -bound, bound, generator)

    def forward(self, codes: Tensor) -> Tensor:
        """Return the codes of the answers, every block of norm 1."""
        require_codes(codes, self.basis)
        if codes.shape[-2:-1] != (self.operands,):
            raise ValueError(
                f"codes must have shape (..., {self.operands}, {self.basis.dim}), one code for "
                f"each operand, got {tuple(codes.shape)}"
            )
        codes = in_dtype_of(self.weights[0], codes)
        # one row per prime; within a row depth, operand, (cos, sin)
        rows = codes.unflatten(-1, self.basis.shape).movedim(-4, -2).flatten(-3)
        last = len(self.weights) - 1
        for layer, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            if self.shared:
                rows = functional.linear(rows, weight, bias)
            else:
                rows = torch.einsum("...pi,poi->...po", rows, weight) + bias
            rows = functional.relu(rows) if layer < last else rows
        return unit_circles(rows.flatten(-2))

    def for_basis(self, basis: PrimeBasis) -> ChannelNetwork:
        """Return this network for other primes: a module with the same parameters.

        Args:
            basis: A basis of the same depth. Only networks that all primes share can be used.
        """
        require_basis(basis)
        if not self.shared:
            raise ValueError(
                "the network has weights of its own for each prime; only one with shared=True can "
                "be used for other primes"
            )
        if basis.depth != self.basis.depth:
            raise ValueError(
                f"the network reads depth {self.basis.depth}, got a basis of depth {basis.depth}"
            )
        twin = ChannelNetwork(basis, operands=self.operands, hidden=self.hidden, device="meta")
        twin.weights, twin.biases = self.weights, self.biases
        return twin.train(self.training)

    def extra_repr(self) -> str:
        """Describe the sizes for ``print(module)``."""
        return (
            f"primes={self.basis.primes}, depth={self.basis.depth}, operands={self.operands}, "
            f"hidden={self.hidden}, shared={self.shared}"
        )


def unit_circles(points: Tensor) -> Tensor:
    """Normalise every (cos, sin) pair of flat points to the unit circle, in float32 at least."""
    wide = points.to(torch.promote_types(points.dtype, torch.float32))
    return functional.normalize(wide.unflatten(-1, (-1, 2)), dim=-1).flatten(-2)
