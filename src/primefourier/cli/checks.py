"""Commands that check: ``pfe theory`` and ``pfe verify``."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.padding import Padding

from primefourier._checks import plural
from primefourier.cli.options import (
    Depth,
    Folder,
    Integer,
    Json,
    Machines,
    Positive,
    Primes,
    read_basis,
)
from primefourier.cli.output import ProgressBar, print_json, print_prose, print_table, print_text
from primefourier.theory import Check, check_theorem

if TYPE_CHECKING:
    from primefourier.lab.record import Record
    from primefourier.lab.verify import Retrained

_LOG = logging.getLogger("primefourier.lab")
_HERE = Machines()


def theory(*, primes: Primes = None, depth: Depth = None, json: Json = False) -> int:
    """Check Theorem 3.1: linear maps that commute with addition are block-diagonal.

    Exits with 1 if a check fails.

    Example: `pfe theory --primes 3,5,7 --depth 2`
    """
    basis = read_basis(primes, depth)
    checks = check_theorem(basis)
    failed = sum(not check.holds for check in checks)
    if json:
        found = [{**asdict(check), "holds": check.holds} for check in checks]
        about = {"primes": basis.primes, "depth": basis.depth, "holds": failed == 0}
        print_json({**about, "checks": found})
        return int(failed > 0)
    first, *others = basis.primes
    named = f"{len(basis.primes)} primes {first} … {others[-1]}" if others else f"the prime {first}"
    print_text(f"Theorem 3.1 on {named}, depth {basis.depth}, dimension {basis.dim}\n")
    columns = ["", "check", "measured", "required"]
    print_table(columns, [_theorem_row(check) for check in checks], left=["", "check"])
    print_prose(
        "\nExact checks are decided in integers, without rounding; the others are measured in "
        "float64. That other couplings vanish is proven by Schur's lemma from the first line "
        "alone; the singular values confirm it. One generator of Z, the shift by 1, would do in "
        "theory, but turns blocks of long period by so little that a forbidden coupling looks "
        "almost allowed. Shifts by large integers, exact in this library, turn every block by a "
        "large angle.\n"
    )
    judged = sum(check.relation is not None for check in checks)
    print_text(f"{judged - failed} of {judged} checks hold.")
    return int(failed > 0)


def _theorem_row(check: Check) -> list[Any]:
    # rich wraps what is in a Group paragraph by paragraph, so notes keep their indent
    notes = [check.note] * bool(check.note) + ["exact"] * (check.kind == "exact")
    statement = Group(check.statement, *(Padding(note, (0, 0, 0, 2)) for note in notes))
    if check.relation is None:
        return ["·", statement, _write_number(check.measured), ""]
    required = f"{check.relation} {_write_number(check.bound)}"
    return ["✓" if check.holds else "✗", statement, _write_number(check.measured), required]


def _write_number(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:.1e}"


def verify(
    folder: Folder,
    /,
    *,
    sample: Positive = 5,
    seed: Integer = 0,
    study: Path | None = None,
    machines: Machines = _HERE,
) -> int:
    """Train some of a folder's measured models again, and compare them with their records.

    Each is compared bit for bit: correct answers after every epoch, lost and gained in every row.
    Nothing is written. Exits with 1 if a model differs or fails.

    Example: `pfe verify paper/results --sample 5`

    Args:
        sample: How many models, chosen at random; all, if there are fewer.
        seed: Decides which models are chosen.
        study: The Python file of the study, if it defines parts of its models.
    """
    from primefourier.lab.store import read_store
    from primefourier.lab.study_file import read_study_file
    from primefourier.lab.verify import choose_sample

    machines.check()
    if study is not None:  # which registers the parts that it defines
        read_study_file(study)
    records = read_store(folder).records
    measured = sum(record.error is None for record in records)
    if not measured:
        raise ValueError(
            f"{folder} has no measured models yet, so there is nothing to compare with; "
            f"pfe status {folder} shows its progress"
        )
    checks = _train_again(choose_sample(records, sample, seed=seed), machines)
    same = sum(check.same for check in checks)
    columns = ["model", "trained again"]
    rows = [[c.record.config.describe(), c.difference or "same"] for c in checks]
    print_table(columns, rows, left=columns)
    print_prose(
        f"\n{same} of {plural(len(checks), 'model')} gave the same measurement again, bit for bit; "
        f"{plural(measured, 'model')} of this folder are measured."
    )
    for reason, number in Counter(_explain(c) for c in checks if not c.same).items():
        print_prose(f"{plural(number, 'model')}: {reason}")
    changes = [
        f"{name} {then or 'unknown'} → {now or 'unknown'}"
        for check in checks
        for name, (then, now) in check.changed.items()
    ]
    if changes:
        print_prose(f"Not as in the records: {', '.join(dict.fromkeys(changes))}.")
    return int(same < len(checks))


def _train_again(records: Sequence[Record], machines: Machines) -> list[Retrained]:
    """Check records with progress, and return the checks in the order of the records."""
    from primefourier.lab.sweep import Progress, stoppable
    from primefourier.lab.verify import verify_records

    progress = Progress.of(len(records), [record.config for record in records])
    found: dict[str, Retrained] = {}
    with machines.executor() as executor, ProgressBar() as bar, stoppable():
        bar.show_models(progress)
        checking = verify_records(
            records, workers=machines.workers, executor=executor, device=machines.device
        )
        with closing(checking) as checks:  # which ends the workers, also after Ctrl-C
            for check in checks:
                found[check.record.config.key] = check
                progress.count(check.again)
                bar.show_models(progress)
                if not check.same:
                    _LOG.warning("%s: %s", check.record.config.describe(), check.difference)
    # long models are trained first; the reader wants the order of the store
    return [found[record.config.key] for record in records]


def _explain(check: Retrained) -> str:
    """Explain what a difference means."""
    if check.again.error is not None:
        return "training failed, so the record could not be checked."
    if check.rounding_may_differ:
        return (
            "machine, device or versions are not those of the record, so rounding may differ; "
            "this does not indicate damage."
        )
    if check.source_differs:
        return (
            "this should not happen unless training has changed with primefourier's source or the "
            "file of a part."
        )
    return (
        "this should not happen: machine, device, versions and commit match the record. "
        "The record was changed, or one of the two calculations went wrong."
    )
