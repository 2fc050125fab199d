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
TEN_THOUSAND = [GENERATOR.randrange(PAPER_BASIS.range) for _ in range(10_000)]


@pytest.fixture(scope="module")
def codes() -> Any:
    return pf.encode(TEN_THOUSAND, PAPER_BASIS)


@pytest.mark.parametrize(
    ("dtype", "margin"),
    [
        (np.float32, 0.999),
        (np.float16, 0.99),
        (ml_dtypes.bfloat16, 0.94),
        (ml_dtypes.float8_e4m3fn, 0.23),
    ],
)
def test_ten_thousand_integers_come_back_from_low_precision(
    codes: Any, dtype: Any, margin: float
) -> None:
    decoded = pf.decode(codes.astype(dtype), PAPER_BASIS)
    assert decoded.value.tolist() == TEN_THOUSAND
    assert decoded.margin.min() > margin
    assert decoded.modulus == PAPER_BASIS.range


@pytest.mark.parametrize(
    "dtype", [torch.float64, torch.float16, torch.bfloat16, torch.float8_e4m3fn]
)
def test_torch_codes_come_back(codes: Any, dtype: torch.dtype) -> None:
    flat = torch.from_numpy(codes[:100]).flatten(1).to(dtype).requires_grad_(dtype.itemsize > 1)
    assert pf.decode(flat, PAPER_BASIS).value.tolist() == TEN_THOUSAND[:100]


def test_negative_integers_come_back_signed() -> None:
    half = PAPER_BASIS.range // 2
    numbers = [GENERATOR.randrange(-half, half + 1) for _ in range(1000)] + [-half, half, 0, -1]
    for dtype in ("float32", "float16"):
        codes = pf.encode(numbers, PAPER_BASIS, dtype)
        assert pf.decode(codes, PAPER_BASIS, signed=True).value.tolist() == numbers
    assert pf.decode(pf.encode(-1, PAPER_BASIS), PAPER_BASIS).value == PAPER_BASIS.range - 1


def test_the_middle_of_an_even_range_is_positive() -> None:
    basis = PrimeBasis((2, 3), 1)
    values = pf.decode(pf.encode(range(6), basis), basis, signed=True).value
    assert values.tolist() == [0, 1, 2, 3, -2, -1]


@settings(max_examples=60)
@given(BASES, st.data())
def test_every_basis_gives_back_what_it_encoded(basis: PrimeBasis, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, basis.range - 1))
    dtype = "float64" if basis.primes[-1] > 10**6 else "float32"
    decoded = pf.decode(pf.encode(number, basis, dtype), basis)
    assert decoded.value == number
    assert type(decoded.value) is int
    assert decoded.residues.tolist() == [number % row[-1] for row in basis.periods]
    assert decoded.margin > 0.9


@given(st.data())
def test_noise_below_the_margin_changes_nothing(data: st.DataObject) -> None:
    basis = PrimeBasis((3, 7, 13), depth=4)
    number = data.draw(st.integers(0, basis.range - 1))
    share = data.draw(st.floats(0, 0.78))
    z = pf.encode(number, basis, "float64").view(np.complex128)[..., 0]
    allowed = np.pi / np.array(basis.primes)[:, None]
    signs = np.array(data.draw(st.lists(st.sampled_from([-1, 1]), min_size=12, max_size=12)))
    z = z * np.exp(1j * share * allowed * signs.reshape(3, 4)) * data.draw(st.floats(0.8, 1.2))
    decoded = pf.decode(z[..., None].view(np.float64), basis)
    assert decoded.value == number
    assert decoded.margin == pytest.approx(1 - share, abs=1e-9)


def test_small_ranges_stay_in_int64() -> None:
    basis = PrimeBasis((3, 5, 7), 2)
    decoded = pf.decode(pf.encode(np.arange(12).reshape(3, 4), basis), basis)
    assert decoded.value.dtype == np.int64
    assert decoded.value.tolist() == np.arange(12).reshape(3, 4).tolist()
    assert decoded.residues.shape == (3, 4, 3)
    assert decoded.margin.shape == (3, 4)


def test_an_empty_batch_is_fine() -> None:
    basis = PrimeBasis((3, 5), 2)
    assert pf.decode(np.empty((0, 2, 2, 2)), basis).value.shape == (0,)
    assert pf.decode(np.empty((0, 2, 2, 2)), basis, errors="mask").value.shape == (0,)


SMALL = PrimeBasis((3, 5, 7), 2)
FIVE = pf.encode(5, SMALL)


