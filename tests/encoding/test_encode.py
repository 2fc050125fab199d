import random
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import primefourier as pf
from primefourier import PrimeBasis
from strategies import BASES, NUMBERS
from ulps import worst_ulps


@settings(max_examples=60)
@given(BASES, NUMBERS, st.sampled_from(["float16", "float32", "float64"]))
def test_codes_are_within_one_ulp_of_mpmath(basis: PrimeBasis, number: int, dtype: str) -> None:
    code = pf.encode(number, basis, dtype)
    for i, row in enumerate(basis.periods):
        for d, period in enumerate(row):
            assert worst_ulps(code[i, d], number % period, period) <= 1.0


def test_codes_equal_the_vectors_of_mpmath(vectors: Callable[[str], Any]) -> None:
    for case in vectors("codes"):
        basis = PrimeBasis(tuple(case["primes"]), case["depth"])
        true = np.array([[float.fromhex(v) for v in pair] for pair in case["code"]])
        got = pf.encode(case["number"], basis, "float64").reshape(-1, 2)
        np.testing.assert_array_max_ulp(got, true, maxulp=1)


@given(BASES, NUMBERS, NUMBERS)
def test_addition_rotates_every_block(basis: PrimeBasis, a: int, b: int) -> None:
    z = [pf.encode(n, basis, "float64").view(np.complex128) for n in (a, b, a + b)]
    np.testing.assert_allclose(z[0] * z[1], z[2], rtol=0, atol=1e-15)


@given(BASES, NUMBERS)
def test_negation_mirrors_every_block(basis: PrimeBasis, a: int) -> None:
    code, mirrored = pf.encode(a, basis, "float64"), pf.encode(-a, basis, "float64")
    np.testing.assert_allclose(mirrored, code * [1, -1], rtol=0, atol=1e-15)


def test_zero_is_one_and_zero_in_every_block() -> None:
    for dtype in ("float16", "float32", "float64"):
        code = pf.encode(0, pf.PAPER_BASIS, dtype)
        assert (code == [1, 0]).all()
        assert not np.signbit(code).any()


def test_quarter_turns_are_exact_for_powers_of_two() -> None:
    basis = PrimeBasis((2,), depth=70)
    for d in range(70):
        for k, true in enumerate([(1, 0), (0, 1), (-1, 0), (0, -1)]):
            if 2 ** (d + 1) * k % 4 == 0:
                for dtype in ("float32", "float64"):
                    code = pf.encode(2 ** (d + 1) * k // 4, basis, dtype)[0, d]
                    assert tuple(code) == true
                    assert not np.signbit(code[code == 0]).any()


def test_the_prime_two_at_depth_zero_is_the_sign() -> None:
    code = pf.encode(range(4), PrimeBasis((2,), 1), "float64")[:, 0, 0]
    assert code.tolist() == [[1, 0], [-1, 0], [1, 0], [-1, 0]]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_an_integer_has_one_code_whatever_the_batch(dtype: str) -> None:
    basis = PrimeBasis((3, 5, 59), depth=8)
    numbers = np.random.default_rng(0).integers(-(2**63), 2**63 - 1, 20_000)
    together = pf.encode(numbers, basis, dtype)
    assert (together == pf.encode(numbers, basis, dtype, threads=3)).all()
    for i in (0, 1, 8191, 8192, 19_999):
        for one in (int(numbers[i]), numbers[i], [numbers[i]], np.array(numbers[i], dtype=object)):
            assert (pf.encode(one, basis, dtype).reshape(basis.shape) == together[i]).all()


def test_machine_integers_and_python_ints_take_the_same_codes() -> None:
    edges = [-(2**63), -1, 0, 1, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1]
    for basis in (pf.PAPER_BASIS, PrimeBasis((2, 101), depth=11)):
        expected = pf.encode(np.array(edges, dtype=object), basis)
        got = [
            pf.encode(np.array([n], dtype="uint64" if n > 0 else "int64"), basis)[0] for n in edges
        ]
        assert (np.stack(got) == expected).all()
        small = np.arange(-100, 100)
        for narrow in ("int8", "int16", "int32", "int64"):
            assert (
                pf.encode(small.astype(narrow), basis) == pf.encode(small.tolist(), basis)
            ).all()
        tensor = torch.arange(-100, 100)
        assert (pf.encode(tensor, basis) == pf.encode(small, basis)).all()


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 4), (2, 3, 4)])
def test_shapes_are_kept(shape: tuple[int, ...]) -> None:
    numbers = np.arange(int(np.prod(shape))).reshape(shape)
    for values in (numbers, torch.from_numpy(numbers), numbers.tolist()):
        codes = pf.encode(values, PrimeBasis((3, 5), 2))
        expected = np.asarray(values).shape if isinstance(values, list) else shape
        assert codes.shape == (*expected, 2, 2, 2)


