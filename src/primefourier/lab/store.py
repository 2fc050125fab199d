"""The records of a run: one file of JSON lines that only grows, with one writer.

A line is one fact and the SHA-256 digest of its text: a planned model, a study, a run, or the
record of a model. A fact is read back before it is written, and on disk before it counts. A last
line without its end was being written when its process was killed: nobody has reported it, and it
is not read. So ``cat`` joins two runs, and ``head`` shows one.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import platform
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from shlex import quote
from typing import Any, BinaryIO

from primefourier._files import lock_file, new_file, open_in_place, refuse_link, sync_folder
from primefourier.lab.config import ModelConfig
from primefourier.lab.record import Record
from primefourier.lab.study import Study, read_study, study_as_data

STORE_NAME = "records.jsonl"
_LOCK_NAME = "writer.lock"
_HEAD = len(f'{{"sha256":"{"0" * 64}","fact":')
_RECOVERED = "recovered"
"""The study of models whose own study was lost."""


class FolderError(ValueError):
    """A folder that cannot be used for a run."""


class StoreError(RuntimeError):
    """A store that cannot be written to, or that is damaged."""


@dataclass
class Contents:
    """What a store holds.

    Args:
        models: The planned models by their keys, in the order in which they were planned.
        studies: The studies.
        records: The records, at most one per model, in the order of the models.
        commands: The commands of its runs, each once.
        runs: What is known of each run: command, process, host and starting time.
        damaged: The numbers of the lines that cannot be read, with the reason.
    """

    models: dict[str, ModelConfig] = field(default_factory=dict)
    studies: list[Study] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    runs: list[dict[str, Any]] = field(default_factory=list)
    damaged: dict[int, str] = field(default_factory=dict)

    @contextmanager
    def reading(self, number: int) -> Iterator[None]:
        """Note a line as damaged if reading it raises an error."""
        try:
            yield
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
            self.damaged[number] = str(error)

    @property
    def planned(self) -> list[ModelConfig]:
        """The planned models."""
        return list(self.models.values())

    @property
    def commands(self) -> list[str]:
        """The commands of its runs, each once."""
        return list(dict.fromkeys(run["command"] for run in self.runs))

    @property
    def measured(self) -> dict[str, Record]:
        """The records of models that did not fail, by key."""
        return {r.config.key: r for r in self.records if r.error is None}


def read_store(folder: Path | str) -> Contents:
    """Read the store of a folder, also while another process writes to it.

    Raises:
        FolderError: If the folder holds no store.
        StoreError: If the store is damaged.
    """
    path = _find(folder)
    found = _read(path)
    if found.damaged:
        number, reason = next(iter(found.damaged.items()))
        more = f", and {len(found.damaged) - 1} more lines" if len(found.damaged) > 1 else ""
        raise StoreError(
            f"{path} is damaged: line {number}, {reason}{more}; pfe repair {quote(str(folder))} "
            "keeps all other lines"
        )
    return found


def repair_store(folder: Path | str) -> tuple[Contents, Path | None]:
    """Write a damaged store anew without the lines that cannot be read, and keep the old file.

    Returns:
        What the store holds now, with the lines that were damaged; and the old file, if there were
        such lines.
    """
    path = _find(folder)
    with _lock(path.parent):
        found = _read(path)
        if not found.damaged:
            return found, None
        kept = path.with_name(f"{path.name}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S}")
        whole = path.read_bytes()
        lines = whole.split(b"\n")[:-1]  # what follows the last end is no line
        # lines are kept as they stand, since their digests are those of their bytes
        good = [line for i, line in enumerate(lines, start=1) if i not in found.damaged]
        with new_file(kept) as copy:
            copy.write(whole)
        with new_file(path) as file:
            file.writelines(line + b"\n" for line in good)
        return found, kept


class Store:
    """An open store; :func:`write_store` returns one.

    Attributes:
        path: The file.
        contents: What it held when it was opened.
    """

    def __init__(self, path: Path, file: BinaryIO, contents: Contents) -> None:
        self.path, self.contents = path, contents
        self._file = file

    def begin(self, studies: Iterable[Study], command: str) -> None:
        """Store a command and the studies that it plans; models planned before stay.

        Raises:
            FolderError: If the store holds another study of the same name.
        """
        chosen = list(studies)
        # a study may grow, or get other settings; one with nothing in common is somebody else's
        before = {study.name: study for study in self.contents.studies}
        for study in chosen:
            stored = before.get(study.name, study)
            keys = {config.key for config in stored.configs}
            if study_as_data(stored) != study_as_data(study) and keys.isdisjoint(
                config.key for config in study.configs
            ):
                raise FolderError(
                    f"{self.path.parent} holds another study named {study.name!r}, with none of "
                    "these models; choose another name or another folder"
                )
        members = {(s.name, c.key) for s in self.contents.studies for c in s.configs}
        new: dict[str, tuple[ModelConfig, list[str]]] = {}
        for study in chosen:
            for config in study.configs:
                if (study.name, config.key) not in members:
                    new.setdefault(config.key, (config, []))[1].append(study.name)
        self._append(
            *(("study", study.name, study_as_data(study)) for study in chosen),
            ("run", f"{_now()} {token_hex(4)}", {**_identity(), "command": command}),
            *(
                ("model", key, {"studies": names, "config": config.to_dict()})
                for key, (config, names) in new.items()
            ),
        )

    def add(self, record: Record) -> None:
        """Write one record; it is on disk when this returns.

        Raises:
            ValueError: If the record would not be read as it is; nothing is written.
        """
        data = record.as_data()
        text = json.dumps(data, sort_keys=True)
        if json.dumps(Record.from_data(json.loads(text)).as_data(), sort_keys=True) != text:
            raise ValueError("it would be read as another one")
        self._append(("record", record.config.key, data))

    def _append(self, *facts: tuple[str, str, Any]) -> None:
        """Write some facts, all or none, and wait until they are on disk."""
        lines = b"".join(_seal(*fact) for fact in facts)
        self._require_place()
        number = self._file.fileno()
        size = os.fstat(number).st_size
        try:
            rest = memoryview(lines)  # a disk that is nearly full takes a part
            while rest:
                rest = rest[os.write(number, rest) :]
            os.fsync(number)
        except OSError as error:
            with suppress(OSError):  # nothing stays of what nobody reported
                os.ftruncate(number, size)
            reason = "the disk is full" if error.errno == errno.ENOSPC else error.strerror
            raise StoreError(
                f"{self.path} cannot be written to: {reason}; make room and run the same command "
                "again; records written before are safe"
            ) from error
        self._require_place()

    def _require_place(self) -> None:
        """Raise StoreError if the file is no longer where it was opened, so that all is lost."""
        try:
            same = os.path.samestat(self.path.stat(), os.fstat(self._file.fileno()))
        except OSError:
            same = False
        if not same:
            raise StoreError(
                f"{self.path} was removed or replaced while a run wrote to it; its records since "
                "then are lost. Restore the folder, and run the same command again"
            )


@contextmanager
def write_store(folder: Path | str) -> Iterator[Store]:
    """Open the store of a folder for writing, by one process at a time; create it if needed.

    Raises:
        FolderError: If the folder cannot be used, or another process writes to it.
        StoreError: If the store is damaged, or cannot be written to.
    """
    path = Path(folder, STORE_NAME)
    prepare_folder(path.parent)
    with _lock(path.parent):
        try:
            file = open_in_place(path, "ab")
        except OSError as error:
            raise _unusable(path, error) from error
        with file:
            _drop_torn_line(path, file)
            sync_folder(path.parent)
            yield Store(path, file, read_store(folder))


def prepare_folder(folder: Path) -> None:
    """Create a folder for a run; an existing one must be empty or hold a run."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        names = {path.name for path in folder.iterdir() if not path.name.startswith(".")}
    except OSError as error:
        raise _unusable(folder, error) from error
    others = names - {_LOCK_NAME}
    if others and STORE_NAME not in others:
        raise FolderError(
            f"{folder} holds other files, such as {min(others)!r}, but no run; choose a new or "
            "empty folder"
        )


