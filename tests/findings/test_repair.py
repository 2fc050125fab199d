"""The finding about repairs: what is measured, in which order, and what is counted."""

from typing import Any

import pytest

from findings.repair import run
from findings.repair.measure import SIZE, measure, networks, read
from primefourier import PAPER_BASIS
from primefourier.encoding.aliases import find_aliases

LINES = list(read())


def test_networks_are_measured_in_the_order_that_was_drawn() -> None:
    planned = [record.config.key for _, record in networks()]
    assert (len(planned), len(set(planned))) == (run.PLANNED, run.PLANNED)
    assert [one["key"] for one in LINES] == planned[: len(LINES)]
    far = [record.measured.accuracy_beyond["1000000"] for _, record in networks()]
    assert sum(accuracy < run.RIGHT for accuracy in far) == run.FAILING
    first = [r.config.task for name, r in networks()[:68] if name == "composite"]
    assert len({(task.modulus, task.input_range) for task in first}) == len(first) == 50


def test_every_moved_circle_is_a_fast_alias_of_its_modulus() -> None:
    moved = [(one, *circle) for one in LINES for circle in one["moved"]]
    assert moved
    for one, prime, depth, harmonic, offset in moved:
        period, n, r = prime ** (depth + 1), one["N"], one["r"]
        assert n % period
        assert period <= r
        aliases = find_aliases(n, PAPER_BASIS, input_range=r)
        (alias,) = (a for a in aliases if a.channels == ((prime, depth),))
        assert (alias.harmonic, alias.drift < 1) == (harmonic, True)
        assert offset == pytest.approx((1 / period - harmonic / n) * (r - 1) / 2, abs=1e-9)


def test_a_network_is_explained_by_the_first_repair_that_suffices() -> None:
    line: dict[str, Any] = {
        "size": 100,
        "right": {"far": {"trained": 50, "slow": 60, "alias": 70, "both": 100}},
    }
    assert run.cause(line) == "both"
    line["right"]["far"]["slow"] = 99
    assert run.cause(line) == "slow"
    line["right"]["far"] = {"trained": 50, "slow": 98}  # no alias: nothing is moved
    assert run.cause(line) == "neither"


def test_intervals_have_a_width_where_all_networks_agree() -> None:
    some = [{"N": n, "r": 100} for n in range(10) for _ in range(5)]
    assert run.share(some, lambda _: True) == "50 of 50 (0.69–1.00)"
    assert run.share(some, lambda _: False) == "0 of 50 (0.00–0.31)"
    assert run.share(some, lambda one: one["N"] < 5).startswith("25 of 50 (0.")


@pytest.mark.slow
def test_a_network_measured_again_says_the_same() -> None:
    (line,) = (one for one in LINES if (one["N"], one["r"], one["primes"]) == (5, 100, 8))
    ((name, record),) = ((n, r) for n, r in networks() if r.config.key == line["key"])
    again = measure(name, record)
    assert (run.cause(again), run.cause(line)) == ("slow", "slow")
    assert again.keys() == line.keys()
    # on another processor sums are rounded otherwise, and the weights differ a little
    for way, right in line["right"]["far"].items():
        assert again["right"]["far"][way] == pytest.approx(right, abs=0.05 * SIZE)
    assert run.broken("slow")(again)
    assert not run.broken("fast")(again)
