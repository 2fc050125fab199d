"""Characters turn products into rotations: all integers, small moduli, sympy's logarithms."""

import cmath
import pickle
from math import gcd
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sympy import factorint, primerange
from sympy.ntheory import discrete_log, primitive_root

import primefourier as pf
from primefourier import CharacterBasis, PrimeBasis
from primefourier.encoding import UnclearCodeError
from strategies import NUMBERS

BASES = st.sets(st.sampled_from([2, 3, 5, 7, 11, 23, 59, 257]), min_size=1, max_size=4).flatmap(
    lambda primes: st.tuples(
        *(st.sampled_from([p**k for k in range(1, 9) if p**k < 3000]) for p in sorted(primes))
    ).map(lambda moduli: CharacterBasis(tuple(sorted(moduli))))
)
"""Bases with one to four rows, powers of 2 and of other primes included."""


def values(x: Any, basis: CharacterBasis) -> NDArray[np.complex128]:
    """Return the values of all characters as complex numbers."""
    return basis.encode(x, "float64").view(np.complex128)[..., 0]


@settings(max_examples=40)
@given(BASES, NUMBERS, NUMBERS)
def test_the_code_of_a_product_is_the_product_of_the_codes(
    basis: CharacterBasis, a: int, b: int
) -> None:
    product = values(a, basis) * values(b, basis)
    assert np.abs(product - values(a * b, basis)).max() < 1e-14


@settings(max_examples=60)
@given(BASES, NUMBERS)
def test_a_code_depends_on_the_residue_alone_and_comes_back(basis: CharacterBasis, a: int) -> None:
    code = basis.encode(a, "float64")
    assert code.shape == basis.shape
    assert np.array_equal(code, basis.encode(a % basis.range, "float64"))
    lost = [m for m in basis.moduli if gcd(a, m) > 1 and len(factorint(m, multiple=True)) > 1]
    if lost:
        with pytest.raises(UnclearCodeError, match=rf"modulo ({'|'.join(map(str, lost))}) its"):
            basis.decode(code)
        return
    found = basis.decode(code)
    assert (found.value, found.modulus) == (a % basis.range, basis.range)
    assert found.residues.tolist() == [a % m for m in basis.moduli]
    assert found.margin > 0.999


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_all_residues_come_back_if_no_square_divides_the_modulus(dtype: str) -> None:
    for modulus in (n for n in range(2, 130) if max(factorint(n).values()) == 1):
        basis = CharacterBasis.for_modulus(modulus)
        codes = basis.encode(range(modulus), dtype)
        assert basis.decode(codes).value.tolist() == list(range(modulus))


@pytest.mark.parametrize("modulus", [4, 8, 9, 32, 49, 360])
def test_units_come_back_modulo_prime_powers_and_other_integers_are_refused(modulus: int) -> None:
    basis = CharacterBasis.for_modulus(modulus)
    for a in range(modulus):
        if gcd(a, modulus) == 1:
            assert basis.decode(basis.encode(a)).value == a
    prime = min(p for p, e in factorint(modulus).items() if e > 1)
    with pytest.raises(UnclearCodeError, match=r"vector \[1\] .* only units can be decoded"):
        basis.decode(basis.encode([1, prime]))


@pytest.mark.parametrize("prime", [3, 5, 13, 59, 101])
def test_circles_are_those_of_sympys_logarithm(prime: int) -> None:
    basis = CharacterBasis((prime,))
    root = primitive_root(prime)
    periods = [q**i for q, e in factorint(prime - 1).items() for i in range(1, e + 1)]
    assert basis.periods == ((1, *periods),)
    for a in range(1, prime):
        log = int(discrete_log(prime, a, root))
        expected = [cmath.exp(2j * cmath.pi * (log % t) / t) for t in (1, *periods)]
        assert np.abs(values(a, basis) - expected).max() < 2e-15


