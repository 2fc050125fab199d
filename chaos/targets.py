"""Everything of the project that reads files, each with valid examples to begin from."""

import json
import random
import shutil
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import primefourier as pf
from primefourier.bulk import BulkError, encode_file
from primefourier.cli.app import run
from primefourier.cluster import ClusterError
from primefourier.cluster.remote import scheduler_address
from primefourier.lab.config import ModelConfig
from primefourier.lab.experiments import read_settings
from primefourier.lab.record import Record
from primefourier.lab.run_model import run_model
from primefourier.lab.sweep import FolderError, StoreError, read_store
from primefourier.lab.sweep.folder import JOURNAL_NAME, STORE_NAME, prepare_folder
from primefourier.lab.sweep.store import write_store

BASIS = pf.PrimeBasis((3, 5), depth=2)
Read = Callable[[Path, random.Random], None]


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
    """

    def __init__(
        self,
        name: str,
        suffix: str,
        share: float,
        examples: list[bytes],
        read: Read,
        errors: tuple[type[Exception], ...],
    ) -> None:
        self.name, self.suffix, self.share = name, suffix, share
        self.examples, self.read, self.errors = examples, read, errors


def make_targets(folder: Path) -> list[Target]:
    """Return all targets; their examples are made in a folder."""
    tables = _tables(folder)
    return [
        *_store_targets(folder / "sweep"),
        Target("settings", ".toml", 0.3, _SETTINGS, lambda path, _: _settings(path), (ValueError,)),
        *[
            Target(f"numbers, {kind}", f".{kind}", share, tables[kind], _encode, (BulkError,))
            for kind, share in (("csv", 0.15), ("jsonl", 0.15), ("npy", 0.1), ("parquet", 0.05))
        ],
        Target("codes, npy", ".npy", 0.05, [_npy(folder)], _decode, (RefusedError,)),
        Target("codes, json", ".json", 0.05, [_codes()], _decode, (RefusedError,)),
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


def _settings(path: Path) -> None:
    for experiment in read_settings(path):
        experiment.configs()


def _store_targets(folder: Path) -> list[Target]:
    config = ModelConfig(experiment="exp1", modulus=3, input_range=9, primes=(3, 5), epochs=1)
    probed = run_model(config, probe=True)
    records = [
        replace(probed if seed % 2 else _without_probe(probed), config=replace(config, seed=seed))
        for seed in range(6)
    ]
    folder.mkdir()
    with write_store(folder) as store:
        store.begin([record.config for record in records], "pfe run exp1")
        for record in records:
            store.add(record)
        running = {path.name: path.read_bytes() for path in folder.iterdir()}
    closed = {path.name: path.read_bytes() for path in folder.iterdir()}
    shutil.rmtree(folder)

    def target(title: str, name: str, share: float, files: dict[str, bytes]) -> Target:
        def read(path: Path, dice: random.Random) -> None:
            _open_store(path, name, files, records, dice)

        return Target(title, "", share, [files[name]], read, (StoreError, FolderError))

    return [
        target("records.sqlite", STORE_NAME, 0.06, closed),
        target("its log", f"{STORE_NAME}-wal", 0.02, running),
        target("records.journal", JOURNAL_NAME, 0.02, closed),
    ]


def _open_store(
    path: Path, name: str, whole: dict[str, bytes], records: list[Record], dice: random.Random
) -> None:
    """Open a store one of whose files was replaced; with or without its other files."""
    folder = path.with_name("store")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    alone = name != f"{STORE_NAME}-wal" and dice.random() < 0.3
    for other, data in whole.items():
        if not alone and not other.endswith("-shm"):
            (folder / other).write_bytes(data)
    (folder / name).write_bytes(path.read_bytes())
    refused = None
    try:
        with read_store(folder) as store:
            _believe(store.records(), records)
            store.planned(), store.commands()
    except (StoreError, FolderError) as error:
        refused = error
    prepare_folder(folder)
    with write_store(folder) as store:
        _believe(store.records(), records)
        if not alone and store.records() != records:
            raise AssertionError("records were lost though one of two copies was whole")
    if refused is not None:
        raise refused


def _believe(found: list[Record], records: list[Record]) -> None:
    """Check that all was written so; but a record whose probe is lost, in both copies, stays."""
    written = [*records, *map(_without_probe, records)]
    if any(record not in written for record in found):
        raise AssertionError("a record that was never written is believed")


def _without_probe(record: Record) -> Record:
    return replace(record, probe=None, probed=None)


def _tables(folder: Path) -> dict[str, list[bytes]]:
    n = [0, -7, 10**6, 2**62, 5]
    names = ["a", 'b "quoted", and more', "ü\nnew line", "", "x"]
    csv = b'id,n,name\r\n1,0,a\r\n2,-7,"b ""quoted"", and more"\r\n3,1000000,"\xc3\xbc\n"\r\n'
    lines = [
        json.dumps({"id": i, "n": value, "name": name, "x": [1.5, None, {"y": True}]})
        for i, (value, name) in enumerate(zip(n, names, strict=True))
    ]
    big = [json.dumps({"n": str(10**40), "id": 1}), json.dumps({"n": -(10**30), "id": None})]
    np.save(folder / "n.npy", np.array(n))
    np.save(folder / "u.npy", np.array([1, 2, 250], dtype=np.uint8))
    pq.write_table(pa.table({"id": range(5), "n": n, "name": names}), folder / "n.parquet")
    texts = pa.table({"n": [str(10**40), " 5 ", None]})
    pq.write_table(texts, folder / "t.parquet", compression="none")
    return {
        "csv": [csv, b"n\n1\n2\n", b"\xef\xbb\xbfn,m\n123456789012345678901234567890,\n"],
        "jsonl": ["\n".join(lines).encode(), "\n".join(big).encode() + b"\n\n"],
        "npy": [(folder / "n.npy").read_bytes(), (folder / "u.npy").read_bytes()],
        "parquet": [(folder / "n.parquet").read_bytes(), (folder / "t.parquet").read_bytes()],
    }


def _encode(path: Path, dice: random.Random) -> None:
    """Encode a file of numbers, to a format and with a way to treat bad rows at random."""
    out = path.with_name(f"codes.{dice.choice(['parquet', 'csv', 'jsonl', 'npy'])}")
    encode_file(
        path,
        out=out,
        column=None if path.suffix == ".npy" else "n",
        basis=BASIS,
        on_bad=dice.choice(["error", "reject"]),
        overwrite=True,
    )


def _scheduler(path: Path, _: random.Random) -> None:
    scheduler_address(str(path))


def _npy(folder: Path) -> bytes:
    np.save(folder / "codes.npy", pf.encode([9, -17], BASIS))
    return (folder / "codes.npy").read_bytes()


def _codes() -> bytes:
    codes = pf.encode([9, -17], BASIS).tolist()
    return json.dumps({"primes": [3, 5], "depth": 2, "codes": codes}).encode()


def _decode(path: Path, _: random.Random) -> None:
    """Run pfe decode, which has to end with an exit code and at most one sentence."""
    basis = ["--primes", "3,5", "--depth", "2"] if path.suffix == ".npy" else []
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()) as errors:
        code = run(["decode", str(path), *basis])
    if code == 2 and errors.getvalue().startswith("error: "):
        raise RefusedError
    if code not in (0, 1):
        raise AssertionError(f"exit code {code}: {errors.getvalue()}")
