"""What can go wrong with a sweep, done to a real one; each fault returns what became of it."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from chaos.disk import fill, small_disk
from chaos.driver import Driver
from chaos.sweep import Damage, Sweep, assess, copy_folder
from chaos.watchdog import HungError, limit
from primefourier.lab.record import Measurement
from primefourier.lab.store import FolderError, StoreError, read_store
from primefourier.lab.store_repair import repair_store
from primefourier.lab.sweep import run

TWO = ("--workers", "2")


@dataclass
class Trial:
    """One kind of fault, tried some times on one sweep.

    Args:
        sweep: The models.
        truth: What an undisturbed sweep measures.
        folder: A place of its own, which exists.
        times: How often the fault happens.
        dice: Decides when and where.
    """

    sweep: Sweep
    truth: dict[str, Measurement]
    folder: Path
    times: int
    dice: random.Random
    names: list[str] = field(default_factory=list)
    recoveries: list[float] = field(default_factory=list)
    kills: int = 0
    hangs: list[str] = field(default_factory=list)
    rounds: list["Trial"] = field(default_factory=list)

    @property
    def out(self) -> Path:
        """The folder of the sweep."""
        return self.folder / "out"

    def finish(self, *place: str) -> None:
        """Run the sweep to its end; models that failed get another chance."""
        for _ in range(5):
            with Driver(self.sweep, self.out, *(place or TWO)) as driver:
                code = driver.end()
                self.names += driver.acknowledged
            if code == 0:
                return
        raise RuntimeError(f"the sweep does not come to an end:\n{driver.said}")

    @contextmanager
    def round(self) -> Iterator[Driver]:
        """Run a sweep in a separate folder to its end; one that hangs is counted and ended."""
        folder = self.folder / f"round-{len(self.rounds)}"
        folder.mkdir()
        inner = Trial(self.sweep, self.truth, folder, self.times, self.dice)
        self.rounds.append(inner)
        try:
            with Driver(inner.sweep, inner.out, *TWO) as driver:
                try:
                    yield driver
                    driver.end()
                finally:
                    inner.names += driver.acknowledged
            inner.finish()
        except HungError as error:
            self.hangs.append(str(error))

    @property
    def enough(self) -> bool:
        """Whether there were as many kills as wanted, or hangs that took too long."""
        return self.kills >= self.times or len(self.hangs) >= 3

    def recover(self, driver: Driver) -> None:
        """Wait until a sweep has another record."""
        start, before = time.monotonic(), len(driver.acknowledged)
        if driver.wait_for_record(before + 1):
            self.recoveries.append(time.monotonic() - start)

    def kill_one(self, workers: list[psutil.Process]) -> None:
        """SIGKILL one of some processes, if there are any, and count that."""
        if workers and self.kills < self.times:
            with suppress(psutil.NoSuchProcess):  # it may have ended by itself
                self.dice.choice(workers).kill()
                self.kills += 1

    def assess(self) -> Damage:
        """Say what became of the records."""
        assert len(self.truth) == len(self.sweep.configs)
        whole = Damage(0, 0, 0, 0)
        for trial in self.rounds or [self]:
            if trial.out.exists():
                whole += assess(trial.names, trial.out, self.truth)
        return whole


def kill_driver(trial: Trial) -> str:
    """SIGKILL the driver at random moments, while it starts as well as while it works."""
    workers: list[psutil.Process] = []
    for _ in range(trial.times):
        start = time.monotonic()
        with Driver(trial.sweep, trial.out, *TWO) as driver:
            if trial.dice.random() < 0.5:
                time.sleep(trial.dice.uniform(0, 6))
            elif driver.wait_for_record(1):
                trial.recoveries.append(time.monotonic() - start)
                time.sleep(trial.dice.uniform(0, 1))
            workers += driver.workers()
            driver.process.kill()
            driver.end()
            trial.names += driver.acknowledged
    gone, alive = psutil.wait_procs(workers, timeout=30)
    if alive:
        raise RuntimeError(f"{len(alive)} of {len(gone) + len(alive)} workers outlived the driver")
    trial.finish()
    return "run the same command again"


def kill_workers(trial: Trial) -> str:
    """SIGKILL random workers of running sweeps, a few in a row, then again after a recovery."""
    while not trial.enough:
        with trial.round() as driver:
            driver.wait_for_record(1)
            while driver.running and not trial.enough:
                for _ in range(trial.dice.randint(1, 5)):
                    trial.kill_one(driver.workers())
                    time.sleep(trial.dice.uniform(0, 2))
                trial.recover(driver)
    return "nothing to do: the models go to other workers"


def kill_starting(trial: Trial) -> str:
    """SIGKILL workers in the first second of their lives, a few in a row, from the first start."""
    while not trial.enough:
        with trial.round() as driver:
            while driver.running and not trial.enough:
                for _ in range(trial.dice.randint(1, 8)):
                    trial.kill_one(_starting(driver, trial.dice))
                trial.recover(driver)
                trial.kill_one(driver.workers())  # so that another one starts
    return "nothing to do; if three in a row are killed, run the same command again"


def _starting(driver: Driver, dice: random.Random) -> list[psutil.Process]:
    """Wait for a worker that is less than a second old, and until some time of that second."""
    deadline = time.monotonic() + 10
    while driver.running and time.monotonic() < deadline:
        for worker in driver.workers():
            with suppress(psutil.NoSuchProcess):
                age = time.time() - worker.create_time()
                if age < 1:
                    time.sleep(dice.uniform(0, 1 - age))
                    return [worker]
        time.sleep(0.02)
    return []


def fill_disk(trial: Trial) -> str:
    """Fill the disk under a running sweep."""
    with small_disk(trial.folder / "disk", "2m") as disk:
        inner = Trial(trial.sweep, trial.truth, disk, trial.times, trial.dice)
        for _ in range(trial.times):
            start = time.monotonic()
            with Driver(inner.sweep, inner.out, *TWO) as driver:
                if driver.wait_for_record(1):
                    trial.recoveries.append(time.monotonic() - start)
                filler = fill(disk)
                require(driver.end() == 1, driver)
                require("make room and run the same command again" in driver.said, driver)
                inner.names += driver.acknowledged
            filler.unlink()
        inner.finish()
        copy_folder(inner.out, trial.out)
    trial.names += inner.names
    return "make room, and run the same command again"


def damage_store(trial: Trial) -> str:
    """Truncate a store, or change random bytes of it, as a killed or a finished run left it."""
    killed, finished = trial.folder / "killed", trial.folder / "finished"
    (trial.folder / "empty").mkdir()
    with Driver(trial.sweep, killed, *TWO) as driver:
        driver.wait_for_record(len(trial.sweep.configs))
        driver.process.kill()  # so that SQLite's log is still there, and no backup yet
        driver.end()
        names = driver.acknowledged
    trial.sweep.measure(finished)
    refused = saved = 0
    for _ in range(trial.times):
        source = trial.dice.choice([killed, finished])
        copy_folder(source, trial.out)
        path = trial.dice.choice(sorted(trial.out.glob("records*")))
        damage_file(path, trial.dice)
        start = time.monotonic()
        with limit():
            kept = _repair_and_run(trial)
        trial.recoveries.append(time.monotonic() - start)
        refused, saved = refused + (kept is not None), saved + (kept or 0)
        found = assess(names, trial.out, trial.truth)
        if found != Damage(len(names), 0, 0, 0):
            raise RuntimeError(f"{path.name} was damaged, and then {found}")
        if kept is not None and source == finished and kept < len(names):
            raise RuntimeError(f"{path.name} was damaged, and {kept} records came from the backup")
    trial.names += names
    each = saved / max(refused, 1)
    return (
        f"pfe repair, and the same command again: {refused} of {trial.times} stores were refused, "
        f"{each:.1f} of {len(names)} records of each were saved; the others did no harm"
    )


def _repair_and_run(trial: Trial) -> int | None:
    """Do what errors advise; return how many records a repair saved, or None without one."""
    saved = None
    try:
        _read(trial.out)
    except (StoreError, FolderError):
        try:
            found = repair_store(trial.out)
            saved = len(found.planned) - len(found.missing)
        except (StoreError, FolderError):  # nothing can be saved: begin in a new folder
            saved = 0
            copy_folder(trial.folder / "empty", trial.out)
    run(trial.sweep.study, trial.out, workers=0)
    _read(trial.out)
    return saved


def _read(folder: Path) -> None:
    with read_store(folder) as store:
        store.read().planned, store.read().studies, store.records(), store.read().commands


def damage_file(path: Path, dice: random.Random) -> None:
    """Truncate a file, or change some of its bytes."""
    data = bytearray(path.read_bytes())
    if not data:
        return
    if dice.random() < 0.3:
        del data[dice.randrange(len(data)) :]
    else:
        for _ in range(dice.choice([1, 8, 200])):
            data[dice.randrange(len(data))] = dice.randrange(256)
    path.write_bytes(data)


def second_driver(trial: Trial) -> str:
    """Start a second driver on the folder of a running sweep."""
    with Driver(trial.sweep, trial.out, *TWO) as first:
        first.wait_for_record(1)
        for _ in range(trial.times):
            start = time.monotonic()
            with Driver(trial.sweep, trial.out, *TWO) as second:
                refused = second.end() == 2 and "is being written to by process" in second.said
                too_late = second.end() == 0 and not second.acknowledged  # the first just finished
                require(refused or too_late, second)
                trial.names += second.acknowledged
            trial.recoveries.append(time.monotonic() - start)
        require(first.end() == 0, first)
        trial.names += first.acknowledged
    return "wait for the first, stop it, or choose another folder"


def stop_and_go_on(trial: Trial) -> str:
    """SIGSTOP the whole sweep or one of its processes for a while, then SIGCONT."""
    with Driver(trial.sweep, trial.out, *TWO) as driver:
        driver.wait_for_record(1)
        for i in range(trial.times):
            chosen = trial.dice.choice([driver, *driver.workers()])
            pause: Callable[[], None] = driver.stop if chosen is driver else chosen.suspend
            go_on: Callable[[], None] = driver.go_on if chosen is driver else chosen.resume
            pause()
            time.sleep(20 if i == 5 else trial.dice.uniform(0.5, 4))
            go_on()
            start, before = time.monotonic(), len(driver.acknowledged)
            if not driver.wait_for_record(before + 1):
                break
            trial.recoveries.append(time.monotonic() - start)
        require(driver.end() == 0, driver)
        trial.names += driver.acknowledged
    return "nothing to do: it goes on"


def require(condition: bool, driver: Driver) -> None:
    """Stop with what a driver said, if it did not behave as documented."""
    if not condition:
        raise RuntimeError(f"exit code {driver.process.poll()}, and it said:\n{driver.said}")


FAULTS: dict[str, tuple[Callable[[Trial], str], int, int]] = {
    "driver killed": (kill_driver, 20, 15),
    "workers killed": (kill_workers, 20, 15),
    "killed while starting": (kill_starting, 20, 15),
    "disk full": (fill_disk, 3, 10),
    "store damaged": (damage_store, 300, 4),
    "two drivers": (second_driver, 3, 15),
    "stopped and continued": (stop_and_go_on, 10, 15),
}
"""Each fault, how often ``make chaos`` tries it, and how many seeds its sweep has."""
