"""Decoding returns the encoded integers from every dtype, and refuses everything unclear."""

import random
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import primefourier as pf
from primefourier import PAPER_BASIS, PrimeBasis
from strategies import BASES

GENERATOR = random.Random(5)
MANY = [GENERATOR.randrange(PAPER_BASIS.range) for _ in range(3000)]
SMALL = PrimeBasis((3, 5, 7), 2)
FIVE = pf.encode(5, SMALL)
FREE = float("inf")


@pytest.fixture(scope="module")
def codes() -> Any:
    return pf.encode(MANY, PAPER_BASIS)


@pytest.mark.parametrize(
    ("dtype", "margin"),
    [(np.float32, 0.999), (np.float16, 0.99), (ml_dtypes.bfloat16, 0.94),
     (ml_dtypes.float8_e4m3fn, 0.23)],
)  # fmt: skip
def test_large_integers_survive_low_precision(codes: Any, dtype: Any, margin: float) -> None:
    decoded = pf.decode(codes.astype(dtype), PAPER_BASIS)
    assert decoded.value.tolist() == MANY
    assert decoded.margin.min() > margin
    assert decoded.modulus == PAPER_BASIS.range


@pytest.mark.parametrize(
    "dtype", [torch.float64, torch.float16, torch.bfloat16, torch.float8_e4m3fn]
)
def test_flat_torch_codes_are_decoded(codes: Any, dtype: torch.dtype) -> None:
    flat = torch.from_numpy(codes[:100]).flatten(1).to(dtype).requires_grad_(dtype.itemsize > 1)
    assert pf.decode(flat, PAPER_BASIS).value.tolist() == MANY[:100]


@settings(max_examples=60)
@given(BASES, st.data())
def test_every_basis_returns_what_it_encoded(basis: PrimeBasis, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, basis.range - 1))
    dtype = "float64" if basis.primes[-1] > 10**6 else "float32"
    decoded = pf.decode(pf.encode(number, basis, dtype), basis)
    assert decoded.value == number
    assert type(decoded.value) is int
    assert decoded.residues.tolist() == [number % row[-1] for row in basis.periods]
    assert decoded.margin > 0.9


def test_signed_values_are_the_nearest_to_zero() -> None:
    half = PAPER_BASIS.range // 2
    numbers = [GENERATOR.randrange(-half, half + 1) for _ in range(1000)] + [-half, half, 0, -1]
    for dtype in ("float32", "float16"):
        codes = pf.encode(numbers, PAPER_BASIS, dtype)
        assert pf.decode(codes, PAPER_BASIS, signed=True).value.tolist() == numbers
    assert pf.decode(pf.encode(-1, PAPER_BASIS), PAPER_BASIS).value == PAPER_BASIS.range - 1
    even = PrimeBasis((2, 3), 1)  # the middle of an even range is positive
    values = pf.decode(pf.encode(range(6), even), even, signed=True).value
    assert values.tolist() == [0, 1, 2, 3, -2, -1]


@given(st.data())
def test_noise_below_the_margin_changes_nothing(data: st.DataObject) -> None:
    basis = PrimeBasis((3, 7, 13), depth=4)
    number = data.draw(st.integers(0, basis.range - 1))
    share = data.draw(st.floats(0, 0.78))
    z = pf.encode(number, basis, "float64").view(np.complex128)[..., 0]
    allowed = np.pi / np.array(basis.primes)[:, None]
    signs = np.array(data.draw(st.lists(st.sampled_from([-1, 1]), min_size=12, max_size=12)))
    z = z * np.exp(1j * share * allowed * signs.reshape(3, 4)) * data.draw(st.floats(0.8, 1.2))
    decoded = pf.decode(z[..., None].view(np.float64), basis, min_margin=0.2)
    assert decoded.value == number
    assert decoded.margin == pytest.approx(1 - share, abs=1e-9)


