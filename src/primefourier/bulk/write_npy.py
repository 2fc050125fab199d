"""Write codes as one numpy array."""

from __future__ import annotations

from typing import Any, BinaryIO

import numpy as np

from primefourier.bulk.batch import Encoded
from primefourier.bulk.encode_batch import Recipe


class NpyWriter:
    """Writes codes one after another, and at the end how many there are into the header.

    Args:
        file: Opened for writing bytes; it must be seekable.
        recipe: What the codes are.

    >>> from io import BytesIO
    >>> import pyarrow as pa
    >>> from primefourier.encoding import PrimeBasis
    >>> file = BytesIO()
    >>> writer = NpyWriter(file, recipe=Recipe(PrimeBasis((3,), depth=1), "float32"))
    >>> writer.write(Encoded(1, pa.record_batch({}), np.ones((1, 1, 1, 2), np.float32), (), 1.0))
    >>> writer.close()
    >>> np.load(BytesIO(file.getvalue())).shape
    (1, 1, 1, 2)
    """

    def __init__(self, file: BinaryIO, *, recipe: Recipe) -> None:
        self._file, self._recipe, self._rows = file, recipe, 0
        self._write_header()
        self._begin = file.tell()

    def write(self, encoded: Encoded) -> None:
        """Add some codes; the other columns have no place in an array."""
        self._file.write(np.ascontiguousarray(encoded.codes).data)
        self._rows += len(encoded.codes)

    def close(self) -> None:
        """Write the header again, which numpy leaves room in for a first axis that grows."""
        self._file.seek(0)
        self._write_header()
        assert self._file.tell() == self._begin
        self._file.seek(0, 2)

    def abandon(self) -> None:
        """Nothing is held back."""

    def _write_header(self) -> None:
        header: dict[str, Any] = {
            "descr": np.lib.format.dtype_to_descr(np.dtype(self._recipe.dtype)),
            "fortran_order": False,
            "shape": (self._rows, *self._recipe.basis.shape),
        }
        np.lib.format.write_array_header_1_0(self._file, header)
