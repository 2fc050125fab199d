"""Commands that read a run: status, figures, report and export."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, cast

from cyclopts import Parameter

from primefourier._checks import plural
from primefourier.cli.browser import ENDINGS, show_page, write_size
from primefourier.cli.options import Json, check_output
from primefourier.cli.output import print_json, print_table, print_text

if TYPE_CHECKING:
    from primefourier.lab import Run
    from primefourier.lab.export import Format


def status(folder: Path | None = None, /, *, json: Json = False) -> None:
    """Show how many models of a run are measured, failed and waiting. Works at any time.

    Parameters
    ----------
    folder
        The --out of pfe run or pfe reproduce (default: the newest run here or in results).
    """
    from primefourier import lab
    from primefourier.lab.results import newest_run
    from primefourier.lab.store import current_writer

    place = folder or newest_run(Path())
    if place is None:
        raise ValueError(
            "there is no run here or in results/*; name its folder: pfe status results/quick"
        )
    run, writer = lab.open(place), current_writer(place)
    summary, counts = run.summary(), run.counts
    if json:
        print_json(
            {
                "folder": str(place),
                "planned": counts["planned"],
                "done": counts["measured"],
                "failed": counts["failed"],
                "probed": counts["probed"],
                "running": writer is not None,
                "writer": writer,
                "commands": run.commands,
                "experiments": {
                    name: {"planned": n["planned"], "done": n["measured"], "failed": n["failed"]}
                    for name, n in summary.items()
                },
                "failures": [
                    {"key": r.config.key, "config": r.config.to_dict(), "error": r.error}
                    for r in run.failures
                ],
            }
        )
        return
    if folder is None:
        print_text(f"{place}, the newest run:\n")
    shown = {**summary, "all": counts}
    keys = ("planned", "measured", "failed", "waiting")
    print_table(
        ["experiment", "models", *keys[1:]],
        [[name, *(str(found[key]) for key in keys)] for name, found in shown.items()],
        left=["experiment"],
    )
    if counts["probed"]:
        print_text(f"\n{plural(counts['probed'], 'model')} probed.")
    for record in run.failures:
        print_text(f"\n{record.config.describe()} failed:\n{(record.error or '').strip()}")
    if writer:
        print_text(
            f"\nRunning: process {writer['process']} on {writer['host']} since {writer['since']}."
        )
    else:
        print_text(_next_step(run))


def _next_step(run: Run) -> str:
    """Say how to continue a run that is not running, or how to look at its results."""
    from primefourier.lab.studies.variants import training_commands

    if not run.planned:
        return "\nNothing is planned yet."
    if run.counts["measured"] == len(run.planned):
        return (
            f"\nAll measured. pfe claims {run.folder} judges the paper's claims; "
            f"pfe report {run.folder} --open shows everything in a browser."
        )
    again = training_commands(run.planned, probe=run.counts["probed"] > 0)
    lines = [f"\n  {command} --out {quote(str(run.folder))}" for command in again]
    how = ":" + "".join(lines) if lines else ", run the program that started it again."
    return f"\nNot running. To continue{how}"


def figures(folder: Path, /, *, out: Path | None = None, json: Json = False) -> None:
    """Draw the paper's figures from records, each as PNG and SVG.

    Configurations that are not measured yet are visible gaps.

    Parameters
    ----------
    folder
        The --out of pfe run or pfe reproduce.
    out
        The folder to write to (default: figures in the folder).
    """
    from primefourier import lab

    written = lab.open(folder).figures(out)
    if json:
        print_json([str(path) for path in written])
    else:
        print_text("\n".join(f"Wrote {path}" for path in written))


def report(
    folder: Path,
    /,
    *,
    open: Annotated[bool, Parameter(negative=(), show_default=False)] = False,  # noqa: A002
    out: Path | None = None,
    json: Json = False,
) -> None:
    """Write the results of a run as one HTML page that works offline.

    It has the heatmaps with every model behind them, the claims with their evidence, and the number
    circles. Works at any time, also while models are trained.

    Parameters
    ----------
    folder
        The --out of pfe run or pfe reproduce.
    open
        Also open the page in your browser.
    out
        The file to write (default: report.html in the folder).
    """
    from primefourier import lab

    if out is not None:
        check_output(out, ENDINGS)
    path = lab.open(folder).report(out)
    size = path.stat().st_size
    if json:
        print_json({"file": str(path), "bytes": size})
    else:
        print_text(f"Wrote {path} ({write_size(size)}).")
        if not open:
            print_text("Open it in any browser, or add --open to this command.")
    if open:
        show_page(path)


def export(folder: Path, /, *, format: str | None = None, out: Path | None = None) -> None:  # noqa: A002
    """Write all records of a run as one table, one row per model.

    Parameters
    ----------
    folder
        The --out of pfe run or pfe reproduce.
    format
        jsonl, csv (lists as JSON texts) or parquet (default: the suffix of --out, or else jsonl).
    out
        The file to write (default: records.jsonl, .csv or .parquet in the folder).
    """
    from primefourier import lab
    from primefourier.lab.export import FORMATS

    ending = "" if out is None else out.suffix.removeprefix(".").lower()
    kind = format or (ending if ending in FORMATS else "jsonl")
    if format and ending in FORMATS and ending != format:
        raise ValueError(f"--format {format} and --out {out} do not agree; leave one of them out")
    run, path = lab.open(folder), out or folder / f"records.{kind}"
    run.export(path, cast("Format", kind))
    print_text(f"Wrote {plural(len(run.records), 'record')} to {path}.")
