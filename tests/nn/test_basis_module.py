import pytest
import torch

from primefourier import PrimeBasis
from primefourier.nn import EquivariantLinear, PrimeFourierEmbedding
from primefourier.nn.basis_module import BasisModule

BASIS = PrimeBasis((2, 3, 59), 4)


@pytest.mark.parametrize("kind", [EquivariantLinear, PrimeFourierEmbedding])
@pytest.mark.parametrize("other", [PrimeBasis((2, 3, 53), 4), PrimeBasis((2, 3, 59), 5)])
def test_the_state_of_another_basis_is_refused(kind: type[BasisModule], other: PrimeBasis) -> None:
    state = kind(BASIS).state_dict()  # type: ignore[call-arg]
    kind(BASIS).load_state_dict(state)  # type: ignore[call-arg]
    with pytest.raises(RuntimeError, match=r"saved with primes \(2, 3, 59\) and depth 4"):
        kind(other).load_state_dict(state)  # type: ignore[call-arg]


def test_the_basis_is_kept_in_integers_whatever_the_dtype() -> None:
    module = BasisModule(BASIS, None).to(torch.bfloat16)
    assert module.primes.dtype == module.depth.dtype == torch.int64
    assert module.primes.tolist() == [2, 3, 59]


def test_primes_beyond_64_bits_are_refused() -> None:
    with pytest.raises(ValueError, match=r"primes below 2\^63"):
        BasisModule(PrimeBasis((9223372036854775837,), 1), None)
