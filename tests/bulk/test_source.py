from pathlib import Path

import pytest

from bulk_files import FORMATS, write_input
from primefourier.bulk import BulkError
from primefourier.bulk.formats import format_of
from primefourier.bulk.source import open_source, require_columns


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_gives_the_same_values(tmp_path: Path, kind: str) -> None:
    path = write_input(tmp_path / f"in.{kind}", [1, -2, 3])
    column = None if kind == "npy" else "n"
    source = open_source(path, format_of(path), column=column, keep="columns", name="code")
    (batch,) = source.batches(10)
    assert [int(value) for value in batch.values.to_pylist()] == [1, -2, 3]
    assert source.schema.names == batch.rows.schema.names == ["n"]
    assert (batch.number, batch.count, batch.bad, batch.share) == (0, 3, (), 1)


def test_long_lists_of_columns_are_cut() -> None:
    with pytest.raises(BulkError, match=r"its columns are '0', .*'19', …$"):
        require_columns(Path("in.csv"), [str(k) for k in range(100)], "n", "code")
    many = [*(str(k) for k in range(2000)), "n", "n"]
    with pytest.raises(BulkError, match="must have different names"):
        require_columns(Path("in.csv"), many, "n", "code")
