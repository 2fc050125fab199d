"""``pfe repair``: make a damaged store whole again."""

from __future__ import annotations

from pathlib import Path

from primefourier.cli.output import count, print_text


def repair(folder: Path, /) -> None:
    """Check a folder's records, and restore what is damaged or missing from its journal.

    pfe run and pfe reproduce do this by themselves when they continue. A damaged file is kept
    beside the new one.

    Parameters
    ----------
    folder
        The --out of pfe run or pfe reproduce.
    """
    from primefourier.lab.sweep import repair_store

    planned, done = repair_store(folder, print_text)
    if planned == done:
        print_text(f"{folder} is whole: all its {count(planned, 'model')} are measured.")
    else:
        print_text(
            f"{folder} can be used: {done} of {count(planned, 'model')} are measured. Others were "
            "not yet, failed, or are lost; pfe status tells the command that measures them."
        )