@pytest.mark.parametrize(
    ("dtype", "share"), [("float64", 0.005), ("float32", 0.005), ("float16", 0.02)]
)
def test_a_random_angle_in_one_block_is_refused(dtype: str, share: float) -> None:
    random = np.random.default_rng(11)
    clean = pf.encode(MANY[:1000], PAPER_BASIS, dtype)
    damaged = clean.copy()
    for code in damaged:
        angle = random.uniform(0, 2 * np.pi)
        i, d = random.integers(16), random.integers(6)
        code[i, d] = np.cos(angle), np.sin(angle)
    assert not pf.decode(clean, PAPER_BASIS, errors="mask").value.mask.any()
    assert (~pf.decode(damaged, PAPER_BASIS, errors="mask").value.mask).mean() <= share
    assert (~pf.decode(damaged, PAPER_BASIS, errors="mask", min_margin=0.2).value.mask).mean() > 0.5


@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16])
def test_products_of_codes_pass_the_default_margin(codes: Any, dtype: Any) -> None:
    a, b = codes[:500].astype(dtype), codes[500:1000].astype(dtype)
    (c, s), (x, y) = (np.moveaxis(part, -1, 0) for part in (a, b))
    turned = np.stack([c * x - s * y, c * y + s * x], axis=-1)
    assert turned.dtype == dtype
    pairs = zip(MANY[:500], MANY[500:1000], strict=True)
    sums = [(m + n) % PAPER_BASIS.range for m, n in pairs]
    assert pf.decode(turned, PAPER_BASIS).value.tolist() == sums


def test_values_are_int64_if_all_fit() -> None:
    def values(*numbers: int, **options: Any) -> tuple[Any, list[int]]:
        found = pf.decode(pf.encode(numbers, PAPER_BASIS), PAPER_BASIS, **options).value
        return found.dtype, found.tolist()

    assert values(5, 2**62) == (np.int64, [5, 2**62])
    assert values(5, -(2**62), signed=True) == (np.int64, [5, -(2**62)])
    assert values(5, 2**63) == (object, [5, 2**63])
    damaged = pf.encode([5, 7], PAPER_BASIS)
    damaged[1, 3] = np.nan
    masked = pf.decode(damaged, PAPER_BASIS, errors="mask").value
    assert (masked.dtype, masked.tolist()) == (np.int64, [5, None])


@pytest.mark.parametrize("shape", [(0,), (3, 4)])
def test_batches_keep_their_shape(shape: tuple[int, ...]) -> None:
    numbers = np.arange(int(np.prod(shape))).reshape(shape)
    for errors in ("raise", "mask"):
        decoded = pf.decode(pf.encode(numbers, SMALL), SMALL, errors=errors)
        assert decoded.value.dtype == np.int64
        assert decoded.value.tolist() == numbers.tolist()
        assert (decoded.residues.shape, decoded.margin.shape) == ((*shape, 3), shape)
    assert pf.decode([[[1, 0]], [[1, 0]]], PrimeBasis((3, 5), 1)).value == 0


@pytest.mark.parametrize(
    ("vector", "words"),
    [
        (FIVE * 2, "prime 3, depth 0, its norm is 2, more than 0.25 from 1"),
        (FIVE * 0, "its norm is 0"),
        (FIVE * np.nan, "it is not finite"),
        (FIVE + np.inf, "it is not finite"),
        (FIVE @ np.array([[0.5, 3**0.5 / 2], [-(3**0.5) / 2, 0.5]]), "margin of 0.000"),
        (np.where(np.arange(12).reshape(3, 2, 2) == 7, np.nan, FIVE), "prime 5, depth 1, it is"),
        (np.full(12, 0x7FA00000, np.uint32).view(np.float32), "it is not finite"),  # signalling NaN
    ],
)  # fmt: skip
def test_vectors_near_no_code_are_refused_or_masked(vector: Any, words: str) -> None:
    assert pf.decode(FIVE * 100, SMALL, norm_tolerance=FREE).value == 5
    if "norm is 0" in words or "not finite" in words:
        with pytest.raises(ValueError, match=words):
            pf.decode(vector, SMALL, norm_tolerance=FREE, min_margin=0)
    with pytest.raises(ValueError, match=words):
        pf.decode(vector, SMALL)
    batch = np.stack([FIVE, vector.reshape(SMALL.shape), FIVE])
    with pytest.raises(ValueError, match=r"vector \[1\] is not near any code"):
        pf.decode(batch, SMALL)
    masked = pf.decode(batch, SMALL, errors="mask")
    assert masked.value.tolist() == [5, None, 5]
    assert masked.residues[1].tolist() == [None, None, None]
    assert pf.decode(vector, SMALL, errors="mask").value is np.ma.masked
    assert pf.decode(FIVE, SMALL, errors="mask").value == 5


