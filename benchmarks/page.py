"""How large the report of a whole paper run is, and how soon a person can work with it."""

import random
import statistics
import tempfile
from pathlib import Path

from benchmarks.chromium import start_chromium
from primefourier.explorer import make_page, page_data
from primefourier.lab import Run, Study
from primefourier.lab.config import ModelConfig
from primefourier.lab.provenance import Provenance
from primefourier.lab.record import Measurement, Record
from primefourier_paper import profile

ROUNDS = 5
_MOST_MODELS = 34  # the last cell of experiment 1: |P| = 16, r = 4000
_OPEN_CELL = f"""
() => {{
  const cell = document.querySelectorAll("#results table button")[{_MOST_MODELS}];
  const before = performance.now();
  cell.click();
  document.body.getBoundingClientRect();  // layout counts
  return performance.now() - before;
}}
"""
_TURN_CIRCLES = """
() => {
  const field = document.querySelector("#circles input.number.a");
  const before = performance.now();
  for (let i = 0; i < 100; i++) {
    field.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowUp" }));
    document.body.getBoundingClientRect();  // layout counts
  }
  return (performance.now() - before) / 100;
}
"""


def open_report() -> dict[str, float]:
    """Open the report of 750 made-up records in Chromium, several times, and take medians."""
    draw = random.Random(750)
    studies = [
        Study(found.name, found.configs, found.title, found.axes, found.threshold)
        for found in profile("paper")
    ]
    records = [_made_up(config, draw) for study in studies for config in study.configs]
    run = Run(studies, records, folder=Path("paper/results")).page_data()
    page = make_page(page_data(run=run), title="750 models")
    seconds, opening, turning = [], [], []
    with tempfile.TemporaryDirectory() as folder, start_chromium() as browser:
        file = Path(folder) / "report.html"
        file.write_text(page, encoding="utf-8")
        for _ in range(ROUNDS):
            tab = browser.new_page(viewport={"width": 1440, "height": 900})
            tab.goto(file.as_uri())
            opening.append(tab.evaluate(_OPEN_CELL))
            seconds.append(
                tab.evaluate("performance.getEntriesByName('ready')[0].startTime") / 1000
            )
            turning.append(tab.evaluate(_TURN_CIRCLES))
            tab.close()
    return {
        "size of the report of 750 models, MB": len(page.encode()) / 1e6,
        "seconds until it can be used": statistics.median(seconds),
        "milliseconds to open a configuration of 16 models": statistics.median(opening),
        "milliseconds to turn the circles by one step": statistics.median(turning),
    }


def _made_up(config: ModelConfig, draw: random.Random) -> Record:
    train_size, size = config.task.sizes()
    counts = [draw.randrange(size) for _ in range(config.training.epochs)]
    return Record(
        config=config,
        provenance=Provenance(
            finished="2026-01-02T03:04:05+00:00", seconds=draw.random(), machine="made up",
            device="cpu", commit="0" * 40, versions={"python": "3.11"},
        ),
        measurement=Measurement(
            train_size=train_size,
            test_size=size,
            correct_by_epoch=tuple(counts),
            correct=counts[-1],
            lost=tuple(draw.randrange(counts[-1] + 1) for _ in config.row_names),
            gained=tuple(draw.randrange(size - counts[-1] + 1) for _ in config.row_names),
            row_names=config.row_names,
            relevant=config.relevant,
        ),
    )  # fmt: skip
