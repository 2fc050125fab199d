"""``pfe verify``: train some of a folder's models again, and compare them with their records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from primefourier.cli.options import Integer, Json
from primefourier.cli.output import count, print_json, print_table, print_text
from primefourier.cli.progress import ProgressView
from primefourier.cli.sweep_options import Device, Scheduler, Workers, check_device, check_workers

if TYPE_CHECKING:
    from primefourier.lab.record import Record
    from primefourier.lab.verify import Check

_WIDTH = 120
_COMMIT_DIGITS = 9


def verify(
    folder: Path,
    /,
    *,
    sample: Integer = 5,
    seed: Integer = 0,
    workers: Workers = None,
    scheduler: Scheduler = None,
    device: Device = "cpu",
    json: Json = False,
) -> int:
    """Train some of a folder's measured models again, and tell whether their records are the same.

    Each is compared bit for bit: correct answers after every epoch, lost and gained in every row.
    Nothing is written. Exits with 1 if a model differs or fails.

    Parameters
    ----------
    folder
        The --out of pfe run or pfe reproduce.
    sample
        How many models, chosen at random; all, if there are fewer.
    seed
        Decides which models are chosen.
    """
    from primefourier.lab.sweep import read_store
    from primefourier.lab.verify import choose_sample

    if sample < 1:
        raise ValueError(f"--sample must be at least 1, got {sample}")
    check_workers(workers, scheduler)
    with read_store(folder) as store:
        records = store.records()
    measured = sum(record.error is None for record in records)
    if not measured:
        raise ValueError(
            f"{folder} has no measured models yet, so there is nothing to compare with; "
            f"pfe status {folder} tells how far it is"
        )
    if scheduler is None:  # the workers of a cluster may have what this machine has not
        check_device(device)
    chosen = choose_sample(records, sample, seed=seed)
    checks = _train_again(chosen, workers, scheduler, device)
    same = sum(check.same for check in checks)
    if json:
        print_json(
            {
                "measured": measured,
                "checked": len(checks),
                "same": same,
                "checks": [_as_data(check) for check in checks],
            }
        )
    else:
        print_table(
            ["model", "trained again"],
            [[c.record.config.describe(), "same" if c.same else c.difference] for c in checks],
            left=["model", "trained again"],
            width=_WIDTH,
        )
        print_text(
            f"\n{same} of {count(len(checks), 'model')} gave the same measurement again, bit for "
            f"bit; {folder} has {count(measured, 'measured model')}."
        )
        for sentence in _explain(checks):
            print_text(sentence)
    return int(same < len(checks))


def _train_again(
    records: Sequence[Record], workers: int | None, scheduler: str | None, device: str
) -> list[Check]:
    """Check records, with progress, and return the checks in their order."""
    from primefourier.lab.sweep import Progress
    from primefourier.lab.sweep.engine import stoppable
    from primefourier.lab.verify import verify_records

    progress = Progress.of(len(records), [record.config for record in records])
    found: dict[str, Check] = {}
    with ProgressView() as view, stoppable():
        view.show(progress)
        checks = verify_records(
            records, workers=workers, scheduler=scheduler, device=device, tell=view.tell
        )
        with closing(checks):
            for check in checks:
                found[check.record.config.key] = check
                progress.count(check.again)
                view.show(progress)
                if not check.same:
                    view.tell(f"{check.record.config.describe()}: {check.difference}")
    return [found[record.config.key] for record in records]


def _explain(checks: Sequence[Check]) -> list[str]:
    """Say what a difference means, and what is not as it was when the records were made."""
    reasons = Counter(_reason(check) for check in checks if not check.same)
    sentences = [f"{count(number, 'model')}: {reason}" for reason, number in reasons.items()]
    changed = dict.fromkeys(
        f"{name} {_short(name, then)} → {_short(name, now)}"
        for check in checks
        for name, (then, now) in check.changed.items()
    )
    if changed:
        sentences.append(f"Not as in the records: {', '.join(changed)}.")
    return sentences


def _reason(check: Check) -> str:
    if check.again.error is not None:
        return "training failed, so nothing is known of the record."
    if check.rounding_may_differ:
        return (
            "machine, device or versions are not those of the record, so rounding may differ; "
            "this is no sign of damage."
        )
    if check.source_differs:
        return (
            "this should not happen, unless primefourier trains differently since: its commit or "
            "version is another, but machine, device and other versions are those of the record."
        )
    return (
        "this should not happen: machine, device, versions and commit are those of the record. "
        "It was changed, or one of the two calculations went wrong."
    )


def _short(name: str, value: str | None) -> str:
    """Write a value for people; of a commit its first digits, and + if files were changed."""
    if value is None:
        return "unknown"
    if name != "commit":
        return value
    return value[:_COMMIT_DIGITS] + "+" * (len(value) > _COMMIT_DIGITS and value.endswith("+"))


def _as_data(check: Check) -> dict[str, Any]:
    again = check.again.measurement
    return {
        "key": check.record.config.key,
        "config": check.record.config.to_dict(),
        "same": check.same,
        "difference": check.difference,
        "stored": asdict(check.record.measured),
        "again": again and asdict(again),
        "error": check.again.error,
        "changed": check.changed,
    }