@pytest.mark.parametrize("moduli", [(2,), (4,), (8,), (64,), (3,), (9,), (81,), (7,), (49,), (13,)])
def test_a_conductor_is_the_smallest_modulus_of_a_character(moduli: tuple[int]) -> None:
    basis = CharacterBasis(moduli)
    found = values(np.arange(3 * moduli[0]), basis)
    units = found[:, 0] == 1
    (p,) = factorint(moduli[0])
    for column, (conductor, period) in enumerate(basis.channels):
        chi = found[:, column]
        repeats = [
            p**k
            for k in range(1, 8)
            if moduli[0] % p**k == 0 and np.allclose(chi[p**k :], chi[: -(p**k)])
        ]
        assert conductor == repeats[0]
        order = {
            int(np.rint(cmath.phase(z) / (2 * cmath.pi) * period)) % period for z in chi[units]
        }
        assert order == set(range(period)), "it takes all values of its period"


def test_no_two_characters_are_the_same_function() -> None:
    basis = CharacterBasis((7, 11, 16, 27))
    found = values(np.arange(basis.range), basis)
    both = np.concatenate([found.T, found.conj().T[[t > 2 for _, t in basis.channels]]])
    assert len(np.unique(both.round(6), axis=0)) == len(both)


def test_codes_of_torch_and_flat_codes_are_decoded() -> None:
    basis = CharacterBasis((5, 7))
    codes = torch.from_numpy(basis.encode([[3, 34], [0, 20]])).to(torch.bfloat16)
    assert basis.decode(codes.flatten(2)).value.tolist() == [[3, 34], [0, 20]]
    assert basis.decode(np.zeros((0, basis.dim))).value.shape == (0,)
    one = CharacterBasis((2,))
    same = one.encode([[1], [2], [3]], "float64").reshape(3, 1, 2)  # flat codes of (3, 1)
    assert one.decode(same).value.shape == (3,)
    assert one.decode(same, flat=True).value.tolist() == [[1], [0], [1]]
    coarse = CharacterBasis((20_123,))  # 20122 = 2 · 10061
    codes = torch.from_numpy(coarse.encode([1, 2, 10_000], "float64"))
    assert coarse.decode(codes.float()).value.tolist() == [1, 2, 10_000]
    with pytest.raises(ValueError, match=r"modulo 20123, codes with a rounding .* 10061"):
        coarse.decode(codes.half())


def test_a_noisy_code_is_decoded_with_its_margin_or_refused() -> None:
    basis = CharacterBasis((5, 11))
    code = basis.encode(7, "float64")
    turn = np.exp(2j * np.pi * 0.3 / 5)  # of the fifth of a turn between neighbours
    code[5] = np.array([turn.real, turn.imag]) @ [
        [code[5, 0], code[5, 1]],
        [-code[5, 1], code[5, 0]],
    ]
    assert basis.channels[5] == (11, 5)
    found = basis.decode(code, min_margin=0.3)
    assert (found.value, round(found.margin, 6)) == (7, 0.4)
    with pytest.raises(UnclearCodeError, match=r"modulo 11 its margin is 0.4, below 0.99; pass a"):
        basis.decode(code)
    for bad in (np.nan, np.inf):
        code[5, 0] = bad
        with pytest.raises(UnclearCodeError, match="modulo 11"):
            basis.decode(code, min_margin=0)
    # modulo 59 the circle of 29 may be further off in bfloat16 (0.9) than that of 2
    rough = torch.from_numpy(CharacterBasis((59,)).encode(1)).bfloat16()
    rough[1] = torch.tensor([0.9956, 0.0939])
    with pytest.raises(UnclearCodeError, match=r"modulo 59 its margin is 0.94\d?, below 0.99"):
        CharacterBasis((59,)).decode(rough)
    zero = basis.encode(0, "float64")
    zero[1, 0] = 0.4  # a circle where no unit is
    with pytest.raises(UnclearCodeError, match=r"modulo 5 its margin is 0.2"):
        basis.decode(zero)


