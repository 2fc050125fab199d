"""The noise floor: how large a drop must be before it can be told from zero."""

from __future__ import annotations

import math

from primefourier.arithmetic.integers import as_integer


def noise_floor(test_size: int) -> float:
    """Return the paper's bound on drops that chance alone explains, 2 · √(2 · ¼ / n).

    A drop is the difference of two accuracies, each with a variance of at most ¼ / n. The floor is
    two standard deviations of the difference, as if the two were independent. They are not: both
    are measured on the same pairs, so the floor is cautious, and :func:`paired_p_value` sharper.

    Args:
        test_size: n, how many test pairs the accuracies are measured on.

    Returns:
        The floor. A drop is indistinguishable from zero if its absolute value lies below it.

    >>> round(noise_floor(16_000), 3), round(noise_floor(2_000), 3)
    (0.011, 0.032)
    """
    return 2 * math.sqrt(2 * 0.25 / as_integer(test_size, "test_size", at_least=1))
