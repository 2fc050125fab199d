"""Prime Fourier Embeddings as torch modules; needs the extra ``nn``."""

from primefourier._checks import missing_extra

try:
    import torch  # noqa: F401
except ImportError as error:
    raise missing_extra("primefourier.nn", error, "nn") from error

from primefourier.nn.embedding import PrimeFourierEmbedding
from primefourier.nn.equivariant_linear import EquivariantLinear
from primefourier.nn.shuffled import ShuffledPrimeFourier

__all__ = ["EquivariantLinear", "PrimeFourierEmbedding", "ShuffledPrimeFourier"]
