import numpy as np
import pytest
import torch
from hypothesis import given

import primefourier as pf
from primefourier import PAPER_BASIS, PrimeBasis
from primefourier.nn.device_codes import device_codes
from strategies import NUMBERS
from ulps import worst_ulps

DEEP = PrimeBasis((2, 101), 9)
DEEPEST = PrimeBasis((3,), 39)  # 3^39 is just below 2^62


@given(NUMBERS.filter(lambda n: -(2**63) <= n < 2**63))
def test_codes_are_within_one_ulp_of_mpmath(number: int) -> None:
    for dtype, bound in ((torch.float32, 1.0), (torch.float64, 3.0)):
        codes = device_codes(torch.tensor(number), torch.tensor(DEEP.periods), dtype).numpy()
        for i, row in enumerate(DEEP.periods):
            for d, period in enumerate(row):
                assert worst_ulps(codes[i, d], number % period, period) <= bound


@pytest.mark.parametrize(
    "name", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
)
def test_every_integer_dtype_is_exact_at_its_ends(name: str) -> None:
    info = np.iinfo(name)
    ends = np.array([info.min, 0, 1, info.max], dtype=name)
    for basis in (PAPER_BASIS, DEEP, DEEPEST):
        codes = device_codes(torch.from_numpy(ends), torch.tensor(basis.periods), torch.float64)
        np.testing.assert_allclose(
            codes.numpy(), pf.encode(ends, basis, "float64"), rtol=0, atol=5e-16
        )
