"""What can go wrong with a sweep, done to a real one; each fault returns what became of it."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from chaos.dask_cluster import DaskCluster
from chaos.disk import fill, small_disk
from chaos.driver import Driver
from chaos.sweep import Damage, Sweep, assess, copy_folder
from primefourier.lab.record import Measurement
from primefourier.lab.sweep import read_store, run_sweep
from primefourier.lab.sweep.folder import STORE_NAME

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

    def assess(self) -> Damage:
        """Say what became of the records."""
        assert len(self.truth) == len(self.sweep.configs)
        return assess(self.names, self.out, self.truth)


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
    """SIGKILL a random worker of a running sweep, again and again."""
    with Driver(trial.sweep, trial.out, *TWO) as driver:
        for i in range(trial.times):
            if not driver.wait_for_record(len(driver.acknowledged) + (i == 0)):
                break
            workers = driver.workers()
            if workers:
                trial.dice.choice(workers).kill()
            start, before = time.monotonic(), len(driver.acknowledged)
            if driver.wait_for_record(before + 1):
                trial.recoveries.append(time.monotonic() - start)
        driver.end()
        trial.names += driver.acknowledged
    trial.finish()
    return "nothing to do: the models go to other workers"


def kill_scheduler(trial: Trial) -> str:
    """SIGKILL the scheduler of a separate cluster under a running sweep."""
    for _ in range(trial.times):
        start = time.monotonic()
        with (
            DaskCluster(trial.folder, workers=2) as cluster,
            Driver(trial.sweep, trial.out, "--scheduler", cluster.address) as driver,
        ):
            if driver.wait_for_record(1):
                trial.recoveries.append(time.monotonic() - start)
            cluster.kill_scheduler()
            require(driver.end() == 1, driver)
            require("the Dask scheduler went away" in driver.said, driver)
            trial.names += driver.acknowledged
    with DaskCluster(trial.folder, workers=2) as cluster:
        trial.finish("--scheduler", cluster.address)
    return "start it, and run the same command again"


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
    """Truncate the store, or change random bytes of it, as a killed sweep has left it."""
    whole = trial.folder / "whole"
    with Driver(trial.sweep, whole, *TWO) as driver:
        driver.wait_for_record(len(trial.sweep.configs))
        driver.process.kill()  # so that the log of SQLite is still there
        driver.end()
        names = driver.acknowledged
    felt = 0
    for _ in range(trial.times):
        copy_folder(whole, trial.out)
        path = trial.dice.choice(sorted(trial.out.glob(f"{STORE_NAME}*")))
        damage_file(path, trial.dice)
        start, told = time.monotonic(), list[str]()
        run_sweep(trial.sweep.configs, trial.out, workers=0, tell=told.append)
        trial.recoveries.append(time.monotonic() - start)
        felt += bool(told)
        found = assess(names, trial.out, trial.truth)
        if found != Damage(len(names), 0, 0, 0):
            raise RuntimeError(f"{path.name} was damaged, and then {found}: {told}")
        with read_store(trial.out) as store:
            if len(store.records()) != len(trial.sweep.configs):
                raise RuntimeError("records are missing")
    trial.names += names
    return f"nothing to do: {felt} were restored from the journal, the others did no harm"


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
    "workers killed": (kill_workers, 10, 15),
    "scheduler killed": (kill_scheduler, 3, 10),
    "disk full": (fill_disk, 3, 10),
    "store damaged": (damage_store, 300, 4),
    "two drivers": (second_driver, 3, 15),
    "stopped and continued": (stop_and_go_on, 10, 15),
}
"""Each fault, how often ``make chaos`` tries it, and how many seeds its sweep has."""
