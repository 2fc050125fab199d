"""One task per input file on a Dask cluster of separate processes, some of which are killed."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chaos.dask_cluster import DaskCluster

from number_files import BASIS, assert_codes, names, write_input
from primefourier.cluster import ClusterError
from primefourier.files import BadRowError, FileError, Progress, Summary, encode_file

pytestmark = pytest.mark.process

FILES = 6


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    with DaskCluster(tmp_path_factory.mktemp("cluster"), workers=2) as cluster:
        yield cluster


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    for k in range(FILES):
        write_input(folder / f"{k}.csv", numbers(k), text=["x"] * 20)
    return folder


def numbers(k: int) -> list[int]:
    return [*range(-k, 19 - k), 10**40 + k]


def run(inputs: Path, out: Path, **options: Any) -> Summary:
    return encode_file(inputs, out=out, column="n", basis=BASIS, **options)


def assert_parts(out: Path) -> None:
    assert len(list(out.glob("part-*"))) == FILES
    for k in range(FILES):
        assert_codes(out / f"part-{k:06d}-000000.parquet", numbers(k))


def test_a_cluster_writes_the_same_files(
    cluster: DaskCluster, inputs: Path, tmp_path: Path
) -> None:
    seen: list[Progress] = []
    run(inputs, tmp_path / "here")
    summary = run(inputs, tmp_path / "there", scheduler=cluster.address, on_progress=seen.append)
    assert (summary.rows, summary.parts) == (20 * FILES, FILES)
    assert [progress.rows for progress in seen] == [20 * k for k in range(FILES + 1)]
    assert seen[-1].share == 1
    assert names(tmp_path / "here") == names(tmp_path / "there")
    for name in names(tmp_path / "here"):
        assert (tmp_path / "here" / name).read_bytes() == (tmp_path / "there" / name).read_bytes()
    assert run(inputs, tmp_path / "there", scheduler=cluster.address).parts_before == FILES


def test_bad_rows_are_found_in_order_and_rejects_are_the_same(
    cluster: DaskCluster, inputs: Path, tmp_path: Path
) -> None:
    for k in (2, 4):
        source = inputs / f"{k}.csv"
        source.write_text(source.read_text().replace("7,x", "7.5,x"))
    with pytest.raises(BadRowError, match=r"2\.csv, row 10 \(line 11\), column 'n': '7\.5'"):
        run(inputs, tmp_path / "out", scheduler=cluster.address)
    found = []
    for scheduler, out in ((None, "a"), (cluster.address, "b")):
        summary = run(inputs, tmp_path / out, on_bad="reject", scheduler=scheduler)
        assert summary.rejects is not None
        assert summary.rejected == 2
        found.append(summary.rejects.read_bytes())
    assert found[0] == found[1]


def test_a_killed_worker_loses_and_doubles_nothing(inputs: Path, tmp_path: Path) -> None:
    (tmp_path / "cluster").mkdir()
    with DaskCluster(tmp_path / "cluster", workers=2) as cluster:

        def kill(progress: Progress) -> None:
            if progress.rows == 20:
                cluster.kill_worker()

        summary = run(inputs, tmp_path / "out", scheduler=cluster.address, on_progress=kill)
    assert (summary.rows, summary.parts) == (20 * FILES, FILES)
    assert_parts(tmp_path / "out")


def test_a_killed_scheduler_is_reported_and_the_folder_continued(
    inputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("primefourier.cluster.remote._CONNECT_SECONDS", 3)
    (tmp_path / "cluster").mkdir()
    with DaskCluster(tmp_path / "cluster", workers=1) as cluster:

        def kill(progress: Progress) -> None:
            if progress.rows == 20:
                cluster.kill_scheduler()

        begin = time.monotonic()
        with pytest.raises(ClusterError, match="scheduler was lost; start it, and run the same"):
            run(inputs, tmp_path / "out", scheduler=cluster.address, on_progress=kill)
        assert time.monotonic() - begin < 60
    summary = run(inputs, tmp_path / "out")
    assert summary.rows == 20 * FILES
    assert summary.parts_before >= 1
    assert_parts(tmp_path / "out")


def test_workers_without_the_shared_folder_are_reported(
    cluster: DaskCluster, inputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "primefourier.files.output_folder.Path.absolute", lambda _: Path("/nowhere")
    )
    with pytest.raises(FileError, match=r"/nowhere is not the folder of this job; .* share"):
        run(inputs, tmp_path / "out", scheduler=cluster.address)


def test_an_error_on_a_worker_is_reported(
    cluster: DaskCluster, inputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("primefourier.files.job.Job.to_json", lambda _: '{"no": "job"}')
    with pytest.raises(ClusterError, match="a worker cannot encode: TypeError"):
        run(inputs, tmp_path / "out", scheduler=cluster.address)
