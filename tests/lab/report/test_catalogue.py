from dataclasses import replace

import pytest

from drawn import around, assert_readable, inside
from lab_records import CONTROL, EXP1, EXP2, PAPER, configs_of, plausible, records_of
from primefourier.encoding import PAPER_BASIS
from primefourier.lab.config import ModelConfig
from primefourier.lab.experiments import models_of, profile
from primefourier.lab.report import FigureFile, draw_figures

FIXED = [
    "figure-01-circles-9-17-mod-23", "figure-02-circles-13-15-mod-21", "figure-03-block-diagonal",
]  # fmt: skip
FIGURES = sorted([
    *FIXED,
    "figure-04-exp1-diagonal", "figure-05-exp1-off-diagonal", "figure-06-exp1-convergence",
    "figure-07-control-diagonal", "figure-08-control-off-diagonal",
    "figure-09-exp2-factor", "figure-10-exp2-nonfactor", "figure-11-exp2-accuracy",
    "figure-12-exp1-profiles-r100", "figure-13-exp1-profiles-r500",
    "figure-14-exp1-profiles-r1000", "figure-15-exp1-profiles-r2000",
    "figure-16-exp1-profiles-r4000", "figure-17-exp1-lines",
    "figure-18-exp2-profiles-r100", "figure-19-exp2-profiles-r500",
    "figure-20-exp2-profiles-r1000", "figure-21-exp2-profiles-r2000",
    "figure-22-exp2-profiles-r4000",
])  # fmt: skip
COMMANDS = ["pfe reproduce --profile quick", "pfe run --config mine.toml"]


def files(configs: list[ModelConfig]) -> list[FigureFile]:
    return list(draw_figures(configs, [], COMMANDS))


def names(configs: list[ModelConfig]) -> list[str]:
    found = [file.name for file in files(configs)]
    assert len(set(found)) == len(found), "two figures in one file"
    return found


def test_the_paper_has_22_figures_measured_or_not() -> None:
    assert len(FIGURES) == 22
    assert sorted(names(PAPER)) == FIGURES
    measured = draw_figures(PAPER, plausible(PAPER), COMMANDS)
    assert sorted(file.name for file in measured) == FIGURES


@pytest.mark.parametrize(
    ("configs", "numbers"),
    [
        ([], []),
        (EXP1, [4, 5, 6, 12, 13, 14, 15, 16, 17]),
        (CONTROL, [7, 8]),
        (EXP2, [9, 10, 11, 18, 19, 20, 21, 22]),
    ],
)
def test_an_experiment_that_was_not_asked_for_has_no_figures(
    configs: list[ModelConfig], numbers: list[int]
) -> None:
    assert sorted(int(name[7:9]) for name in names(configs)) == [1, 2, 3, *numbers]


@pytest.mark.parametrize("measured", [False, True])
def test_all_draw_and_can_be_read(measured: bool) -> None:
    configs = models_of(profile("smoke"))
    records = plausible(configs) if measured else []
    drawn = {file.name: file.draw() for file in draw_figures(configs, records, COMMANDS)}
    assert len(drawn) == 15
    for name, figure in drawn.items():
        assert_readable(figure)
        text = around(figure)
        if name not in FIXED:
            assert "pfe reproduce --profile quick; pfe run --config mine.toml" in text
            assert ("Nothing is measured yet." in text) is not measured
            assert ("1 seed (42) a configuration" in text) is measured
            assert ("noise floor 0.0" in text) is measured


def test_the_whole_paper_draws_with_nothing_measured() -> None:
    kinds = {name for name in FIGURES if "profiles" not in name or name.endswith("r100")}
    for file in files(PAPER):
        if file.name in kinds - set(FIXED):
            assert "Nothing is measured yet." in around(file.draw())


def test_ranges_of_ones_own_get_names_of_their_own() -> None:
    own = [
        *configs_of("exp1", sizes=(4,), ranges=(10, 300)),
        *configs_of("exp2", moduli=(15,), ranges=(10, 300)),
    ]
    extra = [f"figure-extra-{e}-profiles-r{r}" for e in ("exp1", "exp2") for r in (10, 300)]
    assert sorted(set(names([*PAPER, *own]))) == sorted([*FIGURES, *extra])
    assert set(extra) <= set(names(own))


def test_other_settings_get_files_of_their_own() -> None:
    p0 = PAPER_BASIS.primes
    small = [*EXP1[:4], *CONTROL[:4], *EXP2[:1]]
    others = [
        *(replace(c, depth=5) for c in small),
        *(replace(c, operation="multiply") for c in small),
        *(replace(c, epochs=3) for c in small),
        *(replace(c, trainer="plain") for c in small),
        *configs_of("control", sizes=(4,), ranges=(100,), embedding="shuffled-pair"),
        *configs_of("exp1", primes=(*p0, 61), sizes=(17,), ranges=(100,)),
        *configs_of("exp1", primes=(2, 3, 5), sizes=(3,), ranges=(100, 77)),
        *configs_of("exp2", primes=(3, 5), moduli=(15,), ranges=(100, 77)),
    ]
    before, after = names(PAPER), names([*PAPER, *others])
    assert [name for name in after if name in FIGURES] == before
    added = [name for name in after if name not in FIGURES]
    exp1, control, exp2 = 5, 2, 4  # heatmaps, profiles and lines of a variant at one range
    longer = exp1 + 4  # the pool with 61, which the paper's smaller sizes belong to as well
    assert len(added) == 4 * (exp1 + control + exp2) + control + longer + (exp1 + 1) + (exp2 + 1)
    assert not set(names(others)) & (set(FIGURES) - set(FIXED))


def test_a_file_keeps_its_name_when_more_is_asked_for() -> None:
    first = configs_of("exp1", sizes=(4,), ranges=(100,), depth=3)
    more = configs_of("exp1", sizes=(4, 8), ranges=(100,), depth=3)
    assert names(first) == names(more)


def test_the_records_of_other_settings_stay_out_of_the_papers_figures() -> None:
    asked = EXP2[:1]
    other = [replace(config, depth=5) for config in asked]
    records = records_of(other, on=0.75)
    found = {f.name: f for f in draw_figures([*asked, *other], records, COMMANDS)}
    paper = found["figure-09-exp2-factor"].draw()
    assert inside(paper.axes[0]) == []
    (name,) = (name for name in found if name.startswith("figure-09-exp2-factor-"))
    drawn = found[name].draw()
    assert inside(drawn.axes[0]) == ["0.75"]
    assert around(drawn).startswith("Experiment 2, depth 5: mean factor drop")
