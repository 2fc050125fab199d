"""An output of integers behind any network: a point for each circle, read by the CRT."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from primefourier.arithmetic.crt import residues as exact_residues
from primefourier.arithmetic.integers import (
    as_integer,
    as_integers,
    describe,
    require_dense,
    require_integer_tensor,
    require_values,
)
from primefourier.encoding import PrimeBasis
from primefourier.nn.channel_network import unit_circles
from primefourier.nn.circle_arithmetic import DecodedCodes, decode_codes, subtract_codes
from primefourier.nn.device_codes import device_periods, device_residues, residue_codes
from primefourier.nn.embedding import (
    BasisModule,
    in_dtype_of,
    missing_integers,
    require_codes,
    require_tensor,
)


class CRTHead(BasisModule):
    """Give integers modulo ``basis.range`` behind any network.

    A linear layer gives a point for each circle: 2 · P · D outputs, for a modulus that is the
    product of all p^D. The loss compares each point with the p possible digits of its circle, fixed
    prototypes on the unit circle: digit j has the logit scale · ⟨point, prototype_j⟩, and only the
    scale is learned. So the loss costs as much as the sum of the primes, not as their product.

    Args:
        in_features: The width of the network's features.
        basis: The basis of the integers.
        bias: Whether the linear layer has a bias.
        device: The device of the parameters.
        dtype: The dtype of the parameters.

    Attributes:
        linear: The layer from features to points.
        log_scale: The logarithm of each circle's scale, (P, D). It begins at 0, where all digits
            near the right one share the probability, and training sharpens it.

    Shape:
        (..., in_features) → (..., dim).

    >>> head = CRTHead(64, PrimeBasis((3, 5, 7), depth=1))
    >>> features = torch.randn(10, 64)
    >>> head.loss(features, torch.arange(10)).shape, head.decode(features).value.shape
    (torch.Size([]), torch.Size([10]))
    """

    def __init__(
        self,
        in_features: int,
        basis: PrimeBasis,
        *,
        bias: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(basis)
        self.in_features = as_integer(in_features, "in_features", at_least=1)
        self.linear = nn.Linear(self.in_features, basis.dim, bias=bias, device=device, dtype=dtype)
        self.log_scale = nn.Parameter(torch.empty(basis.shape[:2], device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new weights, and set the scales to 1."""
        self.linear.reset_parameters()
        nn.init.zeros_(self.log_scale)

    def forward(self, features: Tensor) -> Tensor:
        """Return codes: the points, normalised to the unit circle."""
        return unit_circles(self._points(features))

    def _points(self, features: Tensor) -> Tensor:
        """Return the points of features, which may have another float dtype than the weights."""
        require_tensor(features, "features")
        require_dense(features, "features")
        if not features.is_floating_point() or features.shape[-1:] != (self.in_features,):
            raise ValueError(
                f"features must be floats of shape (..., {self.in_features}), got "
                f"{features.dtype} of shape {tuple(features.shape)}; pass the last hidden states"
            )
        weight = getattr(self.linear, "weight", self.log_scale)  # of a layer that replaced it
        here, there = features.device.type, weight.device.type
        if here != there and "meta" in (here, there):
            raise ValueError(
                f"features and weights must be on one device, got features on {here} and weights "
                f"on {there}, and tensors on meta have no values; move both to one device"
            )
        points: Tensor = self.linear(in_dtype_of(weight, features))
        return points

    def loss(
        self,
        features: Tensor,
        integers: Any,
        padding_mask: Tensor | None = None,
        *,
        attention_mask: Tensor | None = None,
        ignore_index: int | None = None,
    ) -> Tensor:
        """Return the mean cross-entropy of the digits over all circles and integers.

        Args:
            features: The features, (..., in_features), of any float dtype. Those of integers that
                do not count may be NaN.
            integers: The right integers (...): a tensor, or whatever ``encode`` accepts, of any
                size.
            padding_mask: Booleans (...), True where an integer is missing and does not count.
            attention_mask: The same with the polarity of Hugging Face models, 0 or False where an
                integer is missing; instead of padding_mask.
            ignore_index: An integer that stands for a missing one and does not count, such as the
                -100 with which Hugging Face pads labels. By default every integer counts, -100
                like any other.
        """
        missing = _missing(features, integers, padding_mask, attention_mask, ignore_index)
        features = _without(features, missing)
        # Points as they are, not normalised: the logits are linear in them, so that no point is
        # stuck opposite to the right one, where a normalised point has no gradient.
        scale = self.log_scale.exp()
        logits, digits = digit_logits(self._points(features), integers, self.basis, scale=scale)
        losses = functional.cross_entropy(logits.movedim(-1, 1), digits, reduction="none")
        return _mean(losses.mean((-1, -2)), missing)

    def decode(
        self, features: Tensor, *, signed: bool = False, min_margin: float = 0.0
    ) -> DecodedCodes:
        """Return the integers of features, as ``decode_codes`` does for codes."""
        return decode_codes(self(features), self.basis, signed=signed, min_margin=min_margin)


