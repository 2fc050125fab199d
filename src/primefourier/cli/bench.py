"""``pfe bench``: how fast models are trained on this machine."""

from __future__ import annotations

import sys
from dataclasses import asdict

from primefourier.cli.options import Integer, Json
from primefourier.cli.output import count, print_json, print_text
from primefourier.cli.sweep_options import Workers


def bench(*, epochs: Integer = 3, workers: Workers = None, json: Json = False) -> None:
    """Time both trainers on one configuration of experiment 1, |P| = 8 and r = 1000.

    The same 8 models are trained, tested after each epoch and ablated: by plain one after another,
    with torch's default threads, and by fast on worker processes. Other work on the machine slows
    plain much more than fast, so measure on an idle one.

    Parameters
    ----------
    epochs
        Epochs of each model; the paper has 25, a few are enough to compare.
    """
    from primefourier.cluster import usable_cores
    from primefourier.lab.experiments import SinglePrime
    from primefourier.lab.speed import measure_speed

    if workers is not None and workers < 1:
        raise ValueError(f"--workers must be at least 1 to compare, got {workers}")
    configs = SinglePrime(sizes=(8,), ranges=(1000,), epochs=epochs).configs()
    speed = measure_speed(configs, workers=workers or usable_cores(), tell=_tell)
    if json:
        print_json({**asdict(speed), "ratio": speed.ratio, "gemm_share": speed.gemm_share})
        return
    print_text(
        f"{speed.models} models, {count(epochs, 'epoch')}, |P| = 8, r = 1000: train, test after "
        "each epoch, ablate every row"
    )
    for name, value, unit in (
        ("plain, one model after another, default threads", speed.plain_seconds, "s"),
        (f"fast, {speed.workers} worker{'s'[: speed.workers > 1]}", speed.fast_seconds, "s"),
        ("fast is so many times as fast", speed.ratio, ""),
        ("matrix products of fast", speed.flops / speed.fast_seconds / 1e9, "GFLOP/s"),
        ("the machine's own rate, large matrices", speed.gemm_rate / 1e9, "GFLOP/s"),
        ("share of it that fast reaches", speed.gemm_share, ""),
    ):
        print_text(f"  {name:<50}{value:8.2f} {unit}".rstrip())


def _tell(text: str) -> None:
    sys.stderr.write(f"measuring {text}\n")
