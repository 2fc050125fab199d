"""The embedding as a torch module: integers in, fixed features out, no parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import torch
from torch import Tensor, nn
from torch.jit import is_tracing  # type: ignore[attr-defined]
from torch.nn import functional

from primefourier.arithmetic.integers import (
    as_integer,
    as_integers,
    require_dense,
    require_integer_tensor,
)
from primefourier.encoding import PrimeBasis, encode
from primefourier.encoding.basis import require_basis
from primefourier.encoding.circle import PERIOD_LIMIT
from primefourier.nn.device_codes import device_codes

_VIA = {
    torch.float16: "float16",
    torch.bfloat16: "float32",
    torch.float32: "float32",
    torch.float64: "float64",
}
"""The dtypes of codes, and the numpy dtype in which each is computed."""


class BasisModule(nn.Module):
    """A module that stores its basis in ``state_dict`` and refuses the state of another basis.

    The check runs before any weight of this module is overwritten. Modules of the same network that
    torch loaded earlier keep their new weights, as with every error of ``load_state_dict``.

    Args:
        basis: The basis.
    """

    def __init__(self, basis: PrimeBasis) -> None:
        super().__init__()
        require_basis(basis)
        if basis.primes[-1] >= 2**63:
            raise ValueError(f"torch modules need primes below 2^63, got {basis.primes[-1]}")
        self.basis = basis
        # computed now, because torch.compile cannot enter the lock of a cached property (3.11)
        _ = basis.periods, basis.range, basis.channels
        self.register_load_state_dict_pre_hook(check_basis)  # type: ignore[no-untyped-call]

    def get_extra_state(self) -> Tensor:
        """Return the basis as ``state_dict`` stores it: the depth, then the primes."""
        return torch.tensor([self.basis.depth, *self.basis.primes], device="cpu")

    def set_extra_state(self, state: Tensor) -> None:
        """Raise ValueError if a saved state has another basis; ``load_state_dict`` calls this."""
        depth, *primes = state.tolist()
        if (tuple(primes), depth) != (self.basis.primes, self.basis.depth):
            raise ValueError(
                f"the state was saved with primes {tuple(primes)} and depth {depth}, this module "
                f"has primes {self.basis.primes} and depth {self.basis.depth}"
            )


def check_basis(
    module: BasisModule, state_dict: Mapping[str, Tensor], prefix: str, *_: object
) -> None:
    """Compare the bases before ``load_state_dict`` copies weights; a pre-hook."""
    state = state_dict.get(f"{prefix}_extra_state")
    if state is not None:
        module.set_extra_state(state)


def require_tensor(value: object, name: str) -> None:
    """Raise TypeError if the value is not a torch tensor."""
    if not isinstance(value, Tensor):
        raise TypeError(f"{name} must be a torch tensor, got a {type(value).__name__}")


def require_codes(codes: Tensor, basis: PrimeBasis) -> None:
    """Raise an error if the values are not floats of the shape (..., dim) of a basis."""
    require_basis(basis)
    require_tensor(codes, "codes")
    require_dense(codes, "codes")
    if codes.shape[-1:] != (basis.dim,):
        raise ValueError(
            f"codes must have shape (..., {basis.dim}), got {tuple(codes.shape)}; pass flat codes "
            "and the basis that encoded them"
        )
    if not codes.is_floating_point():
        raise TypeError(f"codes must be floats, got a tensor of {codes.dtype}")


def in_dtype_of(weight: Tensor, values: Tensor) -> Tensor:
    """Return floats in the dtype of a weight that they are multiplied by; autocast may change it.

    Weights of integers, as quantisation makes them, say nothing about the dtype of their inputs.
    """
    return values.to(weight.dtype) if weight.is_floating_point() else values


def missing_integers(
    shape: torch.Size, padding_mask: Tensor | None, attention_mask: Tensor | None
) -> Tensor | None:
    """Return where integers are missing, from at most one of two masks; None without a mask.

    A padding mask has booleans, True where an integer is missing; an attention mask, as in Hugging
    Face models, integers or booleans, 0 where one is missing.
    """
    if padding_mask is not None and attention_mask is not None:
        raise ValueError(
            "pass padding_mask (True where an integer is missing) or attention_mask (0 where one "
            "is missing), not both"
        )
    if attention_mask is None:
        name, mask, required = "padding_mask", padding_mask, "dtype torch.bool"
    else:
        name, mask, required = "attention_mask", attention_mask, "an integer dtype or torch.bool"
    if mask is None:
        return None
    require_tensor(mask, name)
    require_dense(mask, f"booleans of {name}")
    real = mask.is_floating_point() or mask.is_complex()
    if mask.shape != shape or real or (attention_mask is None and mask.dtype != torch.bool):
        raise ValueError(
            f"{name} must have {required} and shape {tuple(shape)}, got {mask.dtype} of shape "
            f"{tuple(mask.shape)}"
        )
    return mask if attention_mask is None else mask == 0


class PrimeFourierEmbedding(BasisModule):
    """Embed an integer tensor as the flat codes of a basis.

    The module has no parameters and no buffers: everything follows from the basis, so a loader
    cannot overwrite anything. ``state_dict`` contains only the basis, and loading the state of
    another basis is an error.

    Args:
        basis: The primes and the depth.
        num_embeddings: If given, a table holds the codes of 0 … num_embeddings - 1. It is as fast
            as ``torch.nn.Embedding``, and other integers raise an error. Without it the module
            accepts every integer.
        device: The device of the table; it follows ``.to(device)``. Codes are on the device of
            their integers.
        dtype: The dtype of the codes: float16, bfloat16, float32 or float64; by default torch's
            default dtype. It follows ``.to(dtype)``, and codes are exact in every dtype.

    Attributes:
        embedding_dim: The length of a code, ``basis.dim``.

    Shape:
        (...) → (..., dim), in the order of ``encode(x, basis).reshape(..., dim)``.

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
        wanted = torch.get_default_dtype() if dtype is None else dtype
        self._fill(torch.empty(0, device=device).device, wanted)

    def _fill(self, device: torch.device, dtype: torch.dtype) -> None:
        """Compute the periods and the table from the basis.

        Neither is a buffer: Hugging Face's ``from_pretrained`` builds a network on the meta device
        and gives uninitialised memory to buffers that are not in the state.
        """
        if not isinstance(dtype, torch.dtype) or dtype not in _VIA:
            raise TypeError(
                f"dtype must be float16, bfloat16, float32 or float64, got {dtype!r:.80}; convert "
                "the codes afterwards"
            )
        basis = self.basis
        place = torch.device("cpu") if device.type == "meta" else device
        shallow = basis.primes[-1] ** basis.depth < PERIOD_LIMIT
        self.periods = torch.tensor(basis.periods, device=place) if shallow else None
        # Without num_embeddings the table is empty and only stores the dtype of the codes.
        rows = np.arange(self.num_embeddings or 0)
        codes = encode(rows, basis, _VIA[dtype], threads=torch.get_num_threads())
        self.table = torch.from_numpy(codes).flatten(1).to(device=place, dtype=dtype)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> PrimeFourierEmbedding:
        """Follow ``.to`` and similar calls; recompute the table instead of converting it."""
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        moved = fn(self.table[:0])
        if (moved.device, moved.dtype) != (self.table.device, self.table.dtype):
            self._fill(moved.device, moved.dtype)
        return self

    def forward(
        self,
        x: Tensor,
        padding_mask: Tensor | None = None,
        *,
        attention_mask: Tensor | None = None,
    ) -> Tensor:
        """Return the codes of x.

        Args:
            x: Integers, of any shape and integer dtype.
            padding_mask: Booleans of the shape of x, True where a number is missing. The codes of
                these entries are zero for any value of x. The number 0 has an ordinary code.
            attention_mask: The same in the polarity of Hugging Face models: 1 or True where there
                is a number, 0 or False where it is missing.

        Returns:
            The codes, (..., dim).
        """
        require_tensor(x, "x")
        require_integer_tensor(x)
        missing = missing_integers(x.shape, padding_mask, attention_mask)
        codes = self._compute(x) if self.num_embeddings is None else self._look_up(x, missing)
        return codes if missing is None else codes.masked_fill(missing.unsqueeze(-1), 0)

    def _look_up(self, x: Tensor, missing: Tensor | None) -> Tensor:
        given = x
        if x.dtype not in (torch.int32, torch.int64):
            x = x.to(torch.int64)  # uint64 from 2^63 on becomes negative, and is refused
        if missing is not None:  # masked entries need not be in the table
            x = x.masked_fill(missing, 0)
        if torch.onnx.is_in_onnx_export():  # where negative indices count from the end
            x = torch.where(x < 0, len(self.table), x)
        try:
            return functional.embedding(x, self.table.to(x.device))
        except IndexError as error:
            known = as_integers(given if missing is None else given[~missing])
            raise IndexError(
                f"the table holds 0 … {len(self.table) - 1}, got integers from {known.min()} to "
                f"{known.max()}; increase num_embeddings, or omit it to embed every integer"
            ) from error

    def _compute(self, x: Tensor) -> Tensor:
        dtype = self.table.dtype
        if x.device.type == "cpu" and _has_values(x):  # numpy is faster than torch here
            codes = encode(x, self.basis, _VIA[dtype], threads=torch.get_num_threads())
            return torch.from_numpy(codes).flatten(-3).to(dtype)
        if self.periods is None:
            raise ValueError(
                f"{self.basis.primes[-1]}^{self.basis.depth} exceeds 62 bits, so codes can be "
                "computed only on a CPU without torch.compile or vmap; use num_embeddings for a "
                "table, or a smaller depth"
            )
        return device_codes(x, self.periods.to(x.device), dtype).flatten(-3)

    def extra_repr(self) -> str:
        """Describe the sizes for ``print(module)``."""
        table = "" if self.num_embeddings is None else f", num_embeddings={self.num_embeddings}"
        return (
            f"primes={self.basis.primes}, depth={self.basis.depth}, "
            f"embedding_dim={self.embedding_dim}{table}"
        )


def _has_values(x: Tensor) -> bool:
    """Return whether x has readable values, and is not a symbolic tensor of a torch tracer."""
    if torch.compiler.is_compiling() or is_tracing() or type(x) not in (Tensor, nn.Parameter):
        return False
    try:
        x.new_zeros(()).item()  # fails for fake tensors and inside vmap
        x.data_ptr()  # fails inside other transforms of torch.func
    except RuntimeError:
        return False
    return True
