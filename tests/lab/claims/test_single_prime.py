from collections.abc import Iterable

import pytest

from lab_records import EXP1, Value, configs_of, failed, records_of
from primefourier.lab.claims import Finding
from primefourier.lab.claims.judge import paper_cells
from primefourier.lab.claims.single_prime import SINGLE_PRIME_CLAIMS
from primefourier.lab.config import ModelConfig

CLAIMS = {claim.name: claim for claim in SINGLE_PRIME_CLAIMS}
SMALL = [config for config in EXP1 if len(config.primes) <= 8]
LARGE = [config for config in EXP1 if len(config.primes) >= 10]


def judge(
    name: str,
    configs: Iterable[ModelConfig] = EXP1,
    *,
    on: Value = 0.85,
    off: Value = 0.0,
    accuracy: Value = 1.0,
    best: Value | None = None,
    test_size: int | None = None,
) -> Finding:
    asked = list(configs)
    records = records_of(
        asked, on=on, off=off, accuracy=accuracy, best=best, test_size=test_size
    )  # fmt: skip
    return CLAIMS[name].judge(paper_cells(asked, records))


@pytest.mark.parametrize(
    ("name", "asked"),
    [("E1.1", 35), ("E1.2", 35), ("E1.3", 15), ("E1.4", 20), ("E1.5", 35), ("E1.6", 4)],
)
def test_without_records_nothing_is_judged(name: str, asked: int) -> None:
    unmeasured = (paper_cells([], []), paper_cells(EXP1, []), paper_cells(EXP1, [failed(EXP1[0])]))
    for cells in unmeasured:
        assert CLAIMS[name].judge(cells) == Finding("not measured yet", "", (), asked)
    whole = judge(name)
    assert (len(whole.evidence), whole.asked, whole.complete) == (asked, asked, True)


@pytest.mark.parametrize("name", CLAIMS)
def test_a_part_of_the_configurations_is_not_complete(name: str) -> None:
    part = judge(name, (c for c in EXP1 if len(c.primes) in (4, 10)))
    assert part.evidence
    assert not part.complete


class TestFarAbove:
    def test_it_holds_with_a_clear_gap_everywhere(self) -> None:
        found = judge("E1.1", off=0.05)
        assert found.verdict == "holds"
        assert found.measured == "35 of 35 configurations; smallest ratio 17.0"
        assert found.evidence[0].configuration == "|P| = 4, r = 100"
        assert found.evidence[0].value == "0.850 against 0.050"

    def test_one_configuration_makes_it_hold_in_part(self) -> None:
        found = judge(
            "E1.1", off=lambda c: 0.4 if (len(c.primes), c.input_range) == (6, 500) else 0
        )
        assert found.verdict == "holds in part"
        assert [e.configuration for e in found.evidence if not e.agrees] == ["|P| = 6, r = 500"]
        assert found.measured == "34 of 35 configurations; smallest ratio 2.1"

    @pytest.mark.parametrize(
        ("on", "off", "test_size", "verdict"),
        [
            (0.75, 0.25, 800, "holds"),  # exactly three times
            (0.74, 0.25, 800, "does not hold"),
            (0.5, 0.0, 8, "does not hold"),  # eight test pairs have a noise floor of exactly 0.5
            (0.625, 0.0, 8, "holds"),
            (0.25, -0.25, 8, "does not hold"),
            (0.375, -0.25, 8, "does not hold"),  # above off-diagonal, but not above zero
            (0.625, -0.25, 8, "holds"),
        ],
    )
    def test_the_edges_of_the_rule(
        self, on: float, off: float, test_size: int, verdict: str
    ) -> None:
        assert judge("E1.1", on=on, off=off, test_size=test_size).verdict == verdict

    def test_no_ratio_is_made_up_where_others_never_drop(self) -> None:
        assert judge("E1.1", off=-0.001).measured == (
            "35 of 35 configurations; off-diagonal never above 0"
        )


