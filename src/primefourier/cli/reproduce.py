"""``pfe reproduce``: the paper, or a part of it, in one command."""

from __future__ import annotations

from pathlib import Path

from primefourier.cli.claims import write_claims
from primefourier.cli.figures import write_figures
from primefourier.cli.output import print_text
from primefourier.cli.questions import write_questions
from primefourier.cli.report import write_report
from primefourier.cli.sweep_options import (
    Device,
    Out,
    Plan,
    Probe,
    Scheduler,
    Seeds,
    Workers,
    read_seeds,
    train,
)
from primefourier.cli.sweep_plan import show_plan


def reproduce(
    *,
    profile: str = "quick",
    out: Out = None,
    workers: Workers = None,
    scheduler: Scheduler = None,
    seeds: Seeds = None,
    device: Device = "cpu",
    probe: Probe = False,
    plan: Plan = False,
) -> int:
    """Train and ablate the paper's models, judge its claims, draw its figures and write a report.

    The same command again continues where it stopped.

    Parameters
    ----------
    profile
        smoke (about a minute on two cores), quick (about five) or paper (all 750 models, two
        hours). All follow the paper's protocol; they differ in how many models they train.
    """
    from primefourier.lab import experiments

    chosen = experiments.profile(profile, seeds=read_seeds(seeds))
    folder = out or Path("results") / profile
    if plan:
        show_plan(chosen, folder, workers=workers, scheduler=scheduler, device=device, probe=probe)
        print_text("Claims, figures and report afterwards take some seconds more.")
        return 0
    outcome = train(
        chosen, folder, workers=workers, scheduler=scheduler, device=device, probe=probe
    )
    if outcome.interrupted:
        return 1
    print_text("")
    write_claims(folder)
    write_questions(folder)
    written = write_figures(folder)
    report = folder / "report.html"
    write_report(folder, report)
    print_text(
        f"\nTo look at: {report}. Claims with their evidence: {folder}/claims.md and claims.json. "
        f"Figures: {len(written)} files in {folder}/figures."
    )
    return int(outcome.progress.failed > 0)
