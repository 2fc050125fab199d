"""The torch modules of the laboratory's networks and embeddings, and how operands are joined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from primefourier.encoding import PrimeBasis, encode, plan
from primefourier.lab.parts import InputShape
from primefourier.nn import ChannelNetwork, CRTHead, PrimeFourierEmbedding

if TYPE_CHECKING:
    from primefourier.lab import networks


def join_operands(features: Tensor) -> Tensor:
    """Join the rows of all operands, as the paper does: (cos, sin) of a, then of b, per depth.

    Pairs of features of all operands alternate, or single features if the width is odd.

    Shape:
        (n, operands, rows, width) → (n, rows, operands · width).
    """
    unit = 2 - features.shape[-1] % 2
    parts: Tensor = features.unflatten(-1, (-1, unit))  # n, operands, rows, width / unit, unit
    return parts.permute(0, 2, 3, 1, 4).flatten(2)


def split_operands(features: Tensor, operands: int) -> Tensor:
    """Undo :func:`join_operands`.

    Shape:
        (n, rows, operands · width) → (n, operands, rows, width).
    """
    unit = 2 - features.shape[-1] // operands % 2
    parts: Tensor = features.unflatten(-1, (-1, operands, unit))
    return parts.permute(0, 3, 1, 2, 4).flatten(3)


class RowNetwork(nn.Module):
    """Encode each row separately, concatenate the encoded rows, and classify.

    Shape:
        (n, rows, operands · width) → (n, classes) logits.

    >>> from primefourier.lab import RowClassifier
    >>> network = RowNetwork(RowClassifier(), InputShape(4, 2, 12), 7)
    >>> network(torch.zeros(5, 4, 24)).shape
    torch.Size([5, 7])
    """

    def __init__(self, widths: networks.RowClassifier, shape: InputShape, classes: int) -> None:
        super().__init__()
        first, second = widths.encoder
        self.encoder = nn.Sequential(
            nn.Linear(shape.operands * shape.width, first),
            nn.ReLU(),
            nn.Linear(first, second),
            nn.ReLU(),
        )
        self.classifier = nn.Sequential(
            nn.Linear(shape.rows * second, widths.classifier),
            nn.ReLU(),
            nn.Linear(widths.classifier, classes),
        )

    def forward(self, features: Tensor) -> Tensor:
        """Return the logits of a batch of rows."""
        logits: Tensor = self.classifier(self.encoder(features).flatten(1))
        return logits


def perceptron(shape: InputShape, hidden: Sequence[int], classes: int) -> nn.Module:
    """Return linear layers with ReLU between them, over all features."""
    widths = [shape.rows * shape.operands * shape.width, *hidden]
    layers: list[nn.Module] = [nn.Flatten()]
    for before, after in zip(widths, hidden, strict=False):
        layers += [nn.Linear(before, after), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(widths[-1], classes))


class TransformerNetwork(nn.Module):
    """One layer of attention and a perceptron with residual connections; the mean is classified.

    Every token has a learned vector of its position. There is no dropout.

    Shape:
        (n, rows, operands · width) → (n, classes) logits.
    """

    def __init__(self, part: networks.Transformer, shape: InputShape, classes: int) -> None:
        super().__init__()
        self.operands = shape.operands if part.tokens == "operands" else None
        count, size = shape.rows, shape.operands * shape.width
        if self.operands is not None:
            count, size = shape.operands, shape.rows * shape.width
        self.embed = nn.Linear(size, part.width)
        self.positions = nn.Parameter(torch.randn(count, part.width) / part.width**0.5)
        self.attention = nn.MultiheadAttention(part.width, part.heads, batch_first=True)
        self.norms = nn.ModuleList([nn.LayerNorm(part.width), nn.LayerNorm(part.width)])
        self.perceptron = nn.Sequential(
            nn.Linear(part.width, part.hidden), nn.ReLU(), nn.Linear(part.hidden, part.width)
        )
        self.classifier = nn.Linear(part.width, classes)

    def forward(self, features: Tensor) -> Tensor:
        """Return the logits of a batch of rows."""
        if self.operands is not None:
            features = split_operands(features, self.operands).flatten(2)
        x = self.embed(features) + self.positions
        y = self.norms[0](x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        x = x + self.perceptron(self.norms[1](x))
        logits: Tensor = self.classifier(x.mean(1))
        return logits


class CircleClassifier(nn.Module):
    """Classify by points on circles: scale · ⟨point, code of c⟩, summed, is the logit of class c.

    The sum runs over the circles whose period divides the number of classes N, as in
    ``theory.exact_sum_logits``. If N has no square factor, its largest logit is that of the
    Chinese Remainder Theorem: of the class whose residues have the nearest points.

    Args:
        points: A module from codes (n, operands, dim) to points (n, dim).
        log_scale: The logarithm of each circle's scale, (P, D).
        shape: The shape of the features.
        classes: N.

    Shape:
        (n, rows, operands · width) → (n, N) logits.
    """

    prototypes: Tensor

    def __init__(
        self, points: nn.Module, log_scale: nn.Parameter, shape: InputShape, classes: int
    ) -> None:
        super().__init__()
        basis = _basis_of(shape)
        found = plan(classes, basis)
        if found.visible != classes:
            raise ValueError(f"this basis cannot classify modulo {classes}. {found.explain()}")
        self.points, self.log_scale, self.operands = points, log_scale, shape.operands
        # circles whose period does not divide N would tell integers of one class apart
        kept = np.array([[channel in found.relevant] for channel in basis.channels])
        codes = encode(np.arange(classes), basis, "float64").reshape(classes, -1, 2) * kept
        prototypes = torch.from_numpy(codes.reshape(classes, -1)).float()
        self.register_buffer("prototypes", prototypes, persistent=False)

    def forward(self, features: Tensor) -> Tensor:
        """Return the logits of a batch of rows."""
        points = self.points(split_operands(features, self.operands).flatten(2))
        scaled = points.unflatten(-1, (-1, 2)) * self.log_scale.exp().flatten().unsqueeze(-1)
        logits: Tensor = scaled.flatten(-2) @ self.prototypes.T
        return logits


def channel_classifier(shape: InputShape, hidden: Sequence[int], classes: int) -> CircleClassifier:
    """Return a classifier whose points come from a ``ChannelNetwork``."""
    basis = _basis_of(shape)
    channels = ChannelNetwork(basis, operands=shape.operands, hidden=hidden)
    log_scale = nn.Parameter(torch.zeros(basis.shape[:2]))
    return CircleClassifier(channels, log_scale, shape, classes)


def crt_classifier(shape: InputShape, hidden: Sequence[int], classes: int) -> CircleClassifier:
    """Return a classifier whose points come from a perceptron with a ``CRTHead``."""
    head = CRTHead(hidden[-1], _basis_of(shape))
    layers = perceptron(shape, hidden[:-1], hidden[-1])
    return CircleClassifier(nn.Sequential(layers, nn.ReLU(), head), head.log_scale, shape, classes)


def _basis_of(shape: InputShape) -> PrimeBasis:
    if shape.basis is None:
        raise ValueError(
            "a network with points on circles reads the rows of the embedding PrimeFourier, got "
            "other rows; use that embedding, or another network such as Mlp"
        )
    return shape.basis


class TrainedTable(nn.Module):
    """One learned vector per integer; integers from ``size`` on share the last vector.

    >>> TrainedTable(10, 2, 3)(torch.tensor([0, 9, 10**12])).shape
    torch.Size([3, 2, 3])
    """

    def __init__(self, size: int, rows: int, width: int) -> None:
        super().__init__()
        self.rows = rows
        self.vectors = nn.Embedding(size + 1, rows * width)

    def forward(self, integers: Tensor) -> Tensor:
        """Return the rows of integers."""
        last = self.vectors.num_embeddings - 1
        found: Tensor = self.vectors(integers.clamp(0, last))
        rows: Tensor = found.unflatten(-1, (self.rows, -1))
        return rows


class JoinedModel(nn.Module):
    """An embedding that gives rows, and the network that reads them.

    Args:
        embedding: A module from integers (n, operands) to rows, with ``row_names``, so that
            ``analysis.diagnose`` finds them.
        network: The network that reads the rows.

    Shape:
        integers (n, operands) → (n, classes) logits.
    """

    def __init__(self, embedding: TrainedRows | FixedRows, network: nn.Module) -> None:
        super().__init__()
        self.embedding, self.network = embedding, network

    def forward(self, integers: Tensor) -> Tensor:
        """Return the logits of a batch of integers."""
        logits: Tensor = self.network(self.embedding(integers))
        return logits


class TrainedRows(nn.Module):
    """The joined rows of an embedding with parameters.

    Shape:
        integers (n, operands) → (n, rows, operands · width).
    """

    def __init__(self, embedding: nn.Module, row_names: Sequence[str]) -> None:
        super().__init__()
        self.embedding, self.row_names = embedding, tuple(row_names)

    def forward(self, integers: Tensor) -> Tensor:
        """Return the joined rows of a batch of integers."""
        rows = self.embedding(integers.flatten()).unflatten(0, tuple(integers.shape))
        return join_operands(rows)


class FixedRows(nn.Module):
    """The joined rows of a fixed embedding of the laboratory.

    Args:
        read: Gives the rows of integers (n, operands).
        row_names: The names of the rows.

    Shape:
        integers (n, operands) → (n, rows, operands · width).
    """

    def __init__(self, read: Callable[[NDArray[Any]], Tensor], row_names: Sequence[str]) -> None:
        super().__init__()
        self._read, self.row_names = read, tuple(row_names)

    def forward(self, integers: Tensor) -> Tensor:
        """Return the joined rows of a batch of integers."""
        return self._read(integers.cpu().numpy()).to(integers.device)


def spread_rows(codes: Tensor, places: Tensor) -> Tensor:
    """Return the rows of flat codes by the places of their features; the place after all is 0.

    Shape:
        codes (..., dim), places (rows, width) → (..., rows, width).
    """
    found: Tensor = nn.functional.pad(codes, (0, 1))[..., places]
    return found


class CharacterReader(nn.Module):
    """A network that reads codes of characters as rows, one per prime power.

    Shape:
        codes (n, operands, dim) → (n, classes) logits.
    """

    def __init__(self, places: Sequence[Sequence[int]], network: nn.Module) -> None:
        super().__init__()
        self.register_buffer("places", torch.tensor(places), persistent=False)
        self.network = network

    def forward(self, codes: Tensor) -> Tensor:
        """Return the logits of a batch of codes."""
        places = self.get_buffer("places")
        logits: Tensor = self.network(join_operands(spread_rows(codes, places)))
        return logits


class PrimeReader(nn.Module):
    """Codes of a basis, and a network that reads them as rows, one per prime.

    Shape:
        integers (n, operands) → (n, classes) logits.
    """

    def __init__(self, basis: PrimeBasis, network: nn.Module) -> None:
        super().__init__()
        self.embedding, self.network = PrimeFourierEmbedding(basis), network

    def forward(self, integers: Tensor) -> Tensor:
        """Return the logits of a batch of integers."""
        codes = self.embedding(integers).unflatten(-1, (len(self.embedding.basis.primes), -1))
        logits: Tensor = self.network(join_operands(codes))
        return logits
