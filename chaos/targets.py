"""Everything of the project that reads files, each with valid examples to begin from."""

import json
import random
import shutil
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import replace
from io import StringIO
from pathlib import Path
from unicodedata import category

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import primefourier as pf
from chaos.hostile_files import make_json_codes, make_npy_codes, make_settings
from chaos.hostile_stores import KINDS, make_store
from chaos.mutation import mutate
from primefourier.cli.app import run
from primefourier.cluster import ClusterError, scheduler_address
from primefourier.files import FileError, encode_file
from primefourier.lab import ModularArithmetic, PrimeFourier, Study, Training
from primefourier.lab.config import ModelConfig
from primefourier.lab.measurement import measure
from primefourier.lab.record import Record
from primefourier.lab.store import (
    BACKUP_NAME,
    STORE_NAME,
    FolderError,
    StoreError,
    read_store,
    write_store,
)
from primefourier.lab.store_repair import repair_store
from primefourier.lab.store_rows import Tables, plan_row, probe_row, record_row, study_row
from primefourier.lab.studies import SinglePrime, read_settings

BASIS = pf.PrimeBasis((3, 5), depth=2)
Read = Callable[[Path, random.Random], None]
Make = Callable[[random.Random], bytes]
_COMMANDS = (
    *(["status"], ["status", "--json"], ["claims"], ["claims", "--json"], ["questions"]),
    *(["summary"], ["summary", "--json"], ["report"]),
    *(["export", "--format", kind] for kind in ("jsonl", "csv", "parquet")),
    ["repair"],
)


class RefusedError(Exception):
    """A command ended with a sentence and the exit code for wrong usage."""


class Target:
    """Something that reads a file.

    Args:
        name: What it is called in the table.
        suffix: How its files end.
        share: Which part of all inputs it gets.
        examples: Valid contents.
        read: Reads a file; returns if it is accepted.
        errors: The documented errors, by which it may refuse a file.
        make: Makes an input; by default it damages the examples.
    """

    def __init__(
        self,
        name: str,
        suffix: str,
        share: float,
        examples: list[bytes],
        read: Read,
        errors: tuple[type[Exception], ...],
        make: Make | None = None,
    ) -> None:
        self.name, self.suffix, self.share = name, suffix, share
        self.examples, self.read, self.errors = examples, read, errors
        self.make: Make = make or (lambda dice: mutate(examples, dice))


def make_targets(folder: Path) -> list[Target]:
    """Return all targets; their examples are made in a folder."""
    tables = _tables(folder)
    return [
        *_store_targets(folder / "sweep"),
        Target("settings", ".toml", 0.26, _SETTINGS, _settings, (ValueError,)),
        Target(
            "hostile settings", ".toml", 0.01, _SETTINGS, _settings, (ValueError,), make_settings
        ),
        *[
            Target(f"numbers, {kind}", f".{kind}", share, tables[kind], _encode, (FileError,))
            for kind, share in (
                ("csv", 0.19),
                ("npy", 0.16),
                ("parquet", 0.05),
                ("arrow", 0.05),
            )
        ],
        Target("codes, npy", ".npy", 0.05, [_npy(folder)], _decode, (RefusedError,)),
        Target("codes, json", ".json", 0.05, [_codes()], _decode, (RefusedError,)),
        *[
            Target(
                f"hostile codes, {kind}", f".{kind}", 0.01, [good], _decode, (RefusedError,), make
            )
            for kind, good, make in (
                ("npy", _npy(folder), make_npy_codes),
                ("json", _codes(), make_json_codes),
            )
        ],
        Target(
            "scheduler file",
            ".json",
            0.05,
            [b'{"type": "Scheduler", "address": "tcp://127.0.0.1:8786", "workers": {}}'],
            _scheduler,
            (ClusterError,),
        ),
    ]


_SETTINGS = [
    b'[exp1]\nsizes = [4, 8]\nranges = [100, 1000]\nseeds = [42, 43]\ntrainer = "plain"\n',
    b'[[exp2]]\nmoduli = [15, 45]\noperation = "subtract"\nlearning_rate = 1e-3\n[[exp2]]\n'
    b"moduli = [6]\nprimes = [2, 3]\ndepth = 3\npairs = 500\n",
    b'[control]\nsizes = [2]\nembedding = "shuffled-pair"\nbatch_size = 12\nepochs = 1\n',
]
_VALUES = (
    "0",
    "-1",
    "1",
    "65",
    "2147483649",
    "1e-3",
    "nan",
    "true",
    '"x"',
    "[]",
    "[7, 7]",
    "[9]",
    "{}",
)
_KEYS = (
    *("ranges", "seeds", "primes", "depth", "operation", "epochs", "batch_size", "learning_rate"),
    *("pairs", "trainer", "sizes", "moduli", "embedding"),
)
_SETTINGS += [
    f"[{name}]\n{key} = {value}\n".encode()
    for name in ("exp1", "exp2", "control")
    for key in _KEYS
    for value in (*_VALUES, "[30]", "[2, 3, 5]", "12")
]


