"""``pfe repair``: save what can be saved of a damaged store."""

from __future__ import annotations

from pathlib import Path

from primefourier._checks import plural
from primefourier.cli.output import print_text

_MOST = 10
"""How many missing models are named."""


def repair(folder: Path, /) -> None:
    """Check the records of a folder, and save what can be saved if they are damaged.

    Intact rows of records.sqlite and of records.backup.sqlite, the copy made at the end of each
    run, go to a new records.sqlite. The damaged file is kept.

    Parameters
    ----------
    folder
        The --out of pfe run or pfe reproduce.
    """
    from primefourier.lab.store_repair import repair_store

    found = repair_store(folder)
    if found.damage is not None:
        kept = f" It is kept as {found.kept.name}." if found.kept else ""
        print_text(f"records.sqlite was damaged: {found.damage}.{kept}")
    measured = len(found.planned) - len(found.missing)
    state = "is intact" if found.damage is None else "is repaired"
    print_text(
        f"{folder} {state}: {measured} of {plural(len(found.planned), 'model')} are measured."
    )
    if found.missing:
        names = [config.describe() for config in found.missing[:_MOST]]
        if len(found.missing) > _MOST:
            names.append(f"and {len(found.missing) - _MOST} more")
        print_text("Without a measurement (not trained yet, failed, or lost):")
        print_text("\n".join(f"  {name}" for name in names))
        print_text(f"Run the same command again to train them; pfe status {folder} prints it.")