@pytest.mark.parametrize(
    ("dtype", "prime", "refused", "by_default"),
    [
        (np.float16, 9059, 9067, 7243),
        (ml_dtypes.bfloat16, 1129, 1151, 907),
        (ml_dtypes.float8_e4m3fn, 67, 71, 61),
        (ml_dtypes.float8_e5m2, 31, 37, 31),
    ],
)
def test_a_dtype_decodes_every_code_up_to_its_largest_prime(
    dtype: Any, prime: int, refused: int, by_default: int
) -> None:
    for p, options in ((prime, {"min_margin": 0}), (by_default, {})):
        basis = PrimeBasis((p,), 2)
        numbers = np.arange(0, basis.range, max(1, basis.range // 100_000))
        found = pf.decode(pf.encode(numbers, basis).astype(dtype), basis, **options)  # type: ignore[arg-type]
        assert (found.value == numbers).all()
    other = PrimeBasis((refused,), 1)
    with pytest.raises(ValueError, match=f"residues modulo {refused}, .* wider float dtype"):
        pf.decode(pf.encode(1, other).astype(dtype), other, min_margin=0)


@pytest.mark.parametrize("shape", [(), (13,), (5, 3, 3, 2)])
def test_shapes_of_another_basis_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"have shape \(..., 3, 2, 2\) or \(..., 12\), got"):
        pf.decode(np.zeros(shape), SMALL)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"errors": "ignore"}, "errors must be 'raise' or 'mask', got 'ignore'"),
        *(({"min_margin": bad}, "min_margin must be a number between 0 and 1")
          for bad in (-0.1, float("nan"), "x")),
        *(({"norm_tolerance": bad}, "norm_tolerance must be a number of at least 0")
          for bad in (-1.0, None)),
    ],
)  # fmt: skip
def test_wrong_options_are_refused(options: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        pf.decode(FIVE, SMALL, **options)
    with pytest.raises(TypeError, match="basis must be a PrimeBasis, got a tuple"):
        pf.decode(FIVE, (3, 5))  # type: ignore[arg-type]
    for value in ("a", np.zeros(2, complex), torch.zeros(2).int(), np.ma.masked_equal([1.0], 1)):
        with pytest.raises((TypeError, ValueError), match=r"floats are required|masked"):
            pf.decode(value, SMALL)


@pytest.mark.parametrize("shape", [(), (1,), (3, 1, 1), (1, 1)])
def test_flat_codes_of_one_circle_keep_their_batch(shape: tuple[int, ...]) -> None:
    basis = PrimeBasis((7,), depth=1)
    numbers = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    for flat in (True, False):
        codes = pf.encode(numbers, basis, "float64", flat=flat)
        found = pf.decode(codes, basis, flat=flat)
        assert np.shape(found.value) == shape
        assert np.array_equal(found.value, numbers)


def test_codes_of_the_other_layout_are_refused_where_it_is_said() -> None:
    basis = PrimeBasis((3, 5), depth=2)
    codes = pf.encode([1, 2], basis)
    with pytest.raises(ValueError, match=r"have shape \(\.\.\., 8\), got \(2, 2, 2, 2\)"):
        pf.decode(codes, basis, flat=True)
    with pytest.raises(ValueError, match=r"have shape \(\.\.\., 2, 2, 2\), got \(2, 8\)"):
        pf.decode(codes.reshape(2, 8), basis, flat=False)
    with pytest.raises(ValueError, match="flat must be True, False or None, got a str, 'yes'"):
        pf.decode(codes, basis, flat="yes")  # type: ignore[arg-type]