def test_arrays_that_are_not_contiguous_are_read_in_order() -> None:
    numbers = np.arange(24).reshape(4, 6)
    basis = PrimeBasis((3, 5), 2)
    assert (pf.encode(numbers.T[::2], basis) == pf.encode(numbers.T[::2].tolist(), basis)).all()


def test_temporaries_stay_small() -> None:
    numbers = np.random.default_rng(0).integers(0, 2**62, 100_000)
    pf.encode(numbers[:10], pf.PAPER_BASIS)
    for dtype, size in (("float32", 4), ("float64", 8), ("float16", 2)):
        tracemalloc.start()
        pf.encode(numbers, pf.PAPER_BASIS, dtype, threads=2)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak - numbers.size * 192 * size < 64e6


@pytest.mark.parametrize(
    "dtype", ["int8", "float128", "complex64", bool, "S4", None, "bfloat16", torch.float32]
)
def test_other_dtypes_are_refused(dtype: Any) -> None:
    with pytest.raises(TypeError, match="dtype must be float16, float32 or float64, got"):
        pf.encode(1, pf.PAPER_BASIS, dtype)


@pytest.mark.parametrize("value", [1.5, True, "7", None, float("nan"), [1, 2.0], np.array([0.5])])
def test_what_is_no_integer_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="integers are required, got"):
        pf.encode(value, pf.PAPER_BASIS)


@pytest.mark.parametrize("threads", [0, -1])
def test_threads_are_checked(threads: int) -> None:
    with pytest.raises(ValueError, match="threads must be an integer of at least 1"):
        pf.encode(1, pf.PAPER_BASIS, threads=threads)


def test_integers_below_the_range_are_told_apart() -> None:
    basis = PrimeBasis((2, 3), depth=2)
    codes = pf.encode(range(basis.range), basis).reshape(basis.range, -1)
    assert len(np.unique(codes, axis=0)) == basis.range
    assert (pf.encode(basis.range, basis) == pf.encode(0, basis)).all()


def test_random_integers_of_every_size_agree_with_their_residues() -> None:
    generator = random.Random(3)
    basis = PrimeBasis((3, 59), depth=12)
    for bits in (10, 60, 70, 500, 2000):
        a = generator.getrandbits(bits)
        assert (pf.encode(a, basis) == pf.encode(a % basis.range, basis)).all()
        assert (pf.encode(a, basis) == pf.encode(a - 5 * basis.range, basis)).all()


@pytest.mark.parametrize("prime", [2, 3, 5, 7, 61, 65537, 2**19 - 1, 2**31 - 1])
def test_the_quick_way_and_the_precise_one_agree_at_every_depth(prime: int) -> None:
    """Each depth is the deepest of some basis; there the quick way is closest to its limits."""
    generator = random.Random(prime)
    for depth in range(1, 71 if prime < 10 else 13):
        basis = PrimeBasis((prime,), depth)
        top = prime**depth
        numbers = [
            top - 1,
            top // 2,
            top // 2 + 1,
            top // prime + 1,
            *(generator.randrange(top) for _ in range(20)),
        ]
        precise = pf.encode(numbers, basis, "float64")
        np.testing.assert_allclose(pf.encode(numbers, basis), precise, rtol=2**-23, atol=1e-37)


def test_byte_order_does_not_change_the_precision() -> None:
    swapped = pf.encode(range(100), pf.PAPER_BASIS, ">f8")
    assert (swapped == pf.encode(range(100), pf.PAPER_BASIS, "float64")).all()


def test_the_basis_has_to_be_one() -> None:
    with pytest.raises(TypeError, match="basis must be a PrimeBasis, got a tuple"):
        pf.encode(5, (3, 5))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="basis must be a PrimeBasis, got a tuple"):
        pf.decode(np.zeros(4), (3, 5))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="basis must be a PrimeBasis, got a tuple"):
        pf.plan(5, (3, 5))  # type: ignore[arg-type]
