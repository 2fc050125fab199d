import json
from collections.abc import Callable

import primefourier as pf

Pfe = Callable[..., tuple[int, str, str]]


def test_the_text_is_the_plans(pfe: Pfe) -> None:
    code, out, _ = pfe("plan", "231", "--range", "100")
    assert code == 0
    assert out == pf.plan(231, pf.PAPER_BASIS).explain(100) + "\n"


def test_json_holds_the_whole_plan(pfe: Pfe) -> None:
    document = json.loads(
        pfe("plan", "12", "--primes", "3,5", "--depth", "1", "--range", "5", "--json")[1]
    )
    assert document["relevant"] == [[3, 0]]
    assert document["missing"] == [[2, 0], [2, 1]]
    assert (document["visible"], document["invisible"]) == (3, 4)
    assert document["extended"] == {"primes": [2, 3, 5], "depth": 2}
    assert document["degenerate"] is True
    assert json.loads(pfe("plan", "12", "--json")[1])["degenerate"] is None


def test_mistakes_are_told(pfe: Pfe) -> None:
    for arguments, words in (
        (["1"], "modulus must be an integer of at least 2, got 1"),
        (["-5"], "got -5"),
        (["15", "--range", "0"], "--range must be at least 1, got 0"),
        (["15", "--range", "1e3"], "required, got '1e3'"),
    ):
        code, out, err = pfe("plan", *arguments)
        assert (code, out) == (2, "")
        assert words in err
