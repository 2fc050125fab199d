"""The embedding as a torch module: integers in, fixed features out, nothing to train."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional
from torch.utils._python_dispatch import is_in_torch_dispatch_mode

from primefourier.arithmetic.integers import as_integer, require_integer_tensor
from primefourier.encoding import PrimeBasis, encode
from primefourier.encoding.phase import PERIOD_LIMIT
from primefourier.nn.basis_module import BasisModule, require_tensor
from primefourier.nn.device_codes import device_codes

_VIA = {
    torch.float16: "float16",
    torch.bfloat16: "float32",
    torch.float32: "float32",
    torch.float64: "float64",
}
"""The dtypes of codes, and which one numpy computes for each."""


class PrimeFourierEmbedding(BasisModule):
    """Embed an integer tensor as the flat codes of a basis.

    There are no parameters. ``state_dict`` holds the basis only, and loading a state made with
    another basis is an error.

    Args:
        basis: The primes and the depth.
        num_embeddings: If given, codes of 0 … num_embeddings - 1 are kept in a table, which is as
            quick as ``torch.nn.Embedding``, and other integers are refused. Without it every
            integer is welcome.
        device: Where the buffers live.
        dtype: The dtype of the codes, float16, bfloat16, float32 or float64; torch's default if
            not given. It follows ``.to(dtype)``, and codes are exact in whichever it is.

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
        super().__init__(basis)
        self.embedding_dim = basis.dim
        self.num_embeddings = None
        if num_embeddings is not None:
            self.num_embeddings = as_integer(num_embeddings, "num_embeddings", at_least=1)
        self.register_buffer("periods", None, persistent=False)
        # Without num_embeddings the table has no rows, and only carries the dtype of the codes.
        self.register_buffer("table", None, persistent=False)
        self._fill(torch.empty(0, device=device).device, dtype or torch.get_default_dtype())

    def _fill(self, device: torch.device, dtype: torch.dtype) -> None:
        """Compute what follows from the basis: the periods and the table."""
        if dtype not in _VIA:
            raise TypeError(
                f"codes are of float16, bfloat16, float32 or float64, got {dtype}; convert them "
                "afterwards"
            )
        basis = self.basis
        if basis.primes[-1] ** basis.depth < PERIOD_LIMIT:
            self.periods = torch.tensor(basis.periods, device=device)
        rows = np.arange(self.num_embeddings or 0)
        codes = encode(rows, basis, _VIA[dtype]).reshape(-1, basis.dim)
        self.table = torch.from_numpy(codes).to(device=device, dtype=dtype)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> PrimeFourierEmbedding:
        """Follow ``.to`` and its like, computing anew what a conversion would round or lose."""
        table, periods = self.table, self.periods
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        if self.table is not table:
            moved, self.table, self.periods = self.table, table, periods
            self._fill(moved.device, moved.dtype)
        return self

    def set_extra_state(self, state: Tensor) -> None:
        """Compare the basis, and fill a module made on the meta device where the state is."""
        super().set_extra_state(state)
        if self.table.is_meta:
            self._fill(state.device, self.table.dtype)

    def forward(self, x: Tensor, padding_mask: Tensor | None = None) -> Tensor:
        """Return the codes of x.

        Args:
            x: Integers, of any shape and integer dtype.
            padding_mask: Booleans of the shape of x, True where there is no number: those codes
                are all zeros, whatever x holds there. The number 0 has a code like any other.
        """
        require_tensor(x, "x")
        require_integer_tensor(x)
        if padding_mask is None:
            return self._codes(x)
        require_tensor(padding_mask, "padding_mask")
        if padding_mask.dtype != torch.bool or padding_mask.shape != x.shape:
            raise ValueError(
                f"padding_mask must be of torch.bool and of shape {tuple(x.shape)}, got "
                f"{padding_mask.dtype} of shape {tuple(padding_mask.shape)}"
            )
        codes = self._codes(torch.where(padding_mask, torch.zeros_like(x), x))
        return codes.masked_fill(padding_mask.unsqueeze(-1), 0)

    def _codes(self, x: Tensor) -> Tensor:
        return self._compute(x) if self.num_embeddings is None else self._look_up(x)

    def _look_up(self, x: Tensor) -> Tensor:
        if x.dtype not in (torch.int32, torch.int64):
            x = x.to(torch.int64)
        try:
            return functional.embedding(x, self.table)
        except IndexError as error:
            raise IndexError(
                f"the table holds 0 … {len(self.table) - 1}, got integers from {int(x.min())} to "
                f"{int(x.max())}; raise num_embeddings, or leave it out to embed every integer"
            ) from error

    def _compute(self, x: Tensor) -> Tensor:
        dtype = self.table.dtype
        if x.device.type == "cpu" and _runs_now(x):  # numpy is quicker there than torch
            return torch.from_numpy(encode(x, self.basis, _VIA[dtype])).flatten(-3).to(dtype)
        if self.periods is None:
            raise ValueError(
                f"{self.basis.primes[-1]}^{self.basis.depth} exceeds 62 bits, so these codes can "
                "be computed on a CPU without torch.compile or vmap only; use num_embeddings for a "
                "table, or a smaller depth"
            )
        return device_codes(x, self.periods, dtype).flatten(-3)

    def extra_repr(self) -> str:
        """Describe the sizes, as ``print(module)`` shows them."""
        table = "" if self.num_embeddings is None else f", num_embeddings={self.num_embeddings}"
        return (
            f"primes={self.basis.primes}, depth={self.basis.depth}, "
            f"embedding_dim={self.embedding_dim}{table}"
        )


def _runs_now(x: Tensor) -> bool:
    """Tell whether x holds numbers that can be read, not a stand-in while torch traces."""
    if torch.compiler.is_compiling() or torch._C._get_tracing_state() is not None:
        return False
    if type(x) is not Tensor or is_in_torch_dispatch_mode():
        return False
    try:
        x.data_ptr()
    except RuntimeError:  # inside vmap
        return False
    return True
