"""``pfe figures``: the paper's figures from the records of a folder."""

from __future__ import annotations

from pathlib import Path

from primefourier.cli.options import Json
from primefourier.cli.output import print_json, print_text


def figures(folder: Path, /, *, out: Path | None = None, json: Json = False) -> None:
    """Draw the paper's figures from records, each as PNG and SVG.

    What is not measured yet stays a visible gap.

    Parameters
    ----------
    folder
        The --out of pfe run or pfe reproduce.
    out
        Where to write the pictures (default: figures in the folder).
    """
    written = write_figures(folder, out)
    if json:
        print_json([str(path) for path in written])
    else:
        print_text("\n".join(f"Wrote {path}" for path in written))


def write_figures(folder: Path, out: Path | None = None) -> list[Path]:
    """Draw every figure into a folder and return the files."""
    import matplotlib as mpl

    from primefourier.lab.report import draw_figures
    from primefourier.lab.sweep import read_store

    with read_store(folder) as store:
        planned, records, commands = store.planned(), store.records(), store.commands()
    target = folder / "figures" if out is None else out
    target.mkdir(parents=True, exist_ok=True)
    written = []
    with mpl.rc_context({"svg.hashsalt": "primefourier"}):  # the same records, the same files
        for file in draw_figures(planned, records, commands):
            figure = file.draw()
            for ending, facts in ((".png", {"Software": None}), (".svg", {"Date": None})):
                path = target / f"{file.name}{ending}"
                figure.savefig(path, metadata=facts)
                written.append(path)
    return written
