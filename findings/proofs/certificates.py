"""Certificates: the paper's moduli with the channels of ``plan`` alone, proved for all integers.

    python -m findings.proofs.certificates

Trains one network per modulus on integers below 1000, checks every pair of residues, tests it on
integers near 10^18 besides, and writes certificates.json.
"""

from __future__ import annotations

import time
from dataclasses import asdict

import torch

from findings.beyond.study import MODULI, model
from findings.runs import write_json
from primefourier import PAPER_BASIS, PrimeBasis, lab
from primefourier.analysis import certify, diagnose

RANGE, SEED = 1000, 42


def certify_modulus(modulus: int) -> dict[str, object]:
    """Train, certify and test the network of one modulus."""
    config = model("plan", modulus, 8, RANGE, SEED)
    network = lab.train(config)
    own = PrimeBasis(tuple(p for p in PAPER_BASIS.primes if modulus % p == 0), 1)

    def add(x: torch.Tensor) -> torch.Tensor:
        return (x % modulus).sum(1) % modulus

    found = diagnose(network, modulus=modulus, input_range=RANGE, kinds=("permute",))
    beyond = {str(end): accuracy for end, accuracy in found.beyond.items()}
    start = time.perf_counter()
    certificate = certify(network, own, add)
    seconds = round(time.perf_counter() - start, 1)
    return {"N": modulus, **asdict(certificate), "seconds": seconds, "beyond": beyond}


def main() -> None:
    """Write all certificates."""
    found = []
    for modulus in MODULI:
        found.append(certify_modulus(modulus))
        print(found[-1])
    write_json("proofs/certificates.json", found)


if __name__ == "__main__":
    main()
