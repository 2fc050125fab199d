"""``pfe status``: how far a sweep is, also while it is running."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from primefourier.cli.options import Json
from primefourier.cli.output import count, print_json, print_table, print_text


def status(folder: Path, /, *, json: Json = False) -> None:
    """Show how far a sweep is: models measured, failed and waiting. Works at any time.

    Parameters
    ----------
    folder
        The --out of pfe run or pfe reproduce.
    """
    from primefourier.lab.sweep import current_writer, read_store

    with read_store(folder) as store:
        planned, records, commands = store.planned(), store.records(), store.commands()
    writer = current_writer(folder)
    asked = Counter(config.experiment for config in planned)
    done = Counter(record.config.experiment for record in records if record.error is None)
    failures = [record for record in records if record.error is not None]
    failed = Counter(record.config.experiment for record in failures)
    probed = sum(record.probe is not None for record in records)
    if json:
        print_json(
            {
                "planned": sum(asked.values()),
                "done": sum(done.values()),
                "failed": sum(failed.values()),
                "probed": probed,
                "running": writer is not None,
                "writer": writer,
                "commands": commands,
                "experiments": {
                    name: {"planned": asked[name], "done": done[name], "failed": failed[name]}
                    for name in asked
                },
                "failures": [
                    {"key": r.config.key, "config": r.config.to_dict(), "error": r.error}
                    for r in failures
                ],
            }
        )
        return
    rows = [
        [name, str(asked[name]), str(done[name]), str(failed[name]), str(waiting)]
        for name in asked
        for waiting in [asked[name] - done[name] - failed[name]]
    ]
    total = [sum(counts.values()) for counts in (asked, done, failed)]
    rows.append(["all", *map(str, total), str(total[0] - total[1] - total[2])])
    print_table(
        ["experiment", "models", "measured", "failed", "waiting"], rows, left=["experiment"]
    )
    if probed:
        print_text(f"\n{count(probed, 'model')} probed.")
    for record in failures:
        print_text(f"\n{record.config.describe()} failed:\n{(record.error or '').strip()}")
    if writer:
        print_text(
            f"\nRunning: process {writer['process']} on {writer['host']} since {writer['since']}."
        )
    elif not total[0]:
        print_text("\nNothing has been asked for yet.")
    elif total[1] < total[0]:
        print_text("\nNot running. To continue:\n" + "\n".join(f"  {line}" for line in commands))
    else:
        print_text(
            f"\nAll measured. pfe claims {folder} judges the paper's claims; "
            f"pfe report {folder} --open shows it all in a browser."
        )
