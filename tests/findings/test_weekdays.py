"""What docs/scikit-learn.md claims of weekdays, and its table."""

import numpy as np
import pytest

import primefourier as pf
from findings.weekdays.run import (
    DAYS,
    MODELS,
    PAGE,
    PRIMES,
    WEEKDAYS,
    blocks,
    kept_features,
    sparse_model,
    train,
)


@pytest.mark.parametrize("seed", range(3))
def test_fifty_dates_give_the_weekday_of_every_day_of_four_centuries(seed: int) -> None:
    model, drawn = train(MODELS["`PrimeFourierFeatures(modulus=7)`"](50), 50, seed)
    assert len(drawn) == len({*drawn}) == 50
    assert len(DAYS) == 146_097
    assert (np.diff(DAYS["day"]) == np.timedelta64(1, "D")).all()
    assert (model.predict(DAYS) == WEEKDAYS).all()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_sparse_model_keeps_what_the_plan_names(seed: int) -> None:
    model, _ = train(sparse_model(1000), 1000, seed)
    relevant = pf.plan(7, PRIMES).relevant
    named = [f"day_mod{p ** (d + 1)}_{xy}" for p, d in relevant for xy in ("cos", "sin")]
    assert kept_features(model) == named == ["day_mod7_cos", "day_mod7_sin"]
    assert (model.predict(DAYS) == WEEKDAYS).all()


@pytest.mark.slow
def test_the_table_of_the_page_is_what_the_models_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the trees, whose training takes eight times as long as that of all the others."""
    monkeypatch.delitem(MODELS, "gradient-boosted trees on the number of the day")
    rows = blocks()["weekdays"].splitlines()
    assert len(rows) == 2 + len(MODELS)
    assert {*rows} <= {*PAGE.read_text().splitlines()}