def _settings(path: Path, _: random.Random) -> None:
    for experiment in read_settings(path):
        assert experiment.configs


def _store_targets(folder: Path) -> list[Target]:
    config = ModelConfig(
        embedding=PrimeFourier(primes=(3, 5)),
        task=ModularArithmetic(modulus=3, input_range=9),
        training=Training(epochs=1),
    )
    probed = measure(config, probe=True)
    records = [
        replace(probed if seed % 2 else _without_probe(probed), config=replace(config, seed=seed))
        for seed in range(6)
    ]
    folder.mkdir()
    with write_store(folder) as store:
        store.begin([_study_of(records)], "pfe run exp1")
        for record in records:
            store.add(record)
        running = {path.name: path.read_bytes() for path in folder.iterdir()}
    closed = {path.name: path.read_bytes() for path in folder.iterdir()}
    shutil.rmtree(folder)

    def target(title: str, name: str, share: float, files: dict[str, bytes]) -> Target:
        def read(path: Path, dice: random.Random) -> None:
            _open_store(path, name, files, records, dice)

        return Target(title, "", share, [files[name]], read, (StoreError, FolderError))

    rows = rows_of(records)

    def make(dice: random.Random) -> bytes:
        return make_store(dice.choice(KINDS), rows, folder.parent, dice)

    return [
        Target(
            "hostile stores",
            "",
            0.01,
            [closed[STORE_NAME]],
            use_store,
            (RefusedError,),
            make,
        ),
        target("records.sqlite", STORE_NAME, 0.06, closed),
        target("its log", f"{STORE_NAME}-wal", 0.02, running),
        target("its backup", BACKUP_NAME, 0.02, closed),
    ]


def rows_of(records: list[Record]) -> Tables:
    """Return the rows of a store that holds some records."""
    study = _study_of(records)
    return {
        "planned": [plan_row(record.config, i) for i, record in enumerate(records)],
        "records": [record_row(record) for record in records],
        "probes": [probe_row(record) for record in records if record.probe is not None],
        "studies": [study_row(study)],
        "members": [(study.name, config.key) for config in study.configs],
        "runs": [("2026-01-01T00:00:00+00:00", "pfe run exp1")],
    }


def _study_of(records: list[Record]) -> Study:
    """Return the study of experiment 1 that the models of some records belong to."""
    configs = [record.config for record in records]
    name, title = SinglePrime.name_of(configs), SinglePrime.title_of(configs)
    return Study(name, configs, title, SinglePrime.axes, SinglePrime.threshold)


def _open_store(
    path: Path, name: str, whole: dict[str, bytes], records: list[Record], dice: random.Random
) -> None:
    """Read, repair and write a store with one replaced file; with or without its other files."""
    folder = path.with_name("store")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    alone = name == STORE_NAME and dice.random() < 0.3
    for other, data in whole.items():
        if not alone and not other.endswith("-shm"):
            (folder / other).write_bytes(data)
    (folder / name).write_bytes(path.read_bytes())
    if name == BACKUP_NAME:  # which is read only if the store is gone
        (folder / STORE_NAME).unlink()
    try:
        with read_store(folder) as store:
            _believe(store.records(), records)
            store.read().planned, store.read().studies, store.read().commands
        with write_store(folder) as store:
            _believe(store.records(), records)
            if name.endswith("-wal") and store.records() != records:
                raise AssertionError("records were lost though the file was intact")
    except (StoreError, FolderError):
        repair_store(folder)
        with write_store(folder) as store:
            _believe(store.records(), records)
            if not alone and name == STORE_NAME and store.records() != records:
                raise AssertionError("records were lost though the backup was intact") from None
        if name != BACKUP_NAME:
            raise


