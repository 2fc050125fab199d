import io
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

import primefourier as pf
from primefourier import PrimeBasis
from primefourier.nn import PrimeFourierEmbedding

BASIS = PrimeBasis((2, 3, 59), 4)
NUMBERS = torch.tensor([[0, 1, -1], [2**62, -(2**63), 12345]])


def expected(x: Tensor, basis: PrimeBasis = BASIS) -> Tensor:
    return torch.from_numpy(pf.encode(x.numpy(), basis)).flatten(-3)


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8])
@pytest.mark.parametrize("shape", [(), (0,), (6,), (2, 3), (1, 2, 3)])
@pytest.mark.parametrize("table", [None, 100])
def test_codes_are_those_of_encode(
    dtype: torch.dtype, shape: tuple[int, ...], table: int | None
) -> None:
    x = torch.arange(6)[: int(np.prod(shape))].reshape(shape).to(dtype)
    out = PrimeFourierEmbedding(BASIS, num_embeddings=table)(x)
    assert out.shape == (*shape, BASIS.dim)
    assert torch.equal(out, expected(x))


def test_large_and_negative_integers_are_exact() -> None:
    assert torch.equal(PrimeFourierEmbedding(BASIS)(NUMBERS), expected(NUMBERS))
    huge = torch.tensor([2**63, 2**64 - 1], dtype=torch.uint64)
    assert torch.equal(PrimeFourierEmbedding(BASIS)(huge), expected(huge))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
@pytest.mark.parametrize("table", [None, 100])
def test_the_dtype_follows_to_without_losing_exactness(
    dtype: torch.dtype, table: int | None
) -> None:
    x = torch.arange(100)
    for module in (
        PrimeFourierEmbedding(BASIS, num_embeddings=table, dtype=dtype),
        nn.Sequential(PrimeFourierEmbedding(BASIS, num_embeddings=table)).to(dtype),
    ):
        out = module(x)
        assert out.dtype == dtype
        assert pf.decode(out, BASIS).value.tolist() == list(range(100))


@pytest.mark.parametrize("table", [None, 100])
def test_a_way_through_coarser_dtypes_costs_nothing(table: int | None) -> None:
    x = torch.arange(100)
    module = PrimeFourierEmbedding(BASIS, num_embeddings=table).to(torch.bfloat16)
    assert torch.equal(module.float()(x), expected(x))
    precise = torch.from_numpy(pf.encode(x.numpy(), BASIS, "float64")).flatten(-3)
    assert torch.equal(module.double()(x), precise)


@pytest.mark.parametrize("table", [None, 100])
def test_a_module_made_on_meta_is_whole_once_it_has_memory(table: int | None) -> None:
    with torch.device("meta"):
        module = PrimeFourierEmbedding(BASIS, num_embeddings=table)
    module = module.to_empty(device="cpu")
    x = torch.arange(100)
    assert torch.equal(module(x), expected(x))


@pytest.mark.parametrize("dtype", [torch.int64, torch.bool, torch.complex64, torch.float8_e4m3fn])
def test_other_dtypes_are_refused(dtype: torch.dtype) -> None:
    with pytest.raises(TypeError, match=f"codes are of float16, .* got {dtype}"):
        PrimeFourierEmbedding(BASIS, dtype=dtype)


def test_a_refused_dtype_leaves_the_module_as_it_was() -> None:
    for table in (None, 100):
        module = PrimeFourierEmbedding(BASIS, num_embeddings=table)
        with pytest.raises(TypeError, match="convert them afterwards"):
            module.to(torch.float8_e4m3fn)
        assert torch.equal(module(torch.arange(9)), expected(torch.arange(9)))


@pytest.mark.parametrize("table", [None, 100])
def test_no_way_to_lose_memory_loses_codes(table: int | None) -> None:
    x = torch.arange(100)
    module = PrimeFourierEmbedding(BASIS, num_embeddings=table)
    assert torch.equal(module.to_empty(device="cpu")(x), expected(x))
    shared = PrimeFourierEmbedding(BASIS, num_embeddings=table).share_memory()
    assert shared.table.is_shared()
    assert torch.equal(shared(x), expected(x))
    state = module.state_dict()
    meta = PrimeFourierEmbedding(BASIS, num_embeddings=table, device="meta")
    meta.load_state_dict(state, assign=True)
    assert torch.equal(meta(x), expected(x))


def test_lists_and_other_bases_are_refused() -> None:
    with pytest.raises(TypeError, match="x must be a torch tensor, got a list"):
        PrimeFourierEmbedding(BASIS)([1, 2])
    with pytest.raises(TypeError, match="basis must be a PrimeBasis, got a tuple"):
        PrimeFourierEmbedding((3, 5))  # type: ignore[arg-type]


def test_the_default_dtype_is_torchs() -> None:
    torch.set_default_dtype(torch.float64)
    try:
        out = PrimeFourierEmbedding(BASIS)(NUMBERS)
    finally:
        torch.set_default_dtype(torch.float32)
    assert out.dtype == torch.float64


def test_padding_is_an_explicit_mask_and_zero_is_a_number() -> None:
    x = torch.tensor([[5, 0, 0]])
    mask = torch.tensor([[False, False, True]])
    for table in (None, 10):
        out = PrimeFourierEmbedding(BASIS, num_embeddings=table)(x, padding_mask=mask)
        assert torch.equal(out[0, :2], expected(x)[0, :2])
        assert (out[0, 2] == 0).all()
    for bad in (x, mask[0], mask[..., None], torch.tensor(True)):
        with pytest.raises(
            ValueError, match=r"padding_mask must be of torch.bool and of shape \(1, 3\)"
        ):
            PrimeFourierEmbedding(BASIS)(x, padding_mask=bad)


