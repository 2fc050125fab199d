from collections.abc import Sequence

import pytest

from lab_records import CONTROL, EXP1, Value, records_of
from primefourier.lab.claims import Finding
from primefourier.lab.claims.judge import paper_cells
from primefourier.lab.claims.shuffled_control import CONTROL_CLAIMS
from primefourier.lab.config import ModelConfig

CLAIMS = {claim.name: claim for claim in CONTROL_CLAIMS}


def judge(
    name: str, configs: Sequence[ModelConfig] = CONTROL, *, on: Value = 0.3, off: Value = 0.3
) -> Finding:
    return CLAIMS[name].judge(paper_cells(configs, records_of(configs, on=on, off=off)))


@pytest.mark.parametrize("name", ["C.1", "C.2"])
def test_without_control_models_nothing_is_judged(name: str) -> None:
    for configs in ([], EXP1):
        assert judge(name, configs) == Finding("not measured yet", "", (), 35)
    found = judge(name)
    assert (found.verdict, len(found.evidence), found.complete) == ("holds", 35, True)
    some = judge(name, [c for c in CONTROL if c.input_range == 100])
    assert (some.verdict, len(some.evidence), some.complete) == ("holds", 7, False)


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        (0.0945, "does not hold"), (0.0955, "holds"), (0.1, "holds"), (0.55, "holds"),
        (0.5545, "holds"), (0.5555, "does not hold"), (-0.1, "does not hold"),
    ],
)  # fmt: skip
def test_the_diagonal_range_is_one_of_two_decimals(value: float, verdict: str) -> None:
    assert judge("C.1", on=value).verdict == verdict


def test_the_diagonal_range_may_hold_in_part() -> None:
    found = judge("C.1", on=lambda c: 0.3 if c.input_range == 100 else 0.7)
    assert (found.verdict, found.measured) == ("holds in part", "0.30–0.70; 7 of 35 in it")
    assert found.evidence[0].value == "0.300"


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        (0.1345, "does not hold"), (0.1355, "holds"), (0.46, "holds"), (0.4645, "holds"),
        (0.4655, "does not hold"), (-0.2, "does not hold"), (0.0, "does not hold"),
    ],
)  # fmt: skip
def test_the_off_diagonal_range_is_one_of_two_decimals(value: float, verdict: str) -> None:
    assert judge("C.2", on=value, off=value).verdict == verdict


@pytest.mark.parametrize(
    ("on", "off", "verdict"),
    [
        (0.5, 0.25, "holds"), (0.505, 0.25, "does not hold"),
        (0.125, 0.25, "holds"), (0.12, 0.25, "does not hold"),
    ],
)  # fmt: skip
def test_comparable_is_within_a_factor_of_two(on: float, off: float, verdict: str) -> None:
    assert judge("C.2", on=on, off=off).verdict == verdict


def test_range_and_comparability_are_counted_apart() -> None:
    def off(config: ModelConfig) -> float:
        return {4: 0.5, 6: 0.14}.get(len(config.primes), 0.3)

    found = judge("C.2", off=off)
    assert found.verdict == "holds in part"
    assert found.measured == "0.14–0.50; 30 of 35 in it, 30 comparable to the diagonal"
    assert sum(bool(e.agrees) for e in found.evidence) == 25
    assert found.evidence[0].value == "0.500, diagonal 0.300"
