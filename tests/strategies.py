"""Hypothesis strategies that several tests draw from."""

from hypothesis import strategies as st

from primefourier import PrimeBasis

_PRIMES = st.lists(
    st.sampled_from([2, 3, 5, 7, 11, 23, 53, 59, 101, 65537, 2**31 - 1]),
    min_size=1,
    max_size=3,
    unique=True,
).map(sorted)
BASES = st.builds(
    lambda primes, depth: PrimeBasis(tuple(primes), depth), _PRIMES, st.integers(1, 12)
)
"""Bases with one to three primes, 2 and large ones included, up to depth 12."""

NUMBERS = st.integers(0, 2000).flatmap(lambda bits: st.integers(-(2**bits), 2**bits))
"""Integers of up to 2000 bits, all sizes alike."""
