"""Networks that read only characters or circles of N's primes: all pairs of residues checked.

    python -m findings.products.proofs

Trains these networks of the study again, and writes proofs.json.
"""

from __future__ import annotations

from typing import Any

import torch

from findings.products.study import BASES, MODULI, SEEDS, embedding, model
from findings.runs import write_json
from primefourier import CharacterBasis, PrimeBasis, lab
from primefourier.analysis import certify


def prove(base: str, modulus: int, seed: int) -> dict[str, Any]:
    """Train a network that reads N's primes alone, and check all pairs of residues modulo N."""
    own = embedding(base, modulus)
    basis = (
        CharacterBasis(own.moduli) if isinstance(own, lab.Characters) else PrimeBasis(own.primes, 1)
    )
    network = lab.train(model(base, modulus, seed))
    found = certify(network, basis, lambda integers: (integers % modulus).prod(1) % modulus)
    names = ("status", "cases", "wrong", "margin", "bound", "radius", "reason")
    values = {name: getattr(found, name) for name in names}
    return {"base": base, "N": modulus, "seed": seed, **values}


def main() -> None:
    """Write the proofs, or what refutes them."""
    torch.set_num_threads(1)
    places = [(base, n, seed) for base in BASES[:2] for n in MODULI for seed in SEEDS]
    write_json("products/proofs.json", [prove(*place) for place in places])


if __name__ == "__main__":
    main()
