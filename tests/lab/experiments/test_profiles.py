import pytest

from primefourier.lab.cost import model_flops
from primefourier.lab.experiments import EXPERIMENTS, PROFILES, models_of, profile
from primefourier.lab.report import draw_figures


def test_the_paper_is_350_and_350_and_50_models() -> None:
    models = models_of(profile("paper"))
    counts = [sum(config.experiment == name for config in models) for name in EXPERIMENTS]
    assert counts == [350, 350, 50]


def test_smaller_profiles_are_parts_of_the_paper() -> None:
    paper = {config.key for config in models_of(profile("paper"))}
    for name in ("smoke", "quick"):
        keys = {config.key for config in models_of(profile(name))}
        assert keys < paper
        assert {c.experiment for c in models_of(profile(name))} == set(EXPERIMENTS)


def test_profiles_differ_in_their_work() -> None:
    work = [sum(map(model_flops, models_of(profile(name)))) for name in PROFILES]
    assert 4 * work[0] < work[1] < work[2] / 20
    assert work[1] < 30e12  # five minutes on two cores at 50 GFLOP/s each


def test_quick_holds_the_configurations_to_look_at_first() -> None:
    models = models_of(profile("quick"))
    exp1 = {(c.modulus, c.input_range) for c in models if len(c.primes) == 8}
    assert {(p, 1000) for p in (3, 5, 7, 11, 13, 17, 19, 23)} <= exp1
    assert (77, 4000) in exp1


def test_quick_has_something_for_every_figure() -> None:
    models = models_of(profile("quick"))
    assert len(list(draw_figures(models, [], []))) == 22


def test_every_seed_is_another_model() -> None:
    assert len(models_of(profile("smoke", seeds=(1, 2)))) == 2 * len(models_of(profile("smoke")))


def test_an_unknown_profile_is_refused() -> None:
    with pytest.raises(ValueError, match="did you mean 'quick'"):
        profile("quik")
