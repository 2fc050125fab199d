"""Every check of scikit-learn that applies to PrimeFourierFeatures, and why one does not."""

import re
from pathlib import Path
from typing import Any

import pytest
from sklearn.base import clone
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

from primefourier import PrimeBasis
from primefourier.sklearn import PrimeFourierFeatures

ESTIMATORS = [
    PrimeFourierFeatures(modulus=12),
    PrimeFourierFeatures(period=[24, 365.2425]),
    PrimeFourierFeatures(basis=PrimeBasis((3, 5), 2), missing="indicator"),
]
FRACTIONS = "subtracts the mean from whole floats, and fractions are refused instead of rounded"


def not_applicable(estimator: PrimeFourierFeatures) -> dict[str, str]:
    """Floats reach only estimators that allow NaN; the others are given integers."""
    indicator = estimator.missing == "indicator"
    return {"check_positive_only_tag_during_fit": FRACTIONS} if indicator else {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=not_applicable, xfail_strict=True)  # type: ignore[untyped-decorator]
def test_the_checks_of_scikit_learn_pass(
    estimator: Any, check: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # or the check of numpy arrays is left out
    check(estimator)


def test_the_page_names_what_does_not_apply_and_why() -> None:
    page = (Path(__file__).parents[1] / "docs" / "scikit-learn.md").read_text()
    listed = re.findall(r"^\| `(check_\w+)`.* \| it (.*) \|$", page, re.MULTILINE)
    assert dict(listed) == {k: v for one in ESTIMATORS for k, v in not_applicable(one).items()}


NAMES_AND_FRAMES = [
    "check_dataframe_column_names_consistency",
    "check_get_feature_names_out_error",
    "check_global_output_transform_pandas",
    "check_global_set_output_transform_polars",
    "check_no_attributes_set_in_init",
    "check_set_output_transform",
    "check_set_output_transform_pandas",
    "check_set_output_transform_polars",
    "check_transformer_get_feature_names_out",
    "check_transformer_get_feature_names_out_pandas",
]
"""Further checks that scikit-learn runs on its own transformers."""


@pytest.mark.filterwarnings(
    "ignore:X (has|does not have valid) feature names"
)  # frames, then arrays
@pytest.mark.parametrize("estimator", ESTIMATORS[1:], ids=["periods", "indicator"])
@pytest.mark.parametrize("name", NAMES_AND_FRAMES)
def test_the_checks_of_names_and_frames_pass(name: str, estimator: PrimeFourierFeatures) -> None:
    check = getattr(estimator_checks, name)
    check(PrimeFourierFeatures.__name__, clone(estimator))
