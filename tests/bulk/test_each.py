"""Batches on a real Dask cluster of separate processes, some of which are killed."""

import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bulk_files import BASIS, assert_codes, names, write_input
from chaos.dask_cluster import DaskCluster
from primefourier.bulk import BadRowError, BulkError, Progress, encode_file
from primefourier.bulk.each import EachOn, each_here
from primefourier.cluster import ClusterError, remote_client

NUMBERS = [*range(-40, 60), 10**40]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    with DaskCluster(tmp_path_factory.mktemp("cluster"), workers=2) as cluster:
        yield cluster


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("primefourier.bulk.job._PART_ROWS", 4)
    monkeypatch.setattr("primefourier.bulk.job._FILE_ROWS", 4)


def read_parts(out: Path, kind: str) -> None:
    for k, part in enumerate(sorted(out.glob(f"part-*.{kind}"))):
        assert_codes(part, NUMBERS[4 * k : 4 * k + 4])


def test_a_cluster_writes_the_same_files(cluster: DaskCluster, tmp_path: Path) -> None:
    source = write_input(tmp_path / "in.jsonl", NUMBERS, text=["x"] * len(NUMBERS))
    for where in ("here", "there"):
        scheduler = None if where == "here" else cluster.address
        for out in (f"{where}.parquet", f"{where}/"):
            path = f"{tmp_path}/{out}"
            summary = encode_file(source, out=path, column="n", basis=BASIS, scheduler=scheduler)
            assert summary.rows == len(NUMBERS)
    assert (tmp_path / "here.parquet").read_bytes() == (tmp_path / "there.parquet").read_bytes()
    assert names(tmp_path / "here") == names(tmp_path / "there")
    for name in names(tmp_path / "here"):
        assert (tmp_path / "here" / name).read_bytes() == (tmp_path / "there" / name).read_bytes()


def test_bad_rows_are_found_in_order_and_rejects_are_the_same(
    cluster: DaskCluster, tmp_path: Path
) -> None:
    source = write_input(tmp_path / "in.csv", NUMBERS)
    source.write_text(source.read_text().replace("7\n", "7.5\n"))
    for out in ("out.npy", "out"):
        with pytest.raises(BadRowError, match=r"row 4 \(line 5\): '-37\.5'"):
            encode_file(
                source, out=tmp_path / out, column="n", basis=BASIS, scheduler=cluster.address
            )
    found = []
    for scheduler, out in ((None, "a"), (cluster.address, "b"), (cluster.address, "c.csv")):
        summary = encode_file(
            source,
            out=tmp_path / out,
            column="n",
            basis=BASIS,
            on_bad="reject",
            scheduler=scheduler,
        )
        assert summary.rejects is not None
        assert summary.rejected == 10
        found.append(summary.rejects.read_bytes())
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("out", ["out.csv", "out"])
def test_a_killed_worker_loses_and_doubles_nothing(tmp_path: Path, out: str) -> None:
    source = write_input(tmp_path / "in.csv", NUMBERS)
    (tmp_path / "cluster").mkdir()
    with DaskCluster(tmp_path / "cluster", workers=2) as cluster:

        def kill(progress: Progress) -> None:
            if progress.rows == 8:
                cluster.kill_worker()

        summary = encode_file(
            source,
            out=tmp_path / out,
            column="n",
            basis=BASIS,
            format="csv",
            scheduler=cluster.address,
            watch=kill,
        )
    assert summary.rows == len(NUMBERS)
    if out == "out":
        assert summary.parts == len(list((tmp_path / out).glob("part-*"))) == 26
        read_parts(tmp_path / out, "csv")
    else:
        assert_codes(tmp_path / out, NUMBERS)


def test_a_killed_scheduler_is_told_and_the_folder_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("primefourier.cluster.remote._CONNECT_SECONDS", 3)
    source = write_input(tmp_path / "in.csv", NUMBERS)
    (tmp_path / "cluster").mkdir()
    with DaskCluster(tmp_path / "cluster", workers=1) as cluster:

        def kill(progress: Progress) -> None:
            if progress.rows == 8:
                cluster.kill_scheduler()

        begin = time.monotonic()
        with pytest.raises(ClusterError, match="scheduler went away; start it, and run the same"):
            encode_file(
                source,
                out=tmp_path / "out",
                column="n",
                basis=BASIS,
                scheduler=cluster.address,
                watch=kill,
            )
        assert time.monotonic() - begin < 60
    summary = encode_file(source, out=tmp_path / "out", column="n", basis=BASIS)
    assert summary.rows == len(NUMBERS)
    assert summary.parts_before >= 2
    read_parts(tmp_path / "out", "parquet")


def test_workers_that_do_not_see_the_folder_are_told(
    cluster: DaskCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write_input(tmp_path / "in.csv", NUMBERS)
    monkeypatch.setattr("primefourier.bulk.folder_output.Path.absolute", lambda _: Path("/nowhere"))
    with pytest.raises(BulkError, match=r"a worker does not see the folder /nowhere .* share"):
        encode_file(
            source, out=tmp_path / "out", column="n", basis=BASIS, scheduler=cluster.address
        )


def test_large_batches_are_sent_without_a_warning(cluster: DaskCluster, tmp_path: Path) -> None:
    source = tmp_path / "in.parquet"
    pq.write_table(pa.table({"n": [1, 2], "text": ["x" * 10_000_000] * 2}), source)
    out = tmp_path / "out.parquet"
    encode_file(source, out=out, column="n", basis=BASIS, scheduler=cluster.address)
    assert_codes(out, [1, 2])


def test_a_scheduler_that_is_not_there_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("primefourier.cluster.remote._CONNECT_SECONDS", 1)
    source = write_input(tmp_path / "in.csv", NUMBERS)
    for out in ("out", "out.csv"):
        with pytest.raises(ClusterError, match="no Dask scheduler answers"):
            encode_file(source, out=tmp_path / out, column="n", scheduler="tcp://127.0.0.1:9")
    assert names(tmp_path) == ["in.csv"]


def fails(_: object) -> None:
    raise KeyError("a bug")


def test_what_fails_on_a_worker_is_told(cluster: DaskCluster, tmp_path: Path) -> None:
    with remote_client(cluster.address) as client:
        batches = iter([None, None, None, None, None])
        with pytest.raises(ClusterError, match=r"a worker cannot encode: .*install primefourier"):
            list(EachOn(client)(fails, batches))  # type: ignore[arg-type]
        assert next(batches) is None  # they are not all read at once


def test_work_here_is_done_when_it_is_asked_for() -> None:
    done: list[int] = []
    results = each_here(done.append, iter([1, 2]))  # type: ignore[list-item,arg-type]
    next(results)
    assert done == [1]
