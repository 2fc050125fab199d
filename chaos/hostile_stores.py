"""Stores that are well-formed and whose digests are right, made by somebody who means harm."""

import hashlib
import json
import random
import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from primefourier.lab.store_file import create_or_open
from primefourier.lab.store_rows import TABLES, Row, dump, sealed

Tables = dict[str, list[Row]]

_ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
SCHEMAS = {
    "view": "ALTER TABLE planned RENAME TO p; CREATE VIEW planned (key, position, config) AS "
    f"{_ENDLESS}SELECT i, i, i FROM n",
    "trigger": "CREATE TRIGGER t AFTER INSERT ON runs BEGIN "
    f"SELECT ({_ENDLESS}SELECT count(*) FROM n); END",
    "generated column": "ALTER TABLE runs ADD COLUMN x AS (abs(started))",
    "extra column": "ALTER TABLE runs ADD COLUMN x",
    "extra table": "CREATE TABLE other (x)",
    "virtual table": "DROP TABLE runs; CREATE VIRTUAL TABLE runs USING fts5(started, command)",
    "index": "CREATE INDEX i ON runs (hex(zeroblob(1000)))",
    "no table": "DROP TABLE records",
}
"""What is done to the tables of a store, by what it is."""
_COUNTS: tuple[str, ...] = (
    "0",
    "1",
    "-1",
    "true",
    "99999",
    "1.5",
    f"{10**14}",
    f"{10**18}",
    f"{10**299}",
)
_COUNTS += (f"{10**400}", "9" * 200_000, "1e999", "NaN", "[]", "null", '"7"', "[0,0,0,0]")
_LISTS = ("[]", "7", "[99999,0]", f"[{10**14},{10**14 - 10**7}]", "[0,0,0]", "[[0],0]", '"ab"')
_DEEP = ("[" * 5_000 + "]" * 5_000, '{"a":' * 5_000 + "1" + "}" * 5_000, "[" * 100_000)
_TEXTS: tuple[str, ...] = (
    r'"\ud800"',
    r'"\u001b[31m\u202e\u009b"',
    "\"=cmd|' /C calc'!A0\"",
    '"<script>x()"',
    '""',
)
_TEXTS += ('"' + "x" * 100_000 + '"', r'"\u0000"', "7", "null")
_PRIMES: tuple[str, ...] = (
    f"[{2**9689 - 1}]",
    f"[3,{2**61 - 1}]",
    "[3,9]",
    "[]",
    f"[{10**24 + 7}]",
    "[[3]]",
)
_PRIMES += (json.dumps([*range(3, 40_000, 2)]), "[3.0,5]", "[true]", json.dumps([3] * 100_000))
_VERSIONS = ('{"torch":[[]]}', '{"a":{"b":1}}', "[]", r'{"\ud800":"\ud800"}', *_DEEP)


def change_tables(path: Path, statements: str) -> None:
    """Change the tables of a store."""
    with closing(sqlite3.connect(path)) as opened:
        opened.executescript(statements)
        opened.execute("PRAGMA journal_mode = DELETE")


