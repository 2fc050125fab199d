"""The embedding equals ``encode`` in every dtype, on every device, and under every tracer."""

import copy
import io
import pickle
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils.flop_counter import FlopCounterMode

import primefourier as pf
from primefourier import PAPER_BASIS, PrimeBasis
from primefourier.nn import EquivariantLinear, PrimeFourierEmbedding, ShuffledPrimeFourier
from primefourier.nn.device_codes import device_codes
from strategies import NUMBERS as INTEGERS
from ulps import worst_ulps

BASIS = PrimeBasis((2, 3, 59), 4)
DEEP = PrimeBasis((59,), 12)  # beyond 64 bits
NUMBERS = torch.tensor([[0, 1, -1], [2**62, -(2**63), 12345]])
X = torch.arange(100)
TABLE: Any = PrimeFourierEmbedding(BASIS, num_embeddings=10)
TABLES = pytest.mark.parametrize("table", [None, 100])
MODULES: Any = (PrimeFourierEmbedding, EquivariantLinear, ShuffledPrimeFourier)
WIDTHS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def expected(x: Tensor, basis: PrimeBasis = BASIS) -> Tensor:
    return torch.from_numpy(pf.encode(x.numpy(), basis)).flatten(-3)


def assert_close(one: Tensor, other: Tensor) -> None:
    torch.testing.assert_close(one, other, rtol=2**-23, atol=0)


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8])
@TABLES
def test_codes_equal_those_of_encode(dtype: torch.dtype, table: int | None) -> None:
    module = PrimeFourierEmbedding(BASIS, num_embeddings=table)
    for shape in ((), (0,), (6,), (2, 3), (1, 2, 3)):
        x = torch.arange(6)[: int(np.prod(shape))].reshape(shape).to(dtype)
        assert torch.equal(module(x), expected(x).reshape(*shape, BASIS.dim))


@pytest.mark.parametrize("basis", [BASIS, DEEP])
def test_large_and_negative_integers_are_exact(basis: PrimeBasis) -> None:
    module = PrimeFourierEmbedding(basis)
    huge = torch.tensor([2**63, 2**64 - 1], dtype=torch.uint64)
    for x in (NUMBERS, huge, nn.Parameter(NUMBERS, requires_grad=False)):
        assert torch.equal(module(x), expected(x, basis))
    table = PrimeFourierEmbedding(basis, num_embeddings=6)
    assert torch.equal(table(torch.tensor([5])), expected(torch.tensor([5]), basis))


@given(INTEGERS.filter(lambda n: -(2**63) <= n < 2**63))
def test_codes_by_torch_operations_are_within_one_ulp_of_mpmath(number: int) -> None:
    basis = PrimeBasis((2, 101), 9)
    for dtype, bound in ((torch.float32, 1.0), (torch.float64, 3.0)):
        codes = device_codes(torch.tensor(number), torch.tensor(basis.periods), dtype).numpy()
        for i, row in enumerate(basis.periods):
            for d, period in enumerate(row):
                assert worst_ulps(codes[i, d], number % period, period) <= bound


@pytest.mark.parametrize("name", WIDTHS)
def test_codes_by_torch_operations_are_exact_at_the_ends_of_every_dtype(name: str) -> None:
    info = np.iinfo(name)
    ends = np.array([info.min, 0, 1, info.max], dtype=name)
    for basis in (PAPER_BASIS, PrimeBasis((2, 101), 9), PrimeBasis((3,), 39)):  # 3^39 < 2^62
        codes = device_codes(torch.from_numpy(ends), torch.tensor(basis.periods), torch.float64)
        precise = pf.encode(ends, basis, "float64")
        np.testing.assert_allclose(codes.numpy(), precise, rtol=0, atol=5e-16)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
@TABLES
def test_codes_are_exact_in_every_dtype(dtype: torch.dtype, table: int | None) -> None:
    made = PrimeFourierEmbedding(BASIS, num_embeddings=table, dtype=dtype)
    moved = PrimeFourierEmbedding(BASIS, num_embeddings=table)
    for module in (made, nn.Sequential(moved).to(dtype)):
        assert module(X).dtype == dtype
        assert torch.equal(module(X), made(X))
        assert pf.decode(module(X), BASIS).value.tolist() == list(range(100))
    assert torch.equal(moved.float()(X), expected(X)), "a coarser dtype on the way costs nothing"
    precise = torch.from_numpy(pf.encode(X.numpy(), BASIS, "float64")).flatten(-3)
    assert torch.equal(moved.double()(X), precise)
    with pytest.raises(TypeError, match=r"dtype must be float16, .* convert the codes afterwards"):
        moved.to(torch.float8_e4m3fn)
    assert torch.equal(moved(X), precise), "a refusal changes nothing"


