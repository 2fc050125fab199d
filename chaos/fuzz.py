"""Throw damaged and made-up files at all that reads: python -m chaos.fuzz [--inputs N] [--seed N].

Each target is tried in a process of its own, so that a crash of the interpreter is seen too.
"""

import multiprocessing
import random
import resource
import sys
import tempfile
import time
import traceback
import warnings
from argparse import ArgumentParser
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path

from chaos.mutation import mutate
from chaos.targets import Target, make_targets

_MEMORY = 6 << 30
_SLOW = 10.0
LINE = "{:<20}{:>9}{:>10}{:>9}{:>9}{:>12}"


@dataclass
class Tally:
    """What became of the inputs of a target.

    Args:
        accepted: Read without an error.
        refused: Refused with a documented error.
        failures: Everything else, each with the input that did it.
        slowest: Seconds of the slowest input.
    """

    accepted: int = 0
    refused: int = 0
    failures: list[tuple[bytes, str]] | None = None
    slowest: float = 0.0

    @property
    def inputs(self) -> int:
        """How many inputs were tried."""
        return self.accepted + self.refused + len(self.failures or [])


def fuzz(target: Target, inputs: int, seed: str, folder: Path) -> Tally:
    """Try a target with so many inputs."""
    dice, tally = random.Random(f"{seed} {target.name}"), Tally(failures=[])
    path = folder / f"input{target.suffix}"
    assert tally.failures is not None
    warnings.simplefilter("error")
    for _ in range(inputs):
        data = mutate(target.examples, dice)
        path.write_bytes(data)
        start = time.monotonic()
        try:
            target.read(path, dice)
            tally.accepted += 1
        except target.errors:
            tally.refused += 1
        except Exception:
            tally.failures.append((data, traceback.format_exc()))
        seconds = time.monotonic() - start
        tally.slowest = max(tally.slowest, seconds)
        if seconds > _SLOW:
            tally.failures.append((data, f"took {seconds:.0f} s"))
    return tally


def _fuzz_by_number(number: int, inputs: int, seed: str) -> Tally:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    shared = Path("/dev/shm")  # files in memory, where the system has that
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as name:
        folder = Path(name)
        return fuzz(make_targets(folder)[number], inputs, seed, folder)


def main() -> None:
    """Fuzz every target; exit with 1 if any input was not accepted or refused as documented."""
    parser = ArgumentParser(prog="python -m chaos.fuzz")
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", default=str(time.time_ns() % 1_000_000))
    options = parser.parse_args()
    print(f"python -m chaos.fuzz --inputs {options.inputs} --seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory() as name:
        names = [(target.name, target.share) for target in make_targets(Path(name))]
    print(LINE.format("read", "inputs", "accepted", "refused", "failed", "slowest, s"), flush=True)
    spawn = multiprocessing.get_context("spawn")
    failures: list[tuple[str, bytes, str]] = []
    total = 0
    with ProcessPoolExecutor(2, mp_context=spawn) as pool:
        work = [
            pool.submit(_fuzz_by_number, number, round(options.inputs * share), options.seed)
            for number, (_, share) in enumerate(names)
        ]
        for (title, _), future in zip(names, work, strict=True):
            try:
                tally = future.result()
            except BrokenProcessPool:
                sys.exit(f"the interpreter itself crashed while it read: {title}, or the next one")
            failed = [(title, *failure) for failure in tally.failures or []]
            counts = (tally.inputs, tally.accepted, tally.refused, len(failed))
            print(LINE.format(title, *counts, f"{tally.slowest:.2f}"), flush=True)
            failures += failed
            total += tally.inputs
    print(LINE.format("all", total, "", "", len(failures), ""))
    for title, data, error in failures[:10]:
        print(f"\n{title}, input {data[:200]!r}…\n{error}")
    sys.exit(min(len(failures), 1))


if __name__ == "__main__":
    main()
