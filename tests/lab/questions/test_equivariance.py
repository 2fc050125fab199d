from collections.abc import Callable

import pytest

from lab_records import configs_of, records_of, with_probe
from primefourier.lab.questions.equivariance import MEASURES, epoch_curves
from primefourier.lab.questions.groups import probed_groups


def falling(first: float) -> Callable[[int], float]:
    return lambda epoch: first / (1 + epoch)


def test_every_measure_has_a_value_before_training_and_after_each_epoch() -> None:
    configs = configs_of("exp1", sizes=(4,), ranges=(500,), seeds=(1, 2))
    records = [with_probe(r, curve=falling(r.config.seed / 2)) for r in records_of(configs)]
    (group,) = probed_groups(configs, records)
    curves = {curve.measure.name: curve.values for curve in epoch_curves(group)}
    assert list(curves) == [measure.name for measure in MEASURES]
    assert {len(values) for values in curves.values()} == {26}
    assert curves["shift_error"][0].mean == pytest.approx(0.75)
    assert curves["shift_error"][25].mean == pytest.approx(0.75 / 26)
    assert curves["share_apart"][1].mean == pytest.approx(0.375)
    assert curves["off_block_energy"][0].mean == pytest.approx(0.375)
    assert curves["relevant_share"][0].mean == pytest.approx(0.25)
    assert curves["relevant_share"][0].count == 2