@TABLES
def test_codes_survive_every_loss_of_memory(table: int | None) -> None:
    module = PrimeFourierEmbedding(BASIS, num_embeddings=table)
    state = module.state_dict()
    with torch.device("meta"):
        meta = PrimeFourierEmbedding(BASIS, num_embeddings=table)
    assigned = PrimeFourierEmbedding(BASIS, num_embeddings=table, device="meta")
    assigned.load_state_dict(state, assign=True)
    shared = PrimeFourierEmbedding(BASIS, num_embeddings=table).share_memory()
    assert shared.table.is_shared()
    for again in (
        meta,
        assigned,
        shared,
        meta.to_empty(device="cpu"),
        module.to_empty(device="cpu"),
    ):
        assert torch.equal(again(X), expected(X))


@TABLES
def test_copies_and_pickles_are_complete(table: int | None) -> None:
    module = PrimeFourierEmbedding(BASIS, num_embeddings=table).double()
    for again in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert torch.equal(again(X), module(X))
        assert torch.equal(again.float()(X), expected(X))
        again.load_state_dict(module.state_dict())
    assert module(X).dtype == torch.float64


@TABLES
def test_a_padding_mask_zeroes_codes_whatever_the_integers(table: int | None) -> None:
    module = PrimeFourierEmbedding(BASIS, num_embeddings=table)
    x = torch.tensor([[5, 0, -1, 2**40]])
    mask = torch.tensor([[False, False, True, True]])
    out = module(x, padding_mask=mask)
    assert torch.equal(out[0, :2], expected(x)[0, :2]), "0 is a number like any other"
    assert (out[0, 2:] == 0).all()
    if table is None:
        huge = torch.tensor([[2**63, 7, 7, 7]], dtype=torch.uint64)
        assert torch.equal(module(huge, padding_mask=mask)[0, 0], expected(huge)[0, 0])
    for bad in (x, mask[0], mask[..., None], torch.tensor(True)):
        with pytest.raises(ValueError, match=r"must have dtype torch.bool and shape \(1, 4\)"):
            module(x, padding_mask=bad)


@TABLES
@pytest.mark.parametrize("dtype", [torch.int64, torch.uint8, torch.bool])
def test_an_attention_mask_has_the_inverse_polarity(table: int | None, dtype: torch.dtype) -> None:
    module = PrimeFourierEmbedding(BASIS, num_embeddings=table)
    x = torch.tensor([[5, 0, -1, 2**40]])
    keep = torch.tensor([[1, 1, 0, 0]], dtype=dtype)
    out = module(x, attention_mask=keep)
    assert torch.equal(out, module(x, padding_mask=keep == 0))
    assert torch.equal(out[0, :2], expected(x)[0, :2])
    with pytest.raises(ValueError, match=r"pass padding_mask .* or attention_mask .* not both"):
        module(x, keep == 0, attention_mask=keep)
    additive = torch.tensor([[0.0, 0.0, -torch.inf, -torch.inf]])
    for bad in (additive, keep[0], keep[..., None], keep.to(torch.complex64)):
        with pytest.raises(ValueError, match=r"attention_mask must have an integer dtype or torch"):
            module(x, attention_mask=bad)
    with pytest.raises(TypeError, match="attention_mask must be a torch tensor, got a list"):
        module(x, attention_mask=keep.tolist())


@TABLES
def test_codes_are_on_the_device_of_the_integers(table: int | None) -> None:
    made, moved = (PrimeFourierEmbedding(BASIS, num_embeddings=table) for _ in range(2))
    meta = PrimeFourierEmbedding(BASIS, num_embeddings=table, device="meta")
    x = torch.arange(6).reshape(2, 3)
    for module in (made, moved.to("meta"), meta):
        out = module(x.to("meta"))
        assert (out.device.type, out.shape, out.dtype) == ("meta", (2, 3, 24), torch.float32)
        assert torch.equal(module(x), expected(x))


