"""How fast integers become float32 codes, against the straightforward exact way in torch."""

import math
import tracemalloc

import numpy as np
import torch

import primefourier as pf
from benchmarks.rounds import best_of_rounds
from primefourier.nn import PrimeFourierEmbedding

BASIS = pf.PAPER_BASIS
THREADS = 2


def straightforward(x: torch.Tensor, periods: torch.Tensor) -> torch.Tensor:
    """Reduce in int64, take cosine and sine in float64, round to float32."""
    residue = torch.remainder(x[:, None, None], periods)
    angle = residue.to(torch.float64) * (2 * math.pi / periods.to(torch.float64))
    return torch.stack([torch.cos(angle), torch.sin(angle)], dim=-1).to(torch.float32)


def encode_62_bits(count: int = 200_000, rounds: int = 5) -> dict[str, float]:
    """Encode random 62-bit integers with the paper's basis."""
    torch.set_num_threads(THREADS)
    numbers = np.random.default_rng(0).integers(0, 2**62, count)
    tensor, periods = torch.from_numpy(numbers), torch.tensor(BASIS.periods)
    module = PrimeFourierEmbedding(BASIS)
    ways = {
        "straightforward": lambda: straightforward(tensor, periods),
        "encode": lambda: pf.encode(numbers, BASIS, threads=THREADS),
        "encode_one_thread": lambda: pf.encode(numbers, BASIS, threads=1),
        "encode_float64": lambda: pf.encode(numbers, BASIS, "float64", threads=THREADS),
        "module": lambda: module(tensor),
        "fill": lambda: np.full((count, *BASIS.shape), 1.0, dtype=np.float32),
    }
    return best_of_rounds(ways, rounds)


def look_up_below_4000(count: int = 200_000, rounds: int = 9) -> dict[str, float]:
    """Encode integers below 4000 through the table, against a plain index_select."""
    torch.set_num_threads(THREADS)
    numbers = torch.from_numpy(np.random.default_rng(0).integers(0, 4000, count))
    module = PrimeFourierEmbedding(BASIS, num_embeddings=4000)
    table = module.table.clone()
    ways = {
        "index_select": lambda: torch.index_select(table, 0, numbers),
        "table": lambda: module(numbers),
    }
    return best_of_rounds(ways, rounds)


def temporary_megabytes(count: int = 200_000) -> float:
    """Return how much memory encoding takes at its peak beyond the output."""
    numbers = np.random.default_rng(0).integers(0, 2**62, count)
    pf.encode(numbers[:10], BASIS)
    tracemalloc.start()
    codes = pf.encode(numbers, BASIS, threads=THREADS)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return (peak - codes.nbytes) / 1e6


def decode_10000(rounds: int = 5) -> dict[str, float]:
    """Decode codes of integers of the full range, against encoding them."""
    top = BASIS.range
    numbers = [top * k // 10_007 for k in range(10_000)]
    codes = pf.encode(numbers, BASIS)
    ways = {
        "encode": lambda: pf.encode(numbers, BASIS),
        "decode": lambda: pf.decode(codes, BASIS),
    }
    return best_of_rounds(ways, rounds)
