from itertools import islice

import pytest

from primefourier.arithmetic.primes import primes_from
from primefourier.encoding import PAPER_BASIS, PrimeBasis
from primefourier.explorer import page_data


def test_the_default_page_begins_as_figure_1_with_the_papers_basis() -> None:
    assert page_data() == {
        "start": {"a": "9", "b": "17", "n": "23", "operation": "add", "primes": None},
        "basis": {"primes": list(map(str, PAPER_BASIS.primes)), "depth": 6},
        "run": None,
    }


def test_integers_are_texts_of_any_size() -> None:
    huge = 10**400
    data = page_data(huge, -huge, huge + 1, circles=(2, 3), basis=PrimeBasis((2, 3), 4))
    assert (data["start"]["a"], data["start"]["b"]) == (str(huge), f"-{huge}")
    assert data["start"]["n"] == str(huge + 1)
    assert data["start"]["primes"] == ["2", "3"]
    assert data["basis"] == {"primes": ["2", "3"], "depth": 4}


def test_what_would_be_too_much_to_look_at_is_refused() -> None:
    primes = tuple(islice(primes_from(2), 65))
    with pytest.raises(ValueError, match="a page shows at most 64 primes, got 65"):
        page_data(basis=PrimeBasis(primes, 1))
    with pytest.raises(ValueError, match="at most 64 primes"):
        page_data(circles=primes)
    with pytest.raises(ValueError, match="a page shows at most 64 depths, got 65"):
        page_data(basis=PrimeBasis((2,), 65))
