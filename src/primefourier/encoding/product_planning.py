"""Find the characters that multiplication modulo N needs, and what a basis lacks."""

from __future__ import annotations

from dataclasses import dataclass

from primefourier.arithmetic.integers import as_integer
from primefourier.arithmetic.primes import factorize
from primefourier.encoding.characters import Character, CharacterBasis


@dataclass(frozen=True)
class ProductPlan:
    """The characters that are relevant for multiplication modulo N.

    A character is relevant exactly if its conductor divides N: only then is it a function of
    a mod N.

    Attributes:
        modulus: N.
        basis: The basis.
        relevant: The relevant characters of the basis.
        missing: The characters that N needs and the basis does not have.
        squares: Primes whose squares divide N: characters do not tell their multiples apart.
    """

    modulus: int
    basis: CharacterBasis
    relevant: tuple[Character, ...]
    missing: tuple[Character, ...]
    squares: tuple[int, ...]

    @property
    def complete(self) -> bool:
        """Whether the basis determines a·b mod N for all integers."""
        return not self.missing and not self.squares

    def explain(self) -> str:
        """Describe the plan in words.

        >>> print(plan_product(35, CharacterBasis((5, 11))).explain())
        Relevant for products modulo 35: 3 of the 6 characters, those modulo 5.
        A linear map that respects multiplication mod 35 is zero on the others.
        The basis lacks characters modulo 7.
        """
        n, used = self.modulus, len(self.relevant)
        own, lacking = (
            ", ".join(map(str, dict.fromkeys(c.conductor for c in some))) or "none"
            for some in (self.relevant, self.missing)
        )
        lines = [
            f"Relevant for products modulo {n}: {used} of the {len(self.basis.channels)} "
            f"characters, those modulo {own}.",
            f"A linear map that respects multiplication mod {n} is zero on the others.",
        ]
        if self.missing:
            lines.append(f"The basis lacks characters modulo {lacking}.")
        if self.squares:
            primes = ", ".join(map(str, self.squares))
            lines.append(f"Squares divide {n}: characters do not tell multiples of {primes} apart.")
        if self.complete:
            lines.append(f"The basis determines a·b mod {n} for all integers.")
        return "\n".join(lines)


def plan_product(modulus: int, basis: CharacterBasis) -> ProductPlan:
    """Find the characters of a basis that are relevant for multiplication modulo N.

    Args:
        modulus: N, at least 2; its prime powers must be at most 2^20.
        basis: The basis.

    Returns:
        The relevant and the missing characters.

    >>> found = plan_product(35, CharacterBasis((3, 5)))
    >>> [character.period for character in found.relevant]
    [1, 2, 4]
    >>> [character.period for character in found.missing]
    [1, 2, 3]
    """
    n = as_integer(modulus, "modulus", at_least=2)
    if not isinstance(basis, CharacterBasis):
        raise TypeError(
            f"basis must be a CharacterBasis, got a {type(basis).__name__}; make one with "
            "CharacterBasis.for_modulus(modulus), or use plan for sums"
        )
    needed = CharacterBasis.for_modulus(n).channels
    relevant = tuple(c for c in basis.channels if n % c.conductor == 0)
    missing = tuple(c for c in needed if c not in relevant)
    return ProductPlan(n, basis, relevant, missing, tuple(p for p, e in factorize(n) if e > 1))