def current_writer(folder: Path | str) -> dict[str, Any] | None:
    """Return process, host and starting time of the current writer of a folder, or None."""
    path = Path(folder, _LOCK_NAME)
    with suppress(OSError, ValueError):
        if path.is_file():  # a pipe would wait for its other end
            with path.open("rb") as file:
                if not lock_file(file, shared=True):  # so somebody else holds it alone
                    return dict(json.loads(file.read() or b"{}"))
    return None


def _find(folder: Path | str) -> Path:
    path = Path(folder, STORE_NAME)
    if path.parent.is_file():
        raise FolderError(f"{str(folder)!r} is a file; name the folder that a run wrote to")
    if not path.parent.is_dir():
        raise FolderError(f"there is no folder {str(folder)!r}; a run creates it")
    if not path.is_file():
        raise FolderError(f"{folder} holds no {STORE_NAME}; name the folder that a run wrote to")
    return path


def _read(path: Path) -> Contents:
    """Read all lines of a file but a last one without its end."""
    found = Contents()
    records: dict[str, Record] = {}
    studies: dict[str, tuple[int, dict[str, Any]]] = {}
    members: dict[str, dict[str, ModelConfig]] = {}  # models by study
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if _is_torn(line):
                break
            with found.reading(number):
                kind, key, data = _unseal(line)
                if kind == "study":
                    studies[key] = number, data
                elif kind == "run":
                    found.runs.append(_read_run(data))
                elif kind == "model":
                    config = ModelConfig.from_dict(data["config"])
                    _require_key(key, config)
                    found.models.setdefault(key, config)
                    for name in data["studies"]:
                        members.setdefault(name, {}).setdefault(key, config)
                elif kind == "record":
                    plan = found.models.get(key)  # its line mostly comes first
                    same = plan is not None and plan.to_dict() == data["config"]
                    record = Record.from_data(data, plan if same else None)
                    _require_key(key, record.config)
                    if key not in records or records[key].error is not None:
                        records[key] = record  # a measured model stays
                else:
                    raise ValueError(f"it is of the unknown kind {kind!r}")
    for key, record in records.items():
        if key not in found.models:  # its line was lost
            found.models[key] = members.setdefault(_RECOVERED, {})[key] = record.config
    for name, configs in members.items():
        number, data = studies.get(name, (0, None))
        with found.reading(number):
            models = list(configs.values())
            found.studies.append(
                Study(name, models) if data is None else read_study(name, data, models)
            )
    found.records = [records[key] for key in found.models if key in records]
    return found


