"""Prime Fourier Embeddings as torch modules; needs the extra ``nn``."""

try:
    import torch  # noqa: F401
except ImportError as error:
    raise ImportError(
        "primefourier.nn needs torch, which is not installed; run pip install 'primefourier[nn]'"
    ) from error

from primefourier.nn.equivariant_linear import EquivariantLinear
from primefourier.nn.prime_fourier import PrimeFourierEmbedding
from primefourier.nn.shuffled import ShuffledPrimeFourier

__all__ = ["EquivariantLinear", "PrimeFourierEmbedding", "ShuffledPrimeFourier"]
