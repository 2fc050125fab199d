"""Codes are exact for every integer, dtype, shape and batch; vectors come from mpmath."""

import random
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import primefourier as pf
from primefourier import PAPER_BASIS, PrimeBasis
from primefourier.encoding import encoder
from strategies import BASES, NUMBERS
from ulps import worst_ulps

DTYPES = ["float16", "float32", "float64"]


def assert_within_one_ulp(number: int, basis: PrimeBasis, dtype: str) -> None:
    code = pf.encode(number, basis, dtype)
    for i, row in enumerate(basis.periods):
        for d, period in enumerate(row):
            assert worst_ulps(code[i, d], number % period, period) <= 1.0


@settings(max_examples=60)
@given(BASES, NUMBERS, st.sampled_from(DTYPES))
def test_codes_are_within_one_ulp_of_mpmath(basis: PrimeBasis, number: int, dtype: str) -> None:
    assert_within_one_ulp(number, basis, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_periods_around_the_limits_of_int64_are_exact(dtype: str) -> None:
    for prime, depth in ((5, 27), (3, 40), (2, 64), (7, 23)):  # 2^62 < 5^27 < 2^63 < 3^40
        for number in (1, prime**depth - 1, prime**depth // 3, -(10**60)):
            assert_within_one_ulp(number, PrimeBasis((prime,), depth), dtype)


def test_codes_equal_the_vectors_of_mpmath(vectors: Callable[[str], Any]) -> None:
    for case in vectors("codes"):
        basis = PrimeBasis(tuple(case["primes"]), case["depth"])
        true = np.array([[float.fromhex(v) for v in pair] for pair in case["code"]])
        got = pf.encode(case["number"], basis, "float64").reshape(-1, 2)
        np.testing.assert_array_max_ulp(got, true, maxulp=1)


@pytest.mark.parametrize("dtype", DTYPES)
def test_quarter_turns_are_exact(dtype: str) -> None:
    assert (pf.encode(0, PAPER_BASIS, dtype) == [1, 0]).all()
    sign = pf.encode(range(4), PrimeBasis((2,), 1), dtype)[:, 0, 0]
    assert sign.tolist() == [[1, 0], [-1, 0], [1, 0], [-1, 0]]
    basis = PrimeBasis((2,), depth=70)
    for d in range(1, 70):
        for k, true in enumerate([(1, 0), (0, 1), (-1, 0), (0, -1)]):
            code = pf.encode(2 ** (d - 1) * k, basis, dtype)[0, d]
            assert tuple(code) == true
            assert not np.signbit(code[code == 0]).any()


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_code_does_not_depend_on_the_batch(dtype: str) -> None:
    basis = PrimeBasis((3, 5, 59), depth=8)
    numbers = np.random.default_rng(0).integers(-(2**63), 2**63 - 1, 20_000)
    together = pf.encode(numbers, basis, dtype)
    assert (together == pf.encode(numbers, basis, dtype, threads=3)).all()
    for i in (0, 1, 8191, 8192, 19_999):
        for one in (int(numbers[i]), numbers[i], [numbers[i]], np.array(numbers[i], dtype=object)):
            assert (pf.encode(one, basis, dtype).reshape(basis.shape) == together[i]).all()


@pytest.mark.parametrize("basis", [PAPER_BASIS, PrimeBasis((2, 101), depth=11)])
def test_every_type_of_integer_has_the_same_code(basis: PrimeBasis) -> None:
    edges = [-(2**63), -1, 0, 1, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1]
    expected = pf.encode(np.array(edges, dtype=object), basis)
    for n, code in zip(edges, expected, strict=True):
        assert (pf.encode(np.array(n, dtype="uint64" if n > 0 else "int64"), basis) == code).all()
    small = np.arange(-100, 100)
    expected = pf.encode(small.tolist(), basis)
    for narrow in ("int8", "int16", "int32", "int64"):
        assert (pf.encode(small.astype(narrow), basis) == expected).all()
    assert (pf.encode(torch.from_numpy(small), basis) == expected).all()
    assert (pf.encode(small, basis, ">f8") == pf.encode(small, basis, "float64")).all()


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 4), (2, 3, 4)])
def test_shapes_and_their_order_are_kept(shape: tuple[int, ...]) -> None:
    basis = PrimeBasis((3, 5), 2)
    numbers = np.arange(int(np.prod(shape))).reshape(shape)
    flat = pf.encode(list(range(numbers.size)), basis)
    assert len(np.unique(flat.reshape(-1, basis.dim), axis=0)) == numbers.size
    for values in (numbers, torch.from_numpy(numbers)):
        assert (pf.encode(values, basis) == flat.reshape(*shape, 2, 2, 2)).all()
    assert pf.encode(numbers.T, basis).shape == (*shape[::-1], 2, 2, 2)
    swapped = np.moveaxis(pf.encode(numbers.T, basis), range(len(shape)), range(len(shape))[::-1])
    assert (swapped == pf.encode(numbers, basis)).all()