def _require_key(key: str, config: ModelConfig) -> None:
    if config.key != key:
        raise ValueError("the key of a model is not that of its recipe")


def _read_run(data: Any) -> dict[str, Any]:
    if not isinstance(data["command"], str):
        raise TypeError("a run has no command")
    return dict(data)


def _seal(kind: str, key: str, data: Any) -> bytes:
    """Return the line of a fact, once it is read as what it is."""
    fact = {"kind": kind, "key": key, "data": data}
    text = json.dumps(fact, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    line = f'{{"sha256":"{_digest(text)}","fact":{text}}}\n'.encode()
    if _unseal(line) != (kind, key, json.loads(text)["data"]):
        raise ValueError(f"the {kind} {key:.80} cannot be stored")
    return line


def _unseal(line: bytes) -> tuple[str, str, Any]:
    """Return the fact of a line; a line that differs from what was written is an error."""
    text = line.decode().removesuffix("\n")
    head, fact = text[:_HEAD], text[_HEAD:-1]
    if head != f'{{"sha256":"{_digest(fact)}","fact":' or text[-1:] != "}":
        raise ValueError("it differs from what was written")
    if re.search("[0-9]{301}", fact):  # slow to read
        raise ValueError("a number has more than 300 digits")
    found = json.loads(fact)
    return str(found["kind"]), str(found["key"]), found["data"]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _is_torn(line: bytes) -> bool:
    """Return whether a line has no end, as one that a killed process had begun to write."""
    begin = b'{"sha256":"'
    return not line.endswith(b"\n") and (line.startswith(begin) or begin.startswith(line))


def _drop_torn_line(path: Path, file: BinaryIO) -> None:
    """Cut off a torn last line."""
    whole = path.read_bytes()
    last = whole[whole.rfind(b"\n") + 1 :]
    if last and _is_torn(last):
        os.ftruncate(file.fileno(), len(whole) - len(last))


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """Make this process the only one that writes to a folder; the lock ends with the process."""
    try:
        refuse_link(folder / _LOCK_NAME)
        file = open_in_place(folder / _LOCK_NAME, "ab")
    except OSError as error:
        raise _unusable(folder, error) from error
    with file:
        if not lock_file(file):
            writer = current_writer(folder) or {}
            who = (
                "process {process} on {host} since {since}".format(**writer)
                if writer
                else "another process"
            )
            raise FolderError(
                f"{folder} is being written to by {who}; wait for it, stop it, or choose another "
                "folder"
            )
        with suppress(OSError):  # a full disk is named when a fact is written
            os.ftruncate(file.fileno(), 0)
            os.write(file.fileno(), json.dumps(_identity()).encode())
        yield


def _identity() -> dict[str, Any]:
    return {"process": os.getpid(), "host": platform.node(), "since": _now()}


def _unusable(path: Path, error: OSError) -> FolderError:
    return FolderError(
        f"{path} cannot be used for a run: {error.strerror or error}; make room, choose another "
        "folder, or change its permissions"
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
