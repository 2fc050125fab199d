"""Commands that train models: ``pfe run`` and ``pfe reproduce``, and their ``--plan``."""

from __future__ import annotations

import logging
import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from primefourier._checks import plural, require_choice
from primefourier.cli.options import FLAG, Seeds, Settings, Sweep
from primefourier.cli.output import (
    ProgressBar,
    print_table,
    print_text,
)
from primefourier.cli.verdicts import print_claims, print_how_to_add

if TYPE_CHECKING:
    from primefourier.lab.study import Study
    from primefourier.lab.sweep import Outcome

_LOG = logging.getLogger("primefourier.lab")
_SWEEP, _SETTINGS = Sweep(), Settings()


def run(
    study: str | None = None,
    /,
    *,
    settings: Settings = _SETTINGS,
    sweep: Sweep = _SWEEP,
) -> int:
    """Train and ablate models: a study in a Python file, or an experiment of the paper.

    The same command again continues a stopped run.

    Example: `pfe run exp1 --sizes 4 --ranges 100 --out results/mine`

    Args:
        study: A Python file that defines study = lab.Study(…); or exp1 (single primes), control
            (the same, features shuffled) or exp2 (composite moduli).
    """
    studies = _read_studies(study, settings)
    folder = sweep.out or Path("results") / Path(str(study)).stem
    if sweep.plan:
        _print_plan(studies, folder, sweep)
        return 0
    outcome = _train(studies, folder, sweep)
    if not outcome.interrupted:
        print_text(f"pfe summary {folder} shows the results, pfe report {folder} --open a page.")
    return int(outcome.interrupted or outcome.progress.failed > 0)


def reproduce(
    *,
    profile: str = "quick",
    seeds: Seeds = None,
    also: Annotated[tuple[Path, ...], FLAG] = (),
    sweep: Sweep = _SWEEP,
) -> int:
    """Train and ablate the paper's models, judge its claims, draw its figures and write a report.

    The same command again continues a stopped run.

    Example: `pfe reproduce --profile quick`

    Args:
        profile: smoke (about a minute on two cores), quick (about five) or paper (all 750 models,
            two hours). All follow the paper's protocol; they differ in how many models they train.
        also: Folder of another run whose models also count for the claims; may be repeated.
    """
    from primefourier import lab
    from primefourier.lab import studies

    experiments = studies.profile(profile, seeds=(42,) if seeds is None else seeds)
    chosen = [experiment.study() for experiment in experiments]
    folder = sweep.out or Path("results") / profile
    if sweep.plan:
        _print_plan(chosen, folder, sweep)
        return 0
    outcome = _train(chosen, folder, sweep)
    if outcome.interrupted:
        return 1
    print_text("")
    made = lab.open(folder, *also)
    made.save_claims()
    print_claims(made.claims())
    if not also:
        print_how_to_add(made.claims(), "add --also FOLDER")
    written = made.figures()
    report = made.report()
    print_text(
        f"\nReport: {report}\n"
        f"Claims with their evidence: {folder}/claims.md and claims.json\n"
        f"Figures: {len(written)} files in {folder}/figures"
    )
    return int(outcome.progress.failed > 0)


def _read_studies(name: str | None, settings: Settings) -> list[Any]:
    from primefourier.lab.studies import EXPERIMENTS
    from primefourier.lab.study_file import read_study_file

    given = {key: value for key, value in asdict(settings).items() if value is not None}
    options = ["--" + key.replace("_", "-") for key in given]
    if name is None:
        raise ValueError(
            "a study is required: a Python file, or one of the paper's experiments "
            f"({', '.join(EXPERIMENTS)})"
        )
    if name.endswith(".py"):
        if given:
            raise ValueError(f"{options[0]} is not an option of a Python file")
        return list(read_study_file(name))
    require_choice(name, list(EXPERIMENTS), "experiment")
    for key, option in zip(given, options, strict=True):
        owners = [other for other in EXPERIMENTS if hasattr(EXPERIMENTS[other], key)]
        if name not in owners:
            raise ValueError(f"{option} is an option of {' and '.join(owners)}, not of {name}")
    return [EXPERIMENTS[name].from_dict(given, f"the options of {name}").study()]


def _train(studies: Sequence[Study], folder: Path, sweep: Sweep) -> Outcome:
    """Train the models of some studies with progress, and print how the run ended."""
    from primefourier.lab.sweep import run

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


def _print_plan(studies: Sequence[Study], folder: Path, sweep: Sweep) -> None:
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
