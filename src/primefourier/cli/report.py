"""``pfe report``: the results of a folder as one page to look at and to play with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from primefourier.cli.browser import ENDINGS, show_page, write_page, write_size
from primefourier.cli.options import Json, check_output
from primefourier.cli.output import print_json, print_text, visible


def report(
    folder: Path,
    /,
    *,
    open: Annotated[bool, Parameter(negative=(), show_default=False)] = False,  # noqa: A002
    out: Path | None = None,
    json: Json = False,
) -> None:
    """Write the results of a folder as one HTML page that works offline.

    It has the heatmaps with every model behind them, the claims with their evidence, and the number
    circles. Works at any time, also while the sweep is running.

    Parameters
    ----------
    folder
        The --out of pfe run or pfe reproduce.
    open
        Also open it in your browser.
    out
        The file to write (default: report.html in the folder).
    """
    if out is not None:
        check_output(out, ENDINGS)
    path = out or folder / "report.html"
    size = write_report(folder, path)
    if json:
        print_json({"file": str(path), "bytes": size})
    else:
        print_text(f"Wrote {path} ({write_size(size)}).")
        if not open:
            print_text("Open it in any browser, or add --open to this command.")
    if open:
        show_page(path)


def write_report(folder: Path, path: Path) -> int:
    """Write the page of a folder's records, and return its size in bytes."""
    from primefourier.explorer import make_page, page_data
    from primefourier.lab.report import run_as_data
    from primefourier.lab.sweep import read_store

    with read_store(folder) as store:
        planned, records, commands = store.planned(), store.records(), store.commands()
    run = run_as_data(planned, records, commands, folder)
    title = f"{visible(run['name'])}: Prime Fourier Embeddings"
    return write_page(make_page(page_data(run=run), title=title), path)
