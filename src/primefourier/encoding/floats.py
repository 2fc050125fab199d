"""Read floats of any kind (numpy, torch, narrow formats), and know how coarse they were."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

_NUMPY_FLOATS = ("float16", "float32", "float64", "float96", "float128")
_NARROW_FLOATS = ("bfloat16", "float8_e3m4", "float8_e4m3", "float8_e4m3fn", "float8_e5m2")


def as_floats(vectors: object) -> tuple[NDArray[Any], float]:
    """Return floats as a numpy array, with the rounding error of the dtype they came in.

    >>> as_floats([0.5, 1.0])
    (array([0.5, 1. ]), 1.1102230246251565e-16)
    """
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(vectors, torch.Tensor):
        if not vectors.dtype.is_floating_point:
            raise TypeError(f"floats are required, got a tensor of {vectors.dtype}")
        roundoff = torch.finfo(vectors.dtype).eps / 2
        return vectors.detach().to(torch.float64).cpu().numpy(), roundoff
    if np.ma.is_masked(vectors):
        raise ValueError("masked floats have no value; fill or drop them first")
    array = np.asarray(vectors)
    ml_dtypes = sys.modules.get("ml_dtypes")  # bfloat16 and 8-bit floats for numpy
    if array.dtype.name in _NUMPY_FLOATS:
        return array, float(np.finfo(array.dtype).eps) / 2
    if ml_dtypes is not None and array.dtype.name in _NARROW_FLOATS:
        return array, float(ml_dtypes.finfo(array.dtype).eps) / 2
    if array.dtype.kind in "iu":  # written by hand, as zeros and ones
        return array.astype(np.float64), 0.0
    raise TypeError(f"floats are required, got an array of {array.dtype}")
