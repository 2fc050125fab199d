"""Channel networks keep primes apart, whatever their weights, and learn to add."""

import copy
import io
import pickle
from typing import Any

import pytest
import torch
from torch import nn

import primefourier as pf
from primefourier import PrimeBasis
from primefourier.nn import ChannelNetwork, PrimeFourierEmbedding, circular_loss, decode_codes

BASIS = PrimeBasis((2, 3, 7), 2)
PAIRS = torch.tensor([[0, 1], [-5, 2**62], [7, 7]])
SHARED = pytest.mark.parametrize("shared", [True, False])


def network(shared: bool = True, **options: Any) -> ChannelNetwork:
    torch.manual_seed(0)
    return ChannelNetwork(BASIS, shared=shared, hidden=(8, 9), **options)


def test_the_paper_primes_need_17410_parameters() -> None:
    made = ChannelNetwork(PrimeBasis(pf.PAPER_BASIS.primes, 1))
    assert sum(parameter.numel() for parameter in made.parameters()) == 17_410
    assert repr(network()).startswith(
        "ChannelNetwork(\n  primes=(2, 3, 7), depth=2, operands=2, hidden=(8, 9), shared=True"
    )


@SHARED
def test_every_prime_goes_through_a_perceptron(shared: bool) -> None:
    """An independent reference: torch's own layers, one prime and one operand after the other."""
    model = network(shared)
    codes = PrimeFourierEmbedding(BASIS)(PAIRS)
    for i in range(3):
        layers: list[nn.Module] = []
        for weight, bias in zip(model.weights, model.biases, strict=True):
            linear = nn.Linear(weight.shape[-1], weight.shape[-2])
            linear.weight.data = weight.data if shared else weight.data[i]
            linear.bias.data = bias.data if shared else bias.data[i]
            layers += [linear, nn.ReLU()]
        rows = codes.reshape(3, 2, *BASIS.shape)[:, :, i]
        given = torch.stack([rows[:, k, d] for d in range(2) for k in range(2)], dim=1).flatten(1)
        points = nn.Sequential(*layers[:-1])(given).reshape(3, 2, 2)
        right = points / points.norm(dim=-1, keepdim=True)
        torch.testing.assert_close(model(codes).reshape(3, *BASIS.shape)[:, i], right)


@SHARED
def test_the_output_is_a_code(shared: bool) -> None:
    model = nn.Sequential(PrimeFourierEmbedding(BASIS), network(shared))
    for shape in ((2,), (0, 2), (3, 2), (4, 3, 2)):
        out = model(torch.randint(-(2**40), 2**40, shape))
        assert out.shape == (*shape[:-1], BASIS.dim)
        norms = out.unflatten(-1, (-1, 2)).norm(dim=-1)
        torch.testing.assert_close(norms, torch.ones_like(norms))
    found = pf.decode(model(PAIRS), BASIS, min_margin=0)
    assert decode_codes(model(PAIRS), BASIS).value.tolist() == found.value.tolist()


def test_a_shared_network_serves_other_primes_with_the_same_weights() -> None:
    model = network()
    other = PrimeBasis((5, 7), 2)
    twin = model.eval().for_basis(other)
    assert not twin.training
    pairs = torch.tensor([[3, 4], [10**9, -7]])
    seven = model(PrimeFourierEmbedding(BASIS)(pairs)).unflatten(-1, BASIS.shape)[:, 2]
    again = twin(PrimeFourierEmbedding(other)(pairs)).unflatten(-1, other.shape)[:, 1]
    torch.testing.assert_close(again, seven)
    assert [id(p) for p in twin.parameters()] == [id(p) for p in model.parameters()]
    with pytest.raises(ValueError, match="reads depth 2, got a basis of depth 1"):
        model.for_basis(PrimeBasis((5, 7), 1))
    with pytest.raises(ValueError, match="weights of its own for each prime"):
        network(shared=False).for_basis(other)


@SHARED
def test_states_and_copies_are_complete(shared: bool) -> None:
    model = network(shared)
    file = io.BytesIO()
    torch.save(model.state_dict(), file)
    file.seek(0)
    fresh = ChannelNetwork(BASIS, shared=shared, hidden=(8, 9))
    fresh.load_state_dict(torch.load(file, weights_only=True))
    codes = PrimeFourierEmbedding(BASIS)(PAIRS)
    for again in (fresh, copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert torch.equal(again(codes), model(codes))
    other = ChannelNetwork(PrimeBasis((2, 3, 5), 2), shared=shared, hidden=(8, 9))
    before = [parameter.clone() for parameter in other.parameters()]
    with pytest.raises(ValueError, match=r"saved with primes \(2, 3, 7\) and depth 2"):
        other.load_state_dict(model.state_dict())
    assert all(torch.equal(*both) for both in zip(before, other.parameters(), strict=True))


@SHARED
def test_other_precisions_give_nearly_the_same(shared: bool) -> None:
    model = network(shared)
    codes = PrimeFourierEmbedding(BASIS)(PAIRS)
    precise = copy.deepcopy(model).double()(codes.double())
    assert precise.dtype == torch.float64
    torch.testing.assert_close(model(codes).double(), precise, rtol=0, atol=1e-5)
    with torch.autocast("cpu", torch.bfloat16):
        rough = model(codes)
    assert rough.dtype == torch.float32
    torch.testing.assert_close(rough, model(codes), rtol=0, atol=0.1)


@pytest.mark.slow
@SHARED
def test_a_captured_network_gives_the_same(shared: bool) -> None:
    """Shared weights are captured by torch.compile, weights of its own by torch.export."""
    model: Any = nn.Sequential(PrimeFourierEmbedding(BASIS), network(shared))
    captured: Any
    if shared:
        captured = torch.compile(model, fullgraph=True, backend="aot_eager")
    else:
        batch = {0: torch.export.Dim.AUTO}
        captured = torch.export.export(model, (PAIRS,), dynamic_shapes=(batch,)).module()
        pairs = torch.arange(20).reshape(10, 2)
        torch.testing.assert_close(captured(pairs), model(pairs))
    torch.testing.assert_close(captured(PAIRS), model(PAIRS))


@SHARED
def test_a_network_learns_to_add(shared: bool) -> None:
    torch.manual_seed(0)
    basis = PrimeBasis((2, 3, 5), 1)
    model = nn.Sequential(
        PrimeFourierEmbedding(basis), ChannelNetwork(basis, hidden=(32, 32), shared=shared)
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for _ in range(120):
        pairs = torch.randint(1000, (128, 2))
        loss = circular_loss(model(pairs), pairs.sum(1), basis)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    pairs = torch.randint(10**17, 10**18, (1000, 2))
    assert decode_codes(model(pairs), basis).value.tolist() == (pairs.sum(1) % 30).tolist()


@pytest.mark.parametrize(
    ("codes", "kind", "words"),
    [
        (torch.zeros(3, 2, 10), ValueError, r"codes must have shape \(..., 12\)"),
        (torch.zeros(12), ValueError, r"shape \(..., 2, 12\), one code for each operand"),
        (torch.zeros(4, 1, 12), ValueError, r"shape \(..., 2, 12\), one code for each operand"),
        (torch.zeros(2, 12).long(), TypeError, r"must be floats, got a tensor of torch\.int64"),
    ],
)
def test_wrong_arguments_are_refused(codes: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        network()(codes)
    with pytest.raises(ValueError, match="operands must be an integer of at least 1, got 0"):
        network(operands=0)
    with pytest.raises(ValueError, match="a hidden width must be an integer of at least 1, got 0"):
        ChannelNetwork(BASIS, hidden=(8, 0))
