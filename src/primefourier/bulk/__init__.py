"""Encode whole files, in memory that does not grow with them; needs the extra ``files``."""

try:
    import pyarrow  # noqa: F401
except ImportError as error:
    raise ImportError(
        "encoding files needs pyarrow, which is not installed; run "
        "pip install 'primefourier[files]'"
    ) from error

from primefourier.bulk.batch import BadRow
from primefourier.bulk.encode_file import encode_file
from primefourier.bulk.errors import BadRowError, BulkError
from primefourier.bulk.formats import Format
from primefourier.bulk.summary import Progress, Summary

__all__ = [
    "BadRow",
    "BadRowError",
    "BulkError",
    "Format",
    "Progress",
    "Summary",
    "encode_file",
]
