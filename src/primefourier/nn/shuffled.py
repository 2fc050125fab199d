"""The paper's control: the same features, with the order that ties them to primes destroyed."""

from __future__ import annotations

from typing import Literal, get_args

import torch
from torch import Tensor, nn

from primefourier.arithmetic.integers import as_integer
from primefourier.encoding import PrimeBasis
from primefourier.nn.basis_module import require_tensor
from primefourier.nn.prime_fourier import PrimeFourierEmbedding

Unit = Literal["column", "pair", "block"]


class ShuffledPrimeFourier(nn.Module):
    """Embed integers with PFE and permute the features by one fixed random permutation.

    Every feature is still there; which row of the input it stands in no longer tells its prime. The
    order before the permutation is by prime, depth, operand, then (cos, sin), so that the rows of
    the primes are consecutive: with k operands a row has 2·D·k numbers.

    NOTE[PAPER]: the paper does not say what the permutation moves. Single columns agree with its
    figures and are the default; pairs and blocks are there to compare.

    Args:
        basis: The primes and the depth.
        unit: What the permutation moves: single "column"s, (cos, sin) "pair"s of one operand, or
            "block"s, all operands' pairs of one (p, d).
        operands: How many integers make one input; with more than one they are the last axis.
        seed: The seed of the permutation, which is kept in ``state_dict``.
        num_embeddings: As for :class:`PrimeFourierEmbedding`.
        device: Where the buffers live.
        dtype: The dtype of the codes.

    Shape:
        (...) → (..., dim) for one operand, (..., k) → (..., k·dim) for k.

    >>> shuffled = ShuffledPrimeFourier(PrimeBasis((3, 5), depth=2), operands=2, seed=42)
    >>> shuffled(torch.tensor([[9, 17]])).shape
    torch.Size([1, 16])
    """

    permutation: Tensor

    def __init__(
        self,
        basis: PrimeBasis,
        *,
        unit: Unit = "column",
        operands: int = 1,
        seed: int = 0,
        num_embeddings: int | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if unit not in get_args(Unit):
            raise ValueError(f"unit must be 'column', 'pair' or 'block', got {unit!r}")
        self.unit = unit
        self.operands = as_integer(operands, "operands", at_least=1)
        self.embedding = PrimeFourierEmbedding(
            basis, num_embeddings=num_embeddings, device=device, dtype=dtype
        )
        self.embedding_dim = self.operands * basis.dim
        width = {"column": 1, "pair": 2, "block": 2 * self.operands}[unit]
        generator = torch.Generator(device="cpu")
        generator.manual_seed(as_integer(seed, "seed", at_least=0) % 2**63)
        order = torch.randperm(self.embedding_dim // width, generator=generator, device="cpu")
        columns = (order[:, None] * width + torch.arange(width, device="cpu")).flatten()
        self.register_buffer("permutation", columns.to(device))

    def forward(self, x: Tensor, padding_mask: Tensor | None = None) -> Tensor:
        """Return the shuffled codes; ``padding_mask`` as for :class:`PrimeFourierEmbedding`."""
        require_tensor(x, "x")
        if self.operands > 1 and x.shape[-1:] != (self.operands,):
            raise ValueError(
                f"the last axis must hold the {self.operands} operands, got shape {tuple(x.shape)}"
            )
        codes: Tensor = self.embedding(x, padding_mask)
        if self.operands > 1:
            blocks = len(self.embedding.basis.channels)
            codes = codes.reshape(*x.shape, blocks, 2).movedim(-3, -2).flatten(-3)
        return codes.index_select(-1, self.permutation)

    def extra_repr(self) -> str:
        """Describe the sizes, as ``print(module)`` shows them."""
        return f"unit={self.unit!r}, operands={self.operands}, embedding_dim={self.embedding_dim}"