def test_what_stands_under_the_mask_does_not_matter() -> None:
    x = torch.tensor([5, -1, 2**40])
    mask = torch.tensor([False, True, True])
    for table in (None, 10):
        out = PrimeFourierEmbedding(BASIS, num_embeddings=table)(x, padding_mask=mask)
        assert torch.equal(out[0], expected(x)[0])
        assert (out[1:] == 0).all()
    huge = torch.tensor([2**63, 7], dtype=torch.uint64)
    out = PrimeFourierEmbedding(BASIS)(huge, padding_mask=torch.tensor([False, True]))
    assert torch.equal(out[0], expected(huge)[0])


def test_what_is_no_integer_is_refused() -> None:
    for table in (None, 10):
        for bad in (torch.tensor([1.0]), torch.tensor([True]), torch.tensor([1j])):
            with pytest.raises(TypeError, match="integers are required, got a tensor of torch"):
                PrimeFourierEmbedding(BASIS, num_embeddings=table)(bad)


@pytest.mark.parametrize("bad", [-1, 10, 2**40])
def test_a_table_refuses_what_it_does_not_hold(bad: int) -> None:
    with pytest.raises(IndexError, match=rf"the table holds 0 … 9, got integers from .*{bad}"):
        PrimeFourierEmbedding(BASIS, num_embeddings=10)(torch.tensor([bad]))
    with pytest.raises(ValueError, match="num_embeddings must be an integer of at least 1, got 0"):
        PrimeFourierEmbedding(BASIS, num_embeddings=0)


def test_there_is_nothing_to_train_and_everything_moves() -> None:
    module = PrimeFourierEmbedding(BASIS, num_embeddings=7)
    assert list(module.parameters()) == []
    assert {name for name, _ in module.named_buffers()} == {"periods", "table"}
    meta = module.to("meta")
    assert all(buffer.device.type == "meta" for buffer in meta.buffers())
    on_meta = PrimeFourierEmbedding(BASIS, device="meta")
    out = on_meta(torch.zeros(3, dtype=torch.int64, device="meta"))
    assert out.shape == (3, BASIS.dim)


def test_the_state_is_small_and_knows_its_basis() -> None:
    state = PrimeFourierEmbedding(BASIS, num_embeddings=1000).state_dict()
    assert set(state) == {"_extra_state"}
    file = io.BytesIO()
    torch.save(state, file)
    file.seek(0)
    loaded = torch.load(file, weights_only=True)
    fresh = PrimeFourierEmbedding(BASIS)
    fresh.load_state_dict(loaded)
    assert torch.equal(fresh(NUMBERS), expected(NUMBERS))
    with pytest.raises(RuntimeError, match="Missing key"):
        PrimeFourierEmbedding(BASIS).load_state_dict({})


def test_it_says_its_sizes() -> None:
    module = PrimeFourierEmbedding(BASIS, num_embeddings=7)
    assert (module.embedding_dim, module.num_embeddings) == (24, 7)
    assert repr(module) == (
        "PrimeFourierEmbedding(primes=(2, 3, 59), depth=4, embedding_dim=24, num_embeddings=7)"
    )


@pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning")
@pytest.mark.parametrize("table", [None, 100])
def test_torch_compile_gives_the_same_codes_in_one_graph(table: int | None) -> None:
    module = PrimeFourierEmbedding(BASIS, num_embeddings=table)
    compiled = torch.compile(module, fullgraph=True)
    x = torch.arange(100)
    torch.testing.assert_close(compiled(x), module(x), rtol=2**-23, atol=0)
    if table is None:
        torch.testing.assert_close(compiled(NUMBERS), module(NUMBERS), rtol=2**-23, atol=0)


def test_vmap_and_export_take_the_path_of_torch_operations() -> None:
    module = PrimeFourierEmbedding(BASIS)
    torch.testing.assert_close(
        torch.func.vmap(module)(NUMBERS), module(NUMBERS), rtol=2**-23, atol=0
    )
    exported: Any = torch.export.export(module, (NUMBERS,)).module()
    traced = make_fx(module)(NUMBERS)
    other = NUMBERS + 3
    torch.testing.assert_close(traced(other), module(other), rtol=2**-23, atol=0)
    with FakeTensorMode(allow_non_fake_inputs=True):
        assert module(torch.zeros(2, 3, dtype=torch.int64)).shape == (2, 3, 24)
    torch.testing.assert_close(exported(other), module(other), rtol=2**-23, atol=0)


def test_a_basis_beyond_64_bits_works_on_the_cpu_and_in_a_table() -> None:
    deep = PrimeBasis((59,), 12)
    x = torch.tensor([5, 2**62])
    assert torch.equal(PrimeFourierEmbedding(deep)(x), expected(x, deep))
    table = PrimeFourierEmbedding(deep, num_embeddings=6)
    assert torch.equal(table(x[:1]), expected(x[:1], deep))
    with pytest.raises(ValueError, match=r"59\^12 exceeds 62 bits"):
        PrimeFourierEmbedding(deep, device="meta")(torch.zeros(2, dtype=torch.int64, device="meta"))


def test_codes_feed_a_network_that_learns() -> None:
    torch.manual_seed(0)
    basis = PrimeBasis((3, 5, 7, 11), 2)
    model = nn.Sequential(PrimeFourierEmbedding(basis), nn.Linear(basis.dim, 7))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    x = torch.randint(0, 10**12, (2000,))
    for _ in range(200):
        loss = nn.functional.cross_entropy(model(x), x % 7)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    fresh = torch.randint(10**12, 10**13, (500,))
    assert (model(fresh).argmax(-1) == fresh % 7).float().mean() > 0.99
