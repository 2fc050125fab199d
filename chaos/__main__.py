"""Try every fault, and print what became of the records.

``python -m chaos --only workers,starting --kills 500`` kills 500 workers, half of them while they
start. ``--seed`` repeats the random choices of another time.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from chaos.faults import FAULTS, Trial
from chaos.sweep import Sweep
from chaos.watchdog import HungError

HEAD = ("fault", "tried", "acknowledged", "lost", "doubled", "wrong", "hung", "recovery, s")
LINE = "{:<24}{:>6}{:>14}{:>6}{:>9}{:>7}{:>6}{:>13}{:>12}"


def main(words: Sequence[str]) -> int:
    """Run faults; return 1 if any record was lost, doubled or wrong, or a sweep hung."""
    chosen, options = _read(words)
    print(f"python -m chaos {' '.join(words)} (seed {options.seed})", flush=True)
    sound, told = True, list[str]()
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        largest = Sweep(max(FAULTS[title][2] for title in chosen))
        print(f"measuring {len(largest.configs)} models undisturbed", flush=True)
        truth = largest.measure(root / "truth")
        print(LINE.format(*HEAD, "longest, s"), flush=True)
        for title in chosen:
            fault, times, seeds = FAULTS[title]
            sweep = Sweep(seeds)
            wanted = {config.describe(): truth[config.describe()] for config in sweep.configs}
            folder = root / title.replace(" ", "-")
            folder.mkdir()
            if options.kills is not None:
                times = -(-options.kills // len(chosen))
            trial = Trial(sweep, wanted, folder, times, random.Random(f"{options.seed} {title}"))
            try:
                told.append(f"{title}: {fault(trial)}")
            except HungError as error:
                trial.hangs.append(str(error))
            d, waits = trial.assess(), trial.recoveries or [0.0]
            counts = (d.acknowledged, d.lost, d.doubled, d.wrong, len(trial.hangs))
            spans = (f"{sum(waits) / len(waits):.1f}", f"{max(waits):.1f}")
            print(LINE.format(title, trial.kills or times, *counts, *spans), flush=True)
            print(*trial.hangs, sep="\n", end="", file=sys.stderr, flush=True)
            sound = sound and not any(counts[1:])
    print("\nWhat the user does:\n" + "\n".join(told))
    if not sound:
        print("records were lost, doubled or wrong, or sweeps hung", file=sys.stderr)
    return 0 if sound else 1


def _read(words: Sequence[str]) -> tuple[list[str], argparse.Namespace]:
    """Return the titles of the chosen faults, and the options."""
    parser = argparse.ArgumentParser(prog="python -m chaos", description="Break real sweeps.")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    parser.add_argument("--only", default="", help=f"words of: {', '.join(FAULTS)}")
    parser.add_argument("--kills", type=int, help="how often in all, instead of the usual numbers")
    options = parser.parse_args(words)
    only = options.only.split(",")
    chosen = [title for title in FAULTS if any(word in title for word in only)]
    if not all(any(word in title for title in FAULTS) for word in only):
        parser.error(f"--only takes words of: {', '.join(FAULTS)}")
    return chosen, options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
