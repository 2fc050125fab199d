from dataclasses import replace

import pytest

from primefourier.lab.experiments import ShuffledControl, SinglePrime


def test_it_is_experiment_1_with_another_embedding() -> None:
    for config, original in zip(ShuffledControl().configs(), SinglePrime().configs(), strict=True):
        assert replace(config, experiment="exp1", embedding="pfe") == original
        assert (config.experiment, config.embedding) == ("control", "shuffled-column")


def test_pairs_and_blocks_can_be_shuffled_too() -> None:
    for embedding in ("shuffled-pair", "shuffled-block"):
        configs = ShuffledControl(embedding=embedding, sizes=(4,)).configs()
        assert {config.embedding for config in configs} == {embedding}


def test_a_control_without_shuffling_is_refused() -> None:
    with pytest.raises(ValueError, match="is that of exp1"):
        ShuffledControl(embedding="pfe")
