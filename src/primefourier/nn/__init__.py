"""Prime Fourier Embeddings as torch modules; needs the extra ``nn``."""

from primefourier._checks import missing_extra

try:
    import torch  # noqa: F401
except ImportError as error:
    raise missing_extra("primefourier.nn", error, "nn") from error

from primefourier.nn.channel_network import ChannelNetwork
from primefourier.nn.circle_arithmetic import (
    CircleProduct,
    DecodedCodes,
    add_codes,
    decode_codes,
    multiply_codes,
    negate_codes,
    power_codes,
    scale_codes,
    settle_residues,
    subtract_codes,
)
from primefourier.nn.crt_head import CRTHead, circular_loss, digit_logits
from primefourier.nn.embedding import PrimeFourierEmbedding
from primefourier.nn.equivariant_linear import EquivariantLinear
from primefourier.nn.shuffled import ShuffledPrimeFourier

__all__ = [
    "CRTHead",
    "ChannelNetwork",
    "CircleProduct",
    "DecodedCodes",
    "EquivariantLinear",
    "PrimeFourierEmbedding",
    "ShuffledPrimeFourier",
    "add_codes",
    "circular_loss",
    "decode_codes",
    "digit_logits",
    "multiply_codes",
    "negate_codes",
    "power_codes",
    "scale_codes",
    "settle_residues",
    "subtract_codes",
]
