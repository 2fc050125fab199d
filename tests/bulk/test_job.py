import os
from pathlib import Path
from typing import Any

import pytest

import primefourier as pf
from bulk_files import BASIS, write_input
from primefourier.bulk import BulkError
from primefourier.bulk.encode_batch import Recipe
from primefourier.bulk.job import Job, fingerprint_of


def make_job(source: Path, **changes: Any) -> Job:
    settings: dict[str, Any] = {
        "source": source,
        "column": "n",
        "out": source.with_name("out.csv"),
        "folder": False,
        "format": "csv",
        "name": "code",
        "recipe": Recipe(BASIS, "float32"),
        "on_bad": "error",
        "rejects": None,
        "fingerprint": fingerprint_of(source) if source.exists() else {},
    }
    return Job(**(settings | changes))


def test_batches_have_a_few_dozen_mebibytes_of_codes(tmp_path: Path) -> None:
    paper = Recipe(pf.PAPER_BASIS, "float32")
    assert make_job(tmp_path, recipe=paper).rows == (32 << 20) // 768
    assert make_job(tmp_path, recipe=paper, folder=True).rows == (64 << 20) // 768
    assert make_job(tmp_path).rows == 65_536
    assert make_job(tmp_path, folder=True).rows == 262_144
    huge = Recipe(pf.PrimeBasis((3,), depth=10_000_000), "float64")
    assert make_job(tmp_path, recipe=huge).rows == 1


def test_what_is_kept_depends_on_both_formats() -> None:
    for source, kind, keep in (
        ("a.jsonl", "jsonl", "lines"),
        ("a.ndjson", "jsonl", "lines"),
        ("a.jsonl", "csv", "columns"),
        ("a.csv", "jsonl", "columns"),
        ("a.jsonl", "npy", "nothing"),
    ):
        assert make_job(Path(source), format=kind).keep == keep


def test_a_changed_input_has_another_fingerprint(tmp_path: Path) -> None:
    source = write_input(tmp_path / "in.csv", [1, 2])
    job = make_job(source)
    job.require_unchanged()
    os.utime(source, ns=(0, 1))
    with pytest.raises(BulkError, match="was changed while it was read"):
        job.require_unchanged()
    assert make_job(source).settings() != job.settings()


def test_settings_name_all_that_the_output_depends_on(tmp_path: Path) -> None:
    source = write_input(tmp_path / "in.csv", [1, 2])
    settings = make_job(source).settings()
    changes: list[dict[str, Any]] = [
        {"column": "m"},
        {"name": "vector"},
        {"recipe": Recipe(BASIS, "float16")},
        {"recipe": Recipe(pf.PrimeBasis((3, 5), depth=3), "float32")},
        {"recipe": Recipe(pf.PrimeBasis((3, 7), depth=2), "float32")},
        {"format": "tsv"},
        {"on_bad": "reject"},
        {"folder": True},
    ]
    for change in changes:
        assert make_job(source, **change).settings() != settings
    assert make_job(source, out=Path("elsewhere")).settings() == settings
