import errno
import pickle
from pathlib import Path

import pyarrow as pa
import pytest

from primefourier.bulk import BadRow, BadRowError, BulkError
from primefourier.bulk.errors import reading, writing

PATH = Path("in.parquet")


def test_all_errors_are_value_errors_and_travel_between_processes() -> None:
    assert issubclass(BulkError, ValueError)
    error = BadRowError(PATH, BadRow(row=1, line=None, value="x", reason="is bad"))
    again = pickle.loads(pickle.dumps(error))
    assert isinstance(again, BadRowError)
    assert (str(again), again.bad, again.file) == (str(error), error.bad, PATH)


@pytest.mark.parametrize(
    "error", [pa.ArrowInvalid("x\ny"), pa.ArrowNotImplementedError("x"), OSError("x"), EOFError()]
)
def test_what_is_wrong_with_a_file_names_it(error: Exception) -> None:
    words = r"^in\.parquet cannot be read as a table: (x|EOFError)$"
    with pytest.raises(BulkError, match=words), reading(PATH, "a table"):
        raise error


def test_the_system_s_own_errors_stay_what_they_are() -> None:
    with pytest.raises(PermissionError), reading(PATH, "a table"):
        raise PermissionError(errno.EACCES, "Permission denied", "in.parquet")
    with pytest.raises(BulkError, match=r"^mine$"), reading(PATH, "a table"):
        raise BulkError("mine")


def test_what_is_wrong_with_the_output_says_what_to_do() -> None:
    words = "Read-only file system; make room or choose another --out"
    with pytest.raises(BulkError, match=words), writing(PATH):
        raise OSError(errno.EROFS, "Read-only file system")
    with pytest.raises(BulkError, match=r"^mine$"), writing(PATH):
        raise BulkError("mine")