class TestDiagonalRanges:
    def test_it_holds_inside_all_three(self) -> None:
        found = judge("E1.2")
        assert found.verdict == "holds"
        assert found.measured == (
            "0.85; 35 of 35 in 0.60–0.92, 35 in 0.54–0.93; |P| ≥ 10: 0.85, 20 of 20 in 0.82–0.92"
        )

    @pytest.mark.parametrize(
        ("value", "small", "large"),
        [
            (0.5345, False, False), (0.5355, False, False), (0.5945, False, False),
            (0.5955, True, False), (0.8145, True, False), (0.8155, True, True),
            (0.9245, True, True), (0.9255, False, False), (0.9345, False, False),
        ],
    )  # fmt: skip
    def test_the_edges_are_those_of_two_decimals(
        self, value: float, small: bool, large: bool
    ) -> None:
        for configs, agrees in ((SMALL, small), (LARGE, large)):
            found = judge("E1.2", configs, on=value)
            assert found.verdict == ("holds" if agrees else "does not hold")

    def test_it_counts_each_range_by_itself(self) -> None:
        found = judge("E1.2", on=lambda c: 0.55 if len(c.primes) == 4 else 0.7)
        assert found.verdict == "holds in part"
        assert found.measured == (
            "0.55–0.70; 30 of 35 in 0.60–0.92, 35 in 0.54–0.93; |P| ≥ 10: 0.70, 0 of 20 in "
            "0.82–0.92"
        )
        assert sum(bool(e.agrees) for e in found.evidence) == 10  # |P| = 6 and 8

    def test_without_large_sizes_nothing_is_said_of_them(self) -> None:
        assert "10:" not in judge("E1.2", SMALL).measured


class TestOffDiagonalOfFewPrimes:
    @pytest.mark.parametrize(
        ("noisy", "verdict"), [(0, "holds"), (7, "holds"), (8, "does not hold")]
    )
    def test_more_than_half_must_be_below_the_floor(self, noisy: int, verdict: str) -> None:
        places = sorted({(len(c.primes), c.input_range) for c in SMALL})
        above = set(places[:noisy])
        found = judge("E1.3", off=lambda c: 0.05 * ((len(c.primes), c.input_range) in above))
        assert found.verdict == verdict
        assert found.measured == f"{15 - noisy} of 15 below the noise floor"

    def test_exactly_half_is_no_majority(self) -> None:
        configs = [c for c in SMALL if len(c.primes) == 4 and c.input_range in (500, 1000)]
        found = judge("E1.3", configs, off=lambda c: 0.1 * (c.input_range == 500))
        assert (found.verdict, found.measured) == ("does not hold", "1 of 2 below the noise floor")

    @pytest.mark.parametrize("sign", [1, -1])
    def test_at_the_floor_is_not_below_it(self, sign: int) -> None:
        below = judge("E1.3", off=sign * 0.375, test_size=8)
        at = judge("E1.3", off=sign * 0.5, test_size=8)
        assert at.evidence[0].value == f"{sign * 0.5:.4f}, floor 0.5000"
        assert (below.verdict, at.verdict) == ("holds", "does not hold")

    def test_the_floor_is_that_of_each_range(self) -> None:
        found = judge("E1.3", off=0.02)
        good = {e.configuration for e in found.evidence if e.agrees}
        assert good == {f"|P| = {size}, r = 100" for size in (4, 6, 8)}

    def test_larger_sizes_do_not_count(self) -> None:
        assert judge("E1.3", off=lambda c: 0.5 * (len(c.primes) >= 10)).verdict == "holds"


