"""Check Theorem 3.1 of the paper on a basis: what is exact, what is numerical, and the numbers."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from primefourier.encoding import PrimeBasis, encode
from primefourier.theory.action import rotation, spread_shifts
from primefourier.theory.commutant import (
    coupling_singular_values,
    equivariant_basis,
    project_to_equivariant,
)
from primefourier.theory.equivariance import equivariance_error, off_block_energy
from primefourier.theory.logits import logit_channels, logit_gap, zero_training_logits

_ZERO = 1e-13  # singular values below this are zeros that were rounded
NO_BOUND = "no bound"
"""What a check requires that only reports a number."""

_MODULI = (15, 21, 77, 105, 231)


@dataclass(frozen=True)
class Check:
    """One statement about a basis, with what was measured.

    Attributes:
        statement: What should be true.
        kind: "exact" if it was decided in integers, "numerical" if in floating point.
        measured: The measured number.
        required: What the number has to be, in words.
        holds: Whether it is.
        note: What to know to read the number.
    """

    statement: str
    kind: Literal["exact", "numerical"]
    measured: float
    required: str
    holds: bool
    note: str = ""


def check_theorem(basis: PrimeBasis) -> tuple[Check, ...]:
    """Check on one basis that equivariant linear maps are block-diagonal, and what follows.

    Args:
        basis: Any basis; the paper's takes a second or two.

    Returns:
        One check for each statement, in the order of the proof.

    >>> all(check.holds for check in check_theorem(PrimeBasis((3, 5, 7), depth=2)))
    True
    """
    return (
        *_action_checks(basis),
        *_commutant_checks(basis),
        *_projection_checks(basis),
        *_logit_checks(basis),
    )


def _at_most(statement: str, measured: float, bound: float, note: str = "") -> Check:
    return Check(statement, "numerical", measured, f"≤ {bound:g}", measured <= bound, note)


def _at_least(statement: str, measured: float, bound: float, note: str = "") -> Check:
    return Check(statement, "numerical", measured, f"≥ {bound:g}", measured >= bound, note)


def _equals(
    statement: str,
    kind: Literal["exact", "numerical"],
    measured: int,
    expected: int,
    note: str = "",
) -> Check:
    return Check(statement, kind, measured, f"= {expected}", measured == expected, note)


def _action_checks(basis: PrimeBasis) -> Iterator[Check]:
    periods = [period for row in basis.periods for period in row]
    equal = sum(m == n for m, n in combinations(periods, 2))
    yield _equals(
        "blocks with the same period, hence isomorphic",
        "exact",
        equal,
        0,
        f"{len(periods)} periods compared as integers; Schur's lemma does the rest",
    )
    generator = random.Random(1)
    error = 0.0
    for _ in range(20):
        a, b = (generator.getrandbits(2000) - 2**1999 for _ in range(2))
        turned = rotation(b, basis) @ encode(a, basis, "float64").reshape(-1)
        error = max(
            error, float(np.abs(turned - encode(a + b, basis, "float64").reshape(-1)).max())
        )
    yield _at_most(
        "|R(b)·PFE(a) - PFE(a + b)|", error, 1e-15, "largest entry, 20 pairs of 2000-bit integers"
    )


def _commutant_checks(basis: PrimeBasis) -> Iterator[Check]:
    maps = equivariant_basis(basis)
    dimension = 2 * len(basis.channels) + (2 if basis.primes[0] == 2 else 0)
    yield _equals(
        "dimension of the commutant, by structure",
        "exact",
        len(maps),
        dimension,
        "two for each (p, d)" + (", four for the period 2" if basis.primes[0] == 2 else ""),
    )
    error = max(equivariance_error(one, basis, shifts=spread_shifts(basis, 2)) for one in maps)
    yield _at_most(
        "|W·R(b) - R(b)·W| for each of these maps", error, 1e-14, "b = 1 and b of full size"
    )
    if dimension == basis.dim**2:
        return  # one block of period 2: nothing is forbidden
    smallest_angle = 2 * math.pi / max(row[-1] for row in basis.periods)
    values = np.sort(coupling_singular_values(basis, (1,)), axis=None)
    yield Check(
        "smallest singular value of a forbidden coupling, shift b = 1 alone",
        "numerical",
        float(values[dimension]),
        NO_BOUND,
        True,
        f"the generator turns one block by {smallest_angle:.1e} rad only: "
        + ("ill-conditioned" if values[dimension] < 1e-6 else "enough for this basis"),
    )
    values = np.sort(coupling_singular_values(basis, spread_shifts(basis)), axis=None)
    yield _at_least(
        "the same with 3 more shifts from the whole range",
        float(values[dimension]),
        0.01,
        "exact big integers turn every block by an angle of its own",
    )
    yield _equals(
        "dimension of the commutant, by SVD with these 4 shifts",
        "numerical",
        int(np.sum(values < _ZERO)),
        dimension,
        f"{values.size} singular values, those below {_ZERO:g} counted as 0",
    )


def _projection_checks(basis: PrimeBasis) -> Iterator[Check]:
    W = np.random.default_rng(0).normal(size=(basis.dim, basis.dim))
    P = project_to_equivariant(W, basis)
    scale = float(np.linalg.norm(W))
    again = float(np.linalg.norm(project_to_equivariant(P, basis) - P)) / scale
    yield _at_most("|P(P(W)) - P(W)| of a random W", again, 1e-15, "the projection is idempotent")
    inner = abs(float(np.sum((W - P) * P))) / scale**2
    yield _at_most("|⟨W - P(W), P(W)⟩|", inner, 1e-15, "the projection is orthogonal")
    yield _at_most("energy of P(W) outside the blocks", off_block_energy(P, basis), 0.0)


def _logit_checks(basis: PrimeBasis) -> Iterator[Check]:
    visible = [n for n in _MODULI if set(PrimeBasis.for_modulus(n).primes) <= set(basis.primes)]
    if not visible:
        return
    error = 0.0
    for n in visible:
        shift = spread_shifts(basis)[-1]
        maps, turn = logit_channels(n, basis).maps(), rotation(shift, basis)
        error = max(error, float(np.abs(maps @ turn - np.roll(maps, shift % n, axis=1)).max()))
    names = ", ".join(map(str, visible))
    yield _at_most("|L·R(b) - S^b·L| for the logit maps", error, 1e-14, f"N = {names}")
    wrong, lead = 0, float("inf")
    for n in visible:
        codes = encode(np.arange(n), basis, "float64")
        logits = zero_training_logits(codes[:, None], codes[None], n, basis)
        wrong += int(np.sum(logits.argmax(-1) != np.add.outer(np.arange(n), np.arange(n)) % n))
        top = np.partition(logits, -2, axis=-1)
        lead = min(lead, float((top[..., -1] - top[..., -2]).min()) / logit_gap(n))
    yield _equals(
        "wrong answers of the classifier that needs no training",
        "numerical",
        wrong,
        0,
        f"every pair a, b < N; the right logit leads by at least {lead:.3f} of the proven gap",
    )
