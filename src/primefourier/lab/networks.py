"""Networks: classifiers of rows, with their widths as fields. Modules are built when needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from primefourier._checks import require_choice
from primefourier.lab.parts import InputShape, register, require_integer

if TYPE_CHECKING:
    from torch import nn

_WIDEST = 2**16


def _require_widths(network: object, *names: str) -> None:
    """Check layer widths of a network: fields that are integers, or tuples of them."""
    for name in names:
        value = getattr(network, name)
        several = isinstance(value, tuple | list)
        widths = tuple(
            require_integer(width, name, 1, _WIDEST) for width in (value if several else [value])
        )
        object.__setattr__(network, name, widths if several else widths[0])


@register
@dataclass(frozen=True)
class RowClassifier:
    """The paper's network: an encoder shared by all rows, and a classifier of the encoded rows.

    NOTE[PAPER]: the paper says "ReLU activations" of the encoder; here both layers have one.

    Args:
        encoder: The widths of the encoder's two layers.
        classifier: The width of the classifier's hidden layer.
    """

    name: ClassVar[str] = "row-classifier"
    version: ClassVar[int] = 1

    encoder: tuple[int, int] = (64, 32)
    classifier: int = 128

    def __post_init__(self) -> None:
        _require_widths(self, "encoder", "classifier")
        if len(self.encoder) != 2:
            raise ValueError(f"encoder must have two widths, got {self.encoder}")

    def build(self, shape: InputShape, classes: int) -> nn.Module:
        """Return an untrained network."""
        from primefourier.lab.modules import RowNetwork

        return RowNetwork(self, shape, classes)

    def describe(self) -> str:
        """Describe the network by what differs from the paper's."""
        return "" if self == RowClassifier() else f"rows {self.encoder}, {self.classifier}"


@register
@dataclass(frozen=True)
class Linear:
    """One linear layer over all features."""

    name: ClassVar[str] = "linear"
    version: ClassVar[int] = 1

    def build(self, shape: InputShape, classes: int) -> nn.Module:
        """Return an untrained network."""
        from primefourier.lab.modules import perceptron

        return perceptron(shape, (), classes)


@register
@dataclass(frozen=True)
class Mlp:
    """Linear layers with ReLU over all features.

    Args:
        hidden: The widths of the hidden layers.
    """

    name: ClassVar[str] = "mlp"
    version: ClassVar[int] = 1

    hidden: tuple[int, ...] = (128,)

    def __post_init__(self) -> None:
        _require_widths(self, "hidden")

    def build(self, shape: InputShape, classes: int) -> nn.Module:
        """Return an untrained network."""
        from primefourier.lab.modules import perceptron

        return perceptron(shape, self.hidden, classes)


@register
@dataclass(frozen=True)
class Transformer:
    """One layer of attention and one perceptron, over a token per row or per operand.

    Args:
        tokens: What a token is: all operands of one of the "rows", or all rows of one of the
            "operands".
        width: The width of a token.
        heads: The number of attention heads; it must divide the width.
        hidden: The width of the perceptron's hidden layer.
    """

    name: ClassVar[str] = "transformer"
    version: ClassVar[int] = 1

    tokens: Literal["rows", "operands"] = "rows"
    width: int = 64
    heads: int = 4
    hidden: int = 128

    def __post_init__(self) -> None:
        require_choice(self.tokens, ("rows", "operands"), "tokens")
        _require_widths(self, "width", "heads", "hidden")
        if self.width % self.heads:
            raise ValueError(f"heads must divide width {self.width}, got {self.heads}")

    def build(self, shape: InputShape, classes: int) -> nn.Module:
        """Return an untrained network."""
        from primefourier.lab.modules import TransformerNetwork

        return TransformerNetwork(self, shape, classes)


@register
@dataclass(frozen=True)
class Channels:
    """A network that cannot mix primes: its points on circles, joined by the CRT alone.

    The logit of class c is the sum of scale · ⟨point, code of c⟩ over the circles whose period
    divides the number of classes. The scales are learned; primes meet nowhere else.

    Args:
        hidden: The widths of the hidden layers of the ``nn.ChannelNetwork``, shared by all primes.
    """

    name: ClassVar[str] = "channels"
    version: ClassVar[int] = 1

    hidden: tuple[int, ...] = (64, 64)

    def __post_init__(self) -> None:
        _require_widths(self, "hidden")

    def build(self, shape: InputShape, classes: int) -> nn.Module:
        """Return an untrained network."""
        from primefourier.lab.modules import channel_classifier

        return channel_classifier(shape, self.hidden, classes)


@register
@dataclass(frozen=True)
class CRTClassifier:
    """Linear layers with ReLU over all features, and the points of an ``nn.CRTHead``.

    It may mix primes, and answers as :class:`Channels` does: so it shows which of the two matters.

    Args:
        hidden: The widths of the hidden layers, at least one.
    """

    name: ClassVar[str] = "crt-classifier"
    version: ClassVar[int] = 1

    hidden: tuple[int, ...] = (128, 128)

    def __post_init__(self) -> None:
        _require_widths(self, "hidden")
        if not self.hidden:
            raise ValueError("hidden must have at least one width, got ()")

    def build(self, shape: InputShape, classes: int) -> nn.Module:
        """Return an untrained network."""
        from primefourier.lab.modules import crt_classifier

        return crt_classifier(shape, self.hidden, classes)
