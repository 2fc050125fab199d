"""Make the vectors in this folder with independent tools: python tests/vectors/make.py."""

import json
import random
from pathlib import Path

import mpmath
import sympy
from sympy.ntheory.modular import solve_congruence

HERE = Path(__file__).parent


def codes() -> list[dict[str, object]]:
    mpmath.mp.prec = 4000
    generator = random.Random(2026)
    cases: list[dict[str, object]] = []
    for primes, depth in [((3, 5, 7), 2), ((2, 3), 4), ((59,), 6), ((2, 53, 59), 12), ((101,), 1)]:
        numbers = [0, 1, -1, 9, 17, 2**62 - 1, -(2**63), 2**64 - 1]
        numbers += [generator.getrandbits(bits) - 2 ** (bits - 1) for bits in (80, 400, 2000)]
        for number in numbers:
            values = []
            for p in primes:
                for d in range(depth):
                    turn = mpmath.mpf(2 * number) / p ** (d + 1)
                    values.append([float(mpmath.cospi(turn)), float(mpmath.sinpi(turn))])
            cases.append(
                {"primes": primes, "depth": depth, "number": number,
                 "code": [[c.hex(), s.hex()] for c, s in values]}
            )  # fmt: skip
    return cases


def factorisations() -> list[list[object]]:
    generator = random.Random(7)
    numbers = [*range(1, 60), 2**31 - 1, 2**61 - 1, 3215031751, 341550071728321]
    numbers += [generator.randrange(1, 10**k) for k in range(3, 19) for _ in range(3)]
    return [[n, sorted(sympy.factorint(n).items())] for n in numbers]


def congruences() -> list[list[object]]:
    generator = random.Random(11)
    cases: list[list[object]] = []
    for _ in range(200):
        moduli = [generator.randrange(1, 60) for _ in range(generator.randrange(1, 5))]
        residues = [generator.randrange(-100, 100) for _ in moduli]
        if generator.random() < 0.5:
            x = generator.randrange(10**6)
            residues = [x % m for m in moduli]
        answer = solve_congruence(*zip(residues, moduli, strict=True))
        cases.append([residues, moduli, None if answer is None else [int(v) for v in answer]])
    return cases


if __name__ == "__main__":
    for name, make in (("codes", codes), ("factorisations", factorisations),
                       ("congruences", congruences)):  # fmt: skip
        (HERE / f"{name}.json").write_text(json.dumps(make(), indent=None) + "\n")
