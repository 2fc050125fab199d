"""Codes that are well-formed, made by somebody who means harm."""

import json
import random
import struct
from collections.abc import Sequence

_HUGE = ("9" * 301, "9" * 15_000, "9" * 2_000_000, "0x" + "f" * 15_000, "1" + "0" * 400, "1e999")
_DTYPES: tuple[str, ...] = (
    "float16",
    "float64",
    "<f4",
    "longdouble",
    "i4",
    "u1",
    "bool",
    "O",
    "V8",
    "U5",
    "S1",
)
_DTYPES += ("complex128", "M8[ns]", "f8,f8", "(100000,100000)f8", "(2,)f8", "", "x" * 10_000)
_ODD_PRIMES: tuple[str, ...] = (
    "[3, 5]",
    f"[{2**9689 - 1}]",
    "[3, 5.0]",
    "[[3, 5]]",
    "[]",
    "[3, 3]",
    "null",
)
_ODD_PRIMES += (json.dumps([3] * 300_000), f"[3, {10**24 + 7}]", '"35"', "[3, true]", "5")
_ODD_DEPTHS = ("2", "1000000", "10000", f"{10**30}", "-1", "1.5", "true", '"2"', "null", *_HUGE)
_GOOD = "[[[[-0.5, 0.866], [0.766, 0.643]], [[0.309, 0.951], [0.969, 0.249]]]]"
_ODD_CODES = (
    _GOOD,
    "[]",
    "[[]]",
    "{}",
    "null",
    "1",
    '"1"',
    "[" * 5_000 + "]" * 5_000,
    "[" * 60 + "1" + "]" * 60,
    _GOOD.replace("0.309", "null"),
    _GOOD.replace("0.309", '"0.309"'),
    _GOOD.replace("0.309", "1e999"),
    _GOOD.replace("0.309", "NaN"),
    _GOOD.replace("0.309", "[0.309]"),
    *(_GOOD.replace("0.309", number) for number in _HUGE),
    "[[[[1.0, 0.9], [1.0, 0.9]], [[1.0, 0.9], [1.0, 0.9]]]]",  # cut to integers, the code of 0
    "[" + ", ".join([_GOOD[1:-1]] * 2_000) + "]",
)


def make_json_codes(dice: random.Random) -> bytes:
    """Return what pfe decode reads, with one or two odd values."""
    parts = {"primes": "[3, 5]", "depth": "2", "codes": _GOOD, "dtype": '"float64"'}
    odd: dict[str, Sequence[str]] = {
        "primes": _ODD_PRIMES,
        "depth": _ODD_DEPTHS,
        "codes": _ODD_CODES,
        "dtype": [*map(json.dumps, _DTYPES), "5", "null", "[]", "{}"],
    }
    for name in dice.sample(sorted(odd), dice.choice([1, 1, 2])):
        parts[name] = dice.choice(odd[name])
    return ("{" + ", ".join(f'"{name}": {text}' for name, text in parts.items()) + "}").encode()


_SHAPES: tuple[str, ...] = (
    "(1, 2, 2, 2)",
    "(1000000000000,)",
    "(0, 2, 2, 2)",
    "(-1, 2, 2, 2)",
    "()",
    "(2, 2, 2)",
)
_SHAPES += (
    f"({10**30}, 2, 2, 2)",
    "(1, 2, 2, 2,) + (1,)",
    "(" + "1, " * 60 + ")",
    "(1.0, 2, 2, 2)",
)
_DESCRIPTIONS: tuple[str, ...] = (
    "<f8",
    "<f4",
    "<f2",
    ">f8",
    "<i8",
    "|b1",
    "|O",
    "|V8",
    "<U4",
    "|S8",
    "<c16",
)
_DESCRIPTIONS += ("<M8[ns]", "<g", "f8,f8", "(100000,100000)f8", "x" * 5_000)


def make_npy_codes(dice: random.Random) -> bytes:
    """Return a .npy file whose header says odd things."""
    odd = dice.choice([("descr",), ("shape",), ("fortran_order", "shape")])
    parts = {
        "descr": repr(dice.choice(_DESCRIPTIONS)) if "descr" in odd else "'<f8'",
        "fortran_order": dice.choice(["True", "2"]) if "fortran_order" in odd else "False",
        "shape": dice.choice(_SHAPES) if "shape" in odd else "(1, 2, 2, 2)",
    }
    header = "{" + ", ".join(f"{name!r}: {text}" for name, text in parts.items()) + "}"
    if dice.random() < 0.1:
        header = header.replace("False", "(" * 2_000 + ")" * 2_000)
    text = header.encode().ljust(118) + b"\n"
    numbers = json.loads(_GOOD)[0]
    data = struct.pack("<8d", *(x for prime in numbers for depth in prime for x in depth))
    return b"\x93NUMPY\x02\x00" + len(text).to_bytes(4, "little") + text + data