def test_the_state_is_the_basis_and_loads_as_weights() -> None:
    state = PrimeFourierEmbedding(BASIS, num_embeddings=1000).to(torch.bfloat16).state_dict()
    assert {name: value.tolist() for name, value in state.items()} == {
        "_extra_state": [4, 2, 3, 59]
    }
    file = io.BytesIO()
    torch.save(state, file)
    file.seek(0)
    fresh = PrimeFourierEmbedding(BASIS)
    fresh.load_state_dict(torch.load(file, weights_only=True))
    assert torch.equal(fresh(NUMBERS), expected(NUMBERS))
    with pytest.raises(RuntimeError, match="Missing key"):
        PrimeFourierEmbedding(BASIS).load_state_dict({})


@pytest.mark.parametrize("kind", MODULES)
@pytest.mark.parametrize("other", [PrimeBasis((2, 3, 53), 4), PrimeBasis((2, 3, 59), 5)])
def test_the_state_of_another_basis_is_refused_and_overwrites_no_weight(
    kind: type[EquivariantLinear], other: PrimeBasis
) -> None:
    state = kind(BASIS).state_dict()
    kind(BASIS).load_state_dict(state)
    module = kind(other)
    before = {name: value.clone() for name, value in module.state_dict().items()}
    with pytest.raises(ValueError, match=r"saved with primes \(2, 3, 59\) and depth 4"):
        module.load_state_dict(state)
    assert all(torch.equal(value, before[name]) for name, value in module.state_dict().items())


@pytest.mark.process  # a compiler for C++
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning")
@TABLES
def test_compiled_exported_and_traced_modules_give_the_same_codes(table: int | None) -> None:
    module = PrimeFourierEmbedding(BASIS, num_embeddings=table)
    numbers, other = (X[:50], X[50:]) if table else (NUMBERS, NUMBERS + 3)
    exported: Any = torch.export.export(module, (numbers,)).module()
    for traced in (
        torch.compile(module, fullgraph=True, backend="aot_eager" if table else "inductor"),
        torch.jit.trace(module, (numbers,)),
        make_fx(module)(numbers),
        exported,
        torch.func.vmap(module),
    ):
        assert_close(traced(numbers), module(numbers))
        assert_close(traced(other), module(other))
    with FakeTensorMode(allow_non_fake_inputs=True):
        assert module(torch.zeros(2, 3, dtype=torch.int64)).shape == (2, 3, 24)
    with FlopCounterMode(display=False):
        assert torch.equal(module(numbers), expected(numbers))


FLOATS, CODES = torch.tensor([1.0]), PrimeFourierEmbedding(BASIS)


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        *((lambda m=m: m(BASIS)([1, 2]), TypeError, "must be a torch tensor, got a list")
          for m in MODULES),
        (lambda: CODES(X, padding_mask=[True]), TypeError, "padding_mask must be a torch tensor"),
        (lambda: CODES(FLOATS), TypeError, "integers are required, got a tensor of torch"),
        (lambda: TABLE(FLOATS > 0), TypeError, "integers are required, got a tensor of torch"),
        (lambda: TABLE(X - 1), IndexError, "the table holds 0 … 9, got integers from -1 to 98"),
        (lambda: TABLE(X[10:]), IndexError, "the table holds 0 … 9, got integers from 10 to 99"),
        (lambda: PrimeFourierEmbedding(BASIS, dtype=torch.int64), TypeError, "dtype must be"),
        (lambda: MODULES[0]((3, 5)), TypeError, "PrimeBasis, got a tuple"),
        (lambda: PrimeFourierEmbedding(PrimeBasis((9223372036854775837,), 1)), ValueError,
         r"primes below 2\^63"),
        (lambda: PrimeFourierEmbedding(BASIS, num_embeddings=0), ValueError, "at least 1, got 0"),
        (lambda: torch.func.vmap(PrimeFourierEmbedding(DEEP))(X), ValueError, r"59\^12 exceeds 62"),
        (lambda: PrimeFourierEmbedding(PrimeBasis((5,), 27))(X.to("meta")), ValueError,
         r"5\^27 exceeds 62 bits"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused(call: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        call()