def use_store(path: Path, dice: random.Random) -> None:
    """Run a command on a store, and check what it says and believes."""
    folder = path.with_name("store")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / STORE_NAME).write_bytes(path.read_bytes())
    with suppress(StoreError, FolderError), read_store(folder) as store:
        for record in store.records():
            require_possible(record)
    name, *options = dice.choice(_COMMANDS)
    _run([name, str(folder), *options])


def require_possible(record: Record) -> None:
    """Refuse figures that no network has."""
    if record.measurement is None:
        return
    measured, config = record.measurement, record.config
    shares = (measured.accuracy, *measured.accuracy_by_epoch, *map(abs, measured.drops))
    shares += (*measured.accuracy_beyond.values(),)
    known = config.known  # nothing can be said of the epochs of an unknown training
    if max(shares) > 1 or (known and len(measured.correct_by_epoch) != config.training.epochs):
        raise AssertionError(f"an impossible record is believed: {measured}")


def _run(words: list[str]) -> None:
    """Run a command, which has to end with an exit code, text alone, and at most one sentence."""
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as errors:
        code = run(words)
    shown = out.getvalue() + errors.getvalue()
    if any(char not in "\n\t" and category(char) in ("Cc", "Cf", "Cs") for char in set(shown)):
        raise AssertionError("what a file says can steer a terminal")
    if code in (1, 2) and errors.getvalue().startswith("error: "):
        raise RefusedError
    if code not in (0, 1):
        raise AssertionError(f"exit code {code}: {errors.getvalue()}")


def _believe(found: list[Record], records: list[Record]) -> None:
    """Check that every record was written before; a record may have lost its probe."""
    written = [*records, *map(_without_probe, records)]
    if any(record not in written for record in found):
        raise AssertionError("a record that was never written is believed")


def _without_probe(record: Record) -> Record:
    return replace(record, probe=None, probed=None)


def _tables(folder: Path) -> dict[str, list[bytes]]:
    n = [0, -7, 10**6, 2**62, 5]
    names = ["a", 'b "quoted", and more', "ü\nnew line", "", "x"]
    csv = b'id,n,name\r\n1,0,a\r\n2,-7,"b ""quoted"", and more"\r\n3,1000000,"\xc3\xbc\n"\r\n'
    np.save(folder / "n.npy", np.array(n))
    np.save(folder / "u.npy", np.array([1, 2, 250], dtype=np.uint8))
    pq.write_table(pa.table({"id": range(5), "n": n, "name": names}), folder / "n.parquet")
    texts = pa.table({"n": [str(10**40), " 5 ", None]})
    pq.write_table(texts, folder / "t.parquet", compression="none")
    for name, table in (("n", pq.read_table(folder / "n.parquet")), ("t", texts)):
        with pa.ipc.new_file(folder / f"{name}.arrow", table.schema) as writer:
            writer.write_table(table)
    return {
        "csv": [csv, b"n\n1\n2\n", b"\xef\xbb\xbfn,m\n123456789012345678901234567890,\n"],
        "npy": [(folder / "n.npy").read_bytes(), (folder / "u.npy").read_bytes()],
        "parquet": [(folder / "n.parquet").read_bytes(), (folder / "t.parquet").read_bytes()],
        "arrow": [(folder / "n.arrow").read_bytes(), (folder / "t.arrow").read_bytes()],
    }


def _encode(path: Path, dice: random.Random) -> None:
    """Encode a file of numbers, to a format at random."""
    out = path.with_name(f"codes.{dice.choice(['parquet', 'arrow', 'npy'])}")
    encode_file(path, out, columns=None if path.suffix == ".npy" else "n", basis=BASIS)


def _scheduler(path: Path, _: random.Random) -> None:
    scheduler_address(str(path))


def _npy(folder: Path) -> bytes:
    np.save(folder / "codes.npy", pf.encode([9, -17], BASIS))
    return (folder / "codes.npy").read_bytes()


def _codes() -> bytes:
    codes = pf.encode([9, -17], BASIS).tolist()
    return json.dumps({"primes": [3, 5], "depth": 2, "codes": codes}).encode()


def _decode(path: Path, _: random.Random) -> None:
    """Run pfe decode; codes that are no floats must not become integers."""
    _run(["decode", str(path), *(["--primes", "3,5", "--depth", "2"] * (path.suffix == ".npy"))])
    if path.suffix == ".json":
        kind = json.loads(path.read_bytes()).get("dtype", "float64")
        if np.dtype(kind).kind != "f":
            raise AssertionError(f"codes of {kind} are believed")
