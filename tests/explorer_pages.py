"""Reports of chosen records, as ``pfe report`` writes them, and the commands that pages offer."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from lab_records import PAPER, failed, plausible, records_of
from primefourier.cli.options import read_integers
from primefourier.explorer import make_page, page_data
from primefourier.lab.config import ModelConfig
from primefourier.lab.experiments import EXPERIMENTS, Experiment
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


def _made_up(config: ModelConfig) -> Record:
    """Return a plausible record; that of every fifth model or so never learned much."""
    if int(config.key[:4], 16) % 5 == 0:
        return records_of([config], on=0.3, off=0.02, accuracy=0.6)[0]
    return plausible([config])[0]


RECORDS = [*map(_made_up, PAPER[:740]), failed(PAPER[740])]
"""Almost the whole paper, made up: one model failed, and a few are waiting."""


def read_command(text: str) -> Experiment:
    """Read a pfe run command back into the experiment that it asks for."""
    words = shlex.split(text)
    assert words[:2] == ["pfe", "run"]
    options = dict(zip(words[3::2], words[4::2], strict=True))
    assert options.pop("--out")
    settings = {
        name[2:]: value if name in ("--operation", "--embedding") else read_integers(value, name)
        for name, value in options.items()
    }
    return EXPERIMENTS[words[2]].from_dict(settings)
