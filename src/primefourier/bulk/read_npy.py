"""Read a numpy file of integers piece by piece."""

from __future__ import annotations

import warnings
from collections.abc import Generator
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.lib.format import MAGIC_PREFIX

from primefourier.bulk.batch import Batch
from primefourier.bulk.errors import BulkError, reading
from primefourier.bulk.source import MOST_BYTES

_HEADER_ERRORS = (
    TypeError,
    SyntaxError,
    TokenError,
    OverflowError,
    KeyError,
    RecursionError,
)
_KIND = "a .npy file"
COLUMN = "n"
"""What the numbers are called in a table."""


class NpySource:
    """A one-dimensional array of integers in a .npy file.

    Args:
        path: The file.
        name: What the column of codes will be called.

    Raises:
        BulkError: If it holds anything else.
    """

    def __init__(self, path: Path, *, name: str) -> None:
        # Objects stay refused: reading them would run whatever code the file holds.
        with reading(path, _KIND):
            with path.open("rb") as file:
                if file.read(len(MAGIC_PREFIX)) != MAGIC_PREFIX:
                    raise ValueError("it does not begin as such files do")
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # of odd headers; what is read is checked
                    array = np.load(path, mmap_mode="r", allow_pickle=False)
            except _HEADER_ERRORS as error:
                raise ValueError(f"its header is damaged ({error})") from error
        if not isinstance(array, np.memmap) or array.ndim != 1 or array.dtype.kind not in "iu":
            what = f"{array.dtype} of shape {array.shape}" if hasattr(array, "dtype") else "several"
            raise BulkError(
                f"{path} must hold one array of integers with one dimension, got {what}; save it "
                "with .astype('int64') if its values are whole numbers, and .ravel()"
            )
        if name == COLUMN:
            raise BulkError(
                f"the numbers of {path} are called {COLUMN!r} already; choose another name for the "
                "codes with --name"
            )
        self._path = path
        self._dtype: np.dtype[Any] = array.dtype
        self._native: np.dtype[Any] = array.dtype.newbyteorder("=")
        self._total, self._offset = array.size, array.offset
        self.schema: pa.Schema = pa.schema([(COLUMN, pa.from_numpy_dtype(self._native))])

    def batches(self, rows: int) -> Generator[Batch, None, None]:
        """Yield the numbers, so many at a time."""
        # Read, not mapped: pages of a map count as memory of the process until it ends.
        rows = min(rows, MOST_BYTES // self._dtype.itemsize)
        with self._path.open("rb") as file:
            file.seek(self._offset)
            for number, first in enumerate(range(0, self._total, rows)):
                count = min(rows, self._total - first)
                numbers = np.fromfile(file, self._dtype, count)
                if numbers.size < count:
                    raise BulkError(f"{self._path} was cut short while it was read")
                values = pa.array(numbers.astype(self._native, copy=False))
                yield Batch(
                    number=number,
                    count=count,
                    rows=pa.record_batch([values], schema=self.schema),
                    values=values,
                    places=np.arange(first + 1, first + count + 1),
                    lines=None,
                    bad=(),
                    share=(first + count) / self._total,
                )
