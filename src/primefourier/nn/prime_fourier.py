"""The embedding as a torch module: integers in, fixed features out, nothing to train."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from primefourier.arithmetic.integers import as_integer
from primefourier.encoding import PrimeBasis, encode
from primefourier.nn.device_codes import device_codes

_NUMPY = {torch.float16: "float16", torch.float64: "float64"}


class PrimeFourierEmbedding(nn.Module):
    """Embed an integer tensor as the flat codes of a basis.

    There are no parameters. ``state_dict`` holds the primes and the depth, and loading a state
    made with another basis is an error.

    Args:
        basis: The primes and the depth.
        num_embeddings: If given, codes of 0 … num_embeddings - 1 are kept in a table, which is as
            quick as ``torch.nn.Embedding``, and other integers are refused. Without it every
            integer is welcome.
        device: Where the buffers live.
        dtype: The dtype of the codes; torch's default if not given. It follows ``.to(dtype)``.

    Attributes:
        embedding_dim: How many numbers encode one integer, ``basis.dim``.

    Shape:
        (...) → (..., dim), laid out as ``encode(x, basis).reshape(..., dim)``.

    >>> embedding = PrimeFourierEmbedding(PrimeBasis((3, 5), depth=2))
    >>> embedding(torch.tensor([[0, 1, 2**62]])).shape
    torch.Size([1, 3, 8])
    >>> embedding
    PrimeFourierEmbedding(primes=(3, 5), depth=2, embedding_dim=8)
    """

    primes: Tensor
    depth: Tensor
    periods: Tensor | None
    table: Tensor

    def __init__(
        self,
        basis: PrimeBasis,
        *,
        num_embeddings: int | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        dtype = dtype or torch.get_default_dtype()
        if basis.primes[-1] >= 2**63:
            raise ValueError(f"torch modules need primes below 2^63, got {basis.primes[-1]}")
        self.basis = basis
        self.embedding_dim = basis.dim
        self.num_embeddings = None
        rows = 0
        if num_embeddings is not None:
            rows = self.num_embeddings = as_integer(num_embeddings, "num_embeddings", at_least=1)
        self.register_buffer("primes", torch.tensor(basis.primes, device=device))
        self.register_buffer("depth", torch.tensor(basis.depth, device=device))
        fits = basis.primes[-1] ** basis.depth < 2**63
        periods = torch.tensor(basis.periods, device=device) if fits else None
        self.register_buffer("periods", periods, persistent=False)
        # Without a table this is empty, and only carries the dtype and device of the codes.
        self.register_buffer(
            "table", self._exact(torch.arange(rows), dtype).to(device), persistent=False
        )

    def forward(self, x: Tensor, padding_mask: Tensor | None = None) -> Tensor:
        """Return the codes of x.

        Args:
            x: Integers, of any shape and integer dtype.
            padding_mask: Booleans of the shape of x, True where there is no number: those codes
                are all zeros. The number 0 itself has a code like any other.
        """
        if x.dtype.is_floating_point or x.dtype.is_complex or x.dtype == torch.bool:
            raise TypeError(
                f"integers are required, got a tensor of {x.dtype}; convert it with "
                ".to(torch.int64) if its values are whole numbers"
            )
        codes = self._look_up(x) if self.num_embeddings is not None else self._compute(x)
        if padding_mask is None:
            return codes
        if padding_mask.dtype != torch.bool:
            raise TypeError(f"padding_mask must be of torch.bool, got {padding_mask.dtype}")
        return codes.masked_fill(padding_mask.unsqueeze(-1), 0)

    def _look_up(self, x: Tensor) -> Tensor:
        if x.dtype not in (torch.int32, torch.int64):
            x = x.to(torch.int64)
        if torch.compiler.is_compiling():
            return functional.embedding(x, self.table)
        try:
            return functional.embedding(x, self.table)
        except IndexError as error:
            raise IndexError(
                f"the table holds 0 … {len(self.table) - 1}, got integers from {int(x.min())} to "
                f"{int(x.max())}; raise num_embeddings, or leave it out to embed every integer"
            ) from error

    def _compute(self, x: Tensor) -> Tensor:
        if x.device.type == "cpu" and _runs_now(x):
            return self._exact(x, self.table.dtype)
        if self.periods is None:
            raise ValueError(
                f"{self.basis.primes[-1]}^{self.basis.depth} exceeds 64 bits, so these codes can "
                "be computed on a CPU without torch.compile only; use num_embeddings for a table, "
                "or a smaller depth"
            )
        return device_codes(x, self.periods, self.table.dtype).flatten(-3)

    def _exact(self, x: Tensor, dtype: torch.dtype) -> Tensor:
        """Encode by way of numpy, which is quicker on a CPU than torch's own operations."""
        codes = encode(x, self.basis, _NUMPY.get(dtype, "float32"))
        return torch.from_numpy(codes).flatten(-3).to(dtype)

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

    def extra_repr(self) -> str:
        """Describe the sizes, as ``print(module)`` shows them."""
        table = "" if self.num_embeddings is None else f", num_embeddings={self.num_embeddings}"
        return (
            f"primes={self.basis.primes}, depth={self.basis.depth}, "
            f"embedding_dim={self.embedding_dim}{table}"
        )


def _runs_now(x: Tensor) -> bool:
    """Tell whether x holds numbers that can be read, not a stand-in for later ones."""
    if torch.compiler.is_compiling() or torch._C._get_tracing_state() is not None:
        return False
    try:
        x.data_ptr()
    except RuntimeError:  # inside vmap, or a fake tensor
        return False
    return True
