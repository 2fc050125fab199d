"""What ``pfe`` gains: ``reproduce``, ``claims``, and the experiments of ``run``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Group, Parameter
from cyclopts.validators import Number
from rich.text import Text

from primefourier._checks import plural, require_choice
from primefourier.cli.options import (
    FLAG,
    Depth,
    Folder,
    Integer,
    Integers,
    Json,
    Seeds,
    Sweep,
)
from primefourier.cli.output import print_json, print_prose, print_table, print_text
from primefourier.cli.train import print_plan, run_studies, train

if TYPE_CHECKING:
    from primefourier.lab import Run
    from primefourier_paper.rule import Claim, Finding

Kind = Literal["zero", "mean", "permute"]
_STYLES = {
    "holds": "green", "holds in part": "yellow", "mostly fails": "red", "does not hold": "red",
}  # fmt: skip
_SIGNS = {True: "✓", False: "✗"}
_MORE = (
    "Further folders, whose models also count; or claims to show the evidence for, such as E1.3."
)
_WHICH = Parameter(group=Group("Which models of an experiment of the paper", sort_key=1))
_HOW = Group("Settings of its models", help="Whatever is not given is as in the paper.", sort_key=2)
_SIZES = Parameter(group=_WHICH.group, help="Numbers of primes |P|, such as 4,8.")


@Parameter(name="*", group=_HOW)
@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of an experiment; None means as in the paper."""

    ranges: Annotated[Integers | None, _WHICH] = None
    """Input ranges r, such as 100,1000; operands are 0 … r - 1."""
    seeds: Annotated[Seeds, _WHICH] = None
    primes: Integers | None = None
    """Primes, such as 3,5,7 (default: 3 … 59, exp2 3 … 23)."""
    depth: Depth = None
    operation: str | None = None
    """What is learned modulo N: add, subtract or multiply (default: add)."""
    epochs: Integer | None = None
    """Passes over the training pairs (default: 25, exp2 40)."""
    batch_size: Integer | None = None
    """Pairs in a step (default: 1024)."""
    learning_rate: float | None = None
    """Learning rate of Adam (default: 0.003)."""
    pairs: Annotated[Integer | None, Parameter(validator=Number(gte=2))] = None
    """Distinct pairs to draw, at most r² (default: 80000)."""


_SWEEP, _SETTINGS = Sweep(), Settings()


def exp1(
    *,
    sizes: Annotated[Integers | None, _SIZES] = None,
    settings: Settings = _SETTINGS,
    sweep: Sweep = _SWEEP,
) -> int:
    """Train and ablate the paper's experiment 1: one prime is the modulus.

    The same command again continues a stopped run.

    Example: `pfe run exp1 --sizes 4 --ranges 100 --out results/mine`
    """
    return _run("exp1", settings, sweep, sizes=sizes)


def control(
    *,
    sizes: Annotated[Integers | None, _SIZES] = None,
    embedding: Annotated[str | None, _WHICH] = None,
    settings: Settings = _SETTINGS,
    sweep: Sweep = _SWEEP,
) -> int:
    """Train and ablate the paper's control: experiment 1 with shuffled features.

    The same command again continues a stopped run.

    Example: `pfe run control --sizes 4 --embedding shuffled-pair`

    Args:
        embedding: What is shuffled: shuffled-column, shuffled-pair or shuffled-block.
    """
    return _run("control", settings, sweep, sizes=sizes, embedding=embedding)


def exp2(
    *,
    moduli: Annotated[Integers | None, _WHICH] = None,
    settings: Settings = _SETTINGS,
    sweep: Sweep = _SWEEP,
) -> int:
    """Train and ablate the paper's experiment 2: composite moduli.

    The same command again continues a stopped run.

    Example: `pfe run exp2 --moduli 15,105 --ranges 100`

    Args:
        moduli: Moduli N, such as 15,105.
    """
    return _run("exp2", settings, sweep, moduli=moduli)


def _run(name: str, settings: Settings, sweep: Sweep, **lists: Any) -> int:
    """Run an experiment with the options that the user gave."""
    from primefourier_paper import EXPERIMENTS

    # What the user did not give stays as in the paper.
    given = {k: v for k, v in {**lists, **asdict(settings)}.items() if v is not None}
    study = EXPERIMENTS[name].from_dict(given, f"the options of {name}").study()
    return run_studies([study], name, sweep)


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
    from primefourier_paper import experiments, judge, save_claims

    chosen = experiments.profile(profile, seeds=(42,) if seeds is None else seeds)
    studies = [experiment.study() for experiment in chosen]
    folder = sweep.out or Path("results") / profile
    if sweep.plan:
        print_plan(studies, folder, sweep)
        return 0
    outcome = train(studies, folder, sweep)
    if outcome.interrupted:
        return 1
    print_text("")
    run = lab.open(folder, *also)
    save_claims(run)
    findings = judge(run)
    print_claims(findings)
    if not also:
        print_how_to_add(findings, "add --also FOLDER")
    written = run.figures()
    report = run.report()
    print_text(
        f"\nReport: {report}\n"
        f"Claims with their evidence: {folder}/claims.md and claims.json\n"
        f"Figures: {len(written)} files in {folder}/figures"
    )
    return int(outcome.progress.failed > 0)


