"""Encode integers as points on circles, without rounding before the last step."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from primefourier.arithmetic.crt import fill_residues
from primefourier.arithmetic.integers import IntegerArray, as_integer, as_integers
from primefourier.encoding.basis import PrimeBasis, require_basis
from primefourier.encoding.circle import (
    LARGEST_FAST_PERIOD,
    PERIOD_LIMIT,
    FastEncoder,
    big_codes,
    machine_codes,
)

_DTYPES = ("float16", "float32", "float64")
_BLOCK = 8192  # integers encoded into a temporary array at once
_PAIRS_AT_ONCE = 12_288  # pairs computed at once in float64
_THREADS_PAY_FROM = 1 << 19  # pairs; below, starting threads costs more than it saves


def encode(
    x: object,
    basis: PrimeBasis,
    dtype: DTypeLike = "float32",
    *,
    flat: bool = False,
    threads: int = 1,
) -> NDArray[Any]:
    """Encode integers as (cos, sin) of 2πa/p^(d+1) for every prime p and depth d of the basis.

    Exact for every integer: a is reduced modulo the period in integer arithmetic before it is
    divided. Values are exactly 0, 1 and -1 at quarter turns, and within one unit in the last place
    of the true value elsewhere. The code of an integer does not depend on the batch it is in.

    Args:
        x: An int, a (nested) sequence of ints, an integer array (numpy, torch, object) of any
            shape, or a column of pandas, polars or pyarrow; integers of any size and sign.
        basis: The primes and the depth.
        dtype: float16, float32 or float64.
        flat: Whether a code is one axis, in the order of ``basis.channels``; ``decode`` reads both.
        threads: Number of threads for large inputs.

    Returns:
        The codes; ``encode(0)`` is (1, 0) in every block.

    Raises:
        TypeError: If x contains non-integers.

    Shape:
        (..., P, D, 2), where the last axis holds (cos, sin); flat, (..., basis.dim).

    >>> basis = PrimeBasis((3, 5), depth=1)
    >>> encode(1, basis, "float64")
    array([[[-0.5       ,  0.8660254 ]],
           [[ 0.30901699,  0.95105652]]])
    >>> encode([[10**100, -7]], basis).shape
    (1, 2, 2, 1, 2)
    """
    name = dtype_name(dtype)
    require_basis(basis)
    numbers = as_integers(x)
    line = numbers.reshape(-1)
    out = np.empty((line.size, *basis.shape), dtype=name)
    workers = _workers(threads, line, basis)
    if workers == 1:
        _encode_rows(line, basis, out)
    else:
        edges = [line.size * i // workers for i in range(workers + 1)]
        pool = ThreadPoolExecutor(workers)
        try:
            for done in [
                pool.submit(_encode_rows, line[start:stop], basis, out[start:stop])
                for start, stop in pairwise(edges)
            ]:
                done.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)  # so that Ctrl-C returns at once
    return out.reshape(*numbers.shape, *([basis.dim] if flat else basis.shape))


def dtype_name(dtype: DTypeLike) -> str:
    """Return the name of a dtype that codes can have."""
    try:
        name = "None" if dtype is None else np.dtype(dtype).name
    except (TypeError, ValueError):  # not a numpy dtype, for example torch.float32
        name = f"{dtype!s:.80}"
    if name not in _DTYPES:
        raise TypeError(
            f"dtype must be float16, float32 or float64, got {name}; encode to one of these, then "
            "convert"
        )
    return name


def _workers(threads: int, flat: IntegerArray, basis: PrimeBasis) -> int:
    """Return the number of threads to use."""
    threads = as_integer(threads, "threads", at_least=1)
    if flat.size * basis.dim // 2 < _THREADS_PAY_FROM or flat.dtype == object:
        return 1
    # periods beyond int64 need Python ints, which hold the lock of the interpreter
    return threads if _depths_below(basis, PERIOD_LIMIT) == basis.depth else 1


def _encode_rows(flat: IntegerArray, basis: PrimeBasis, out: NDArray[Any]) -> None:
    """Encode a flat array of integers, each depth with the fastest exact method."""
    quick = 0 if out.dtype == np.float64 else _depths_below(basis, LARGEST_FAST_PERIOD + 1)
    machine = _depths_below(basis, PERIOD_LIMIT)
    if quick:
        _encode_quick(flat, basis, quick, out[:, :, :quick])
    if machine > quick:
        _encode_machine(flat, basis, quick, machine, out)
    if basis.depth > machine:
        _encode_big(flat, basis, machine, out)


def _depths_below(basis: PrimeBasis, limit: int) -> int:
    """Count the depths whose periods are below the limit for every prime."""
    period = basis.primes[-1]
    for depth in range(basis.depth):
        if period >= limit:
            return depth
        period *= basis.primes[-1]
    return basis.depth


@lru_cache(maxsize=16)
def _machine_periods(basis: PrimeBasis, start: int, stop: int) -> NDArray[np.int64]:
    """Return the periods of the depths start … stop - 1, (P, depths); they fit int64."""
    periods = np.array([row[start:stop] for row in basis.periods], dtype=np.int64)
    periods.flags.writeable = False
    return periods


def _blocks(n: int, size: int) -> Iterator[slice]:
    return (slice(start, min(start + size, n)) for start in range(0, n, size))


def _encode_quick(flat: IntegerArray, basis: PrimeBasis, depth: int, out: NDArray[Any]) -> None:
    """Fill the first depths of float32 or float16 codes with the fine grid."""
    periods = _machine_periods(basis, 0, depth)
    encoder = FastEncoder(periods, flat.size)
    # its pairs are complex numbers; where they cannot be written in place, block by block
    if out.dtype == np.float32 and out.flags.c_contiguous:
        encoder.encode(flat, out.view(np.complex64)[..., 0])
        return
    for block in _blocks(flat.size, _BLOCK):
        codes = np.empty((block.stop - block.start, *periods.shape), dtype=np.complex64)
        encoder.encode(flat[block], codes)
        out[block] = codes.view(np.float32).reshape(*codes.shape, 2)


def _encode_machine(
    flat: IntegerArray, basis: PrimeBasis, start: int, stop: int, out: NDArray[Any]
) -> None:
    """Fill the depths start … stop - 1, whose periods fit int64, to full float64 precision."""
    periods = _machine_periods(basis, start, stop)
    tops, size = periods[:, -1].tolist(), max(1, _PAIRS_AT_ONCE // periods.size)
    for block in _blocks(flat.size, size):
        # one division per prime: the residues of smaller powers come from that of the largest
        top = np.empty((flat[block].size, len(periods)), dtype=np.int64)
        fill_residues(top, flat[block], tops)
        cosine, sine = machine_codes(top[:, :, None] % periods, periods)
        out[block, :, start:stop, 0] = cosine
        out[block, :, start:stop, 1] = sine


def _encode_big(flat: IntegerArray, basis: PrimeBasis, start: int, out: NDArray[Any]) -> None:
    """Fill the depths from start on, whose periods exceed int64, with Python ints."""
    for block in _blocks(flat.size, _BLOCK):
        numbers = flat[block].tolist()
        for row, periods in enumerate(basis.periods):
            top = numbers
            for d in range(basis.depth - 1, start - 1, -1):
                top = [number % periods[d] for number in top]
                cosine, sine = big_codes(top, periods[d])
                out[block, row, d, 0] = cosine
                out[block, row, d, 1] = sine
