from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from lab_records import EXP1, EXP2, by_key, configs_of, failed, plausible
from primefourier.lab.config import ModelConfig
from primefourier.lab.record import Record
from primefourier.lab.report.page import Page
from primefourier.lab.results import find_variants


def page_of(
    configs: Sequence[ModelConfig], records: Sequence[Record] = (), commands: Sequence[str] = ()
) -> Page:
    ((variant, asked),) = find_variants(configs).items()
    return Page(variant, asked, by_key(records), commands)


def caption(configs: Sequence[ModelConfig], **options: Any) -> str:
    records = plausible(configs)
    return page_of(configs, records, ["pfe a", "pfe b"]).caption("Text.", records, **options)


def test_axes_are_all_that_was_asked_for_in_order() -> None:
    page = page_of(EXP1[::-1])
    assert page.rows == [4, 6, 8, 10, 12, 14, 16]
    assert page.ranges == [100, 500, 1000, 2000, 4000]
    assert page.cells == {}
    assert page_of(EXP2).rows == [15, 21, 33, 35, 55, 77, 105, 165, 231, 385]


def test_the_title_names_what_is_not_as_in_the_paper() -> None:
    assert page_of(EXP1).title == "Experiment 1"
    assert page_of(EXP2).title == "Experiment 2"
    changed = [replace(config, depth=5, batch_size=512) for config in EXP2]
    assert page_of(changed).title == "Experiment 2, depth 5, batch size 512"
    other = configs_of("control", primes=(2, 3), sizes=(2,), ranges=(100,))
    assert page_of(other).title == "Control (PFE-Shuffled), primes 2, 3"


def test_a_caption_tells_models_seeds_noise_floor_and_commands() -> None:
    assert caption(EXP1) == (
        "Text. 350 models, 1 seed (42) a configuration; noise floor 0.032 to 0.011. "
        "Made by: pfe a; pfe b"
    )
    one = configs_of("exp2", moduli=(15,), ranges=(500,))
    assert "1 model, 1 seed (42) a configuration; noise floor 0.011." in caption(one)


def test_a_caption_tells_how_many_seeds() -> None:
    three = configs_of("exp2", moduli=(15,), ranges=(500,), seeds=(9, 3, 7))
    assert "3 models, 3 seeds (3, 7, 9) a configuration" in caption(three)
    mixed = [*three, *configs_of("exp2", moduli=(21,), ranges=(500,), seeds=(3,))]
    assert "4 models, 1–3 seeds (3, 7, 9) a configuration" in caption(mixed)
    many = configs_of("exp2", moduli=(15,), ranges=(500,), seeds=tuple(range(9)))
    assert "Text. 9 models, 9 seeds a configuration; noise floor" in caption(many)


def test_what_concerns_several_seeds_is_said_only_of_them() -> None:
    one = configs_of("exp2", moduli=(15,), ranges=(500,))
    two = configs_of("exp2", moduli=(15,), ranges=(500,), seeds=(1, 2))
    assert "Bars." not in caption(one, several="Bars.")
    assert caption(two, several="Bars.").startswith("Text. Bars. 2 models")


def test_the_plain_trainer_is_named() -> None:
    assert "Plain trainer. Made by" in caption([replace(EXP2[0], trainer="plain")])


def test_an_empty_page_says_so() -> None:
    page = page_of(EXP2, [], ["pfe a"])
    assert page.caption("Text.", []) == "Text. Nothing is measured yet. Made by: pfe a"
    for commands in ([], [""]):
        assert page_of(EXP2, [], commands).caption("Text.", []) == "Text. Nothing is measured yet."


def test_a_caption_leaves_out_of_commands_what_results_do_not_depend_on() -> None:
    commands = ["pfe run exp2 --out a --workers 2", "pfe run exp2 --out=b", "pfe run --config c"]
    text = page_of(EXP2, [], commands).caption("Text.", [])
    assert text == "Text. Nothing is measured yet. Made by: pfe run exp2; pfe run --config c"


def test_a_caption_leaves_out_commands_that_name_another_experiment() -> None:
    commands = ["pfe run exp1 --sizes 4", "pfe run exp2 --moduli 15", "pfe reproduce"]
    text = page_of(EXP2, [], commands).caption("Text.", [])
    assert text.endswith("Made by: pfe run exp2 --moduli 15; pfe reproduce")


def test_the_records_of_a_range_are_those_that_were_measured() -> None:
    configs = configs_of("exp1", sizes=(4,), ranges=(100, 500))
    records = plausible(configs)
    page = page_of(configs, [*records[1:], failed(configs[0])])
    assert page.measured(100) == records[1:4]
    assert page.measured(500) == records[4:]
    assert page.measured(1000) == []
