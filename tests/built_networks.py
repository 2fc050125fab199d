"""Networks that are built to compute, to cheat, and to lean on slow circles."""

import torch
from torch import Tensor, nn

from primefourier import PrimeBasis
from primefourier.nn import PrimeFourierEmbedding

N, RANGE = 231, 100
CLASSES = torch.arange(N)


class Network(nn.Module):
    """Add a and b modulo 231 on the circles of 3, 7 and 11, and misuse others if told to."""

    def __init__(
        self, *others: int, depth: int = 1, alias: float = 0.0, slow: bool = False
    ) -> None:
        super().__init__()
        self.embedding = PrimeFourierEmbedding(PrimeBasis((3, 7, 11, *others), depth))
        self.alias, self.slow = alias, slow

    def turn(self, a: Tensor, b: Tensor, prime: int, rate: float) -> Tensor:
        i = self.embedding.basis.primes.index(prime)
        both = torch.complex(a[:, i, 0, 0], a[:, i, 0, 1])
        both = both * torch.complex(b[:, i, 0, 0], b[:, i, 0, 1])
        return (both[:, None] * torch.polar(torch.ones(N), -2 * torch.pi * rate * CLASSES)).real

    def codes(self, x: Tensor) -> Tensor:
        shape = (len(self.embedding.basis.primes), -1, 2)
        return self.embedding(x).unflatten(1, shape)  # type: ignore[no-any-return]

    def forward(self, x: Tensor) -> Tensor:
        a, b = self.codes(x[:, 0]), self.codes(x[:, 1])
        logits = sum((self.turn(a, b, p, 1 / p) for p in (3, 7, 11)), torch.zeros(()))
        if self.alias:
            logits = logits + self.alias * self.turn(a, b, 23, 10 / N)
        if self.slow:
            logits = logits * a[:, 0, -1, :1]  # the cosine of the slowest circle of 3
        return logits
