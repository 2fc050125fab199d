"""The figures of probes: ablations, depths and equivariance."""

from collections.abc import Iterable

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from drawn import around, assert_readable, inside, key
from lab_records import EXP1, EXP2, configs_of, records_of, run_of, with_probe
from prime_models import primes
from primefourier.analysis.ablation import Kind
from primefourier.lab.config import ModelConfig
from primefourier.lab.record import Record
from primefourier.lab.studies.probe_figures import probe_figures

SIZES = [c for c in EXP1 if len(primes(c)) in (4, 8, 10)]


def block(config: ModelConfig, kind: Kind, prime: int, depth: int) -> float:
    base = 0.8 / (1 + depth) if str(prime) in (config.relevant or ()) else 0.1
    return base * {"zero": 1.0, "mean": 0.5, "permute": 0.25}[kind]


def probed(configs: Iterable[ModelConfig]) -> list[Record]:
    return [
        with_probe(record, off={"mean": 0.02, "permute": 0.03}, block=block)
        for record in records_of(configs, off=0.1)
    ]


def figures(configs: list[ModelConfig], records: list[Record]) -> dict[str, Figure]:
    (grid,) = run_of(configs, records).grids
    return {name: draw() for name, draw in probe_figures(grid).items()}


def lines(axes: Axes) -> list[list[float]]:
    """Return what is drawn with markers or as a curve, without the line at 0."""
    found = [np.asarray(line.get_ydata(), dtype=float).tolist() for line in axes.lines]
    return [values for values in found if len(values) > 2]


@pytest.fixture(scope="module")
def drawn() -> dict[str, Figure]:
    return figures(SIZES, probed(SIZES))


def test_there_are_three_figures_of_an_experiment(drawn: dict[str, Figure]) -> None:
    assert list(drawn) == ["probe-ablations-exp1", "probe-depths-exp1", "probe-equivariance-exp1"]
    for figure in drawn.values():
        assert_readable(figure)


def test_without_probes_or_for_other_settings_there_are_none() -> None:
    assert figures(SIZES, records_of(SIZES)) == {}
    other = configs_of("exp1", sizes=(4,), ranges=(100,), epochs=3)
    assert figures(other, probed(other)) == {}


def test_other_rows_are_shown_for_each_ablation_and_size(drawn: dict[str, Figure]) -> None:
    figure = drawn["probe-ablations-exp1"]
    for axes, drop in zip(figure.axes, (0.1, 0.02, 0.03), strict=True):
        assert np.allclose(lines(axes), np.full((3, 5), drop), atol=3e-4)
    assert key(figure) == ["|P| = 4", "|P| = 8", "|P| = 10", "noise floor"]


def test_depths_are_those_of_eight_primes_by_ablation(drawn: dict[str, Figure]) -> None:
    figure = drawn["probe-depths-exp1"]
    assert "|P| = 8" in around(figure)
    assert key(figure) == [f"r = {r}" for r in (100, 500, 1000, 2000, 4000)]
    for axes, scale in zip(figure.axes[:3], (1.0, 0.5, 0.25), strict=True):
        expected = [0.8 * scale / (1 + d) for d in range(6)]
        assert np.allclose(lines(axes), [expected] * 5, atol=3e-4)
    for axes, scale in zip(figure.axes[3:], (1.0, 0.5, 0.25), strict=True):
        assert np.allclose(lines(axes), np.full((5, 6), 0.1 * scale), atol=3e-4)


def test_equivariance_is_shown_from_the_untrained_network_on(drawn: dict[str, Figure]) -> None:
    apart, error, energy, share = drawn["probe-equivariance-exp1"].axes
    expected = np.array([1 / (1 + epoch) for epoch in range(26)])
    assert np.allclose(lines(apart)[0], expected, atol=1e-3)
    assert np.allclose(lines(error)[4], expected)
    assert np.allclose(lines(energy)[0], expected / 2)
    assert np.allclose(lines(share)[0], 1 - expected)


def test_without_eight_primes_the_largest_size_is_shown() -> None:
    configs = configs_of("exp1", sizes=(4, 6), ranges=(100,))
    assert "|P| = 6" in around(figures(configs, probed(configs))["probe-depths-exp1"])


def test_degenerate_moduli_are_left_out() -> None:
    found = figures(EXP2, probed(EXP2))
    assert list(found) == ["probe-ablations-exp2", "probe-depths-exp2", "probe-equivariance-exp2"]
    zero = found["probe-ablations-exp2"].axes[0]
    assert [np.isnan(values[0]) for values in lines(zero)] == [False] * 8 + [True] * 2
    assert "all N" in around(found["probe-depths-exp2"])
    assert inside(zero) == []


def test_the_caption_counts_diverged_models() -> None:
    configs = configs_of("exp1", sizes=(4,), ranges=(100,))
    first, *others = records_of(configs)
    diverged = with_probe(first, curve=lambda epoch: 0.5 if epoch < 3 else None)
    drawn = figures(configs, [diverged, *map(with_probe, others)])["probe-equivariance-exp1"]
    assert "Diverged models, skipped where they have no value: 1." in around(drawn)
    assert_readable(drawn)
