"""Channel networks of few pairs proved prime by prime, beside one trained on any integers.

    python -m findings.channels.proofs

Trains the networks of few pairs at r = 500 with the first seed again, and one of ``train_channels``
for each N; writes proofs.json.
"""

from __future__ import annotations

from typing import Any

import torch

from findings.channels.study import BASES, FEW, MODULI, NETWORKS, PRIMES, SEEDS, model
from findings.runs import write_json
from primefourier import PrimeBasis, lab
from primefourier.analysis import certify


def prove(modulus: int) -> list[dict[str, Any]]:
    """Prove the channel networks of one modulus, trained on few pairs below 500 and on any.

    N has no square factor, so the largest logit of ``Channels`` is that of the nearest residues,
    and a proof of its points for the primes of N is one of its answers.
    """
    own = PrimeBasis(tuple(p for p in PRIMES if modulus % p == 0), 1)

    def add(integers: torch.Tensor) -> torch.Tensor:
        return integers.sum(1)

    found = []
    for base in BASES:
        trained: Any = lab.train(model(NETWORKS[1], base, modulus, 500, FEW, SEEDS[0]))
        found.append((f"{FEW} pairs below 500, {base}", trained.network.points.for_basis(own)))
    found.append(("train_channels", lab.train_channels(own, hidden=NETWORKS[1].hidden)))
    proofs = []
    for words, network in found:
        certificate = certify(network, own, add)
        names = ("status", "cases", "wrong", "margin", "bound", "radius")
        values = {name: getattr(certificate, name) for name in names}
        proofs.append({"N": modulus, "trained on": words, **values})
    return proofs


def main() -> None:
    """Write the proofs."""
    torch.set_num_threads(1)
    write_json("channels/proofs.json", [one for modulus in MODULI for one in prove(modulus)])


if __name__ == "__main__":
    main()
