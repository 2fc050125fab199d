"""Encode one batch: the step that runs here or on a worker of a cluster."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from primefourier.bulk.batch import BadRow, Batch, Encoded
from primefourier.bulk.integers import read_column
from primefourier.encoding import PrimeBasis, encode


@dataclass(frozen=True)
class Recipe:
    """How values become codes.

    Args:
        basis: The primes and the depth.
        dtype: float16, float32 or float64.
    """

    basis: PrimeBasis
    dtype: str

    @property
    def bytes(self) -> int:
        """How many bytes one code takes."""
        return self.basis.dim * int(self.dtype.removeprefix("float")) // 8


def encode_batch(batch: Batch, recipe: Recipe) -> Encoded:
    """Encode the values of a batch; rows without an integer are set aside.

    Args:
        batch: Some rows of the input.
        recipe: The basis and the dtype.

    Returns:
        The other rows with their codes, the same as :func:`primefourier.encode` gives for each.

    >>> import numpy as np
    >>> values = pa.array(["5", "five"])
    >>> rows = pa.record_batch({"n": values})
    >>> batch = Batch(0, 2, rows, values, np.array([1, 2]), None, (), 1.0)
    >>> encoded = encode_batch(batch, Recipe(PrimeBasis((3, 5), depth=1), "float32"))
    >>> encoded.codes.shape, encoded.bad[0].describe()
    ((1, 2, 1, 2), "row 2: 'five' is not a decimal integer")
    """
    numbers, good, reasons = read_column(batch.values)
    bad = batch.bad
    rows = batch.rows
    if reasons:
        found = [
            BadRow(
                row=int(batch.places[index]),
                line=None if batch.lines is None else int(batch.lines[index]),
                value=_show(batch.values[index]),
                reason=reason,
            )
            for index, reason in reasons.items()
        ]
        bad = tuple(sorted((*bad, *found), key=lambda one: one.row))
        if rows.num_columns:
            rows = rows.filter(pa.array(good))
    codes = encode(numbers, recipe.basis, recipe.dtype)
    return Encoded(batch.count, rows, codes, bad, batch.share)


def _show(value: pa.Scalar) -> str | None:
    found = value.as_py()
    return None if found is None else str(found)
