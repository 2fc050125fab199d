from typing import Any

import pytest

from primefourier.lab.experiments import EXPERIMENTS, CompositeModuli, SinglePrime


def test_a_modulus_the_basis_cannot_see_is_told_with_its_missing_primes() -> None:
    assert CompositeModuli().invisible() == []
    found = CompositeModuli(moduli=(15, 30, 29, 2 * 3**7), ranges=(100, 200)).invisible()
    assert [(plan.modulus, plan.missing) for plan in found] == [
        (29, ((29, 0),)),
        (30, ((2, 0),)),
        (2 * 3**7, ((2, 0), (3, 6))),
    ]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"ranges": ()}, "ranges must name at least one value"),
        ({"ranges": (100, 100)}, "ranges must be distinct"),
        ({"ranges": 100}, "ranges must be a list of integers, got 100"),
        ({"ranges": "100"}, "ranges must be a list of integers, got '100'"),
        ({"ranges": (1,)}, "input_range must be an integer of at least 2, got 1"),
        ({"seeds": (-1,)}, "seed must be an integer of at least 0"),
        ({"primes": (3, 4)}, "primes must be distinct primes, got 4"),
        ({"operation": "plus"}, "operation must be"),
        ({"epoch": 3}, "unknown key 'epoch' in the settings; did you mean 'epochs'"),
    ],
)
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_bad_settings_are_refused_at_once(
    name: str, settings: dict[str, Any], message: str
) -> None:
    narrow = {"sizes": (1,)} if name != "exp2" else {}
    with pytest.raises(ValueError, match=message):
        EXPERIMENTS[name].from_dict({**narrow, **settings})


def test_lists_and_tuples_mean_the_same() -> None:
    assert SinglePrime.from_dict({"sizes": [4], "ranges": [100]}) == SinglePrime(
        sizes=(4,), ranges=(100,)
    )


def test_settings_reach_every_model() -> None:
    experiment = CompositeModuli(
        moduli=(15,), ranges=(50,), depth=2, operation="multiply", epochs=3, batch_size=7,
        learning_rate=0.1, pairs=99, trainer="plain", primes=(3, 5), seeds=(7,),
    )  # fmt: skip
    (config,) = experiment.configs()
    assert (config.depth, config.operation, config.epochs, config.batch_size) == (
        2, "multiply", 3, 7,
    )  # fmt: skip
    assert (config.learning_rate, config.pairs, config.trainer) == (0.1, 99, "plain")
    assert (config.primes, config.seed) == ((3, 5), 7)
