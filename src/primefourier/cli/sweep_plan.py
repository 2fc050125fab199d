"""``--plan``: what a sweep would train, and how long that takes, without doing it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from primefourier.cli.output import count, print_table, print_text
from primefourier.cli.sweep_options import check_device, check_workers, warn_of_invisible

if TYPE_CHECKING:
    from primefourier.lab.experiments import Experiment

_MOST_WORKERS = 64


def show_plan(
    experiments: Sequence[Experiment],
    out: Path,
    *,
    workers: int | None,
    scheduler: str | None,
    device: str,
    probe: bool,
) -> None:
    """Print how many models a sweep has left, their arithmetic, and the time on some workers."""
    from primefourier.cluster import usable_cores
    from primefourier.lab.calibration import calibrate
    from primefourier.lab.cost import longest_first, model_flops
    from primefourier.lab.estimate import schedule
    from primefourier.lab.experiments import models_of
    from primefourier.lab.sweep import format_seconds

    check_workers(workers, scheduler)
    check_device(device)  # of a cluster, too, since the models are tried here
    configs = models_of(experiments)
    done = measured_in(out, probe=probe)
    pending = longest_first(config for config in configs if config.key not in done)
    before = len(configs) - len(pending)
    flops = sum(map(model_flops, pending))
    already = f"{before} measured already in {out}, " if before else ""
    if not pending:
        print_text(f"{count(len(configs), 'model')}: {already}nothing to train.")
        return
    warn_of_invisible(experiments)
    print_text(
        f"{count(len(configs), 'model')}: {already}{len(pending)} to train, {write_flops(flops)}."
    )

    cores = usable_cores()
    asked = cores if workers is None else workers
    at_once = min(asked, cores, len(pending))
    sys.stdout.flush()
    sys.stderr.write(f"calibrating on {_place(at_once)}\n")
    found = calibrate(pending, workers=at_once, device=device)
    seconds = [found.model_seconds(config) for config in pending]
    rate = f"{write_flops(flops / sum(seconds))}/s{' each' if at_once > 1 else ''}"
    print_text(
        f"Calibrated in {format_seconds(found.seconds)} on {_place(at_once)}: {rate}, on average.\n"
    )
    times = {n: found.startup + schedule(seconds, workers=n) for n in rows(asked, len(pending))}
    print_table(["workers", "time"], [[str(n), format_seconds(t)] for n, t in times.items()])
    print_text(f"\nThe longest model takes about {format_seconds(max(seconds))}.")
    if probe:
        print_text("Probes are not in the times; they take about a third more.")
    if asked:
        print_text(
            f"Starting and ending the workers, {format_seconds(found.startup)}, is in the times."
        )
    if scheduler is not None:
        print_text("The cluster was not asked; look for as many workers as it has.")
    if max(times) > cores:
        print_text(
            f"More than {count(cores, 'worker')} need other machines as fast as this one, "
            f"which has {count(cores, 'core')}."
        )


def measured_in(out: Path, *, probe: bool = False) -> set[str]:
    """Return the keys of the models that a folder has measured, and probed if that is asked for."""
    from primefourier.lab.sweep import read_store
    from primefourier.lab.sweep.folder import prepare_folder

    if not out.exists():
        return set()
    prepare_folder(out)  # which creates nothing then, but refuses what a run would refuse
    if not any(out.glob("records.*")):
        return set()
    with read_store(out) as store:
        return store.done(probe=probe)


def rows(asked: int, models: int) -> list[int]:
    """Return the numbers of workers to tell the time for; more workers than models are idle.

    >>> rows(2, 91), rows(3, 5), rows(0, 5)
    ([1, 2, 4, 8, 16, 32, 64], [1, 2, 3, 4, 8], [0])
    """
    if not asked:
        return [0]  # in this process, where nothing was learned about starting workers
    powers = [1]
    while powers[-1] < min(models, _MOST_WORKERS):
        powers.append(2 * powers[-1])
    return sorted({asked, *powers})


def write_flops(number: float) -> str:
    """Write a number of floating-point operations.

    >>> write_flops(41_200_000_000_000), write_flops(155e6)
    ('41.2 TFLOP', '155 MFLOP')
    """
    for unit, name in ((1e15, "P"), (1e12, "T"), (1e9, "G")):
        if number >= unit:
            return f"{number / unit:.3g} {name}FLOP"
    return f"{number / 1e6:.3g} MFLOP"


def _place(workers: int) -> str:
    if not workers:
        return "this process"
    return count(workers, "worker") + (" at once" if workers > 1 else "")
