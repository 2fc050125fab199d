"""Our own studies: what was registered follows from the code, and scores from the records."""

import json
from pathlib import Path

import numpy as np
import pytest

from primefourier import lab
from studies import beyond, decoys, predictions, products

RESULTS = Path(__file__).parents[1] / "results"
REGISTERED = json.loads((RESULTS / "predictions" / "predictions.json").read_text())


def test_the_registered_rows_and_pairs_follow_from_the_code() -> None:
    found = REGISTERED["predictions"]
    assert len(found) == 260
    for one in found:
        place = one["size"], one["modulus"], one["range"]
        assert one["singles"] == predictions.single_aliases(*place)
        assert one["pairs"] == predictions.alias_pairs(*place)
        for name in ("uses", "near", "far"):
            rule = REGISTERED["rules"][name]
            expected = predictions.probability(rule, predictions.features(*place))
            assert one[name] == pytest.approx(expected, abs=1e-4)


def test_the_published_scores_are_those_of_the_records() -> None:
    folder = RESULTS / "predictions"
    found = predictions.score(lab.open(folder), REGISTERED)
    assert json.loads((folder / "score.json").read_text()) == json.loads(json.dumps(found))


def test_the_published_summary_is_that_of_the_records() -> None:
    folder = RESULTS / "beyond"
    found = beyond.summarise(lab.open(folder))
    assert json.loads((folder / "summary.json").read_text()) == json.loads(json.dumps(found))


def test_the_area_under_the_curve_counts_pairs() -> None:
    scores, happened = np.array([3.0, 1.0, 2.0, 2.0]), np.array([True, False, True, False])
    assert predictions.area(scores, happened) == 3.5 / 4
    assert predictions.area(scores, np.array([True] * 4)) is None


def test_a_decoy_drifts_by_what_its_name_says() -> None:
    for modulus, harmonic in decoys.HARMONICS.items():
        period = decoys.decoy_period(modulus, 0.4)
        assert 500 * (1 / period - harmonic / modulus) == pytest.approx(0.4)


def test_the_four_bases_are_what_they_say() -> None:
    primes = (3, 5, 7, 11)
    found = {base: beyond.embedding(base, 21, primes) for base in beyond.BASES}
    assert {base: (e.primes, e.depth) for base, e in found.items()} == {
        "paper": (primes, 6),
        "depth 1": (primes, 1),
        "plan": ((3, 7), 1),
        "without N": ((5, 11), 6),
    }


def test_the_numbers_of_the_readmes_are_those_of_the_records() -> None:
    score = json.loads((RESULTS / "predictions" / "score.json").read_text())
    after, before = score["trained after the commit"], score["trained before the commit"]
    pairs = [part["which"]["pair, r ≥ 500"] for part in (after, before)]
    hits, networks, chance = (sum(p[k] for p in pairs) for k in ("hits", "networks", "by chance"))
    text = " ".join((RESULTS / "predictions" / "README.md").read_text().split())
    trained = after["networks"] + before["networks"]
    assert f"{trained} of the 1040 networks are trained, {after['networks']} of them after" in text
    assert f"Of the {networks} that use a row without need" in text
    assert f"registered pairs in {hits}; by chance it would be {chance:.1f}" in text
    records = len(lab.open(RESULTS / "beyond").records)
    assert f"{records} of 1930 networks" in (RESULTS / "beyond" / "README.md").read_text()


def test_the_four_embeddings_of_products_are_what_they_say() -> None:
    found = {base: products.embedding(base, 2 * 59) for base in products.BASES}
    assert found == {
        "characters": lab.Characters((2, 59)),
        "circles": lab.PrimeFourier((2, 59), 1),
        "paper": lab.PrimeFourier((2, 3, 5, 7, 11, 13, 17, 19, 23, 59), 6),
        "eight characters": lab.Characters((2, 3, 5, 7, 11, 13, 17, 19, 23, 59)),
    }


def test_remainders_of_every_modulus_are_drawn() -> None:
    task = products.Remainder((5, 7), unseen=(11,), input_range=50, beyond=10**4)
    drawn = task.draw(42)
    assert (len(drawn.train.labels), len(drawn.test.labels)) == task.sizes() == (80, 20)
    pairs = np.concatenate([drawn.train.inputs, drawn.test.inputs]).tolist()
    assert sorted(pairs) == [[a, m] for a in range(50) for m in (5, 7)]
    assert set(drawn.beyond) == {"5 beyond", "7 beyond", "11 beyond", "11 in range"}
    for some in (drawn.train, drawn.test, *drawn.beyond.values()):
        assert np.array_equal(some.labels, [a % m for a, m in some.inputs.tolist()])
    assert drawn.beyond["11 beyond"].inputs[:, 0].min() >= 5000
    assert drawn.beyond["11 in range"].inputs[:, 0].max() < 50
