"""Whether an ablation changed anything, judged pair by pair: the exact test of McNemar."""

from __future__ import annotations

import math

from primefourier.arithmetic.integers import as_integer

_COUNTED_UP_TO = 3000
"""Up to so many changed answers the tail is counted in integers."""


def paired_p_value(lost: int, gained: int) -> float:
    """Return how likely chance alone moves answers as unevenly as this, in either direction.

    If an ablation does nothing but shake the network, an answer that changes is as likely to turn
    wrong as to turn right. So of the n = lost + gained changed answers, the smaller count k is a
    throw of n fair coins, and the exact two-sided p-value (McNemar's, the sign test) is

        p = min(1, 2 · Σ_{i ≤ k} C(n, i) / 2ⁿ).

    Answers that did not change say nothing and do not enter.

    Args:
        lost: How many answers were right before and wrong after.
        gained: How many were wrong before and right after.

    Returns:
        The p-value; 1.0 if nothing changed, 0.0 where it is too small for a float.

    >>> paired_p_value(9, 1) == 2 * (1 + 10) / 2**10
    True
    >>> paired_p_value(0, 0)
    1.0
    """
    lost = as_integer(lost, "lost", at_least=0)
    gained = as_integer(gained, "gained", at_least=0)
    fewer, more = sorted((lost, gained))
    if fewer == more:  # the two tails overlap
        return 1.0
    if fewer + more <= _COUNTED_UP_TO:
        return _counted(fewer, more)
    return _summed(fewer, more)


def _counted(fewer: int, more: int) -> float:
    """Count the tail in integers and round once, when it is divided by 2ⁿ."""
    total = fewer + more
    term = tail = 1
    for i in range(fewer):
        term = term * (total - i) // (i + 1)
        tail += term
    return 2 * tail / (1 << total)


def _summed(fewer: int, more: int) -> float:
    """Sum the tail in floats, as its largest term times a series of falling ratios.

    The largest term C(n, k) / 2ⁿ is taken in Loader's form, which subtracts no large numbers:
    √(n / 2πk(n-k)) · exp(s(n) - s(k) - s(n-k) - n · KL), where s is what Stirling's formula leaves
    out of log n!, and KL how far coins with k heads in n are from fair ones.
    """
    total = fewer + more
    if 8 * fewer < total:  # Chernoff: p ≤ 2 · exp(-n · KL) < 1e-400 for n above 3000
        return 0.0
    uneven = (more - fewer) / total
    divergence = (math.log1p(-uneven * uneven) + 2 * uneven * math.atanh(uneven)) / 2
    left_out = _left_out(total) - _left_out(fewer) - _left_out(more)
    largest = math.exp(left_out - total * divergence)
    largest *= math.sqrt(total / (2 * math.pi * fewer * more))
    term = series = 1.0
    i = fewer
    while term > series * 2**-60:
        term *= i / (total - i + 1)
        series += term
        i -= 1
    return min(1.0, 2 * largest * series)


def _left_out(n: int) -> float:
    """Return log n! - log(√(2πn) · (n/e)ⁿ), to full precision for n above 300."""
    return (1 - 1 / (30 * n * n)) / (12 * n)
