"""Find the channels that a modulus needs, and what a basis lacks, before any training."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from primefourier.arithmetic.integers import as_integer, format_integer
from primefourier.arithmetic.primes import divide_out, factorize, format_factors
from primefourier.encoding.aliases import Alias, find_alias_pairs, find_aliases
from primefourier.encoding.basis import Channel, PrimeBasis, require_basis

_IN_REACH = 1.0
"""Aliases with a larger drift, in turns, are not listed."""
_PAIRS = 5
_LISTED = 5
_FAR = 4.0
"""From this drift on, in turns, none of the paper's networks used an alias."""


@dataclass(frozen=True)
class Plan:
    """The (prime, depth index) channels that are relevant for arithmetic modulo N.

    The channel (p, d) has period p^(d+1). It is relevant exactly if p^(d+1) divides N: only then
    is its angle a function of a mod N (see :func:`primefourier.theory.logit_channels`).

    Attributes:
        modulus: N.
        basis: The basis.
        factors: The prime factorisation of N, ((prime, exponent), …).
        relevant: The relevant channels of the basis.
        missing: The relevant channels that the basis does not have.
        visible: The largest divisor of N that the basis represents completely.
        unfactored: A divisor of N that could not be factored and has no prime of the basis; its
            primes are in neither ``factors`` nor ``missing``. 1 if N was factored.
        input_range: r, if given: inputs are 0 … r - 1.
    """

    modulus: int
    basis: PrimeBasis
    factors: tuple[tuple[int, int], ...]
    relevant: tuple[Channel, ...]
    missing: tuple[Channel, ...]
    visible: int
    unfactored: int = 1
    input_range: int | None = None

    @property
    def invisible(self) -> int:
        """The part of N that the basis cannot see, N / visible; 1 if it sees all of N."""
        return self.modulus // self.visible

    @property
    def complete(self) -> bool:
        """Whether the basis sees the whole modulus."""
        return self.visible == self.modulus

    @property
    def extended(self) -> PrimeBasis:
        """The basis with just enough added to see the whole modulus."""
        if self.unfactored > 1:
            raise ValueError(
                f"the primes of {format_integer(self.unfactored)}, a divisor of the modulus, are "
                "not known, so the extended basis is not known either; add them to the basis"
            )
        primes = {*self.basis.primes, *(p for p, _ in self.factors)}
        depth = max(self.basis.depth, *(e for _, e in self.factors))
        return PrimeBasis(tuple(sorted(primes)), depth)

    @cached_property
    def aliases(self) -> tuple[Alias, ...]:
        """Irrelevant blocks that drift by less than a turn from a harmonic of N below r.

        A network may use them, is then right below r, and wrong beyond. Nearest first; empty if no
        input range was given.
        """
        if self.input_range is None:
            return ()
        found = find_aliases(self.modulus, self.basis, input_range=self.input_range)
        return tuple(alias for alias in found if alias.drift < _IN_REACH)

    @cached_property
    def alias_pairs(self) -> tuple[Alias, ...]:
        """The five nearest pairs of circles that drift by less than a turn from a harmonic."""
        if self.input_range is None:
            return ()
        found = find_alias_pairs(self.modulus, self.basis, input_range=self.input_range)
        return tuple(pair for pair in found[:_PAIRS] if pair.drift < _IN_REACH)

    @property
    def _slow(self) -> int:
        """How many irrelevant circles make less than a turn below r, and can serve as constants."""
        n, r = self.modulus, self.input_range or math.inf
        return sum(t > r and n % t > 0 for row in self.basis.periods for t in row)

    def degenerate(self, input_range: int) -> bool:
        """Return whether sums of two inputs below r never reach N, so that none wraps around."""
        return 2 * (as_integer(input_range, "input_range", at_least=1) - 1) < self.modulus

    def explain(self) -> str:
        """Describe the plan in words; with an input range, also wrapping and aliases.

        >>> print(plan(21, PrimeBasis((3, 5, 7), depth=2)).explain())
        21 = 3 · 7
        Relevant: 2 of the 6 channels, those whose period divides 21.
          p = 3: period 3
          p = 7: period 7
        A linear map that respects addition mod 21 is zero on the other 4 channels.
        The basis sees all of 21.
        """
        n = format_integer(self.modulus)
        total, used = len(self.basis.channels), len(self.relevant)
        parts = [format_factors(self.factors)] if self.factors else []
        if self.unfactored > 1:
            parts.append(f"{format_integer(self.unfactored)} (not factored)")
        lines = [f"{n} = {' · '.join(parts)}"]
        if used:
            lines.append(
                f"Relevant: {used} of the {total} channels, those whose period divides {n}."
            )
            for p in dict.fromkeys(p for p, _ in self.relevant):
                periods = [format_integer(p ** (d + 1)) for q, d in self.relevant if q == p]
                lines.append(f"  p = {p}: period{'s'[: len(periods) > 1]} {', '.join(periods)}")
        else:
            lines.append(f"Relevant: none of the {total} channels; no period divides {n}.")
        if rest := used and total - used:
            others = f"{rest} channels" if rest > 1 else "channel"
            lines.append(
                f"A linear map that respects addition mod {n} is zero on the other {others}."
            )
        lines.append(self.explain_missing())
        return "\n".join(lines + self._explain_range())

    def _explain_range(self) -> list[str]:
        """Say whether sums wrap around, which circles a network may misuse, and what avoids it."""
        if self.input_range is None:
            return []
        n, r = format_integer(self.modulus), self.input_range
        below, top = format_integer(r), format_integer(2 * r - 2)
        if self.degenerate(r):
            enough = format_integer((self.modulus + 1) // 2 + 1)
            return [
                f"Degenerate: with inputs below {below} no sum exceeds {top} < {n}, so "
                f"none wraps around; use a range of {enough} or more."
            ]
        lines = [f"Inputs below {below} wrap around: sums reach {top} ≥ {n}."]
        if self.aliases:
            lines.append(
                f"Aliases: circles that resemble a harmonic k/{n} for inputs below {below}. A "
                "network that uses one is wrong beyond."
            )
            lines += [f"  {a.equation}, drift {a.drift:.2g} turns" for a in self.aliases[:_LISTED]]
            if (more := len(self.aliases) - _LISTED) > 0:
                lines.append(f"  and {more} more")
        else:
            lines.append(f"No circle drifts by less than a turn from a harmonic below {below}.")
        if self.alias_pairs:
            lines.append("Pairs of circles that together resemble one:")
            lines += [f"  {a.equation}, drift {a.drift:.2g} turns" for a in self.alias_pairs]
        if self._slow:
            lines.append(
                f"Slow circles: {self._slow} of the {len(self.basis.channels)} make less than one "
                "turn. A network that uses them as constants is wrong far beyond."
            )
        found = {"aliases": self.aliases or self.alias_pairs, "slow circles": self._slow}
        what = " and ".join(name for name, some in found.items() if some)
        if what and self.unfactored == 1:
            primes, exponents = zip(*self.factors, strict=True)
            own = plan(self.modulus, PrimeBasis(primes, max(exponents)), input_range=r)
            # with one depth for all primes, the primes of N can have such circles themselves
            if not (own.aliases or own.alias_pairs or own._slow):
                lines.append(f"To avoid {what}, use only the primes of N, {own.basis}.")
        if self.aliases and self.complete:
            # the drift grows with the range
            far = format_integer(math.ceil(r * _FAR / self.aliases[0].drift))
            lines.append(
                f"With a range of {far} or more the nearest alias drifts by {_FAR:g} turns."
            )
        return lines

    def explain_missing(self) -> str:
        """Describe in one or two sentences what the basis cannot see of N, and what to add."""
        n, basis = format_integer(self.modulus), self.basis
        if self.complete:
            return f"The basis sees all of {n}."
        primes = [format_integer(p) for p, _ in self.factors if p not in basis.primes]
        depth = max((exponent for _, exponent in self.factors), default=1)
        advice = []
        if primes:
            advice.append(f"add the prime{'s'[: len(primes) > 1]} {', '.join(primes)}")
        if self.unfactored > 1:
            advice.append(f"add the primes of {format_integer(self.unfactored)}")
        if depth > basis.depth:
            advice.append(f"raise the depth from {basis.depth} to {depth}")
        visible, invisible = format_integer(self.visible), format_integer(self.invisible)
        seen = f"only a mod {visible}" if self.visible > 1 else f"nothing about a mod {n}"
        return (
            f"The basis cannot see the factor {invisible}: it determines {seen}. To see all of "
            f"{n}, {' and '.join(advice)}."
        )


def plan(modulus: int, basis: PrimeBasis, *, input_range: int | None = None) -> Plan:
    """Find the channels of the basis that are relevant modulo N: those with p^(d+1) | N.

    Args:
        modulus: N, at least 2.
        basis: The basis.
        input_range: r, if inputs are 0 … r - 1: then the plan names the irrelevant channels that a
            network may use because they look relevant below r.

    Returns:
        The relevant channels, the missing channels, and the visible part of N.

    >>> p = plan(45, PrimeBasis((3, 7), depth=1))
    >>> p.relevant, p.missing, p.visible, p.invisible
    (((3, 0),), ((3, 1), (5, 0)), 3, 15)
    >>> p.extended
    PrimeBasis(primes=(3, 5, 7), depth=2)
    """
    require_basis(basis)
    n = as_integer(modulus, "modulus", at_least=2)
    try:
        factors, unfactored = factorize(n), 1
    except ValueError:  # unknown large primes, but divisibility by the basis can be decided
        factors, unfactored = divide_out(n, basis.primes)
    r = None if input_range is None else as_integer(input_range, "input_range", at_least=1)
    needed = tuple((p, d) for p, exponent in factors for d in range(exponent))
    relevant = tuple(c for c in needed if c[0] in basis.primes and c[1] < basis.depth)
    missing = tuple(c for c in needed if c not in relevant)
    visible = math.prod(p for p, _ in relevant)
    return Plan(n, basis, factors, relevant, missing, visible, unfactored, r)
