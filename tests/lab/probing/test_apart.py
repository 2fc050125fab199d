import pytest
import torch

from primefourier.analysis import ablate, feature_groups
from primefourier.lab.probing import KINDS, EquivarianceWatch, can_be_probed, take_apart
from primefourier.lab.training import make_examples, train_fast
from small_models import small_config


def test_only_rows_that_belong_to_primes_can_be_probed() -> None:
    assert can_be_probed(small_config())
    for unit in ("column", "pair", "block"):
        assert not can_be_probed(small_config(embedding=f"shuffled-{unit}"))


@pytest.mark.parametrize("seed", [0, 42])
def test_a_probe_holds_every_ablation_and_what_the_watch_saw(seed: int) -> None:
    config = small_config(seed=seed, epochs=4)
    examples = make_examples(config, dtype=torch.float64)
    watch = EquivarianceWatch.of(config, examples)
    trained = train_fast(config, examples, look=watch.look)
    probe = take_apart(config, trained.model, examples, watch)
    probe.require_shape(rows=3, depth=2, epochs=4)
    assert (probe.test_size, probe.shifted_size) == (180, 180)
    for kind in KINDS:
        for by, found in (("prime", probe.rows[kind]), ("channel", probe.blocks[kind])):
            groups = feature_groups(config.basis, by, operands=2, layout="rows")  # type: ignore[call-overload]
            expected = ablate(
                trained.model,
                examples.test_features,
                examples.test_labels,
                groups,
                kind=kind,
                seed=seed,
            )
            assert found.correct == trained.correct[-1]
            assert found.lost == tuple(result.lost for result in expected)
            assert found.gained == tuple(result.gained for result in expected)
    assert probe.answers_apart == tuple(watch.answers_apart)
    assert probe.shift_error == tuple(watch.shift_error)
    assert probe.off_block_energy == tuple(watch.off_block_energy)
    assert probe.relevant_share == tuple(watch.relevant_share)
