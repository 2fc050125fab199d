"""Say before any training which channels a modulus needs, and what a basis lacks for it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from primefourier.arithmetic.integers import as_integer
from primefourier.arithmetic.primes import factorize, format_factors
from primefourier.encoding.basis import PrimeBasis, require_basis

Channel = tuple[int, int]


@dataclass(frozen=True)
class Plan:
    """Which (prime, depth index) channels matter for arithmetic modulo N.

    The channel (p, d) has period p^(d+1), and matters exactly if p^(d+1) divides N: only then is
    its angle a function of a mod N (see :func:`primefourier.theory.logit_channels`).

    Attributes:
        modulus: N.
        basis: The basis that was asked about.
        factors: The prime factorisation of N, ((prime, exponent), …).
        relevant: The channels of the basis that matter.
        missing: The channels that matter but that the basis does not have.
        visible: The largest divisor of N that the basis sees in full.
    """

    modulus: int
    basis: PrimeBasis
    factors: tuple[tuple[int, int], ...]
    relevant: tuple[Channel, ...]
    missing: tuple[Channel, ...]
    visible: int

    @property
    def invisible(self) -> int:
        """The part of N that the basis cannot see, N / visible; 1 if it sees everything."""
        return self.modulus // self.visible

    @property
    def complete(self) -> bool:
        """Whether the basis sees the whole modulus."""
        return not self.missing

    @property
    def extended(self) -> PrimeBasis:
        """The basis with just enough added to see the whole modulus."""
        primes = {*self.basis.primes, *(p for p, _ in self.factors)}
        depth = max(self.basis.depth, *(e for _, e in self.factors))
        return PrimeBasis(tuple(sorted(primes)), depth)

    def degenerate(self, input_range: int) -> bool:
        """Tell whether sums of two inputs below ``input_range`` never reach N.

        Then 2(r - 1) < N, no sum wraps around, and the task is plain addition.

        >>> plan(231, PrimeBasis((3, 7, 11), depth=1)).degenerate(100)
        True
        """
        return 2 * (as_integer(input_range, "input_range", at_least=1) - 1) < self.modulus

    def explain(self, input_range: int | None = None) -> str:
        """Put the plan into words.

        >>> print(plan(21, PrimeBasis((3, 5, 7), depth=2)).explain())
        21 = 3 · 7
        Relevant: 2 of the 6 channels, those whose period divides 21.
          p = 3: period 3
          p = 7: period 7
        A linear map that respects addition mod 21 is zero on the other 4 channels.
        The basis sees all of 21.
        """
        n, basis = self.modulus, self.basis
        wraps = input_range is None or not self.degenerate(input_range)
        total, used = len(basis.channels), len(self.relevant)
        lines = [f"{n} = {format_factors(self.factors)}"]
        if used:
            lines.append(
                f"Relevant: {used} of the {total} channels, those whose period divides {n}."
            )
            for p in dict.fromkeys(p for p, _ in self.relevant):
                periods = [str(p ** (d + 1)) for q, d in self.relevant if q == p]
                lines.append(f"  p = {p}: period{'s'[: len(periods) > 1]} {', '.join(periods)}")
        else:
            lines.append(f"Relevant: none of the {total} channels; no period divides {n}.")
        if total > used > 0:
            rest = total - used
            lines.append(
                f"A linear map that respects addition mod {n} is zero on the other {rest} "
                f"channel{'s'[: rest > 1]}."
            )
        lines.append(self.explain_missing())
        if input_range is not None:
            top = 2 * (input_range - 1)
            if not wraps:
                lines.append(
                    f"Degenerate: with inputs below {input_range} no sum exceeds {top} < {n}, so "
                    f"none wraps around; use inputs up to {(n + 1) // 2} or more."
                )
            else:
                lines.append(f"Inputs below {input_range} wrap around: sums reach {top} ≥ {n}.")
        return "\n".join(lines)

    def explain_missing(self) -> str:
        """Say in one sentence what the basis cannot see of N, and what to add.

        >>> plan(12, PrimeBasis((2, 3), depth=1)).explain_missing()
        'The basis cannot see the factor 2: it tells only a mod 6. To see all of 12, raise the ...
        """
        n, basis = self.modulus, self.basis
        if self.complete:
            return f"The basis sees all of {n}."
        primes = [str(p) for p, _ in self.factors if p not in basis.primes]
        advice = []
        if primes:
            advice.append(f"add the prime{'s'[: len(primes) > 1]} {', '.join(primes)}")
        if self.extended.depth > basis.depth:
            advice.append(f"raise the depth from {basis.depth} to {self.extended.depth}")
        seen = f"only a mod {self.visible}" if self.visible > 1 else f"nothing about a mod {n}"
        return (
            f"The basis cannot see the factor {self.invisible}: it tells {seen}. To see all of "
            f"{n}, {' and '.join(advice)}."
        )


def plan(modulus: int, basis: PrimeBasis) -> Plan:
    """Find the channels of the basis that matter modulo N: those with p^(d+1) | N.

    Args:
        modulus: N, at least 2.
        basis: The basis whose channels are judged.

    Returns:
        The relevant channels, the missing ones, and the part of N that is visible.

    >>> p = plan(45, PrimeBasis((3, 7), depth=1))
    >>> p.relevant, p.missing, p.visible, p.invisible
    (((3, 0),), ((3, 1), (5, 0)), 3, 15)
    >>> p.extended
    PrimeBasis(primes=(3, 5, 7), depth=2)
    """
    require_basis(basis)
    n = as_integer(modulus, "modulus", at_least=2)
    factors = factorize(n)
    needed = tuple((p, d) for p, exponent in factors for d in range(exponent))
    relevant = tuple(c for c in needed if c[0] in basis.primes and c[1] < basis.depth)
    missing = tuple(c for c in needed if c not in relevant)
    visible = math.prod(p for p, _ in relevant)
    return Plan(n, basis, factors, relevant, missing, visible)
