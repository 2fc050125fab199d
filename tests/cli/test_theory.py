import json
from collections.abc import Callable

import pytest

from primefourier.theory import theorem

Pfe = Callable[..., tuple[int, str, str]]
SMALL = ("theory", "--primes", "3,5,7", "--depth", "2")


def test_the_checks_are_printed_with_their_numbers(pfe: Pfe) -> None:
    code, out, _ = pfe(*SMALL)
    assert code == 0
    assert "Theorem 3.1 on 3 primes 3 … 7, depth 2, dimension 12" in out
    assert "10 of 10 checks hold." in out
    assert out.count("✓") == 10
    assert "Exact: decided in integers" in out
    assert "One generator of Z" in out


def test_json_holds_every_check(pfe: Pfe) -> None:
    document = json.loads(pfe(*SMALL, "--json")[1])
    assert document["holds"] is True
    assert {check["kind"] for check in document["checks"]} == {"exact", "numerical"}


def test_a_failed_check_is_said_and_exits_with_1(pfe: Pfe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(theorem, "project_to_equivariant", lambda W, basis: W * 0.5)
    code, out, _ = pfe(*SMALL)
    assert code == 1
    assert "6 of 10 checks hold." in out
    assert out.count("✗") == 4
    assert pfe(*SMALL, "--json")[0] == 1
