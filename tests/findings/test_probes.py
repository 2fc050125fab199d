"""The frozen probes: what answers.py computes from them is what was published."""

import json
import math
import re
from typing import Any

import pytest

from findings.probes.answers import KINDS, answers
from findings.probes.networks import PROBES, read_networks

PUBLISHED = json.loads(PROBES.with_name("questions.json").read_text())


def rounded(data: Any) -> Any:
    """Plain data with six significant digits, as published; more depend on the libraries."""
    if isinstance(data, dict):
        return {key: rounded(value) for key, value in data.items()}
    if isinstance(data, list):
        return [rounded(value) for value in data]
    return float(f"{data:.6g}") if isinstance(data, float) else data


def means(data: Any) -> Any:
    """Published answers without the intervals, which no page shows."""
    if isinstance(data, dict):
        return data["mean"] if set(data) == {"mean", "low", "high"} else {
            key: means(value) for key, value in data.items()
        }  # fmt: skip
    return [means(value) for value in data] if isinstance(data, list) else data


def test_the_file_has_every_probe_once() -> None:
    paper, decoys = read_networks(), read_networks("decoys")
    assert (len(paper), len(decoys)) == (710 + 250, 30)
    places = {(tuple(n.primes), n.modulus, n.input_range, n.seed) for n in paper + decoys}
    assert len(places) == len(PROBES.read_text().splitlines()) == 990


def test_every_network_has_counts_for_its_rows_blocks_and_epochs() -> None:
    for n in read_networks() + read_networks("decoys"):
        assert list(n.rows) == list(n.blocks) == list(KINDS)
        for parts, count in ((n.rows, len(n.primes)), (n.blocks, len(n.primes) * n.depth)):
            for counts in parts.values():
                assert len(counts["lost"]) == len(counts["gained"]) == count
                assert 0 <= max(counts["lost"]) <= n.correct <= n.test_size
                assert max(counts["gained"]) <= n.test_size - n.correct
        curves = n.shift_violations, n.shift_error, n.off_block_energy, n.relevant_share
        assert {len(curve) for curve in curves} == {n.epochs + 1}
        assert max(n.shift_violations) <= n.shifted_size


@pytest.mark.parametrize("part", ["depths", "equivariance", "aliases", "alias_pairs"])
def test_what_is_computed_is_what_was_published(part: str) -> None:
    found = rounded(answers()[part])
    stated = [means({key: one[key] for key in found[0]}) for one in PUBLISHED[part]]
    assert found == stated


def test_the_claims_agree_as_often_as_was_published() -> None:
    found = answers()["claims"]
    published = {one["claim"]: one for one in PUBLISHED["claims"]}
    assert set(found) < set(published)
    for one in (published[name] for name in found):
        for kind in KINDS:
            judged, stated = found[one["claim"]][kind], one[kind]
            total, counts = judged["configurations"], judged["by_seed"]
            assert stated["by_means"] == f"{judged['agreeing']} of {total}"
            names = f"(seed{'s' * (len(counts) > 1)} {', '.join(map(str, counts))})"
            by_seed = ", ".join(map(str, counts.values()))
            assert stated["seed_by_seed"] == f"{by_seed} of {total} {names}"
            values = stated["measured"].partition(";")[0].partition(", floor")[0]
            ends = [tuple(map(float, pair)) for pair in re.findall(r"([\d.]+)–([\d.]+)", values)]
            assert ends
            assert all(any(near(pair, span) for span in judged["spans"]) for pair in ends)


def near(stated: tuple[float, ...], found: tuple[float, float]) -> bool:
    return all(math.isclose(a, b, abs_tol=0.00051) for a, b in zip(stated, found, strict=True))
