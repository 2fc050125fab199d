"""Certificates: the paper's moduli with the channels of ``plan`` alone, proved for all integers.

    python -m studies.certificates

Trains one network per modulus on integers below 1000, checks every pair of residues, tests it on
integers near 10^18 besides, and writes results/beyond/certificates.json.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from pathlib import Path

import torch

from primefourier import PAPER_BASIS, PrimeBasis, lab
from primefourier.analysis import certify, diagnose
from studies.beyond import MODULI, model

RANGE, SEED = 1000, 42
TARGET = Path(__file__).parents[1] / "results" / "beyond" / "certificates.json"


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
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
