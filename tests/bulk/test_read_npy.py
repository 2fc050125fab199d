import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bulk_files import BASIS
from primefourier.bulk import BulkError, encode_file
from primefourier.bulk.read_npy import NpySource


@pytest.mark.parametrize("dtype", ["i1", "u2", "<i4", ">i4", "<i8", ">i8", ">u8"])
def test_every_integer_type_and_byte_order_is_read_piece_by_piece(
    tmp_path: Path, dtype: str
) -> None:
    array = np.array([0, 1, 100, 7, 5], dtype=dtype)
    np.save(tmp_path / "in.npy", array)
    batches = list(NpySource(tmp_path / "in.npy", name="code").batches(2))
    assert [batch.count for batch in batches] == [2, 2, 1]
    assert [n for batch in batches for n in batch.values.to_pylist()] == array.tolist()
    assert [batch.places.tolist() for batch in batches] == [[1, 2], [3, 4], [5]]
    assert batches[0].rows.schema.names == ["n"]
    assert batches[-1].share == 1


@pytest.mark.parametrize(
    "array",
    [
        np.array([1.0]),
        np.array([True]),
        np.array([[1]]),
        np.array(1),
        np.array(["1"]),
        np.array([(1,)], dtype=[("a", "i4")]),
        np.array([1], dtype="datetime64[s]"),
    ],
    ids=lambda array: str(array.dtype),
)
def test_other_arrays_are_refused(tmp_path: Path, array: Any) -> None:
    np.save(tmp_path / "in.npy", array)
    with pytest.raises(BulkError, match="must hold one array of integers with one dimension, got"):
        NpySource(tmp_path / "in.npy", name="code")


class Bomb:
    def __reduce__(self) -> tuple[Any, ...]:
        return (pytest.fail, ("code of the file was run",))


def test_objects_are_never_loaded(tmp_path: Path) -> None:
    path = tmp_path / "in.npy"
    np.save(path, np.array([Bomb()], dtype=object), allow_pickle=True)
    with pytest.raises(BulkError, match=r"cannot be read as a \.npy file"):
        NpySource(path, name="code")
    path.write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(BulkError, match=r"cannot be read as a \.npy file"):
        NpySource(path, name="code")


def test_several_arrays_in_a_zip_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "in.npz", a=[1], b=[2])
    (tmp_path / "in.npz").rename(tmp_path / "in.npy")
    with pytest.raises(BulkError, match="does not begin as such files do"):
        NpySource(tmp_path / "in.npy", name="code")


def test_an_empty_array_has_no_batches(tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", np.array([], dtype=np.int64))
    assert list(NpySource(tmp_path / "in.npy", name="code").batches(5)) == []


def test_a_file_that_is_cut_short_is_told(tmp_path: Path) -> None:
    path = tmp_path / "in.npy"
    np.save(path, np.arange(10))
    source = NpySource(path, name="code")
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(BulkError, match="was cut short while it was read"):
        list(source.batches(5))


@pytest.mark.parametrize("content", [b"PK\x03\x04....", b"just text", b""])
def test_what_is_no_array_at_all_is_told(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "in.npy"
    path.write_bytes(content)
    with pytest.raises(BulkError, match=r"cannot be read as a \.npy file") as caught:
        encode_file(path, out=tmp_path / "o.npy", basis=BASIS)
    assert "allow_pickle" not in str(caught.value)
