"""Reports of chosen records, as ``pfe report`` writes them."""

from collections.abc import Sequence
from pathlib import Path

from primefourier.explorer import make_page, page_data
from primefourier.lab.config import ModelConfig
from primefourier.lab.record import Record
from primefourier.lab.report import run_as_data


def write_report(
    file: Path,
    planned: Sequence[ModelConfig],
    records: Sequence[Record],
    *,
    commands: Sequence[str] = ("pfe reproduce --profile paper",),
    folder: Path = Path("results/paper"),
) -> None:
    """Write the report of some records."""
    run = run_as_data(planned, records, commands, folder)
    file.write_text(make_page(page_data(run=run), title="A report"), encoding="utf-8")
