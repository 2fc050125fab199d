"""The paper's control: the same features in an order that no longer depends on primes."""

from __future__ import annotations

from typing import Any, Literal, get_args

import torch
from torch import Tensor, nn

from primefourier._checks import require_choice
from primefourier.arithmetic.integers import as_integer, require_integer_tensor
from primefourier.encoding import PrimeBasis
from primefourier.nn.embedding import PrimeFourierEmbedding, check_basis, require_tensor

Unit = Literal["column", "pair", "block"]


class ShuffledPrimeFourier(nn.Module):
    """Embed integers with PFE and permute the features by one fixed random permutation.

    All features remain, but the row of a feature no longer shows its prime. The order before the
    permutation is prime, depth, operand, then (cos, sin), so that the rows of the primes are
    consecutive: with k operands a row has 2·D·k numbers.

    NOTE[PAPER]: the paper does not specify what the permutation moves. Single columns agree with
    its figures and are the default; pairs and blocks are available for comparison.

    Args:
        basis: The primes and the depth.
        unit: The unit that the permutation moves: a single "column", the (cos, sin) "pair" of one
            operand, or a "block", the pairs of all operands of one (p, d).
        operands: The number of integers per input; if larger than 1, they form the last axis.
        seed: The seed of the permutation; ``state_dict`` stores the permutation.
        num_embeddings: As for :class:`PrimeFourierEmbedding`.
        device: As for :class:`PrimeFourierEmbedding`.
        dtype: The dtype of the codes.

    Shape:
        (...) → (..., dim) for one operand, (..., k) → (..., k·dim) for k.

    >>> shuffled = ShuffledPrimeFourier(PrimeBasis((3, 5), depth=2), operands=2, seed=42)
    >>> shuffled(torch.tensor([[9, 17]])).shape
    torch.Size([1, 16])
    """

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
        require_choice(unit, get_args(Unit), "unit")
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
        # Not a buffer, for the same reason as the table of the embedding.
        self.permutation = (order[:, None] * width + torch.arange(width, device="cpu")).flatten()
        self.register_load_state_dict_pre_hook(_before_loading)  # type: ignore[no-untyped-call]

    def get_extra_state(self) -> Tensor:
        """Return the permutation, which ``state_dict`` stores."""
        return self.permutation

    def set_extra_state(self, state: Tensor) -> None:
        """Restore the permutation of a saved state; ``load_state_dict`` calls this."""
        columns = state.flatten().tolist()
        if sorted(columns) != list(range(self.embedding_dim)):
            raise ValueError(
                f"a permutation of {self.embedding_dim} columns is required, got {len(columns)} "
                "numbers that are not one; use the basis and the operands of the saved module"
            )
        self.permutation = torch.tensor(columns, dtype=torch.int64, device="cpu")

    def forward(
        self,
        x: Tensor,
        padding_mask: Tensor | None = None,
        *,
        attention_mask: Tensor | None = None,
    ) -> Tensor:
        """Return the shuffled codes; masks as for :class:`PrimeFourierEmbedding`."""
        require_tensor(x, "x")
        require_integer_tensor(x)
        if self.operands > 1 and x.shape[-1:] != (self.operands,):
            raise ValueError(
                f"the last axis must hold the {self.operands} operands, got shape {tuple(x.shape)}"
            )
        codes: Tensor = self.embedding(x, padding_mask, attention_mask=attention_mask)
        if self.operands > 1:
            blocks = len(self.embedding.basis.channels)
            codes = codes.reshape(*x.shape, blocks, 2).movedim(-3, -2).flatten(-3)
        return codes.index_select(-1, self.permutation.to(codes.device))

    def extra_repr(self) -> str:
        """Describe the sizes for ``print(module)``."""
        return f"unit={self.unit!r}, operands={self.operands}, embedding_dim={self.embedding_dim}"


def _before_loading(
    module: ShuffledPrimeFourier, state_dict: dict[str, Any], prefix: str, *rest: object
) -> None:
    """Check the basis before the permutation is replaced."""
    check_basis(module.embedding, state_dict, f"{prefix}embedding.", *rest)
