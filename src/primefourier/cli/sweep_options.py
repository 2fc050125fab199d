"""Options of the commands that train models, and how a sweep's end is told."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from primefourier.cli.options import Integer, read_integers
from primefourier.cli.output import count, print_text
from primefourier.cli.progress import ProgressView

if TYPE_CHECKING:
    from primefourier.lab.experiments import Experiment
    from primefourier.lab.sweep import Outcome

Out = Annotated[
    Path | None,
    Parameter(help="Folder for records and results; an existing sweep there is continued."),
]
Workers = Annotated[
    Integer | None,
    Parameter(help="Worker processes; 0 trains in this process (default: one for each core)."),
]
Scheduler = Annotated[
    str | None,
    Parameter(help="Dask scheduler to use instead: tcp://10.0.0.1:8786, or its --scheduler-file."),
]
Seeds = Annotated[
    str | None, Parameter(help="Seeds, such as 42,43; one model for each (default: 42).")
]
Device = Annotated[str, Parameter(help="Torch device of the workers, such as cuda.")]
Probe = Annotated[
    bool,
    Parameter(
        name="--probe",
        help="Take the networks apart, too: other ablations, single blocks, equivariance by epoch.",
        negative=(),
        show_default=False,
    ),
]
Plan = Annotated[
    bool,
    Parameter(
        name="--plan",
        help="Train nothing and write nothing; say how many models remain and how long they take.",
        negative=(),
        show_default=False,
    ),
]


def read_seeds(seeds: str | None) -> tuple[int, ...]:
    """Turn what stands behind --seeds into integers."""
    return (42,) if seeds is None else read_integers(seeds, "--seeds")


def train(
    experiments: Sequence[Experiment],
    out: Path,
    *,
    workers: int | None,
    scheduler: str | None,
    device: str,
    probe: bool,
) -> Outcome:
    """Run the models of some experiments, with progress, and tell how it ended."""
    from primefourier.lab.experiments import models_of
    from primefourier.lab.sweep import run_sweep

    check_workers(workers, scheduler)
    if scheduler is None:  # the workers of a cluster may have what this machine has not
        check_device(device)
    warn_of_invisible(experiments)
    with ProgressView() as view:
        outcome = run_sweep(
            models_of(experiments),
            out,
            command=this_command(),
            workers=workers,
            scheduler=scheduler,
            device=device,
            probe=probe,
            watch=view.show,
            tell=view.tell,
        )
    tell(outcome, out)
    return outcome


def check_workers(workers: int | None, scheduler: str | None) -> None:
    """Refuse a number of workers that makes no sense, before any work is done for it."""
    if workers is not None and workers < 0:
        raise ValueError(f"--workers must be at least 0, got {workers}")
    if workers is not None and scheduler is not None:
        raise ValueError("--workers and --scheduler exclude each other: the cluster has its own")


def check_device(device: str) -> None:
    """Refuse a device that torch does not have here, before any work is done for it."""
    import torch

    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise ValueError(f"--device {device!r} cannot be used here: {reason}") from None


def warn_of_invisible(experiments: Sequence[Experiment]) -> None:
    """Say what of a modulus no row of the network carries, and what to add to the basis."""
    sentences: dict[str, None] = {}
    for experiment in experiments:
        for found in experiment.invisible():
            primes = [str(p) for p, _ in found.factors if p not in found.basis.primes]
            text = f"warning: N = {found.modulus}: {found.explain_missing()}"
            if primes:
                are = "s are" if len(primes) > 1 else " is"
                text += f" The prime{are} invisible to the network: {', '.join(primes)}."
            sentences[text] = None
    for text in sentences:
        sys.stderr.write(text + "\n")


def this_command() -> str:
    """Return what the user typed, with the program's plain name."""
    import shlex

    return shlex.join(["pfe", *sys.argv[1:]])


def tell(outcome: Outcome, out: Path) -> None:
    """Say how a sweep ended and what can be done next."""
    progress = outcome.progress
    measured = progress.before + progress.done
    failed = f", {progress.failed} failed" if progress.failed else ""
    of = count(progress.total, "model")
    print_text(f"Measured {measured} of {of}{failed}; records are in {out}.")
    if outcome.interrupted:
        print_text("Stopped. Run the same command again to continue where it stopped.")
    elif progress.failed:
        print_text(f"pfe status {out} shows why; the same command tries the failed ones again.")
