"""Many summands: sums of k terms modulo q by a network that learned to add two.

    python -m findings.summands.train      # writes summands.json

The network is the one of ``pfe demo huge``: it was trained on pairs, and certified. A sum of k
terms is a tree of its additions; between two of them each point is moved to the nearest residue,
which has no parameters ("rounded"), or is passed on as it is ("raw"). Terms are below q, so the sum
is below k · q and the 16 primes determine it; it is then reduced modulo q, which is given, not
learned. In linear combinations with given coefficients below q, the form of learning with errors,
products are sums too: double and add.

Written down before the run: since the adder is certified, rounded sums are exact for every k and q
and every combination, by induction. Raw sums lose accuracy with k, because errors of angles add.
"Circular" is the mean distance |answer - right| around the circle of q, in parts of q, and "within"
the share of answers that are at most 0.05 of q off; published is 0.970 for k = 64, q = 974 269 with
100 000 samples.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import torch
from torch import Tensor

from findings.runs import write_json
from primefourier import PAPER_BASIS, PrimeBasis, encode, lab
from primefourier.analysis import certify
from primefourier.nn import ChannelNetwork, PrimeFourierEmbedding, decode_codes

TERMS = (2, 4, 8, 16, 32, 64)
MODULI = (257, 3329, 974_269)
BASIS = PrimeBasis(PAPER_BASIS.primes, 1)
SAMPLES, COMBINED = 2000, 200
NEAR, PUBLISHED = 0.05, 0.970
STEPS, BATCH = 1000, 512


def rounded(codes: Tensor) -> Tensor:
    """Move every point to the nearest residue."""
    residues = decode_codes(codes, BASIS).residues
    tables = [encode(range(p), PrimeBasis((p,), 1)).reshape(p, 2) for p in BASIS.primes]
    parts = [torch.from_numpy(table)[residues[..., i]] for i, table in enumerate(tables)]
    return torch.stack(parts, dim=-2).flatten(-2)


def add_all(network: ChannelNetwork, codes: Tensor, *, rounding: bool) -> Tensor:
    """Add codes (n, k, dim) in a tree, and return the codes of the sums, (n, dim)."""
    while (count := codes.shape[1]) > 1:
        even = codes[:, : count // 2 * 2].unflatten(1, (-1, 2))
        sums = network(even)
        # Rounding makes every input of the next addition one that the certificate covers.
        sums = rounded(sums) if rounding else sums
        codes = torch.cat([sums, codes[:, count // 2 * 2 :]], dim=1)
    return codes[:, 0]


def combine(network: ChannelNetwork, codes: Tensor, coefficients: list[list[int]]) -> Tensor:
    """Return the codes of sums of coefficient · term: double and add, rounded."""
    # Double and add from the highest bit: log2 of the largest coefficient steps for all terms.
    zero = torch.from_numpy(encode(0, BASIS)).flatten().expand(codes.shape)
    total, bits = zero, max(max(row) for row in coefficients).bit_length()
    for bit in reversed(range(bits)):
        total = rounded(network(torch.stack([total, total], dim=-2)))
        chosen = torch.tensor([[c >> bit & 1 == 1 for c in row] for row in coefficients])
        added = rounded(network(torch.stack([total, codes], dim=-2)))
        total = torch.where(chosen[..., None], added, total)
    return add_all(network, total, rounding=True)


def score(codes: Tensor, right: list[int], modulus: int) -> dict[str, float]:
    """Compare the sums of codes with the right ones modulo q."""
    answers = [int(value) % modulus for value in decode_codes(codes, BASIS).value]
    gaps = np.array([abs(a - b % modulus) for a, b in zip(answers, right, strict=True)])
    # Residues lie on a circle: 0 and q - 1 are one apart.
    gaps = np.minimum(gaps, modulus - gaps) / modulus
    return {
        "exact": float((gaps == 0).mean()),
        "circular": float(gaps.mean()),
        "within": float((gaps <= NEAR).mean()),
    }


@torch.no_grad()
def measure(network: ChannelNetwork) -> list[dict[str, Any]]:
    """Measure sums and combinations for every k and q."""
    embedding, numbers, found = PrimeFourierEmbedding(BASIS), random.Random(0), []
    for modulus in MODULI:
        for k in TERMS:
            terms = [[numbers.randrange(modulus) for _ in range(k)] for _ in range(SAMPLES)]
            codes, sums = embedding(torch.tensor(terms)), [sum(row) for row in terms]
            few = [[numbers.randrange(modulus) for _ in range(k)] for _ in range(COMBINED)]
            mixed = combine(network, codes[:COMBINED], few)
            products = [
                sum(c * a for c, a in zip(row, some, strict=True))
                for row, some in zip(few, terms, strict=False)
            ]
            found.append(
                {
                    "q": modulus,
                    "k": k,
                    "rounded": score(add_all(network, codes, rounding=True), sums, modulus),
                    "raw": score(add_all(network, codes, rounding=False), sums, modulus),
                    "combination": score(mixed, products, modulus),
                }
            )
    return found


def main() -> None:
    """Train the adder, certify it, and measure sums of many terms."""
    torch.set_num_threads(1)
    network = lab.train_channels(BASIS, steps=STEPS, batch_size=BATCH)
    certificate = certify(network, BASIS, lambda x: x.sum(1))
    data = {
        "parameters": sum(weight.numel() for weight in network.parameters()),
        "pairs": STEPS * BATCH,
        "status": certificate.status,
        "margin": certificate.margin,
        "samples": SAMPLES,
        "combined": COMBINED,
        "sums": measure(network),
    }
    write_json("summands/summands.json", data)


if __name__ == "__main__":
    main()
