"""Findings: what was registered follows from the code, and pages and counts from the records."""

import ast
import functools
import json
import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from findings.__main__ import FINDINGS, PAGES, all_blocks, findings
from findings.beyond import counts, study
from findings.decoys.study import HARMONICS, decoy_period
from findings.longer_training import run as longer_training
from findings.predictions import rules
from findings.predictions import run as predictions
from findings.products import proofs
from findings.products import study as products
from findings.runs import read_json
from findings.statistics import area
from findings.text import BLOCK, rewrite
from primefourier import PAPER_BASIS, lab

REGISTERED = predictions.registered()
SUMMARIES = [
    (f"{name}/{file}", count)
    for name, finding in zip(FINDINGS, findings(), strict=True)
    for file, count in getattr(finding, "SUMMARIES", {}).items()
]


def test_the_registered_rows_and_pairs_follow_from_the_code() -> None:
    found = REGISTERED["predictions"]
    assert len(found) == 260
    for one in found:
        place = one["size"], one["modulus"], one["range"]
        assert one["singles"] == rules.single_aliases(*place)
        assert one["pairs"] == rules.alias_pairs(*place)


def test_the_registered_probabilities_follow_from_what_was_known_of_seed_42() -> None:
    again = rules.register(REGISTERED["exploratory"], REGISTERED["registered"])
    assert again["thresholds"] == REGISTERED["thresholds"]
    for one, other in zip(REGISTERED["predictions"], again["predictions"], strict=True):
        for name in ("uses", "near", "far"):
            assert one[name] == pytest.approx(other[name], abs=1e-4)


@pytest.mark.parametrize(("file", "count"), SUMMARIES, ids=[file for file, _ in SUMMARIES])
def test_published_counts_are_those_of_the_records(file: str, count: Callable[[], Any]) -> None:
    assert read_json(file) == json.loads(json.dumps(count()))


def test_the_area_under_the_curve_counts_pairs() -> None:
    scores, happened = np.array([3.0, 1.0, 2.0, 2.0]), np.array([True, False, True, False])
    assert area(scores, happened) == 3.5 / 4
    assert area(scores, np.array([True] * 4)) is None


def test_intervals_of_areas_draw_places_again_and_not_networks() -> None:
    numbers = np.random.default_rng(1)
    networks, fails = [], []
    for n in range(12):
        fails.append(n % 3 == 0)
        scores = {name: float(numbers.normal(1.0 * fails[-1])) for name in counts.SCORES}
        networks.append({"place": (n, 100, 42, 8)} | scores | {"N/r": float(n)})
    found = counts.draw_areas(networks, np.array(fails))
    for name in counts.SCORES:
        exact = area(np.array([one[name] for one in networks]), np.array(fails))
        assert exact is not None
        low, high = found[name]
        assert 0 <= low <= exact <= high <= 1
    low, high = found["nearest alias - N/r"]
    assert low < high
    assert counts.draw_areas(networks * 5, np.array(fails * 5)) == found
    assert counts.draw_areas(networks, np.array([True] * 12))["N/r"] is None
    assert counts.draw_areas([], np.zeros(0, dtype=bool))["N/r"] is None


def test_intervals_of_clustered_networks_draw_clusters_again() -> None:
    alike = [("a", True)] * 9 + [("b", False)]
    assert predictions.clustered(alike) == "9 of 10 (0.00–1.00)"
    single = [(n, n > 0) for n in range(10)]
    assert predictions.clustered(single) == "9 of 10 (0.70–1.00)"


def test_the_predicted_configurations_are_those_of_seed_42() -> None:
    assert set(predictions.seed_42()) == set(predictions.lists())


def test_a_decoy_drifts_by_what_its_name_says() -> None:
    for modulus, harmonic in HARMONICS.items():
        period = decoy_period(modulus, 0.4)
        assert 500 * (1 / period - harmonic / modulus) == pytest.approx(0.4)


def test_the_four_bases_are_what_they_say() -> None:
    primes = (3, 5, 7, 11)
    found = {base: study.embedding(base, 21, primes) for base in study.BASES}
    assert {base: (e.primes, e.depth) for base, e in found.items()} == {
        "paper": (primes, 6),
        "depth 1": (primes, 1),
        "plan": ((3, 7), 1),
        "without N": ((5, 11), 6),
    }


def test_every_number_of_a_page_is_computed_from_the_records() -> None:
    blocks = all_blocks()
    stale = [page for page in PAGES if rewrite(page.read_text(), blocks) != page.read_text()]
    assert stale == [], "run make findings"


PROSE = [page for page in PAGES if page.parts[-3:-1] == ("docs", "findings")]
FORM = [page for page in PROSE if page.stem != "README"]
DEFINITIONS = (
    *("1/T", "1/U", "1/23 ≈ 10/231", "1/7 + 1/37 ≈ 9/53", "10^18", "10^6", "r to 2r", "p^6"),
    *("p^(d+1)", "|P| = 10 … 16", "seed 42", "seeds 43", "to 46", "77 %", "drift 0", "d = 0"),
    *("r = 1000", "r ≥ 500", "N = 72", "of 2, 4, 8, 3 and 9", "of 16 and 27", "Theorem 3.1"),
    *("experiment 1", "experiment 2", "E1.3", "E1.4", "E2.1", "S.4", "126 digits", "3 … 59"),
    *("97.0 % within a tolerance of 0.05", "for 64 terms and q = 974269, from 100 000 samples"),
)
"""What a page may say outside its blocks: definitions, examples, and names of claims."""


