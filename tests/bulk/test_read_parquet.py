from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from primefourier.bulk import BulkError
from primefourier.bulk.batch import Batch
from primefourier.bulk.read_parquet import ParquetSource


def read(path: Path, rows: int, **options: Any) -> list[Batch]:
    settings: dict[str, Any] = {"column": "n", "keep": "columns", "name": "code"}
    return list(ParquetSource(path, **(settings | options)).batches(rows))


@pytest.mark.parametrize("group", [1, 7, 1000])
def test_batches_do_not_depend_on_row_groups(tmp_path: Path, group: int) -> None:
    path = tmp_path / "in.parquet"
    texts = pa.array([f"t{k % 3}" for k in range(100)]).dictionary_encode()
    table = pa.table({"n": range(100), "t": texts, "s": [{"a": k} for k in range(100)]})
    pq.write_table(table, path, row_group_size=group)
    batches = read(path, 30)
    assert [batch.count for batch in batches] == [30, 30, 30, 10]
    assert pa.Table.from_batches([batch.rows for batch in batches]).to_pylist() == table.to_pylist()
    assert [batch.places[0] for batch in batches] == [1, 31, 61, 91]
    assert batches[-1].share == 1


def test_one_column_alone_is_read_when_nothing_else_is_wanted(tmp_path: Path) -> None:
    path = tmp_path / "in.parquet"
    pq.write_table(pa.table({"a": ["x"] * 3, "n": [1, 2, None]}), path)
    (batch,) = read(path, 30, keep="nothing")
    assert (batch.rows.num_columns, batch.values.to_pylist()) == (0, [1, 2, None])


def test_large_rows_make_small_batches(tmp_path: Path) -> None:
    path = tmp_path / "in.parquet"
    texts = [str(k % 10) * 100_000 for k in range(1000)]
    pq.write_table(pa.table({"n": range(1000), "t": texts}), path, use_dictionary=False)
    counts = [batch.count for batch in read(path, 1000)]
    assert sum(counts) == 1000
    assert max(counts) < 400


def test_wrong_columns_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "in.parquet"
    pq.write_table(pa.table({"n": [1.5], "m": [1], "code": [1]}), path)
    with pytest.raises(BulkError, match="has no column 'x'; its columns are 'n', 'm', 'code'"):
        read(path, 5, column="x")
    with pytest.raises(
        BulkError, match=r"column 'n' of .*in\.parquet must hold integers .* double"
    ):
        read(path, 5, name="other")
    with pytest.raises(BulkError, match="has a column 'code' already"):
        read(path, 5, column="m")
    twice = pa.table([[1], [2]], names=["n", "n"])
    pq.write_table(twice, path)
    with pytest.raises(BulkError, match="must have different names"):
        read(path, 5)


def test_a_file_without_rows_has_no_batches(tmp_path: Path) -> None:
    path = tmp_path / "in.parquet"
    pq.write_table(pa.table({"n": pa.array([], pa.int64())}), path)
    assert read(path, 5) == []


def test_another_kind_of_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "in.parquet"
    path.write_text("n\n1\n")
    with pytest.raises(BulkError, match=r"in\.parquet cannot be read as a Parquet file"):
        read(path, 5)
