"""``pfe verify`` on folders that are as they should be, and on folders that somebody changed."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab_records import failed
from primefourier.lab.record import Record
from primefourier.lab.run_model import run_model
from primefourier.lab.sweep.store import write_store
from small_models import small_config

Pfe = Callable[..., tuple[int, str, str]]
NAME = "exp1 N=5 r=30 |P|=3 seed="


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return [run_model(small_config(seed=seed)) for seed in range(3)]


def fill(folder: Path, records: Iterable[Record]) -> Path:
    records = list(records)
    with write_store(folder) as store:
        store.begin([record.config for record in records], "pfe run mine")
        for record in records:
            store.add(record)
    return folder


def forged(record: Record, **where: Any) -> Record:
    """Return a record with one count changed, as if made with other circumstances."""
    lost = (record.measured.lost[0] + 1, *record.measured.lost[1:])
    return replace(
        record,
        measurement=replace(record.measured, lost=lost),
        provenance=replace(record.provenance, **where),
    )


def content(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    for path in folder.iterdir():
        path.chmod(0o444)
    folder.chmod(0o555)
    try:
        yield
    finally:
        folder.chmod(0o755)


def test_a_folder_as_it_should_be_is_the_same_and_stays_so(
    pfe: Pfe, tmp_path: Path, records: list[Record]
) -> None:
    fill(tmp_path, [*records, failed(small_config(seed=9))])
    before = content(tmp_path)
    code, out, err = pfe("verify", str(tmp_path), "--sample", "2", "--workers", "0")
    assert code == 0
    lines = out.splitlines()
    told = [line.split() for line in lines if line.startswith(NAME)]
    assert [words[-1] for words in told] == ["same", "same"]
    assert (
        f"2 of 2 models gave the same measurement again, bit for bit; {tmp_path} has 3 measured "
        "models."
    ) in lines
    assert "should not happen" not in out
    assert err.startswith(f"2 models\n[1/2] {NAME}")
    assert content(tmp_path) == before


def test_a_read_only_folder_can_be_verified(
    pfe: Pfe, tmp_path: Path, records: list[Record]
) -> None:
    fill(tmp_path, records)
    before = content(tmp_path)
    with read_only(tmp_path):
        assert pfe("verify", str(tmp_path), "--sample", "1", "--workers", "0")[0] == 0
    assert content(tmp_path) == before


def test_a_record_that_was_changed_is_found(
    pfe: Pfe, tmp_path: Path, records: list[Record]
) -> None:
    fill(tmp_path, [records[0], forged(records[1]), records[2]])
    before = content(tmp_path)
    code, out, err = pfe("verify", str(tmp_path), "--workers", "0")
    assert code == 1
    right = records[1].measured.lost[0]
    difference = f"lost of row 3: {right + 1} → {right}"
    assert f"{NAME}1   {difference}" in [line.rstrip() for line in out.splitlines()]
    assert "\n2 of 3 models gave the same" in out
    assert "\n1 model: this should not happen: machine, device, versions and commit are" in out
    assert "rounding" not in out
    assert f"\n{NAME}1: {difference}\n" in err
    assert content(tmp_path) == before


def test_on_another_machine_a_difference_is_no_sign_of_damage(
    pfe: Pfe, tmp_path: Path, records: list[Record]
) -> None:
    machine = records[0].provenance.machine
    fill(tmp_path, [forged(records[0], machine="an abacus")])
    code, out, _ = pfe("verify", str(tmp_path), "--workers", "0")
    assert code == 1
    assert "so rounding may differ; this is no sign of damage." in out
    assert f"Not as in the records: machine an abacus → {machine}." in out
    assert "should not happen" not in out


def test_another_commit_may_train_differently(
    pfe: Pfe, tmp_path: Path, records: list[Record]
) -> None:
    fill(tmp_path, [forged(records[0], commit="0123456789abcdef+")])
    code, out, _ = pfe("verify", str(tmp_path), "--workers", "0")
    assert code == 1
    assert "this should not happen, unless primefourier trains differently since" in out
    assert "Not as in the records: commit 012345678+ → " in out


def test_what_changed_is_told_also_where_nothing_differs(
    pfe: Pfe, tmp_path: Path, records: list[Record]
) -> None:
    elsewhere = replace(records[0].provenance, machine="an abacus", commit=None)
    fill(tmp_path, [replace(records[0], provenance=elsewhere)])
    code, out, _ = pfe("verify", str(tmp_path), "--workers", "0")
    assert code == 0
    assert "1 of 1 model gave the same" in out
    assert "Not as in the records: machine an abacus → " in out
    assert "damage" not in out


def test_a_model_that_cannot_be_trained_again_is_told(
    pfe: Pfe, tmp_path: Path, records: list[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    def exhausted(*_: object, **__: object) -> None:
        raise MemoryError("too large")

    fill(tmp_path, records[:1])
    monkeypatch.setattr("primefourier.lab.run_model.make_examples", exhausted)
    code, out, err = pfe("verify", str(tmp_path), "--workers", "0")
    assert code == 1
    assert f"{NAME}0   failed: MemoryError: too large" in out
    assert "1 model: training failed, so nothing is known of the record." in out
    assert "FAILED: MemoryError: too large" in err


def test_json_holds_both_measurements(pfe: Pfe, tmp_path: Path, records: list[Record]) -> None:
    fill(tmp_path, [forged(records[0], device="cuda"), records[1]])
    code, out, _ = pfe("verify", str(tmp_path), "--workers", "0", "--json")
    assert code == 1
    data = json.loads(out)
    assert (data["measured"], data["checked"], data["same"]) == (2, 2, 1)
    first, second = data["checks"]
    assert first["key"] == records[0].config.key
    assert first["stored"]["lost"][0] == first["again"]["lost"][0] + 1
    assert first["again"]["correct_by_epoch"] == list(records[0].measured.correct_by_epoch)
    assert first["changed"] == {"device": ["cuda", "cpu"]}
    assert first["difference"].startswith("lost of row 3: ")
    assert (second["same"], second["difference"], second["error"]) == (True, "", None)


def test_the_seed_decides_the_sample(pfe: Pfe, tmp_path: Path, records: list[Record]) -> None:
    fill(tmp_path, records)

    def chosen(seed: int) -> str:
        words = ["verify", str(tmp_path), "--workers", "0", "--sample", "1", "--json"]
        data = json.loads(pfe(*words, "--seed", str(seed))[1])
        return str(data["checks"][0]["key"])

    keys = [chosen(seed) for seed in range(8)]
    assert keys[0] == chosen(0)
    assert len(set(keys)) > 1


def test_a_folder_without_measured_models_is_told(pfe: Pfe, tmp_path: Path) -> None:
    code, _, err = pfe("verify", str(tmp_path))
    assert (code, "holds no sweep" in err) == (2, True)
    fill(tmp_path, [failed(small_config())])
    code, _, err = pfe("verify", str(tmp_path))
    assert code == 2
    assert f"{tmp_path} has no measured models yet" in err
    assert f"pfe status {tmp_path} tells" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--sample", "0"], "--sample must be at least 1, got 0"),
        (["--sample", "2.5"], "an integer such as 9 or -17 is required"),
        (["--workers", "-1"], "--workers must be at least 0, got -1"),
        (["--workers", "1", "--scheduler", "tcp://a:1"], "exclude each other"),
        (["--device", "cuda:99"], "--device 'cuda:99' cannot be used here"),
    ],
)
def test_wrong_usage_is_told_before_anything_is_trained(
    pfe: Pfe, tmp_path: Path, records: list[Record], words: list[str], message: str
) -> None:
    fill(tmp_path, records)
    code, out, err = pfe("verify", str(tmp_path), *words)
    assert (code, out) == (2, "")
    assert message in err
