from collections.abc import Sequence

import pytest

from lab_records import EXP1, EXP2, Value, configs_of, records_of
from primefourier.lab.claims import Finding
from primefourier.lab.claims.composite_moduli import COMPOSITE_CLAIMS
from primefourier.lab.claims.judge import paper_cells
from primefourier.lab.config import ModelConfig

CLAIMS = {claim.name: claim for claim in COMPOSITE_CLAIMS}
JUDGED = sorted((c for c in EXP2 if not c.degenerate), key=lambda c: (c.modulus, c.input_range))
DEGENERATE = [c for c in EXP2 if c.degenerate]


def judge(
    name: str,
    configs: Sequence[ModelConfig] = EXP2,
    *,
    on: Value = 0.7,
    off: Value = 0.0,
    accuracy: Value = 1.0,
    test_size: int | None = None,
) -> Finding:
    records = records_of(configs, on=on, off=off, accuracy=accuracy, test_size=test_size)
    return CLAIMS[name].judge(paper_cells(configs, records))


@pytest.mark.parametrize(("name", "asked"), [("E2.1", 48), ("E2.2", 48), ("E2.3", 40), ("E2.4", 2)])
def test_without_records_nothing_is_judged(name: str, asked: int) -> None:
    for configs in ([], EXP1, DEGENERATE):
        assert judge(name, configs) == Finding("not measured yet", "", (), asked)
    found = judge(name)
    assert (len(found.evidence), found.complete) == (asked, True)
    some = judge(name, [c for c in EXP2 if c.modulus in (15, 105)])
    assert some.evidence
    assert not some.complete


@pytest.mark.parametrize("name", CLAIMS)
def test_degenerate_configurations_change_nothing(name: str) -> None:
    assert len(DEGENERATE) == 2

    def strange(plain: float, other: float) -> Value:
        return lambda c: other if c.degenerate else plain

    with_them = judge(name, on=strange(0.7, 0.1), off=strange(0, 0.9), accuracy=strange(1, 0.1))
    assert with_them == judge(name, JUDGED)
    names = " ".join(e.configuration for e in with_them.evidence)
    assert "231, r = 100 " not in f"{names} "
    assert "385, r = 100 " not in f"{names} "


@pytest.mark.parametrize(
    ("below", "verdict", "measured"),
    [
        (48, "holds", "100 %: 48 of 48"),
        (37, "holds", "77 %: 37 of 48"),
        (36, "holds in part", "75 %: 36 of 48"),
        (25, "holds in part", "52 %: 25 of 48"),
        (24, "does not hold", "50 %: 24 of 48"),
        (0, "does not hold", "0 %: 0 of 48"),
    ],
)
def test_the_share_below_the_noise_floor(below: int, verdict: str, measured: str) -> None:
    quiet = set(JUDGED[:below])
    found = judge("E2.1", off=lambda c: 0.0 if c in quiet else 0.04)
    assert (found.verdict, found.measured) == (verdict, measured)
    assert sum(bool(e.agrees) for e in found.evidence) == below


@pytest.mark.parametrize("sign", [1, -1])
def test_at_the_floor_is_not_below_it(sign: int) -> None:
    at = judge("E2.1", off=sign * 0.5, test_size=8)
    assert at.evidence[0].value == f"{sign * 0.5:.4f}, floor 0.5000"
    assert at.verdict == "does not hold"
    assert judge("E2.1", off=sign * 0.375, test_size=8).verdict == "holds"


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        (0.2845, "does not hold"), (0.2855, "holds"), (0.29, "holds"), (0.88, "holds"),
        (0.8845, "holds"), (0.8855, "does not hold"),
    ],
)  # fmt: skip
def test_the_factor_range_is_one_of_two_decimals(value: float, verdict: str) -> None:
    assert judge("E2.2", on=value).verdict == verdict


def test_the_factor_range_may_hold_in_part() -> None:
    found = judge("E2.2", on=lambda c: 0.1 if c.modulus == 15 else 0.7)
    assert (found.verdict, found.measured) == ("holds in part", "0.10–0.70; 43 of 48 in it")


@pytest.mark.parametrize(
    ("value", "verdict"), [(1.0, "holds"), (0.9955, "holds"), (0.9945, "does not hold")]
)
def test_accuracy_is_one_to_two_decimals(value: float, verdict: str) -> None:
    found = judge("E2.3", accuracy=value)
    assert found.verdict == verdict
    perfect = 40 if verdict == "holds" else 0
    assert found.measured == f"{perfect} of 40 at 1.00; lowest {value:.4f}"


def test_accuracy_at_r_100_does_not_count() -> None:
    assert judge("E2.3", accuracy=lambda c: float(c.input_range > 100)).verdict == "holds"
    found = judge("E2.3", accuracy=lambda c: 0.9 if c.modulus == 385 else 1.0)
    assert (found.verdict, found.measured) == ("holds in part", "36 of 40 at 1.00; lowest 0.9000")


def test_three_factor_moduli_are_lower_at_100() -> None:
    found = judge("E2.4", on=lambda c: 0.4 if c.input_range == 100 else 0.7)
    assert (found.verdict, found.complete) == ("holds", True)
    assert found.measured == "lower at r = 100 for 2 of 2 moduli"
    assert [e.configuration for e in found.evidence] == ["N = 105", "N = 165"]
    assert found.evidence[0].value == "0.400 at r = 100, 0.700 beyond"
    assert judge("E2.4").verdict == "does not hold"
    half = judge("E2.4", on=lambda c: 0.4 if (c.modulus, c.input_range) == (105, 100) else 0.7)
    assert half.verdict == "holds in part"


def test_some_larger_ranges_give_a_verdict_so_far() -> None:
    found = judge("E2.4", [c for c in EXP2 if c.input_range in (100, 1000)])
    assert (len(found.evidence), found.unfinished, found.complete) == (2, 2, False)
    only = [c for c in EXP2 if c.input_range == 100]
    assert judge("E2.4", only).verdict == "not measured yet"


def test_moduli_and_ranges_of_ones_own_do_not_count() -> None:
    own = configs_of("exp2", moduli=(4, 30, 45), ranges=(100, 500, 1000))
    own += configs_of("exp2", moduli=(105,), ranges=(50, 300))
    for name in CLAIMS:
        assert judge(name, own).verdict == "not measured yet"
        assert judge(name, [*EXP2, *own], on=lambda c: 0.7 if c in EXP2 else 0.0) == judge(name)