@pytest.mark.parametrize(
    ("vector", "words"),
    [
        (FIVE * 2, "prime 3, depth 0, its norm is 2, more than 0.25 from 1"),
        (FIVE * 0, "its norm is 0"),
        (FIVE * np.nan, "it is not finite"),
        (FIVE + np.inf, "it is not finite"),
        (FIVE @ np.array([[0.5, 3**0.5 / 2], [-(3**0.5) / 2, 0.5]]), "margin of 0.00"),
    ],
)
def test_vectors_near_no_code_are_refused_or_masked(vector: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        pf.decode(vector, SMALL)
    batch = np.stack([FIVE, vector, FIVE])
    with pytest.raises(ValueError, match=r"vector \[1\] is not near any code"):
        pf.decode(batch, SMALL)
    masked = pf.decode(batch, SMALL, errors="mask").value
    assert masked.tolist() == [5, None, 5]
    assert pf.decode(batch, SMALL, errors="mask").residues[1].tolist() == [None, None, None]
    assert pf.decode(vector, SMALL, errors="mask").value is np.ma.masked
    assert pf.decode(FIVE, SMALL, errors="mask").value == 5


def test_a_free_norm_admits_any_length_but_none() -> None:
    free = float("inf")
    assert pf.decode(FIVE * 100, SMALL, norm_tolerance=free).value == 5
    with pytest.raises(ValueError, match="its norm is 0, so it has no angle"):
        pf.decode(FIVE * 0, SMALL, norm_tolerance=free, min_margin=0)
    with pytest.raises(ValueError, match="it is not finite"):
        pf.decode(FIVE + np.inf, SMALL, norm_tolerance=free, min_margin=0)


def test_random_directions_are_near_no_code() -> None:
    angles = np.random.default_rng(0).uniform(0, 2 * np.pi, (1000, 16, 6))
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    assert pf.decode(vectors, PAPER_BASIS, errors="mask").value.mask.all()
    assert pf.decode(vectors, PAPER_BASIS, errors="mask", min_margin=0).value.mask.sum() == 0


def test_one_bad_block_is_enough() -> None:
    code = pf.encode(5, PAPER_BASIS)
    code[7, 3] = np.nan
    with pytest.raises(ValueError, match="at prime 23, depth 3, it is not finite"):
        pf.decode(code, PAPER_BASIS)


@pytest.mark.parametrize("shape", [(), (2,), (13,), (3, 2, 3), (2, 3, 2), (5, 3, 3, 2), (12, 1)])
def test_shapes_of_another_basis_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"have shape \(..., 3, 2, 2\) or \(..., 12\), got"):
        pf.decode(np.zeros(shape), SMALL)


def test_a_dtype_too_coarse_for_a_prime_is_refused() -> None:
    basis = PrimeBasis((10007,), 2)
    codes = pf.encode(123456, basis)
    assert pf.decode(codes, basis).value == 123456
    with pytest.raises(ValueError, match="cannot tell the residues modulo 10007 apart"):
        pf.decode(codes.astype("float16"), basis)
    with pytest.raises(ValueError, match="wider float dtype"):
        pf.decode(pf.encode(1, PAPER_BASIS).astype(ml_dtypes.float8_e5m2), PAPER_BASIS)


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
    basis = PrimeBasis((prime,), 2)
    numbers = np.arange(0, basis.range, max(1, basis.range // 300_000))
    codes = pf.encode(numbers, basis).astype(dtype)
    assert (pf.decode(codes, basis, min_margin=0).value == numbers).all()
    smaller = PrimeBasis((by_default,), 2)
    numbers = np.arange(0, smaller.range, max(1, smaller.range // 300_000))
    assert (pf.decode(pf.encode(numbers, smaller).astype(dtype), smaller).value == numbers).all()
    other = PrimeBasis((refused,), 1)
    with pytest.raises(ValueError, match=f"residues modulo {refused} apart"):
        pf.decode(pf.encode(1, other).astype(dtype), other, min_margin=0)


def test_other_types_are_refused() -> None:
    for value in (
        np.array(["a"]),
        np.zeros((3, 2, 2), dtype=complex),
        torch.zeros(12, dtype=torch.int64),
    ):
        with pytest.raises(TypeError, match="floats are required"):
            pf.decode(value, SMALL)
    with pytest.raises(ValueError, match="errors must be 'raise' or 'mask', got 'ignore'"):
        pf.decode(FIVE, SMALL, errors="ignore")  # type: ignore[arg-type]
    for margin in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="min_margin must be between 0 and 1"):
            pf.decode(FIVE, SMALL, min_margin=margin)
    for tolerance in (-1.0, float("nan")):
        with pytest.raises(ValueError, match="norm_tolerance must be 0 or more"):
            pf.decode(FIVE, SMALL, norm_tolerance=tolerance)


def test_masked_codes_are_refused() -> None:
    with pytest.raises(ValueError, match="masked floats"):
        pf.decode(np.ma.MaskedArray(FIVE, mask=True), SMALL)


def test_codes_written_by_hand_are_read() -> None:
    assert pf.decode([[[1, 0]], [[1, 0]]], PrimeBasis((3, 5), 1)).value == 0


def test_signalling_nan_is_refused_without_a_warning() -> None:
    codes = pf.encode([1], PAPER_BASIS)
    codes.view(np.uint32)[0, 0, 0, 0] = 0x7FA00000
    with pytest.raises(ValueError, match="is not near any code"):
        pf.decode(codes, PAPER_BASIS)
