"""Commands that train models: ``pfe run``, and what commands of plugins that train share."""

from __future__ import annotations

import logging
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from primefourier._checks import plural
from primefourier.cli.options import Sweep
from primefourier.cli.output import ProgressBar, print_table, print_text

if TYPE_CHECKING:
    from primefourier.lab.study import Study
    from primefourier.lab.sweep import Outcome

_LOG = logging.getLogger("primefourier.lab")
_SWEEP = Sweep()


def run(study: str | None = None, /, *, sweep: Sweep = _SWEEP) -> int:
    """Train and ablate the models of a study in a Python file.

    The same command again continues a stopped run.

    Example: `pfe run mine.py --out results/mine`

    Args:
        study: A Python file that defines study = lab.Study(…), or a list studies.
    """
    from primefourier.lab.study_file import read_study_file

    if study is None or not study.endswith(".py"):
        got = repr(study) if study else "none"
        raise ValueError(
            f"a study must be a Python file, or a command of pfe run --help, got {got}"
        )
    return run_studies(read_study_file(study), Path(study).stem, sweep)


def run_studies(studies: Sequence[Study], name: str, sweep: Sweep) -> int:
    """Train studies as ``pfe run`` does, or print the plan, and return the exit code.

    Args:
        studies: The studies.
        name: The name of the folder in results, unless the user names another.
        sweep: The user's options.
    """
    folder = sweep.out or Path("results") / name
    if sweep.plan:
        print_plan(studies, folder, sweep)
        return 0
    outcome = train(studies, folder, sweep)
    if not outcome.interrupted:
        print_text(f"pfe summary {folder} shows the results, pfe report {folder} --open a page.")
    return int(outcome.interrupted or outcome.progress.failed > 0)


def train(studies: Sequence[Study], folder: Path, sweep: Sweep) -> Outcome:
    """Train the models of some studies with progress, and print how the run ended."""
    from primefourier.lab import run

    sweep.check()
    _warn_of_invisible(studies)
    with sweep.executor() as executor, ProgressBar() as bar:
        outcome = run(
            list(studies),
            folder,
            command=shlex.join(["pfe", *sys.argv[1:]]),
            workers=sweep.workers,
            executor=executor,
            device=sweep.device,
            on_progress=bar.show_models,
        )
    progress = outcome.progress
    failed = f", {progress.failed} failed" if progress.failed else ""
    models = f"{progress.before + progress.done} of {plural(progress.total, 'model')}"
    print_text(f"Measured {models}{failed}; records are in {folder}.")
    if outcome.interrupted:
        print_text("Stopped. Run the same command again to continue.")
    elif progress.failed:
        print_text(f"pfe status {folder} shows why; the same command tries failed models again.")
    return outcome


def _warn_of_invisible(studies: Sequence[Study]) -> None:
    """Warn about the factors of a modulus that no row carries, and say what to add to the basis."""
    from primefourier.lab.study import find_invisible

    plans = [found for study in studies for found in find_invisible(study.configs)]
    for text in dict.fromkeys(f"N = {plan.modulus}: {plan.explain_missing()}" for plan in plans):
        _LOG.warning("warning: %s", text)


def print_plan(studies: Sequence[Study], folder: Path, sweep: Sweep) -> None:
    """Print how many models each study has, and how many of them remain to be trained."""
    from primefourier.lab.sweep import measured_in

    sweep.check()
    done = measured_in(folder)
    keys: dict[str, set[str]] = {}
    for study in studies:  # several may have one name
        keys.setdefault(study.name, set()).update(config.key for config in study.configs)
    if len(keys) > 1:  # models that studies share are trained once
        keys["all"] = set().union(*keys.values())
    columns = ["study", "models", "measured", "to train"]
    counts = ((name, len(own), len(own & done), len(own - done)) for name, own in keys.items())
    print_table(columns, [[*map(str, row)] for row in counts], left=["study"])
    _warn_of_invisible(studies)
