from primefourier.lab.cost import model_flops
from primefourier.lab.run_model import run_model
from primefourier.lab.sweep.progress import Progress, format_seconds
from small_models import small_config


def test_time_left_goes_by_work_not_by_number() -> None:
    small, large = small_config(epochs=1), small_config(epochs=9)
    progress = Progress.of(3, [small, large])
    assert (progress.before, progress.remaining) == (1, 2)
    assert progress.time_left(5.0) is None
    progress.count(run_model(small))
    expected = 5.0 * model_flops(large) / model_flops(small)
    assert progress.time_left(5.0) == expected
    assert expected > 20


def test_failures_are_counted_apart() -> None:
    progress = Progress.of(2, [small_config(), small_config(seed=1)])
    progress.count(run_model(small_config(), device="no such device"))
    progress.count(run_model(small_config(seed=1)))
    assert (progress.done, progress.failed, progress.remaining) == (1, 1, 0)
    assert progress.time_left(1.0) == 0


def test_durations_read_well() -> None:
    assert [format_seconds(s) for s in (0.4, 59.4, 59.6, 3599, 3600, 7322)] == [
        "0 s", "59 s", "1 min 0 s", "59 min 59 s", "1 h 0 min", "2 h 2 min",
    ]  # fmt: skip
