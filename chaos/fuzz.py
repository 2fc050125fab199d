"""Throw damaged and hostile files at all that reads: python -m chaos.fuzz [--inputs N] [--seed N].

Each target is tried in a separate process, so that a crash of the interpreter is seen too. An
input that takes too long is a failure; one that hangs in compiled code ends its process.
"""

import faulthandler
import multiprocessing
import random
import resource
import signal
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

from chaos.targets import Target, make_targets

_MEMORY = 6 << 30
_SLOW = 20.0
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


class TooSlowError(BaseException):
    """An input took too long; no Exception, so that nothing handles it by accident."""


def _stop(_signal: int, _frame: object) -> None:
    raise TooSlowError


def fuzz(target: Target, inputs: int, seed: str, folder: Path, seconds: float = _SLOW) -> Tally:
    """Try a target with so many inputs, each for so many seconds at most."""
    dice, tally = random.Random(f"{seed} {target.name}"), Tally(failures=[])
    path = folder / f"input{target.suffix}"
    assert tally.failures is not None
    warnings.simplefilter("error")
    signal.signal(signal.SIGALRM, _stop)
    for _ in range(inputs):
        data = target.make(dice)
        path.write_bytes(data)
        start = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, seconds)
        faulthandler.dump_traceback_later(seconds + 60, exit=True)  # a hang without bytecodes
        try:
            target.read(path, dice)
            tally.accepted += 1
        except target.errors:
            tally.refused += 1
        except (Exception, TooSlowError):
            tally.failures.append((data, traceback.format_exc()))
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            faulthandler.cancel_dump_traceback_later()
        tally.slowest = max(tally.slowest, time.monotonic() - start)
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
                sys.exit(
                    f"the interpreter crashed, or hung, while it read: {title}, or the next one"
                )
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
