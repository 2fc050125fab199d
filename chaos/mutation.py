"""Make new inputs from valid ones: damaged, cut, mixed with each other, or made up."""

import random
from collections.abc import Sequence

_NUMBERS = (b"0", b"-1", b"9" * 25, b"1e999", b"0x10", b"\xef\xbb\xbf1", b"1_0", b"NaN", b"2.5")
_SIGNS = (b"\x00", b"\xff", b"\n", b"\r", b'"', b"'", b"\\", b",", b"[", b"{", b"]", b"}", b"=")
_WORDS = (b"null", b"true", b"inf", b"[exp1]", b"[[exp2]]", b'"n"', b"\\u0000", b"\xed\xa0\x80")
_PIECES = _NUMBERS + _SIGNS + _WORDS


def mutate(examples: Sequence[bytes], dice: random.Random) -> bytes:
    """Return a new input; one in twenty has nothing to do with the examples."""
    if dice.random() < 0.05:
        return dice.randbytes(dice.choice([0, 1, 7, 100, 2000]))
    data = bytearray(dice.choice(examples))
    for _ in range(dice.choice([1, 1, 2, 4, 16])):
        place = dice.randrange(len(data) + 1)
        length = dice.choice([1, 2, 4, 8, 64, 512])
        match dice.randrange(8):
            case 0:
                del data[place:]
            case 1:
                del data[place : place + length]
            case 2:
                data[place:place] = dice.choice(_PIECES)
            case 3:
                data[place : place + length] = dice.randbytes(length)
            case 4:
                data[place:place] = data[place : place + length] * dice.choice([1, 2, 50])
            case 5:
                other = dice.choice(examples)
                start = dice.randrange(len(other) + 1)
                data[place : place + length] = other[start : start + length]
            case 6:
                data[place:place] = bytes([dice.randrange(256)])
            case _ if place < len(data):
                data[place] ^= 1 << dice.randrange(8)
    return bytes(data)
