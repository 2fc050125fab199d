"""How fast integers become float32 codes and integers again, and how exact the codes are."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import mpmath
import numpy as np
import torch
from numpy.typing import NDArray

import primefourier as pf
from benchmarks import by_hand
from benchmarks.rounds import Times, time_rounds
from primefourier.nn import PrimeFourierEmbedding

BASIS = pf.PAPER_BASIS
SMALL = pf.PrimeBasis((3, 5, 7, 11), depth=4)
"""A basis whose largest period, 11^4, is small enough for a table."""
BELOW = 10**4
"""Integers in a bounded range, for which one table holds whole codes."""
COUNT = 200_000

Encode = Callable[[NDArray[np.int64]], NDArray[np.float32]]


def encoders(basis: pf.PrimeBasis, threads: int) -> dict[str, Encode]:
    """Return ways to encode, each prepared for a basis; the first one is ours."""
    ways: dict[str, Encode] = {
        "primefourier.encode": lambda x: pf.encode(x, basis, threads=threads),
        "torch by hand, sines in float64": _torch_by_hand(basis, torch.float64),
        "torch by hand, sines in float32": _torch_by_hand(basis, torch.float32),
    }
    if threads == 1:  # numpy has no threads
        ways |= {
            "numpy by hand, sines in float64": by_hand.NumpyCodes(basis, np.float64),
            "numpy by hand, sines in float32": by_hand.NumpyCodes(basis, np.float32),
            "numpy in one expression": by_hand.OneExpression(basis),
        }
        if basis.periods[-1][-1] < 2**18:
            ways["numpy by hand, a table per prime"] = by_hand.TableCodes(basis)
    return ways


def _torch_by_hand(basis: pf.PrimeBasis, work: torch.dtype) -> Encode:
    encode = by_hand.TorchCodes(basis, work)
    return lambda x: encode(torch.from_numpy(x)).numpy()


def tables(basis: pf.PrimeBasis, below: int) -> dict[str, Encode]:
    """Return ways to look up whole codes of 0 … below - 1; the first one is ours."""
    ours = PrimeFourierEmbedding(basis, num_embeddings=below)
    theirs = torch.nn.Embedding.from_pretrained(ours.table.clone())
    return {
        "PrimeFourierEmbedding, num_embeddings": lambda x: ours(torch.from_numpy(x)).numpy(),
        "torch.nn.Embedding": lambda x: theirs(torch.from_numpy(x)).numpy(),
    }


def time_encoders(
    ways: Mapping[str, Encode], top: int, *, threads: int, rounds: int = 7
) -> dict[str, Times]:
    """Encode random integers below ``top`` with each way."""
    numbers = np.random.default_rng(0).integers(0, top, COUNT)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        calls = {name: lambda way=way: way(numbers) for name, way in ways.items()}
        return time_rounds(calls, rounds)
    finally:
        torch.set_num_threads(before)


def largest_errors(
    ways: Mapping[str, Encode], basis: pf.PrimeBasis
) -> dict[str, tuple[float, float]]:
    """Return the largest error of each way, in units in the last place and absolute, by mpmath.

    The integers are random, and next to quarter turns, where small values show errors most.
    """
    drawn = np.random.default_rng(1).integers(0, 2**62, 200).tolist()
    near = [t * k // 4 + i for row in basis.periods for t in row for k in range(5) for i in (0, 1)]
    numbers = np.array(drawn + near)
    true = exact_codes(numbers, basis)
    ulp = np.spacing(np.abs(true).astype(np.float32)).astype(np.float64)
    errors = {name: np.abs(way(numbers).reshape(true.shape) - true) for name, way in ways.items()}
    return {name: (float((e / ulp).max()), float(e.max())) for name, e in errors.items()}


def exact_codes(numbers: NDArray[np.int64], basis: pf.PrimeBasis) -> NDArray[np.float64]:
    """Return the float64 nearest to each true value."""
    codes = np.empty((len(numbers), *basis.shape))
    with mpmath.workprec(150):
        for row, d in np.ndindex(basis.shape[:2]):
            period = basis.periods[row][d]
            known: dict[int, tuple[float, float]] = {}
            for i, number in enumerate(numbers.tolist()):
                residue = number % period
                if residue not in known:
                    turn = mpmath.mpf(2 * residue) / period
                    known[residue] = float(mpmath.cospi(turn)), float(mpmath.sinpi(turn))
                codes[i, row, d] = known[residue]
    return codes


def time_single(basis: pf.PrimeBasis, rounds: int = 9) -> dict[str, dict[str, Times]]:
    """Encode and decode one integer at a time, against numpy by hand."""
    hand, decoder = by_hand.OneExpression(basis), by_hand.Decoder(basis)
    module = PrimeFourierEmbedding(basis, num_embeddings=BELOW)
    one, code = torch.tensor(1234), pf.encode(1234, basis)
    ways: dict[str, dict[str, Callable[[], object]]] = {
        "encode one integer": {
            "primefourier.encode": lambda: pf.encode(1234, basis),
            "numpy by hand": lambda: hand(1234),
            "table of PrimeFourierEmbedding": lambda: module(one),
        },
        "decode one code": {
            "primefourier.decode": lambda: pf.decode(code, basis),
            "numpy by hand, unchecked": lambda: decoder(code),
        },
    }
    return {title: time_rounds(some, rounds, calls=300) for title, some in ways.items()}


def time_decoders(rounds: int = 7) -> dict[str, Times]:
    """Decode 10 000 codes of integers of the full range, 126 digits, against numpy by hand."""
    codes = pf.encode([BASIS.range * k // 10_007 for k in range(10_000)], BASIS)
    decoder = by_hand.Decoder(BASIS)
    ways: dict[str, Callable[[], object]] = {
        "primefourier.decode": lambda: pf.decode(codes, BASIS),
        "numpy by hand, unchecked": lambda: decoder(codes),
    }
    return time_rounds(ways, rounds)
