"""Encode files of any size in constant memory; needs the extra ``files``."""

from primefourier._checks import missing_extra

try:
    import pyarrow  # noqa: F401
except ImportError as error:
    raise missing_extra("encoding files", error, "files") from error

from primefourier.files.file_encoding import encode_file
from primefourier.files.job import Format
from primefourier.files.reports import BadRow, BadRowError, FileError, Progress, Summary

__all__ = [
    "BadRow",
    "BadRowError",
    "FileError",
    "Format",
    "Progress",
    "Summary",
    "encode_file",
]
