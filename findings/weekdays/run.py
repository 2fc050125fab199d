"""Weekdays from a few dates, with features of several libraries: the table of docs/scikit-learn.md.

    python -m findings.weekdays.run

Dates of twenty years are drawn for training, with three seeds. Every tenth day is tested: *within*,
the other days of these years, and *beyond*, those of the next 380 years. The name of a
model says what it knows of the week.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, SplineTransformer, StandardScaler
from skrub import ApplyToCols, DatetimeEncoder

from findings.text import rewrite, table
from primefourier import PrimeBasis
from primefourier.sklearn import PrimeFourierFeatures

PAGE = Path(__file__).parents[2] / "docs" / "scikit-learn.md"
SEEDS = (0, 1, 2)
TRAINED_ON = (50, 1000)
PRIMES = PrimeBasis((2, 3, 5, 7, 11, 13), depth=1)
DAYS = pd.DataFrame({"day": pd.date_range("2000-01-01", "2399-12-31", unit="s")})
"""All 146 097 days of four centuries, one whole cycle of the calendar."""
WEEKDAYS: NDArray[Any] = DAYS["day"].dt.day_of_week.to_numpy()
INSIDE = int((DAYS["day"].dt.year < 2020).sum())
TESTED = np.arange(0, len(DAYS), 10)


def day_numbers(frame: pd.DataFrame) -> NDArray[np.float64]:
    """Return the days since 1970 as floats, (rows, 1)."""
    return np.asarray(frame).astype("M8[D]").astype(np.float64)


def _linear(*features: Any) -> Any:
    return make_pipeline(*features, LogisticRegression(C=100, max_iter=1000))


def _spline(**options: Any) -> Any:
    splines = SplineTransformer(extrapolation="periodic", **options)
    return _linear(FunctionTransformer(day_numbers), splines)


def _skrub(**options: Any) -> Any:
    encoder = DatetimeEncoder(periodic_encoding="circular", **options)
    return _linear(ApplyToCols(encoder, cols="day"), StandardScaler())


def sparse_model(count: int) -> Any:
    """Return a logistic regression with an L1 penalty on the circles of six primes.

    The penalty grows with the square root of the number of dates, as the noise of its gradient.
    """
    sparse = LogisticRegression(C=3 / count**0.5, l1_ratio=1, solver="saga", max_iter=10_000)
    return make_pipeline(PrimeFourierFeatures(basis=PRIMES), sparse.set_params(random_state=0))


def kept_features(model: Any) -> list[str]:
    """Return the names of the features whose weights an L1 penalty left."""
    used = model[-1].coef_.any(axis=0)
    return [str(name) for name in model[0].get_feature_names_out()[used]]


MODELS: dict[str, Callable[[int], Any]] = {
    "`PrimeFourierFeatures(modulus=7)`": lambda _: _linear(PrimeFourierFeatures(modulus=7)),
    "the same with the primes 2 … 13 and an L1 penalty": sparse_model,
    "gradient-boosted trees on the number of the day": lambda _: make_pipeline(
        FunctionTransformer(day_numbers), HistGradientBoostingClassifier(random_state=0)
    ),
    "periodic `SplineTransformer`, 50 knots": lambda _: _spline(n_knots=50),
    "periodic `SplineTransformer`, knots 0 … 7": lambda _: _spline(knots=np.arange(8.0)[:, None]),
    "skrub's `DatetimeEncoder`, circular": lambda _: _skrub(),
    "the same with the weekday": lambda _: _skrub(add_weekday=True),
}


def train(model: Any, count: int, seed: int) -> tuple[Any, NDArray[np.intp]]:
    """Fit a model to some days of the first twenty years; return it, and which days they were."""
    drawn = np.sort(np.random.default_rng(seed).choice(INSIDE, count, replace=False))
    return model.fit(DAYS.iloc[drawn], WEEKDAYS[drawn]), drawn


def measure(name: str, count: int) -> tuple[float, float]:
    """Return the mean accuracy over seeds, within the years of training and beyond."""
    found = []
    for seed in SEEDS:
        model, drawn = train(MODELS[name](count), count, seed)
        right = model.predict(DAYS.iloc[TESTED]) == WEEKDAYS[TESTED]
        within = (TESTED < INSIDE) & ~np.isin(TESTED, drawn)
        found.append((right[within].mean(), right[TESTED >= INSIDE].mean()))
    within, beyond = np.mean(found, axis=0)
    return float(within), float(beyond)


def blocks() -> dict[str, str]:
    """Return the table of accuracies by model and number of dates."""
    head = [f"{count} dates: {where}" for count in TRAINED_ON for where in ("within", "beyond")]
    rows: list[list[object]] = [
        [name, *(f"{value:.2f}" for count in TRAINED_ON for value in measure(name, count))]
        for name in MODELS
    ]
    return {"weekdays": table(["features", *head], rows)}


def main() -> None:
    """Rewrite the table."""
    PAGE.write_text(rewrite(PAGE.read_text(), blocks()))


if __name__ == "__main__":
    main()
