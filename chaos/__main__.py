"""Try every fault, and print what became of the records: python -m chaos [--seed N]."""

import random
import sys
import tempfile
import time
from pathlib import Path

from chaos.faults import FAULTS, Trial
from chaos.sweep import Sweep

HEAD = ("fault", "tried", "acknowledged", "lost", "doubled", "wrong", "recovery, s", "longest, s")
LINE = "{:<24}{:>6}{:>14}{:>6}{:>9}{:>7}{:>13}{:>12}"


def main() -> None:
    """Run all faults; exit with 1 if any record was lost, doubled or wrong."""
    seed = int(sys.argv[2]) if sys.argv[1:2] == ["--seed"] else time.time_ns() % 1_000_000
    print(f"python -m chaos --seed {seed}", flush=True)
    sound = True
    told: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        largest = Sweep(max(seeds for _, _, seeds in FAULTS.values()))
        print(f"measuring {len(largest.configs)} models undisturbed", flush=True)
        truth = largest.measure(root / "truth")
        print(LINE.format(*HEAD), flush=True)
        for title, (fault, times, seeds) in FAULTS.items():
            sweep = Sweep(seeds)
            names = {config.describe() for config in sweep.configs}
            folder = root / title.replace(" ", "-")
            folder.mkdir()
            wanted = {name: truth[name] for name in names}
            trial = Trial(sweep, wanted, folder, times, random.Random(f"{seed} {title}"))
            told.append(f"{title}: {fault(trial)}")
            d, waits = trial.assess(), trial.recoveries or [0.0]
            counts = (d.acknowledged, d.lost, d.doubled, d.wrong)
            spans = (f"{sum(waits) / len(waits):.1f}", f"{max(waits):.1f}")
            print(LINE.format(title, times, *counts, *spans), flush=True)
            sound = sound and not (d.lost or d.doubled or d.wrong)
    print("\nWhat the user does:\n" + "\n".join(told))
    sys.exit(0 if sound else "records were lost, doubled or wrong")


if __name__ == "__main__":
    main()
