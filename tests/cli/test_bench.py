import json
from collections.abc import Callable

import pytest

Pfe = Callable[..., tuple[int, str, str]]


@pytest.mark.timeout(600)
def test_it_compares_the_trainers(pfe: Pfe) -> None:
    code, out, err = pfe("bench", "--epochs", "1", "--json")
    assert code == 0
    found = json.loads(out)
    assert found["models"] == 8
    assert found["ratio"] == found["plain_seconds"] / found["fast_seconds"]
    assert 0 < found["gemm_share"] < 1
    assert "measuring plain, models" in err


def test_it_needs_a_worker(pfe: Pfe) -> None:
    code, _, err = pfe("bench", "--workers", "0")
    assert (code, "--workers must be at least 1" in err) == (2, True)
