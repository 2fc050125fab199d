"""Commands that read a run: ``pfe status``, ``summary``, ``export`` and ``repair``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, cast

from primefourier._checks import plural
from primefourier.analysis.ablation import Kind
from primefourier.cli.options import Folder, Json, NewestFolder
from primefourier.cli.output import print_json, print_prose, print_table, print_text

if TYPE_CHECKING:
    from primefourier.lab import Run
    from primefourier.lab.export import Format

_MEANS = ("accuracy", "relevant_drop", "other_drop")
_MOST_NAMED = 10
"""How many missing models are named."""


def status(folder: NewestFolder = None, /, *, json: Json = False) -> None:
    """Show how many models of a run are measured, failed and waiting. Works at any time.

    Example: `pfe status results/paper`
    """
    from primefourier.lab.store import current_writer

    run = _open(folder)
    writer, progress, counts = current_writer(run.folder), run.progress(), run.counts
    if json:
        print_json(
            {
                "folder": str(run.folder),
                "planned": counts["planned"],
                "done": counts["measured"],
                "failed": counts["failed"],
                "diverged": len(run.diverged),
                "running": writer is not None,
                "writer": writer,
                "commands": run.commands,
                "studies": {
                    name: {"planned": n["planned"], "done": n["measured"], "failed": n["failed"]}
                    for name, n in progress.items()
                },
                "failures": [
                    {"key": r.config.key, "config": r.config.to_dict(), "error": r.error}
                    for r in run.failures
                ],
            }
        )
        return
    if folder is None:
        print_text(f"{run.folder}, the newest run:\n")
    shown = {**progress, "all": counts}
    keys = ("planned", "measured", "failed", "waiting")
    print_table(
        ["study", "models", *keys[1:]],
        [[name, *(str(found[key]) for key in keys)] for name, found in shown.items()],
        left=["study"],
    )
    if run.diverged:
        print_text(
            f"\n{len(run.diverged)} of {plural(counts['measured'], 'measured model')} diverged: "
            "logits are NaN. Means leave them out."
        )
    for record in run.failures:
        print_text(f"\n{record.config.describe()} failed:")
        for line in (record.error or "").strip().splitlines():
            print_text(f"  │ {line}")  # so that no line looks like one of this command
    if writer:
        print_text(
            f"\nRunning: process {writer['process']} on {writer['host']} since {writer['since']}."
        )
    else:
        print_text(_next_step(run))


def _open(folder: Path | None) -> Run:
    """Open a run, by default the newest one."""
    from primefourier import lab
    from primefourier.lab.results import newest_run

    place = folder or newest_run(Path())
    if place is None:
        raise ValueError(
            "there is no run here or in results/*; name its folder, such as results/quick"
        )
    return lab.open(place)


def _next_step(run: Run) -> str:
    """Say how to continue a run that is not running, or how to look at its results."""
    folder = quote(str(run.folder))
    if not run.planned:
        return "\nNothing is planned yet."
    if run.counts["measured"] == len(run.planned):
        return (
            f"\nAll measured. To see the results:\n  pfe summary {folder}\n"
            f"  pfe report {folder} --open"
        )
    return "\nNot running. To continue, run the same command again."


def summary(folder: NewestFolder = None, /, *, ablation: Kind = "zero", json: Json = False) -> None:
    """Print one line per measured configuration of every study: accuracy, drops, beyond the range.

    Networks that diverged are left out of means and counted.

    Example: `pfe summary results/paper`

    Args:
        ablation: The kind of ablation of the drops.
    """
    run = _open(folder)
    rows = run.summary(ablation)
    if json:
        print_json(rows)
        return
    if not rows:
        raise ValueError(f"{run.folder} has no complete configuration ablated by {ablation!r} yet")
    fixed = ("study", "seeds", "models", "diverged", *_MEANS, "beyond")
    for study in dict.fromkeys(row["study"] for row in rows):
        some = [row for row in rows if row["study"] == study]
        axes = list(dict.fromkeys(name for row in some for name in row if name not in fixed))
        ends = list(dict.fromkeys(end for row in some for end in row["beyond"]))
        lost = ["diverged"] * any(row["diverged"] for row in some)
        print_text(study)
        print_table(
            [*axes, "seeds", *lost, "accuracy", "relevant", "other", *map(_write_end, ends)],
            [
                [
                    *(str(row.get(axis, "")) for axis in axes),
                    str(row["seeds"]),
                    *(_write_diverged(row) for _ in lost),
                    *(_write_share(row[name]) for name in _MEANS),
                    *(_write_share(row["beyond"].get(end)) for end in ends),
                ]
                for row in some
            ],
        )
        print_text("")
    print_prose(
        "Test accuracy; the accuracy lost when a relevant or another row is ablated "
        f"({ablation}); then accuracy on integers below each further bound. Means over seeds."
        + " Networks that diverged (NaN logits) are left out."
        * any(row["diverged"] for row in rows)
    )


def _write_diverged(row: Mapping[str, Any]) -> str:
    """Write how many networks diverged, such as "1 of 5"."""
    return f"{row['diverged']} of {row['models'] + row['diverged']}" if row["diverged"] else "0"


def _write_share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _write_end(end: str) -> str:
    """Write the bound of a test set, or its name if a task of one's own has named it.

    >>> _write_end("1000000000000000000"), _write_end("2000"), _write_end("primes only")
    ('<1e18', '<2000', 'primes only')
    """
    if not end.isdecimal():
        return end
    return f"<{float(end):.0e}".replace("e+", "e") if len(end) > 6 else f"<{end}"


def export(folder: Folder, /, *, format: str | None = None, out: Path | None = None) -> None:  # noqa: A002
    """Write all records of a run as one table, one row per model.

    Example: `pfe export results/paper --format csv --out records.csv`

    Args:
        format: jsonl, csv (lists as JSON texts) or parquet (default: the suffix of --out, or else
            jsonl).
        out: The file to write (default: models.jsonl, .csv or .parquet in the folder).
    """
    from primefourier import lab
    from primefourier.lab.export import FORMATS

    ending = "" if out is None else out.suffix.removeprefix(".").lower()
    if not format and ending and ending not in FORMATS:
        raise ValueError(f"--out must end in .{', .'.join(FORMATS)}, got {str(out)!r}")
    kind = format or ending or "jsonl"
    if format and ending in FORMATS and ending != format:
        raise ValueError(f"--format {format} and --out {out} do not agree; leave one of them out")
    run, path = lab.open(folder), out or folder / f"models.{kind}"
    run.export(path, cast("Format", kind))
    print_text(f"Wrote {plural(len(run.records), 'record')} to {path}.")


def repair(folder: Folder, /) -> None:
    """Check the records of a folder, and keep all lines that are intact if some are damaged.

    The damaged file is kept under another name.

    Example: `pfe repair results/mine`
    """
    from primefourier.lab.store import STORE_NAME, repair_store

    found, kept = repair_store(folder)
    for number, reason in found.damaged.items():
        print_text(f"Line {number} of {STORE_NAME} was damaged: {reason}.")
    missing = [c for key, c in found.models.items() if key not in found.measured]
    state = f"repaired; the damaged file is kept as {kept.name}" if kept else "intact"
    measured = f"{len(found.measured)} of {plural(len(found.models), 'model')}"
    print_text(f"{folder} is {state}. {measured} are measured.")
    if missing:
        names = [config.describe() for config in missing[:_MOST_NAMED]]
        if len(missing) > _MOST_NAMED:
            names.append(f"and {len(missing) - _MOST_NAMED} more")
        print_text("Without a measurement (not trained yet, failed, or lost):")
        print_text("\n".join(f"  {name}" for name in names))
        print_text("Run the same command again to train them.")