def circular_loss(
    codes: Tensor,
    integers: Any,
    basis: PrimeBasis,
    padding_mask: Tensor | None = None,
    *,
    attention_mask: Tensor | None = None,
    ignore_index: int | None = None,
) -> Tensor:
    """Return the mean of 1 - cos(angle to the right point), over all circles and integers.

    It is half the squared distance of two points of the unit circle, and has no parameters. Codes
    are normalised first.

    Codes, or other points, are (..., dim), the right integers (...); masks and ``ignore_index`` are
    those of :meth:`CRTHead.loss`.

    >>> codes = torch.tensor([[1.0, 0.0], [-2.0, 0.0]])
    >>> circular_loss(codes, [0, 10], PrimeBasis((2,), depth=1)).item()
    1.0
    """
    missing = _missing(codes, integers, padding_mask, attention_mask, ignore_index)
    codes = _without(codes, missing)
    residues, periods = _targets(codes, integers, basis)
    points = unit_circles(codes)
    right = residue_codes(residues.unsqueeze(-1), periods, points.dtype).flatten(-3)
    cosines = (points * right).unflatten(-1, (-1, 2)).sum(-1)
    return _mean((1 - cosines).mean(-1), missing)


def digit_logits(
    codes: Tensor, integers: Any, basis: PrimeBasis, *, scale: Tensor | float = 1.0
) -> tuple[Tensor, Tensor]:
    """Return scale · ⟨point, prototype⟩ for every digit of every circle, and the right digits.

    At depth d the prototypes are the p points (j + f) / p of a turn, where f = (a mod p^d) / p^d
    comes from the right integer a; at depth 1 these are the residues modulo p.

    ``scale`` is a factor for all logits, or one for each circle, (P, D).

    Shape:
        logits (..., P, D, largest p), with -inf for digits from p on; digits (..., P, D).

    >>> logits, digits = digit_logits(torch.ones(1, 2), [4], PrimeBasis((3,), depth=1))
    >>> logits.flatten().tolist(), digits.tolist()
    ([1.0, 0.366..., -1.366...], [[[1]]])
    """
    residues, periods = _targets(codes, integers, basis)
    prime = periods[:, :1]
    smaller = periods // prime
    lower = torch.remainder(residues.unsqueeze(-1), smaller)
    digits = torch.remainder(residues.unsqueeze(-1), periods) // smaller
    wide = codes.to(torch.promote_types(codes.dtype, torch.float32))
    known = residue_codes(lower, periods, wide.dtype).flatten(-3)
    turned = subtract_codes(wide, known, basis).unflatten(-1, basis.shape)
    try:
        turned = (
            turned * torch.as_tensor(scale, device=codes.device).expand(basis.shape[:2])[..., None]
        )
    except (TypeError, ValueError, RuntimeError, NotImplementedError) as error:
        raise ValueError(
            f"scale must be a number, or one for each circle in a tensor of shape "
            f"{basis.shape[:2]}, got {describe(scale)}"
        ) from error
    j = torch.arange(basis.primes[-1], device=codes.device)
    c, s = residue_codes(j, prime, wide.dtype).unsqueeze(1).unbind(-1)  # (P, 1, largest p)
    # not a matrix product, which autocast would round to bfloat16, too coarse for p = 59
    logits = turned[..., :1] * c + turned[..., 1:] * s
    return logits.masked_fill((j >= prime).unsqueeze(1), -torch.inf), digits


def _targets(codes: Tensor, integers: Any, basis: PrimeBasis) -> tuple[Tensor, Tensor]:
    """Return the right residues modulo p^D, (..., P), and the periods, on the device of codes."""
    require_codes(codes, basis)
    periods = device_periods(basis, codes.device)
    if isinstance(integers, Tensor):
        require_integer_tensor(integers)
        if not codes.is_meta:
            require_values(integers, "integers")
        residues = device_residues(integers.to(codes.device), periods[:, -1])
    else:
        exact = exact_residues(integers, [row[-1] for row in basis.periods])
        residues = torch.from_numpy(exact).to(codes.device)
    if residues.shape[:-1] != codes.shape[:-1]:
        raise ValueError(_one_for_each(residues.shape[:-1], codes))
    return residues, periods


def _missing(
    rows: Tensor,
    integers: Any,
    padding_mask: Tensor | None,
    attention_mask: Tensor | None,
    ignore_index: int | None,
) -> Tensor | None:
    """Return which integers do not count, because of a mask or their value; None if all do."""
    require_tensor(rows, "features or codes")
    require_dense(rows, "features or codes")
    missing = missing_integers(rows.shape[:-1], padding_mask, attention_mask)
    if ignore_index is None:
        return missing
    index = as_integer(ignore_index, "ignore_index")
    if isinstance(integers, Tensor):
        require_integer_tensor(integers)
        bounds = torch.iinfo(integers.dtype)
        held = bounds.min <= index <= bounds.max  # or torch would wrap the index around
        ignored = integers == index if held else torch.zeros_like(integers, dtype=torch.bool)
        ignored = ignored.to(rows.device)
    else:
        ignored = torch.from_numpy(np.asarray(as_integers(integers) == index)).to(rows.device)
    if ignored.shape != rows.shape[:-1]:
        raise ValueError(_one_for_each(ignored.shape, rows))
    return ignored if missing is None else missing.to(rows.device) | ignored


def _without(rows: Tensor, missing: Tensor | None) -> Tensor:
    """Return rows with zeros for missing integers, before anything is computed from them."""
    # a loss that is masked afterwards has the gradient 0 · NaN = NaN where a row is NaN
    if missing is None:
        return rows
    return torch.where(missing.to(rows.device).unsqueeze(-1), 0, rows)


def _mean(losses: Tensor, missing: Tensor | None) -> Tensor:
    """Return the mean over the integers that are not missing; 0 if all are."""
    if missing is None:
        return losses.mean()
    missing = missing.to(losses.device)
    return torch.where(missing, 0, losses).sum() / (~missing).sum().clamp(min=1)


def _one_for_each(shape: torch.Size, codes: Tensor) -> str:
    return (
        f"one integer for each code is required, got integers of shape {tuple(shape)} for codes of "
        f"shape {tuple(codes.shape)}"
    )