def test_columns_of_data_frames_are_encoded_exactly() -> None:
    edges, basis = [2**63 - 1, -(2**63), 2**53 + 1], PrimeBasis((2, 101), depth=11)
    expected = pf.encode(edges, basis)
    for column in (
        pd.Series(edges),
        pd.Index(edges),
        pd.Series(edges, dtype="Int64"),
        pd.Series(edges, dtype="int64[pyarrow]"),
        pd.Series(edges, dtype=object),
        pl.Series(edges),
        pl.Series(edges, dtype=pl.Int128),
        pa.array(edges),
        pa.chunked_array([edges[:1], edges[1:]]),
    ):
        assert (pf.encode(column, basis) == expected).all()


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3)])
def test_a_flat_code_has_one_axis_in_the_order_of_channels(shape: tuple[int, ...]) -> None:
    basis = PrimeBasis((3, 5), depth=2)
    numbers = np.arange(int(np.prod(shape))).reshape(shape)
    codes, flat = (
        pf.encode(numbers, basis, "float64"),
        pf.encode(numbers, basis, "float64", flat=True),
    )
    assert flat.shape == (*shape, basis.dim)
    for i, (p, d) in enumerate(basis.channels):
        row = basis.primes.index(p)
        assert (flat[..., 2 * i : 2 * i + 2] == codes[..., row, d, :]).all()
    assert (pf.decode(flat, basis).value == numbers).all()


@pytest.mark.parametrize("prime", [2, 7, 61, 65537, 2**31 - 1])
def test_fast_and_precise_codes_agree_at_every_depth(prime: int) -> None:
    """Each depth is the deepest of a basis, where the fast method is closest to its limits."""
    generator = random.Random(prime)
    for depth in range(1, 71 if prime < 10 else 13):
        basis, top = PrimeBasis((prime,), depth), prime**depth
        numbers = [top - 1, top // 2, top // 2 + 1, top // prime + 1]
        numbers += [generator.randrange(top) for _ in range(20)]
        precise = pf.encode(numbers, basis, "float64")
        np.testing.assert_allclose(pf.encode(numbers, basis), precise, rtol=2**-23, atol=1e-37)


def test_temporaries_stay_small() -> None:
    numbers = np.random.default_rng(0).integers(0, 2**62, 60_000)
    pf.encode(numbers[:10], PAPER_BASIS)
    for dtype, size in (("float32", 4), ("float16", 2)):
        tracemalloc.start()
        pf.encode(numbers, PAPER_BASIS, dtype, threads=2)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak - numbers.size * 192 * size < 32e6


def test_threads_start_only_if_requested_and_useful(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []

    class Watched(ThreadPoolExecutor):
        def __init__(self, workers: int) -> None:
            started.append(workers)
            super().__init__(workers)

    monkeypatch.setattr(encoder, "ThreadPoolExecutor", Watched)
    numbers = np.arange(300_001)  # not a multiple of the threads
    basis = PrimeBasis((3, 5), depth=1)
    alone = pf.encode(numbers, basis)
    pf.encode(numbers[:100], basis, threads=3)
    pf.encode(numbers.astype(object) + 2**70, basis, threads=3)  # Python ints hold the lock
    pf.encode(numbers[:20_000], PrimeBasis((3,), depth=45), threads=3)
    assert started == []
    assert (pf.encode(numbers, basis, threads=3) == alone).all()
    assert started == [3]


@pytest.mark.parametrize(
    ("arguments", "options", "kind", "words"),
    [
        *(
            ((1, PAPER_BASIS, dtype), {}, TypeError, "dtype must be float16, float32 or")
            for dtype in ("int8", "complex64", "S4", None, torch.float32)
        ),
        *(
            ((value, PAPER_BASIS), {}, TypeError, "integers are required, got")
            for value in (1.5, True, [1, 2.0])
        ),
        ((1, PAPER_BASIS), {"threads": 0}, ValueError, "threads must be an integer of at least 1"),
        ((1, PAPER_BASIS), {"threads": None}, TypeError, "at least 1, got a NoneType"),
        ((5, (3, 5)), {}, TypeError, "basis must be a PrimeBasis, got a tuple"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused(
    arguments: Any, options: Any, kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        pf.encode(*arguments, **options)
