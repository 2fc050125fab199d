"""One part of a folder of codes: encoded and written where the batch is, here or on a worker."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from primefourier.bulk.batch import BadRow, Batch, Encoded
from primefourier.bulk.encode_batch import encode_batch
from primefourier.bulk.errors import BulkError
from primefourier.bulk.job import Job
from primefourier.bulk.rejects import reject_lines
from primefourier.bulk.unfinished import write_whole
from primefourier.bulk.writer import open_writer

JOB_NAME = "_job.json"


@dataclass(frozen=True)
class PartDone:
    """What became of a batch.

    Args:
        rows: How many rows the part has.
        rejected: How many were left out.
        bad: The first bad row, if it is an error; nothing was written then.
        share: Which part of the input is read, from 0 to 1.
    """

    rows: int
    rejected: int
    bad: BadRow | None
    share: float


@dataclass(frozen=True)
class PartWriter:
    """Encodes batches and writes each to its own file.

    Args:
        job: What to encode.
        folder: Where to, as an absolute path that every worker sees.
        schema: What is kept of the input's rows.
        settings: What ``_job.json`` in the folder must hold, to be sure that it is the same folder.
    """

    job: Job
    folder: Path
    schema: pa.Schema
    settings: str

    def __call__(self, batch: Batch) -> PartDone:
        """Write the part of a batch, its rejects first: where a part is, all of it is."""
        self._require_folder()
        encoded = encode_batch(batch, self.job.recipe)
        if encoded.bad:
            if self.job.on_bad == "error":
                return PartDone(0, 0, encoded.bad[0], batch.share)
            lines = reject_lines(self.job.source, encoded.bad)
            write_whole(
                rejects_path(self.folder, batch.number), lambda file: _write_bytes(file, lines)
            )
        path = part_path(self.folder, batch.number, self.job.format)
        write_whole(path, lambda file: self._write_codes(file, encoded))
        return PartDone(len(encoded.codes), len(encoded.bad), None, batch.share)

    def _write_codes(self, file: BinaryIO, encoded: Encoded) -> None:
        writer = open_writer(
            file,
            self.job.format,
            self.schema,
            name=self.job.name,
            recipe=self.job.recipe,
            keep=self.job.keep,
        )
        try:
            writer.write(encoded)
            writer.close()
            self._require_folder()  # which may have become another job's meanwhile
        finally:
            writer.abandon()

    def _require_folder(self) -> None:
        path = self.folder / JOB_NAME
        try:
            same = path.read_text(encoding="utf-8") == self.settings
        except OSError:
            same = False
        if not same:
            raise BulkError(
                f"a worker does not see the folder {self.folder} of this machine; give --out a "
                "folder on a file system that all machines share, or a single file, which is "
                "written here"
            )


def part_path(folder: Path, number: int, kind: str) -> Path:
    """Return what a part is called.

    >>> part_path(Path("codes"), 3, "parquet").name
    'part-000003.parquet'
    """
    return folder / f"part-{number:06d}.{kind}"


def rejects_path(folder: Path, number: int) -> Path:
    """Return where the bad rows of a part are; names that begin with _ are no data to readers.

    >>> rejects_path(Path("codes"), 3).name
    '_rejects-000003.jsonl'
    """
    return folder / f"_rejects-{number:06d}.jsonl"


def _write_bytes(file: BinaryIO, content: bytes) -> None:
    file.write(content)