class TestOffDiagonalOfManyPrimes:
    @pytest.mark.parametrize(
        ("value", "verdict"),
        [
            (0.0245, "does not hold"), (0.0255, "holds"), (0.0945, "holds"),
            (0.0955, "does not hold"), (-0.05, "does not hold"),
        ],
    )  # fmt: skip
    def test_the_edges_are_those_of_two_decimals(self, value: float, verdict: str) -> None:
        assert judge("E1.4", off=lambda c: value * (len(c.primes) >= 10)).verdict == verdict

    def test_it_holds_in_part(self) -> None:
        found = judge("E1.4", off=lambda c: 0.05 if len(c.primes) == 16 else 0.01)
        assert (found.verdict, found.measured) == ("holds in part", "0.01–0.05; 5 of 20 in it")

    def test_small_sizes_do_not_count(self) -> None:
        assert judge("E1.4", SMALL, off=0.05).verdict == "not measured yet"


class TestConvergence:
    def test_any_epoch_above_the_threshold_does(self) -> None:
        found = judge("E1.5", accuracy=0.5, best=0.8505)
        assert found.verdict == "holds"
        assert found.measured == "350 of 350 models; 350 of them fall back later and end below it"
        assert judge("E1.5").measured == "350 of 350 models"
        assert judge("E1.5", accuracy=0.5, best=0.85).verdict == "does not hold"

    def test_one_model_of_a_configuration_spoils_it(self) -> None:
        found = judge("E1.5", accuracy=lambda c: 0.5 if c.modulus == 59 else 1.0)
        assert (found.verdict, found.measured) == ("holds in part", "345 of 350 models")
        bad = [e for e in found.evidence if not e.agrees]
        assert [e.configuration for e in bad] == [
            f"|P| = 16, r = {r}" for r in (100, 500, 1000, 2000, 4000)
        ]
        assert bad[0].value == "15 of 16 models, lowest 0.500"


class TestSmallRange:
    def test_lower_at_100_holds(self) -> None:
        found = judge("E1.6", on=lambda c: 0.6 if c.input_range == 100 else 0.8)
        assert (found.verdict, found.complete) == ("holds", True)
        assert found.measured == "lower at r = 100 for 4 of 4 sizes"
        assert found.evidence[0].configuration == "|P| = 10"
        assert found.evidence[0].value == "0.600 at r = 100, 0.800 beyond"

    def test_it_is_the_gap_and_not_the_diagonal_that_counts(self) -> None:
        found = judge("E1.6", off=lambda c: 0.2 if c.input_range == 100 else 0.0)
        assert found.verdict == "holds"

    def test_equal_is_not_lower(self) -> None:
        assert judge("E1.6").verdict == "does not hold"

    def test_it_is_compared_with_the_mean_of_all_larger_ranges(self) -> None:
        def drop(config: ModelConfig) -> float:
            ranges = {100: 0.75, 500: 0.7, 1000: 0.7, 2000: 0.7}
            return ranges.get(config.input_range, 0.7 if len(config.primes) == 10 else 1.0)

        found = judge("E1.6", on=drop)
        assert found.verdict == "holds in part"
        assert [e.configuration for e in found.evidence if not e.agrees] == ["|P| = 10"]

    def test_some_larger_ranges_give_a_verdict_so_far(self) -> None:
        found = judge("E1.6", (c for c in EXP1 if c.input_range != 2000))
        assert (len(found.evidence), found.unfinished, found.complete) == (4, 4, False)

    def test_without_r_100_or_anything_beyond_nothing_is_compared(self) -> None:
        only = [c for c in EXP1 if c.input_range == 100]
        beyond = [c for c in EXP1 if c.input_range > 100]
        for configs in (only, beyond, SMALL):
            assert judge("E1.6", configs).verdict == "not measured yet"


def test_several_seeds_are_judged_by_their_mean() -> None:
    configs = configs_of("exp1", sizes=(4,), ranges=(500,), seeds=(1, 2))
    found = judge("E1.2", configs, on=lambda c: 0.4 if c.seed == 1 else 0.9)
    assert (found.verdict, found.evidence[0].value) == ("holds", "0.650 ± 3.177 (2 seeds)")
