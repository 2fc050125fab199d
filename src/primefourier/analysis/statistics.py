"""Uncertainty of a drop: the paper's noise floor, exact tests and bounds, intervals over seeds.

The answers before and after an ablation belong to the same test pairs. The noise floor ignores
this, as the paper does; the exact test and the bounds use it.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from primefourier._checks import missing_extra, require_number
from primefourier.arithmetic.integers import as_integer, as_integers


def noise_floor(test_size: int) -> float:
    """Return the paper's bound on drops that chance alone explains, 2 · √(2 · ¼ / n) = √(2 / n).

    A drop is the difference of two accuracies, each with a variance of at most ¼ / n. The floor is
    two standard deviations of the difference of independent accuracies. Both are measured on the
    same n pairs, so the floor is conservative and :func:`paired_p_value` is sharper. A drop whose
    absolute value is below it is indistinguishable from zero.

    >>> round(noise_floor(16_000), 3), round(noise_floor(2_000), 3)
    (0.011, 0.032)
    """
    return math.sqrt(2 / as_integer(test_size, "test_size", at_least=1))


def paired_p_value(lost: int, gained: int) -> float:
    """Return the exact two-sided p-value of changed answers (McNemar's test, the sign test).

    If an ablation only perturbs the network, a changed answer is equally likely to become wrong or
    correct. Among the n = lost + gained changed answers, the smaller count k then follows n fair
    coins, and

        p = min(1, 2 · Σ_{i ≤ k} C(n, i) / 2ⁿ).

    It is 1.0 if no answer changed, and 0.0 if it is too small for a float.

    >>> round(paired_p_value(9, 1), 6) == round(2 * (1 + 10) / 2**10, 6)
    True
    >>> paired_p_value(0, 0)
    1.0
    """
    lost = as_integer(lost, "lost", at_least=0)
    gained = as_integer(gained, "gained", at_least=0)
    total, ahead = lost + gained, abs(lost - gained)
    if ahead == 0:  # the two tails overlap
        return 1.0
    if ahead * ahead > 1500 * total:  # Hoeffding: p ≤ 2 · exp(-ahead² / 2n), below every float
        return 0.0
    if total > 10**8:  # the normal tail with Uspensky's correction, off by the order of 1 / n
        square = (ahead - 1) ** 2 / total
        density = math.exp(-square / 2) / math.sqrt(2 * math.pi)
        correction = density * math.sqrt(square) * (square - 1) / 6 * (1 / total)
        return math.erfc(math.sqrt(square / 2)) - correction
    return min(1.0, 2 * float(_special().betainc(max(lost, gained), min(lost, gained) + 1, 0.5)))


def drop_bounds(
    lost: ArrayLike, gained: ArrayLike, size: ArrayLike, *, confidence: float = 0.95
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return exact lower and upper bounds on the drops of several rows that hold simultaneously.

    The drop of a row is P(lost) - P(gained) over all possible pairs. Both counts are binomial, so
    Clopper and Pearson's exact bounds hold for each probability, and their differences bound the
    drop. Rows ablated in one network share their test pairs, so the bounds assume nothing about
    the dependence of the counts: the error 1 - confidence is divided among the four bounds of every
    row (Bonferroni).

    Args:
        lost: For each row, the number of answers that are correct before and wrong after.
        gained: For each row, the number of answers that are wrong before and correct after.
        size: The number of test pairs, one number or one per row.
        confidence: The probability that all bounds hold, between 0 and 1.

    Shape:
        lost, gained (K,), size () or (K,) → two arrays (K,).

    >>> low, high = drop_bounds([12_000, 0], [3, 0], 16_000)
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.7407, -0.0003], [0.7585, 0.0003])
    """
    _require_confidence(confidence)
    down, up, n = np.broadcast_arrays(*(as_integers(x) for x in (lost, gained, size)))
    if down.ndim != 1 or (down < 0).any() or (up < 0).any() or (down + up > n).any():
        raise ValueError(
            "lost and gained must be counts, one per row, with lost + gained at most size, got "
            f"lost = {lost!r:.60}, gained = {gained!r:.60}, size = {size!r:.60}"
        )
    error = (1 - confidence) / (4 * max(1, down.size))
    lost_low, lost_high = _clopper_pearson(down, n, error)
    gained_low, gained_high = _clopper_pearson(up, n, error)
    return lost_low - gained_high, lost_high - gained_low


def _clopper_pearson(
    count: NDArray[Any], size: NDArray[Any], error: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bound a probability from both sides; each bound fails with at most the given error."""
    # quantiles of the beta distribution; where a count is 0 or all, one side is trivial
    rest = size - count
    low = np.where(count > 0, _special().betaincinv(np.maximum(count, 1), rest + 1, error), 0.0)
    high = np.where(rest > 0, _special().betainccinv(count + 1, np.maximum(rest, 1), error), 1.0)
    return low, high


@dataclass(frozen=True)
class Interval:
    """The mean of ``count`` values and its confidence interval.

    A single value does not show the spread, so its ``low`` and ``high`` are None.

    >>> str(Interval(mean=0.62, low=0.5, high=0.74, count=5))
    '0.62 [0.5, 0.74]'
    """

    mean: float
    low: float | None
    high: float | None
    count: int

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.mean:.3g}"
        return f"{self.mean:.3g} [{self.low:.3g}, {self.high:.3g}]"


def mean_interval(values: ArrayLike, confidence: float = 0.95) -> Interval:
    """Return the mean over seeds with Student's interval, mean ± t · s / √n.

    Here s is the standard deviation of the n ≥ 1 values (with n - 1), and t is the quantile of
    Student's distribution with n - 1 degrees of freedom. The interval is exact for normal values.
    ``confidence`` is the probability that such an interval contains the true mean.

    >>> interval = mean_interval([0.61, 0.58, 0.64])
    >>> round(interval.mean, 3), round(interval.low, 3), round(interval.high, 3), interval.count
    (0.61, 0.535, 0.685, 3)
    >>> mean_interval([0.61])
    Interval(mean=0.61, low=None, high=None, count=1)
    """
    _require_confidence(confidence)
    try:
        given = np.asarray(values)
    except (TypeError, ValueError, RuntimeError) as error:
        raise ValueError(f"values must be one sequence of numbers, got {values!r:.80}") from error
    if given.ndim != 1 or given.size == 0:
        raise ValueError(
            f"values must be one sequence of at least one number, got shape {given.shape}"
        )
    if given.dtype.kind not in "iuf" or not np.isfinite(given).all():
        raise ValueError(
            f"values must be finite numbers, got {given.tolist()!r:.80}; leave out failed runs"
        )
    numbers = [float(value) for value in given.tolist()]
    mean, count = statistics.mean(numbers), len(numbers)  # exact, so equal values have no spread
    if count == 1:
        return Interval(mean, None, None, count)
    quantile = float(_special().stdtrit(count - 1, (1 + confidence) / 2))
    reach = quantile * statistics.stdev(numbers) / math.sqrt(count)
    return Interval(mean, mean - reach, mean + reach, count)


def _require_confidence(confidence: float) -> None:
    require_number(confidence, "confidence")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence}; use 0.95 for 95 %")


def _special() -> Any:
    """Return scipy's special functions, which are loaded when first needed."""
    try:
        from scipy import special
    except ImportError as error:
        raise missing_extra("primefourier.analysis", error, "nn") from error
    return special
