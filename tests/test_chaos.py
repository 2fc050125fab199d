"""Some faults of ``make chaos`` on a small sweep: killed, stopped, damaged."""

import random
import time
from pathlib import Path

import pytest

from chaos.__main__ import main
from chaos.driver import Driver
from chaos.faults import FAULTS, Trial
from chaos.sweep import Damage, Sweep, assess
from chaos.watchdog import HungError, limit
from primefourier.lab.record import Measurement

TIMES = {
    "driver killed": 1,
    "killed while starting": 2,
    "stopped and continued": 1,
    "store damaged": 4,
}
"""How often a fault happens; ``make chaos`` tries all faults, each many times."""
Truth = dict[str, Measurement]


@pytest.fixture(scope="module")
def sweep() -> Sweep:
    return Sweep(seeds=2, input_range=60)


@pytest.fixture(scope="module")
def truth(sweep: Sweep, tmp_path_factory: pytest.TempPathFactory) -> Truth:
    return sweep.measure(tmp_path_factory.mktemp("truth"))


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.parametrize("name", TIMES)
def test_no_record_is_lost_doubled_or_wrong(
    name: str, sweep: Sweep, truth: Truth, tmp_path: Path
) -> None:
    fault, _, _ = FAULTS[name]
    trial = Trial(sweep, truth, tmp_path, TIMES[name], random.Random(name))
    assert fault(trial)
    found = trial.assess()
    assert (found.lost, found.doubled, found.wrong, trial.hangs) == (0, 0, 0, [])
    assert 1 <= found.acknowledged <= len(sweep.configs)


def test_what_is_lost_doubled_or_wrong_would_be_seen(
    sweep: Sweep, truth: Truth, tmp_path: Path
) -> None:
    sweep.measure(tmp_path)
    first, second, *_ = names = list(truth)
    assert assess(names, tmp_path, truth) == Damage(8, 0, 0, 0)
    assert assess([*names, "a+b mod 0", first], tmp_path, truth) == Damage(10, 1, 1, 0)
    other = truth | {first: truth[second], second: truth[first]}
    assert assess(names, tmp_path, other).wrong == 2


@pytest.mark.process
def test_a_sweep_that_hangs_is_seen_with_its_stacks_and_ended(
    sweep: Sweep, truth: Truth, tmp_path: Path
) -> None:
    with Driver(sweep, tmp_path / "out", "--workers", "1", patience=8) as driver:
        while not (workers := driver.workers()):
            time.sleep(0.05)
        workers[0].suspend()
        with pytest.raises(HungError, match=r"(?s)no record .* with 1 workers.*in train_models"):
            driver.end()
        assert driver.process.poll() is None
    assert not driver.running
    trial = Trial(sweep, truth, tmp_path, 1, random.Random())
    with trial.round() as driver:
        hang(trial)
    assert (trial.hangs, driver.running) == (["where it hung"], False)


def hang(_: Trial) -> str:
    raise HungError("where it hung")


def test_what_takes_too_long_in_this_process_is_broken_off() -> None:
    with pytest.raises(HungError, match=r"more than 0\.1 s"), limit(0.1):
        time.sleep(60)
    with limit(0.1):
        pass
    time.sleep(0.2)


def test_a_hang_is_counted_and_the_exit_code_is_1(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("chaos.__main__.FAULTS", {"a": (lambda _: "", 1, 1), "b": (hang, 9, 1)})
    assert main(["--only", "a"]) == 0
    capfd.readouterr()
    assert main(["--only", "b", "--kills", "7"]) == 1
    out, err = capfd.readouterr()
    head, row = (line.split()[:7] for line in out.splitlines() if line.startswith(("fault ", "b ")))
    assert dict(zip(head, row, strict=True)) == {
        "fault": "b",
        "tried": "7",
        "hung": "1",
        **dict.fromkeys(["acknowledged", "lost", "doubled", "wrong"], "0"),
    }
    assert "where it hung" in err
    with pytest.raises(SystemExit):
        main(["--only", "c"])