@pytest.mark.parametrize(
    ("moduli", "kind", "words"),
    [
        ((), ValueError, r"moduli must be a tuple of prime powers, got \(\)"),
        ((7, 5), ValueError, r"distinct primes in ascending order, got \(7, 5\)"),
        ((3, 9), ValueError, r"powers of distinct primes .* got \(3, 9\)"),
        ((5.0,), TypeError, "integers are required, got a float"),
    ],
)
def test_a_wrong_basis_is_refused(moduli: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        CharacterBasis(moduli)


def test_a_basis_is_a_value_and_wrong_codes_and_dtypes_are_refused() -> None:
    basis = CharacterBasis((2, 7))
    assert basis == CharacterBasis([2, np.int64(7)])  # type: ignore[arg-type]
    assert pickle.loads(pickle.dumps(basis)) == basis
    with pytest.raises(ValueError, match=r"shape \(\.\.\., 4, 2\) or \(\.\.\., 8\), got \(6,\)"):
        basis.decode(np.zeros(6))
    for dtype in ("int64", "complex128"):
        with pytest.raises(TypeError, match="dtype must be float16, float32 or float64"):
            CharacterBasis((2,)).encode(1, dtype)
    with pytest.raises(TypeError, match="integers are required"):
        basis.encode(1.5)


@settings(max_examples=40)
@given(st.integers(2, 2000), BASES)
def test_a_plan_names_the_characters_that_are_functions_of_the_residue(
    modulus: int, basis: CharacterBasis
) -> None:
    plan = pf.plan_product(modulus, basis)
    assert plan.relevant == tuple(c for c in basis.channels if modulus % c.conductor == 0)
    own = pf.plan_product(modulus, CharacterBasis.for_modulus(modulus))
    assert own.missing == ()
    assert own.relevant == own.basis.channels
    assert own.complete == all(e == 1 for e in factorint(modulus).values())
    assert {*plan.relevant, *plan.missing} == {*own.relevant}
    columns = [basis.channels.index(c) for c in plan.relevant]
    numbers = np.arange(50)
    same = values(numbers, basis) == values(numbers + modulus, basis)
    assert same[:, columns].all()


def test_a_plan_explains_itself() -> None:
    complete = pf.plan_product(35, CharacterBasis((5, 7, 11)))
    assert complete.explain().splitlines() == [
        "Relevant for products modulo 35: 6 of the 9 characters, those modulo 5, 7.",
        "A linear map that respects multiplication mod 35 is zero on the others.",
        "The basis determines a·b mod 35 for all integers.",
    ]
    square = pf.plan_product(18, CharacterBasis((2, 9)))
    assert "Squares divide 18: characters do not tell multiples of 3 apart." in square.explain()
    assert not square.complete
    assert "those modulo none" in pf.plan_product(13, CharacterBasis((5,))).explain()
    with pytest.raises(TypeError, match="must be a CharacterBasis, got a PrimeBasis"):
        pf.plan_product(35, PrimeBasis((5, 7), 1))  # type: ignore[arg-type]


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16", "float8_e4m3fn"])
@pytest.mark.parametrize("min_margin", [None, 0.0])
def test_no_accepted_dtype_decodes_its_own_codes_wrongly(
    dtype: str, min_margin: float | None
) -> None:
    refused, reasons = [], {True}
    drawn = np.random.default_rng(0)
    moduli = [*[*primerange(3, 1500)][::12], 20_123, 20_147, 1_048_573]
    for m in [*moduli, 2, 4, 1024, 2**20, 3**12, 997**2, 262147]:
        basis = CharacterBasis((m,))
        prime = min(factorint(m))
        numbers = drawn.integers(0, m, 50)
        if m > prime:
            numbers = numbers[numbers % prime > 0]
        codes = basis.encode(numbers, "float64").astype(np.dtype(getattr(ml_dtypes, dtype, dtype)))
        try:
            found = basis.decode(codes, min_margin=min_margin)
        except UnclearCodeError:
            assert min_margin is None, "at the border of what the dtype separates"
            continue
        except ValueError as error:
            refused.append(m)
            reasons.add(str(error).startswith(f"modulo {m}, codes with a rounding error of"))
            continue
        assert np.array_equal(found.value, numbers), (m, dtype)
    assert 3 not in refused
    assert reasons == {True}
    assert (len(refused) > 0) == (dtype not in ("float64", "float32"))


def test_the_margin_modulo_2_is_that_of_the_principal_character() -> None:
    basis = CharacterBasis((2,))
    code = np.array([[0.9, 0.0]])
    with pytest.raises(UnclearCodeError, match=r"margin is 0.8, below 0.99"):
        basis.decode(code)
    assert basis.decode(code, min_margin=0.7).value == 1
    for wrong in (-0.1, 1.1, np.nan, "x"):
        with pytest.raises(ValueError, match="min_margin must be a number between 0 and 1"):
            basis.decode(code, min_margin=wrong)  # type: ignore[arg-type]