def seen(text: str) -> str:
    """Return what a reader sees of a page before unfolding anything."""
    text = re.sub(r"<details>.*?</details>|<!--.*?-->", "", text, flags=re.DOTALL)
    assert "details>" not in text
    return text


@pytest.mark.parametrize("page", PROSE, ids=lambda page: page.stem)
def test_a_page_has_no_number_of_its_own(page: Path) -> None:
    rest = BLOCK.sub("", page.read_text())
    marks = r"```.*?```|`.*?`|!\[.*?\]\(.*?\)|\]\(.*?\)|arXiv\s[\d.]+"
    rest = " ".join(re.sub(marks, "", rest, flags=re.DOTALL).split())
    for known in DEFINITIONS:
        rest = rest.replace(known, "")
    assert re.findall(r".{0,20}\d.{0,20}", rest) == []


@pytest.mark.parametrize("page", FORM, ids=lambda page: page.stem)
def test_a_finding_is_a_sentence_a_figure_a_table_a_command_and_what_refutes_it(page: Path) -> None:
    text = page.read_text()
    shown = seen(text)
    title, first, *_ = re.split(r"\n{2,}", shown)
    assert title.startswith("# ")
    assert BLOCK.match(text[len(title) :].lstrip()), "the first line comes from the records"
    assert re.search(r"\d", re.sub(r"r [=≥] \d+", "", first)), "and has a number"
    (image,) = re.findall(r"!\[.+?\]\((.*?)\)", text)
    assert (page.parent / image).is_file()
    assert len(re.findall(r"^\| ---", shown, re.MULTILINE)) == 1
    assert re.search(r"^\*\*Command\.\*\* (.|\n)*?`make findings`", shown, re.MULTILINE)
    assert re.search(r"^\*\*What would refute it\.\*\* [A-Z]", shown, re.MULTILINE)
    words = re.sub(r"!\[.*?\]\(.*?\)|\]\(.*?\)|[|]|---", " ", shown, flags=re.DOTALL).split()
    assert len(words) <= 300


@pytest.mark.parametrize("page", FORM, ids=lambda page: page.stem)
def test_a_sentence_from_the_records_has_few_numbers(page: Path) -> None:
    """A share such as 3 of 10 and a list count as one, names of settings do not count."""
    known = r"\b[NPrkq|]+ [=≤≥] [\d, ]+(and [\d ]+)?|10\^\d+|float\d+|(drift|experiment) \d"
    one = r"\d[\d ]*( of |–|, [\d, ]*and | and )\d[\d ]*"
    for found in BLOCK.finditer(page.read_text()):
        lines = [line for line in found[0].splitlines() if line[:1] not in ("|", "<")]
        for sentence in re.split(r"(?<=[.:;]) ", " ".join(lines)):
            counts = re.sub(one, "1 ", re.sub(known, "", sentence))
            assert len(re.findall(r"\d[\d .]*", counts)) <= 2, sentence


def test_findings_use_the_public_names_of_the_library_alone() -> None:
    files = {*Path(study.__file__).parents[1].rglob("*.py")}
    # which refits a layer of a network that is trained already, and times the parts of training
    files -= {Path(study.__file__).parents[1] / "cure" / "study.py"}
    for file in files:
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                assert not [a.name for a in node.names if "primefourier" in a.name], file
            elif isinstance(node, ast.ImportFrom) and str(node.module).startswith("primefourier"):
                public = {*import_module(str(node.module)).__all__, "lab"}
                assert {alias.name for alias in node.names} <= public, (file, node.module)


def test_eight_times_the_epochs_change_mean_drops_at_r_100_by_a_hundredth() -> None:
    table = dict(longer_training.blocks())["longer training"]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
    assert [row[:2] for row in rows] == [["12", "12"], ["14", "14"], ["16", "16"]]
    for _, _, on, longer_on, off, longer_off, *_ in rows:
        assert abs(float(on) - float(longer_on)) <= 0.011
        assert abs(float(off) - float(longer_off)) <= 0.011


def test_the_product_of_the_paper_s_periods_has_126_digits() -> None:
    assert len(str(PAPER_BASIS.range)) == 126


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


def test_products_of_every_modulus_are_proved_with_its_characters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = read_json("products/proofs.json")
    places = [
        (base, n, seed)
        for base in products.BASES[:2]
        for n in products.MODULI
        for seed in products.SEEDS
    ]
    assert [(one["base"], one["N"], one["seed"]) for one in found] == places
    for one in found:
        assert one["cases"] == one["N"] ** 2
        assert (one["status"] == "proved") == (one["wrong"] == 0)
        assert one["status"] == "proved" or one["base"] == "circles"
    small = functools.partial(products.model, samples=8000, epochs=15)
    monkeypatch.setattr(proofs, "model", small)
    again = proofs.prove("characters", 7, 42)
    assert (again["status"], again["cases"], again["wrong"]) == ("proved", 49, 0)
