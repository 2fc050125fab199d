"""Commands that read a run: ``pfe status``, ``summary``, ``export`` and ``repair``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from rich.console import Console

from primefourier._checks import plural
from primefourier.cli.options import FLAG, Folder, Json, NewestFolder
from primefourier.cli.output import print_json, print_prose, print_table, print_text

if TYPE_CHECKING:
    from primefourier.lab import Run
    from primefourier.lab.export import Format

_MEANS = ("accuracy", "relevant_drop", "other_drop")
_FIXED = ("study", "seeds", "models", "diverged", *_MEANS, "beyond", "rows", "range")
_MOST_LINES = 20
"""How many configurations a summary shows, unless all are requested."""
Kind = Literal["zero", "mean", "permute"]


def status(folder: NewestFolder = None, /, *, json: Json = False) -> None:
    """Show how many models of a run are measured, failed and waiting. Works at any time.

    Example: `pfe status paper/results`
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


def summary(
    folder: NewestFolder = None,
    /,
    *,
    all: Annotated[bool, FLAG] = False,  # noqa: A002
    ablation: Kind = "zero",
    json: Json = False,
) -> None:
    """Print one line per measured configuration, the worst first.

    A line has test accuracy, the accuracy lost when a relevant or another row is ablated, and
    accuracy on integers beyond the training range. Means over seeds; networks that diverged are
    left out of them, and counted.

    Example: `pfe summary paper/results`

    Args:
        all: Print all lines, not only the 20 worst.
        ablation: The kind of ablation of the drops.
    """
    run = _open(folder)
    rows = run.summary(ablation)
    if json:
        print_json(rows)
        return
    if not rows:
        counts = ", ".join(f"{count} {name}" for name, count in run.counts.items() if count)
        raise ValueError(
            f"{run.folder} has no complete configuration ablated by {ablation!r} yet ({counts}); "
            f"pfe status {run.folder} says more"
        )
    # a network that is right in range may be wrong beyond it, so its worst test set decides
    rows.sort(key=lambda row: min([row["accuracy"] or 0.0, *row["beyond"].values()]))
    shown = rows if all else rows[:_MOST_LINES]
    for study in dict.fromkeys(row["study"] for row in shown):
        _print_lines(study, [row for row in shown if row["study"] == study])
    if len(shown) < len(rows):
        print_text(f"The {len(shown)} worst of {len(rows)} configurations; --all prints all.")
    far = " 2r, 10^6, …: accuracy on integers from half of that up to it." * any(
        row["beyond"] for row in shown
    )
    print_prose(
        "acc.: accuracy in range. rel., other: accuracy lost when a relevant or another row is "
        f"ablated ({ablation}).{far} Means over seeds."
        + " Networks that diverged (NaN logits) are left out."
        * any(r["diverged"] for r in shown)
    )


def _print_lines(study: str, rows: list[dict[str, Any]]) -> None:
    """Print the lines of one study; what is the same in all of them stands in its heading."""
    about = [study]
    written = [{**row, "rows": " ".join(row["rows"]), "seeds": str(row["seeds"])} for row in rows]
    varying = [name for name in ("seeds", "rows") if len({row[name] for row in written}) > 1]
    if "seeds" not in varying:
        about.append(plural(rows[0]["seeds"], "seed"))
    if "rows" not in varying and written[0]["rows"]:
        about.append(f"rows {written[0]['rows']}")
    print_prose(", ".join(about))
    ends = sorted({_end(row, end) for row in rows for end in row["beyond"]}, key=_size)
    lost = ["diverged"] * any(row["diverged"] for row in rows)
    columns, lines = ["", "acc.", "rel.", "other", *ends, *lost, *varying], []
    for row in written:
        beyond = {_end(row, end): value for end, value in row["beyond"].items()}
        numbers = [row[name] for name in _MEANS] + [beyond.get(end) for end in ends]
        more = [_write_diverged(row)] * len(lost) + [row[name] for name in varying]
        lines.append([_name(row), *map(_write_share, numbers), *more])
    widths = [max(map(len, cells)) for cells in zip(columns, *lines, strict=True)]
    named: dict[str, str] = {}
    if "rows" in varying and sum(widths) + 2 * len(widths) - 2 > Console().width:
        # a sign for each set of rows keeps a configuration on one line
        for line in lines:
            line[-1] = named.setdefault(line[-1], f"#{len(named) + 1}")
    print_table(columns, lines, left=["", "rows"])
    for names, sign in named.items():
        print_prose(f"rows {sign}: {names}", hang=9)
    print_text("")


def _name(row: Mapping[str, Any]) -> str:
    """Name a configuration by its axes, such as "N=15 r=100"; long values, such as lists, are cut.

    >>> _name({"study": "mine", "primes": "3,5,7,11,13,17,19,23", "modulus": 5})
    'primes=3,5,7,1…9,23 modulus=5'
    """
    axes = {name: str(value) for name, value in row.items() if name not in _FIXED}
    for name, text in axes.items():
        axes[name] = text if len(text) <= 16 else f"{text[:7]}…{text[-4:]}"
    return " ".join(f"{name}={text}" for name, text in axes.items()) or "all"


def _write_diverged(row: Mapping[str, Any]) -> str:
    """Write how many networks diverged, such as "1 of 5"."""
    return f"{row['diverged']} of {row['models'] + row['diverged']}" if row["diverged"] else "0"


def _write_share(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _end(row: Mapping[str, Any], end: str) -> str:
    """Write the bound of a test set: 2r, a power of ten as one, or the name that a task gave it.

    >>> _end({"range": 100}, "200"), _end({"range": 100}, "1000000"), _end({"range": 1}, "odd")
    ('2r', '10^6', 'odd')
    """
    if not end.isdecimal():
        return end
    if int(end) == 2 * (row["range"] or 0):
        return "2r"
    return f"10^{len(end) - 1}" if int(end) == 10 ** (len(end) - 1) >= 1000 else end


def _size(end: str) -> tuple[int, int, str]:
    """Return what orders bounds by size: 2r first, names last."""
    if end == "2r":
        return 0, 0, end
    base, _, power = end.partition("^")
    return (1, int(base) ** int(power or 1), end) if base.isdecimal() else (2, 0, end)


def export(folder: Folder, /, *, format: str | None = None, out: Path | None = None) -> None:  # noqa: A002
    """Write all records of a run as one table, one row per model.

    Example: `pfe export paper/results --format csv --out records.csv`

    Args:
        format: jsonl, csv (lists as JSON texts) or parquet (default: the suffix of --out, or else
            jsonl).
        out: The file to write (default: models.jsonl, .csv or .parquet in the folder).
    """
    from primefourier import lab

    kind = format or ("" if out is None else out.suffix.removeprefix(".").lower()) or "jsonl"
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
    state = f"repaired; the damaged file is kept as {kept.name}" if kept else "intact"
    measured = f"{len(found.measured)} of {plural(len(found.models), 'model')}"
    print_text(f"{folder} is {state}. {measured} are measured.")
    if len(found.measured) < len(found.models):
        print_text("To train the others, run the same command again.")
