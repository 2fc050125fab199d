"""Check Theorem 3.1 of the paper on a basis, with exact and numerical measurements."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from primefourier.encoding import PrimeBasis, encode, plan
from primefourier.encoding.basis import require_basis
from primefourier.theory.equivariance import (
    commutant_dimension,
    coupling_singular_values,
    equivariance_error,
    off_block_energy,
    project_to_equivariant,
    rotation,
    spread_shifts,
)
from primefourier.theory.logits import exact_sum_logits, logit_channels, logit_gap

_ZERO = 1e-13  # singular values below this count as 0
_MODULI = (15, 21, 77, 105, 231)

Kind = Literal["exact", "numerical"]
Relation = Literal["=", "≤", "≥"]

_MOST_DIMENSIONS = 2000


@dataclass(frozen=True)
class Check:
    """One statement about a basis, with its measured number.

    It is "exact" if decided in integers, and "numerical" if in floating point. ``relation`` is
    that of the number to the bound; None if the number is only reported.
    """

    statement: str
    kind: Kind
    measured: float
    relation: Relation | None
    bound: float
    note: str = ""

    @property
    def holds(self) -> bool:
        """Whether the number satisfies the relation."""
        if self.relation == "=":
            return self.measured == self.bound
        if self.relation == "≤":
            return self.measured <= self.bound
        return self.relation is None or self.measured >= self.bound


def check_theorem(basis: PrimeBasis) -> tuple[Check, ...]:
    """Check on one basis that equivariant linear maps are block-diagonal, and its consequences.

    Returns one check per statement, in the order of the proof. The paper's basis takes a second or
    two; the dimension must be at most 2000.

    >>> all(check.holds for check in check_theorem(PrimeBasis((3, 5, 7), depth=2)))
    True
    """
    require_basis(basis)
    if basis.dim > _MOST_DIMENSIONS:
        raise ValueError(
            f"the checks use square matrices of the dimension, so the dimension must be at most "
            f"{_MOST_DIMENSIONS}, got {basis.dim}; use fewer primes or a smaller depth"
        )
    return (
        *_action_checks(basis),
        *_commutant_checks(basis),
        *_projection_checks(basis),
        *_logit_checks(basis),
    )


def _action_checks(basis: PrimeBasis) -> Iterator[Check]:
    periods = [period for row in basis.periods for period in row]
    yield Check(
        "blocks that share a period with another, hence isomorphic to it",
        "exact",
        len(periods) - len(set(periods)),
        "=",
        0,
        f"{len(periods)} periods compared as integers; Schur's lemma does the rest",
    )
    generator = random.Random(1)
    error = 0.0
    for _ in range(20):
        a, b = (generator.getrandbits(2000) - 2**1999 for _ in range(2))
        turned = rotation(b, basis) @ encode(a, basis, "float64").reshape(-1)
        sum_code = encode(a + b, basis, "float64").reshape(-1)
        error = max(error, float(np.abs(turned - sum_code).max()))
    note = "largest entry, 20 pairs of 2000-bit integers"
    yield Check("|R(b)·PFE(a) - PFE(a + b)|", "numerical", error, "≤", 1e-15, note)


def _commutant_checks(basis: PrimeBasis) -> Iterator[Check]:
    dimension = commutant_dimension(basis)
    couplings = len(basis.channels) ** 2 * 4
    if dimension == couplings:
        return  # one block of period 2: no coupling is forbidden
    smallest_angle = 2 * math.pi * (1 / max(row[-1] for row in basis.periods))
    values = np.sort(coupling_singular_values(basis, (1,)), axis=None)
    fate = "ill-conditioned" if values[dimension] < 1e-6 else "enough for this basis"
    yield Check(
        "smallest singular value of a forbidden coupling, shift b = 1 alone",
        "numerical",
        float(values[dimension]),
        None,
        0,
        f"the generator turns one block by {smallest_angle:.1e} rad only: {fate}",
    )
    values = np.sort(coupling_singular_values(basis, spread_shifts(basis)), axis=None)
    yield Check(
        "smallest singular value of a forbidden coupling, with 3 more shifts",
        "numerical",
        float(values[dimension]),
        "≥",
        0.01,
        "exact big integers turn every block by an angle of its own",
    )
    yield Check(
        "dimension of the commutant, by SVD with these 4 shifts",
        "numerical",
        int(np.sum(values < _ZERO)),
        "=",
        dimension,
        f"two for each (p, d){', four for the period 2' if basis.primes[0] == 2 else ''}; of "
        f"{couplings} singular values those below {_ZERO:g} count as 0",
    )


def _projection_checks(basis: PrimeBasis) -> Iterator[Check]:
    W = np.random.default_rng(0).normal(size=(basis.dim, basis.dim))
    P = project_to_equivariant(W, basis)
    scale = float(np.linalg.norm(W))
    again = float(np.linalg.norm(project_to_equivariant(P, basis) - P)) / scale
    inner = abs(float(np.sum((W - P) * P))) / scale**2
    limits: list[tuple[str, float, float, str]] = [
        (
            *("|P(W)·R(b) - R(b)·P(W)| / |P(W)|", equivariance_error(P, basis), 1e-14),
            "P projects a random W to the maps of the theorem; 4 shifts b",
        ),
        ("|P(P(W)) - P(W)| / |W|", again, 1e-15, "the projection is idempotent"),
        ("|⟨W - P(W), P(W)⟩| / |W|²", inner, 1e-15, "the projection is orthogonal"),
    ]
    for statement, found, bound, note in limits:
        yield Check(statement, "numerical", found, "≤", bound, note)
    outside = off_block_energy(P, basis)
    yield Check("energy of P(W) outside the blocks", "numerical", outside, "=", 0)


def _logit_checks(basis: PrimeBasis) -> Iterator[Check]:
    visible = [n for n in _MODULI if plan(n, basis).complete]
    if not visible:
        return
    error, shift = 0.0, spread_shifts(basis)[-1]
    for n in visible:
        maps, turn = logit_channels(n, basis).maps(), rotation(shift, basis)
        error = max(error, float(np.abs(maps @ turn - np.roll(maps, shift % n, axis=1)).max()))
    note = f"N = {', '.join(map(str, visible))}"
    yield Check("|L·R(b) - S^b·L| for the logit maps", "numerical", error, "≤", 1e-14, note)
    wrong, lead = 0, float("inf")
    for n in visible:
        codes = encode(np.arange(n), basis, "float64")
        for some in np.array_split(np.arange(n), -(-n // 16)):  # less memory is faster
            # a sum has the same logits, bit for bit, in either order
            a, b = some[:, None], np.arange(some[0], n)
            logits = exact_sum_logits(codes[a], codes[b], n, basis)
            right = ((a + b) % n)[..., None]
            first = np.take_along_axis(logits, right, axis=-1)[..., 0]
            np.put_along_axis(logits, right, -np.inf, axis=-1)
            leads = first - logits.max(-1)
            wrong += int(np.sum((leads <= 0) * np.where(a < b, 2, a == b)))
            lead = min(lead, float(leads.min()) / logit_gap(n))
    yield Check(
        "wrong answers of the classifier that needs no training",
        "numerical",
        wrong,
        "=",
        0,
        f"every pair a, b < N; the right logit leads by at least {lead:.3f} of the proven gap",
    )