def claims(
    folder: Folder,
    /,
    *more: Annotated[str, Parameter(help=_MORE)],
    ablation: Kind = "zero",
    evidence: Annotated[bool, FLAG] = False,
    json: Json = False,
) -> None:
    """Judge the paper's claims by the records of one or several runs.

    Example: `pfe claims paper/results E1.3`

    Args:
        ablation: What replaces an ablated row: zero, as in the paper; mean, its mean over the test
            pairs; or permute, another pair's row. Only models that were ablated so count.
        evidence: Also show the evidence for every claim.
    """
    from primefourier import lab
    from primefourier_paper.claims import CLAIMS, judge
    from primefourier_paper.rule import claims_as_data

    # A name such as E1.3 can also be a folder here; then the folder is meant.
    folders = [word for word in more if "/" in word or Path(word).is_dir()]
    chosen = [word.upper() for word in more if word not in folders]
    for name in chosen:
        require_choice(name, [one.name for one in CLAIMS], "the claim")
    run = lab.open(folder, *folders)
    found = {c: f for c, f in judge(run, ablation).items() if not chosen or c.name in chosen}
    if json:
        print_json(claims_as_data(found))
        return
    if not chosen:
        print_claims(found)
        _print_left_out(run, ablation)
        if not evidence:
            if not folders:
                print_how_to_add(found, f"pfe claims {quote(str(folder))} FOLDER …")
            words = " ".join(quote(str(each)) for each in (folder, *folders))
            print_text(f"Evidence for one claim: pfe claims {words} E1.3")
    if chosen or evidence:
        _print_evidence(found)


def print_claims(findings: Mapping[Claim, Finding]) -> None:
    """Print the claims with their verdicts, and a tally."""
    from primefourier_paper.rule import SECTIONS, tally

    for section, heading in SECTIONS.items():
        rows: list[list[str | Text]] = [
            [claim.name, claim.statement, Text(found.words, _STYLES.get(found.verdict, "dim"))]
            for claim, found in findings.items()
            if claim.section == section
        ]
        columns = ["", heading, "verdict"]
        print_table(columns, rows, left=columns)
        print_text("")
    counts = tally(findings)
    words = ", ".join(words for _, count, words, _ in counts if count)
    print_text(f"{sum(count for _, count, _, _ in counts)} claims: {words}.")
    if any(found.evidence and not found.complete for found in findings.values()):
        print_prose(
            "This run has a part of the configurations that the claims are about, so it cannot "
            "decide those that are undecided. The verdicts in README are by all of them."
        )


def print_how_to_add(findings: Mapping[Claim, Finding], command: str) -> None:
    """Say how models of other runs count, if configurations or further seeds are missing."""
    cells = [item for found in findings.values() for item in found.evidence if item.cell]
    # One seed has no interval: more runs could decide what it leaves open.
    single = any(item.settled is None for item in cells)
    if single or not all(found.complete for found in findings.values()):
        print_text(f"Models of further runs also count: {command}")


def _print_left_out(run: Run, kind: Kind) -> None:
    """Report how many measured models do not count."""
    from primefourier_paper.cells import cells_of

    used = {
        r.config.key for cells in cells_of(run, kind).values() for c in cells for r in c.records
    }
    measured = [r for r in (*run.records, *run.more) if r.error is None]
    if other := sum(record.config.key not in used for record in measured):
        reasons = "other settings than the paper's, or part of an incomplete configuration"
        reasons += f", or not ablated by {kind}" * (kind != "zero")
        print_prose(f"{plural(other, 'measured model')} did not count: {reasons}.")


def _print_evidence(findings: Mapping[Claim, Finding]) -> None:
    from primefourier_paper.rule import NOT_SETTLED

    for claim, finding in findings.items():
        facts = {
            "paper": claim.paper,
            "rule": claim.rule,
            "measured": finding.measured or "nothing yet",
            "verdict": finding.words,
            "by means": finding.by_means,
            "seed by seed": finding.seed_by_seed,
            "within 95 % intervals": finding.within_intervals,
        }
        print_prose(f"\n{claim.name}: {claim.statement}")
        for name, text in facts.items():
            if text:
                print_prose(f"  {name}: {text}", hang=2)
        for item in finding.evidence:
            doubt = NOT_SETTLED * (item.settled is False)
            sign = _SIGNS[item.agrees]
            print_prose(f"  {sign} {item.configuration}: {item.value}{doubt}", hang=2)


COMMANDS: dict[str, Callable[..., object]] = {
    "reproduce": reproduce,
    "claims": claims,
    "run exp1": exp1,
    "run control": control,
    "run exp2": exp2,
}
