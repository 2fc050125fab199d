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
from primefourier.lab.store_rows import TABLES, Row, Tables, dump, sealed

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
_ROW_NAMES = (*_LISTS, r'["\ud800","\u001b[2J","\u202e"]', '["a","a","a"]', '["3",5,"7"]')
_FURTHER = ('{"mean":{"correct":9,"lost":[],"gained":[]}}', '{"x":[1,1]}', r'{"\u001b[2J":[9,9]}')
_PARTS = ("embedding", "task", "network", "training")
_PART_NAMES = tuple(f"{part}.name" for part in _PARTS)
_PART_VERSIONS = tuple(f"{part}.version" for part in _PARTS)
_PATHS = ("task.modulus", "embedding", "seed", "task", "none.at.all", "embedding.primes", ".", "")
_NAMES = ("exp2", "exp1", "../../x", "\x1b[2J", "\u202ex", "x" * 500, "", 7, b"\xff", "é x\n")
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
    """Write JSON with other text in the place of a value, such as that of task.modulus."""
    data = found = json.loads(text)
    *path, last = name.split(".")
    for word in path:
        found = found[word]
    found[last] = "@new@"
    return dump(data).replace('"@new@"', new)


def _reseal(row: Row, place: int, text: str) -> Row:
    return sealed(*row[:place], text, *row[place + 1 : -1])


def _in_record(place: int, names: tuple[str, ...], texts: tuple[str, ...]) -> Any:
    def change(tables: Tables, dice: random.Random) -> None:
        rows = tables["records"]
        i = dice.randrange(len(rows))
        text = _changed(rows[i][place], dice.choice(names), dice.choice(texts))
        rows[i] = _reseal(rows[i], place, text)

    return change


def _in_config(names: tuple[str, ...], texts: tuple[str, ...]) -> Any:
    """Change a config in its plan, study and record, and let the key be the right one."""

    def change(tables: Tables, dice: random.Random) -> None:
        i = dice.randrange(len(tables["planned"]))
        key, position, config = tables["planned"][i]
        text = _changed(config, dice.choice(names), dice.choice(texts))
        try:
            read = json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"))
        except (ValueError, RecursionError):
            read = text
        new = hashlib.sha256(read.encode()).hexdigest()
        tables["planned"][i] = (new, position, text)
        members = tables["members"]
        tables["members"] = [(name, new if one == key else one) for name, one in members]
        for j, row in enumerate(tables["records"]):
            if row[0] == key:
                tables["records"][j] = _reseal((new, *row[1:]), 2, text)

    return change


def _with_error(tables: Tables, dice: random.Random) -> None:
    key, _, config, _, _, provenance, _ = tables["records"][0]
    error = dice.choice(["", "\x1b[31m\x9b\u202e", "x" * 100_000, "\n" * 1000, "=1+1", "\x00"])
    tables["records"][0] = sealed(key, "failed", config, None, error, provenance)


def _in_study(tables: Tables, dice: random.Random) -> None:
    (name, data), texts = tables["studies"][0], (*_TEXTS, *_COUNTS, *_LISTS, *_DEEP)
    place = dice.choice(["title", "axes", "threshold", "more"])
    tables["studies"][0] = (name, _changed(data, place, dice.choice(texts)))


def _in_axes(tables: Tables, dice: random.Random) -> None:
    (name, data), place = tables["studies"][0], dice.choice(["path", "name", "label", "length"])
    axes = [{"path": dice.choice(_PATHS), "name": "", "label": "", "length": False}] * 9
    text = dump(json.loads(data) | {"axes": axes[: dice.choice([0, 1, 2, 3, 9])]})
    if dice.random() < 0.5:
        axis = json.dumps(axes[0] | {place: "@new@"})
        text = _changed(data, "axes", f"[{axis}]").replace('"@new@"', dice.choice(_TEXTS))
    tables["studies"][0] = (name, text)


def _named(tables: Tables, dice: random.Random) -> None:
    """Give the study another name, in its own row or also in those of its models."""
    name: Any = dice.choice(_NAMES)
    tables["studies"] = [(name, data) for _, data in tables["studies"]]
    if dice.random() < 0.7:
        tables["members"] = [(name, key) for _, key in tables["members"]]


def _in_members(tables: Tables, dice: random.Random) -> None:
    name, key = tables["members"][0]
    wrong: list[Row] = [(name, "0" * 64), ("none", key), (b"x", key), (name, 7)]
    tables["members"] += dice.sample(wrong, 2) + [(name, str(i)) for i in range(1000)]
    if dice.random() < 0.3:
        tables["members"] = []


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
    "names of rows": _in_record(3, ("row_names", "relevant", "trainer"), (*_TEXTS, *_ROW_NAMES)),
    "further counts": _in_record(3, ("ablations", "beyond"), (*_FURTHER, *_COUNTS, *_DEEP)),
    "primes": _in_config(("embedding.primes",), _PRIMES),
    "modulus": _in_config(("task.modulus", "task.input_range", "task.samples"), _COUNTS),
    "operands": _in_config(("task.operands", "task.beyond_samples"), _COUNTS),
    "beyond": _in_config(("task.beyond", "task.test_share"), (*_LISTS, *_COUNTS)),
    "widths": _in_config(("network.encoder", "network.classifier"), (*_LISTS, *_COUNTS)),
    "epochs": _in_config(("training.epochs", "training.batch_size"), _COUNTS),
    "seed": _in_config(("seed",), _COUNTS),
    "depth": _in_config(("embedding.depth",), (*_COUNTS, *_DEEP)),
    "learning rate": _in_config(("training.learning_rate", "training.weight_decay"), _COUNTS),
    "unknown part": _in_config(_PART_NAMES, _TEXTS),
    "version of a part": _in_config(_PART_VERSIONS, _COUNTS),
    "field of a part": _in_config(("embedding.more", "task.more"), (*_TEXTS, *_DEEP)),
    "part": _in_config(_PARTS, (*_TEXTS, *_LISTS, *_DEEP, "{}", '{"name":"x","version":1}')),
    "kinds of ablation": _in_config(("ablations",), (*_TEXTS, *_LISTS, '["mean"]', '["zero","x"]')),
    "study": _in_study,
    "axes": _in_axes,
    "name of a study": _named,
    "members": _in_members,
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
    rows = {name: list(tables.get(name, ())) for name in TABLES}
    if kind in ROWS:
        ROWS[kind](rows, dice)
    path = folder / "made"
    path.unlink(missing_ok=True)
    with closing(create_or_open(path)) as opened:
        opened.execute("BEGIN")
        for name, some in rows.items():
            for row in some:
                marks = ", ".join("?" * len(row))
                opened.execute(f"INSERT OR REPLACE INTO {name} VALUES ({marks})", row)
        opened.execute("COMMIT")
        opened.execute("PRAGMA journal_mode = DELETE")
    if kind in SCHEMAS:
        change_tables(path, SCHEMAS[kind])
    elif kind == "endless pages":
        repeat_runs(path)
    return path.read_bytes()
