from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch

from primefourier.encoding.floats import as_floats


@pytest.mark.parametrize(
    ("dtype", "roundoff"),
    [
        (np.float64, 2.0**-53), (">f8", 2.0**-53), (np.float32, 2.0**-24), (np.float16, 2.0**-11),
        (ml_dtypes.bfloat16, 2.0**-8), (ml_dtypes.float8_e4m3fn, 2.0**-4),
        (ml_dtypes.float8_e5m2, 2.0**-3),
    ],
)  # fmt: skip
def test_numpy_floats_come_with_their_rounding_error(dtype: Any, roundoff: float) -> None:
    array, error = as_floats(np.array([0.5, -1.0]).astype(dtype))
    assert array.astype(np.float64).tolist() == [0.5, -1.0]
    assert error == roundoff


@pytest.mark.parametrize(
    ("dtype", "roundoff"),
    [(torch.float64, 2.0**-53), (torch.bfloat16, 2.0**-8), (torch.float8_e5m2, 2.0**-3)],
)
def test_torch_floats_come_with_their_rounding_error(dtype: torch.dtype, roundoff: float) -> None:
    array, error = as_floats(torch.tensor([0.5, -1.0]).to(dtype))
    assert array.tolist() == [0.5, -1.0]
    assert error == roundoff


def test_gradients_do_not_stand_in_the_way() -> None:
    assert as_floats(torch.ones(2, requires_grad=True))[0].tolist() == [1, 1]


@pytest.mark.parametrize(
    "value",
    [
        "a",
        np.zeros(2, dtype=complex),
        np.zeros(2, dtype="V4"),
        np.array([None]),
        torch.zeros(2, dtype=torch.int8),
    ],
)
def test_what_is_no_float_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="floats are required, got"):
        as_floats(value)


def test_masked_floats_are_refused() -> None:
    with pytest.raises(ValueError, match="masked floats"):
        as_floats(np.ma.MaskedArray([1.0, 2.0], mask=[False, True]))
