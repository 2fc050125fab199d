"""``pfe theory``; ``pfe verify`` on records as measured and on changed ones."""

import json
import re
import shutil
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab_records import failed
from primefourier.lab.measurement import measure
from primefourier.lab.parts import registered
from primefourier.lab.record import Record
from primefourier.lab.store import write_store
from primefourier.theory import theorem
from small_models import small_config, small_study

Pfe = Callable[..., tuple[int, str, str]]
THEORY = ("theory", "--primes", "3,5,7", "--depth", "2")
NAME = "a+b mod 5 r=30 |P|=3 depth=2 epochs=2 batch_size=100 seed="


def test_theory_prints_checks_in_80_columns(pfe: Pfe) -> None:
    code, out, _ = pfe(*THEORY)
    assert code == 0
    assert "Theorem 3.1 on 3 primes 3 … 7, depth 2, dimension 12" in out
    assert "10 of 10 checks hold." in out
    assert out.count("✓") == 10
    assert "One generator of Z" in out
    assert max(map(len, out.splitlines())) <= 80
    document = json.loads(pfe(*THEORY, "--json")[1])
    assert document["holds"] is True
    assert {check["kind"] for check in document["checks"]} == {"exact", "numerical"}


def test_failed_theory_check_exits_with_1(pfe: Pfe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(theorem, "project_to_equivariant", lambda W, basis: W * 0.5)
    code, out, _ = pfe(*THEORY)
    assert code == 1
    assert "6 of 10 checks hold." in out
    assert out.count("✗") == 4
    assert pfe(*THEORY, "--json")[0] == 1


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return [measure(small_config(seed=seed)) for seed in range(3)]


def fill(folder: Path, records: Iterable[Record]) -> Path:
    records = list(records)
    with write_store(folder) as store:
        store.begin([small_study(*(record.config for record in records))], "pfe run mine")
        for record in records:
            store.add(record)
    return folder


def forge(record: Record, **where: Any) -> Record:
    """Return a record with one count changed, made in other circumstances."""
    lost = (record.measured.lost[0] + 1, *record.measured.lost[1:])
    return replace(
        record,
        measurement=replace(record.measured, lost=lost),
        provenance=replace(record.provenance, **where),
    )


def test_unchanged_records_are_the_same_and_nothing_is_written(
    pfe: Pfe, tmp_path: Path, records: list[Record]
) -> None:
    fill(tmp_path, [*records, failed(small_config(seed=9))])
    before = {
        path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in tmp_path.iterdir()
    }
    code, out, err = pfe("verify", str(tmp_path), "--sample", "2", "--workers", "0")
    assert code == 0
    rows = [line.split() for line in out.splitlines() if line.startswith(NAME)]
    assert [words[-1] for words in rows] == ["same", "same"]
    assert "2 of 2 models gave the same measurement again, bit for bit; 3 models" in out
    assert "should not happen" not in out
    assert err.startswith(f"2 models\n[1/2] {NAME}")
    after = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in tmp_path.iterdir()}
    assert after == before


@pytest.mark.parametrize(
    ("where", "reason"),
    [
        ({}, "this should not happen: machine, device, versions and commit match the record."),
        ({"machine": "an abacus"}, "rounding may differ; this does not indicate damage."),
        ({"commit": "0123456789abcdef+"}, "this should not happen unless training has changed"),
    ],
)
def test_changed_record_is_found_and_circumstances_explain_it(
    pfe: Pfe, tmp_path: Path, records: list[Record], where: dict[str, str | None], reason: str
) -> None:
    fill(tmp_path, [records[0], forge(records[1], **where)])
    code, out, err = pfe("verify", str(tmp_path), "--workers", "0")
    assert code == 1
    right = records[1].measured.lost[0]
    difference = f"lost[0]: {right + 1} → {right}"
    assert f"{NAME}1  {difference}" in [line.rstrip() for line in out.splitlines()]
    assert f"\n{NAME}1: {difference}\n" in err
    assert max(map(len, out.splitlines())) <= 80
    text = " ".join(out.split())
    assert "1 of 2 models gave the same measurement again" in text
    assert f"1 model: {reason}" in text or reason in text
    for name, value in where.items():
        shown = value or "unknown"
        assert f"Not as in the records: {name} {shown} → " in text
    assert ("Not as in" in text) == bool(where)


def test_models_that_fail_when_trained_again_are_reported(
    pfe: Pfe, tmp_path: Path, records: list[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    def exhausted(*_: object, **__: object) -> None:
        raise MemoryError("too large")

    fill(tmp_path, records[:1])
    monkeypatch.setattr("primefourier.lab.measurement.make_data", exhausted)
    monkeypatch.setenv("COLUMNS", "100")
    code, out, err = pfe("verify", str(tmp_path), "--workers", "0")
    assert code == 1
    assert f"{NAME}0  failed: MemoryError: too large" in out
    assert "1 model: training failed, so the record could not be checked." in out
    assert "FAILED: MemoryError: too large" in err


def test_the_seed_decides_the_sample(pfe: Pfe, tmp_path: Path, records: list[Record]) -> None:
    fill(tmp_path, records)

    def chosen(seed: int) -> str:
        words = ("--workers", "0", "--sample", "1", "--seed", str(seed))
        (line,) = re.findall(
            rf"^{re.escape(NAME)}.*same", pfe("verify", str(tmp_path), *words)[1], re.M
        )
        return str(line)

    found = [chosen(seed) for seed in (0, 0, 1, 2, 3)]
    assert found[0] == found[1]
    assert len(set(found)) > 1


def test_parts_of_a_study_file_are_trained_again(pfe: Pfe, tmp_path: Path) -> None:
    file, out = tmp_path / "study.py", str(tmp_path / "out")
    file.write_text(
        "from dataclasses import dataclass\n"
        "from typing import ClassVar\n"
        "from primefourier import lab\n"
        "@lab.register\n@dataclass(frozen=True)\n"
        "class Mine(lab.PrimeFourier):\n    name: ClassVar[str] = 'verified again'\n"
        "task = lab.ModularArithmetic(modulus=3, input_range=20)\n"
        "training = lab.Training(epochs=1)\n"
        "config = lab.ModelConfig(embedding=Mine((3, 5), 1), task=task, training=training)\n"
        "study = lab.Study('mine', [config])\n"
    )
    workers = ("--workers", "0")
    assert pfe("run", str(file), "--out", out, *workers)[0] == 0
    del registered["embedding", "verified again"]  # as in a process that has not loaded the file
    assert pfe("report", out)[0] == 0
    code, _, err = pfe("verify", out, *workers)
    assert (code, "is not registered here, so its model cannot be trained" in err) == (1, True)
    again = shutil.copy(file, tmp_path / "again.py")
    code, shown, _ = pfe("verify", out, *workers, "--study", str(again))
    assert (code, "1 of 1 model gave the same measurement" in " ".join(shown.split())) == (0, True)
    code, _, err = pfe("verify", out, "--study", "none.py")
    assert (code, "file 'none.py' not found; name a Python file" in err) == (2, True)


def test_verify_needs_measured_models(pfe: Pfe, tmp_path: Path) -> None:
    code, _, err = pfe("verify", str(tmp_path))
    assert (code, "holds no records.jsonl" in err) == (2, True)
    fill(tmp_path, [failed(small_config())])
    code, _, err = pfe("verify", str(tmp_path))
    assert (code, f"{tmp_path} has no measured models yet" in err) == (2, True)