def repeat_runs(path: Path, levels: int = 5) -> None:
    """Let all 500 entries of each inner page of runs point at one page: 500⁵ rows in ten pages."""
    with closing(sqlite3.connect(path)) as opened:
        opened.execute("PRAGMA journal_mode = DELETE")
        (size,) = opened.execute("PRAGMA page_size").fetchone()
        query = "SELECT rootpage FROM sqlite_master WHERE name = 'runs'"
        (root,) = opened.execute(query).fetchone()
    data = bytearray(path.read_bytes())
    start, last = (root - 1) * size, len(data) // size
    data += data[start : start + size]
    for level in range(levels):
        page = _inner_page(last + level + 1, size)
        if level < levels - 1:
            data += page
        else:
            data[start : start + size] = page
    data[28:32] = struct.pack(">I", len(data) // size)
    path.write_bytes(data)


def _inner_page(child: int, size: int, entries: int = 500) -> bytes:
    entry = struct.pack(">IB", child, 1)
    places = [size - len(entry) * (i + 1) for i in range(entries)]
    head = struct.pack(">BHHHBI", 5, 0, entries, places[-1], 0, child)
    head += struct.pack(f">{entries}H", *places)
    return head + bytes(size - len(head) - entries * len(entry)) + entry * entries


def _changed(text: str, name: str, new: str) -> str:
    """Write JSON with other text in the place of a value."""
    return dump(json.loads(text) | {name: "@new@"}).replace('"@new@"', new)


def _reseal(row: Row, place: int, text: str) -> Row:
    return sealed(*row[:place], text, *row[place + 1 : -1])


def _in_record(place: int, names: tuple[str, ...], texts: tuple[str, ...]) -> Any:
    def change(tables: Tables, dice: random.Random) -> None:
        rows = tables["records"]
        i = dice.randrange(len(rows))
        text = _changed(rows[i][place], dice.choice(names), dice.choice(texts))
        rows[i] = _reseal(rows[i], place, text)

    return change


def _in_config(name: str, texts: tuple[str, ...]) -> Any:
    """Change a config in its plan and in its record, and let the key be the right one."""

    def change(tables: Tables, dice: random.Random) -> None:
        i = dice.randrange(len(tables["planned"]))
        key, position, config = tables["planned"][i]
        text = _changed(config, name, dice.choice(texts))
        try:
            read = json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"))
        except (ValueError, RecursionError):
            read = text
        new = hashlib.sha256(read.encode()).hexdigest()
        tables["planned"][i] = (new, position, text)
        for j, row in enumerate(tables["records"]):
            if row[0] == key:
                tables["records"][j] = _reseal((new, *row[1:]), 2, text)

    return change


def _in_probe(tables: Tables, dice: random.Random) -> None:
    names = ("test_size", "shifted_size", "rows", "answers_apart", "shift_error")
    rows = tables["probes"]
    i = dice.randrange(len(rows))
    texts = (*_COUNTS, *_LISTS, *_DEEP)
    rows[i] = _reseal(rows[i], 1, _changed(rows[i][1], dice.choice(names), dice.choice(texts)))


def _with_error(tables: Tables, dice: random.Random) -> None:
    key, _, config, _, _, provenance, _ = tables["records"][0]
    error = dice.choice(["", "\x1b[31m\x9b\u202e", "x" * 100_000, "\n" * 1000, "=1+1", "\x00"])
    tables["records"][0] = sealed(key, "failed", config, None, error, provenance)


def _in_runs(tables: Tables, dice: random.Random) -> None:
    command = dice.choice(["curl x | sh", "\x1b]0;x\x07\x9b\u202e", "", "pfe " * 500, "\n\n"])
    tables["runs"] = [("now", command)] * dice.choice([1, 5000])


def _at_position(tables: Tables, dice: random.Random) -> None:
    key, _, config = tables["planned"][-1]
    position = dice.choice([-1, 2**63 - 1, "x", 1.5, b"x", 0])
    tables["planned"][-1] = (key, position, config)


ROWS: dict[str, Callable[[Tables, random.Random], None]] = {
    "counts": _in_record(3, ("train_size", "test_size", "correct"), _COUNTS),
    "lists of counts": _in_record(3, ("correct_by_epoch", "lost", "gained"), _LISTS),
    "deep measurement": _in_record(3, ("correct", "lost", "more"), _DEEP),
    "seconds": _in_record(5, ("seconds",), _COUNTS),
    "texts": _in_record(5, ("finished", "machine", "device", "commit"), _TEXTS),
    "versions": _in_record(5, ("versions",), _VERSIONS),
    "primes": _in_config("primes", _PRIMES),
    "modulus": _in_config("modulus", _COUNTS),
    "epochs": _in_config("epochs", _COUNTS),
    "seed": _in_config("seed", _COUNTS),
    "depth": _in_config("depth", (*_COUNTS, *_DEEP)),
    "learning rate": _in_config("learning_rate", _COUNTS),
    "experiment": _in_config("experiment", _TEXTS),
    "probe": _in_probe,
    "error": _with_error,
    "commands": _in_runs,
    "position": _at_position,
}
"""What is done to the rows of a store, by what it concerns."""
KINDS = (*SCHEMAS, "endless pages", *ROWS)


def make_store(kind: str, tables: Tables, folder: Path, dice: random.Random) -> bytes:
    """Return the file of a hostile store.

    Args:
        kind: One of ``KINDS``.
        tables: Rows of a store as it should be.
        folder: Where to make it.
        dice: Chooses what the kind leaves open.
    """
    rows = {name: list(tables[name]) for name in TABLES}
    if kind in ROWS:
        ROWS[kind](rows, dice)
    path = folder / "made"
    path.unlink(missing_ok=True)
    with closing(create_or_open(path)) as opened:
        for name, some in rows.items():
            marks = ", ".join("?" * (TABLES[name].count(",") + 1))
            opened.executemany(f"INSERT OR REPLACE INTO {name} VALUES ({marks})", some)
        opened.execute("PRAGMA journal_mode = DELETE")
    if kind in SCHEMAS:
        change_tables(path, SCHEMAS[kind])
    elif kind == "endless pages":
        repeat_runs(path)
    return path.read_bytes()
