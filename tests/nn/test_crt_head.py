"""The head gives integers behind any network: its loss, its gradients, and what it decodes."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

import primefourier as pf
from primefourier import PAPER_BASIS, PrimeBasis
from primefourier.nn import ChannelNetwork, CRTHead, DecodedCodes, circular_loss, digit_logits

BASIS = PrimeBasis((2, 3, 7), 2)
LOSSES = pytest.mark.parametrize("kind", ["head", "circle"])


class Decoder(nn.Module):
    """A head whose forward decodes."""

    def __init__(self, head: CRTHead) -> None:
        super().__init__()
        self.head = head

    def forward(self, features: Tensor) -> DecodedCodes:
        return self.head.decode(features, signed=True)


class Loss(Decoder):
    """A head whose forward is its loss."""

    def forward(self, features: Tensor, numbers: Tensor) -> Tensor:  # type: ignore[override]
        return self.head.loss(features, numbers)


def code(values: Any, basis: PrimeBasis = BASIS) -> Tensor:
    return torch.from_numpy(pf.encode(values, basis)).flatten(-3)


def loss_of(kind: str, values: Tensor, integers: Any, *mask: Tensor, **options: Any) -> Tensor:
    """Return the loss of the head on features, or the circular loss on codes."""
    if kind == "circle":
        return circular_loss(values, integers, BASIS, *mask, **options)
    torch.manual_seed(0)
    return CRTHead(BASIS.dim, BASIS).loss(values, integers, *mask, **options)


def test_codes_as_features_decode_to_their_integers_in_every_precision() -> None:
    head, numbers = CRTHead(192, PAPER_BASIS), [0, 1, 3**80, -1, 10**130]
    assert (head.linear.out_features, head.log_scale.shape) == (192, (16, 6))
    with torch.no_grad():
        head.linear.weight.copy_(torch.eye(192))
        nn.init.zeros_(head.linear.bias)
    expected, features = [n % PAPER_BASIS.range for n in numbers], 3 * code(numbers, PAPER_BASIS)
    found = head.decode(features)
    assert found.value.tolist() == expected
    assert not found.mask.any()
    with torch.autocast("cpu", torch.bfloat16):
        assert head.decode(features).value.tolist() == expected
        rough = head.loss(features, numbers)
    assert rough.item() == pytest.approx(head.loss(features, numbers).item(), rel=0.01)
    assert head.bfloat16().decode(features.bfloat16()).value.tolist() == expected


def test_logits_are_inner_products_with_the_codes_of_all_candidates() -> None:
    """Brute force: the digit j of a at depth d stands for the code of (a mod p^d) + j · p^d."""
    torch.manual_seed(0)
    numbers = [0, 5, 1763, -1]
    points = torch.randn(4, BASIS.dim)
    logits, digits = digit_logits(points, numbers, BASIS)
    assert logits.shape == (4, 3, 2, 7)
    blocks = points.unflatten(-1, BASIS.shape).numpy()
    for n, a in enumerate(numbers):
        for i, p in enumerate(BASIS.primes):
            for d in range(2):
                candidates = [a % p**d + j * p**d for j in range(p)]
                prototypes = pf.encode(candidates, BASIS)[:, i, d]
                np.testing.assert_allclose(
                    logits[n, i, d, :p], prototypes @ blocks[n, i, d], rtol=0, atol=1e-6
                )
                assert logits[n, i, d, p:].tolist() == [-math.inf] * (7 - p)
                assert digits[n, i, d] == a // p**d % p


def test_the_loss_is_the_mean_cross_entropy_of_the_digits() -> None:
    torch.manual_seed(0)
    head = CRTHead(5, BASIS)
    nn.init.normal_(head.log_scale)
    features, numbers = torch.randn(4, 5), [3, 10**30, -1, 0]
    logits, digits = digit_logits(head.linear(features), numbers, BASIS)
    scale = head.log_scale.exp()
    rows = [
        functional.cross_entropy(scale[i, d] * logits[n, i, d, :p], digits[n, i, d])
        for n in range(4)
        for i, p in enumerate(BASIS.primes)
        for d in range(2)
    ]
    torch.testing.assert_close(head.loss(features, numbers), torch.stack(rows).mean())


@LOSSES
def test_integers_may_be_tensors_or_python_ints_of_any_size(kind: str) -> None:
    values, small = torch.randn(3, BASIS.dim), torch.tensor([1, -2, 3])
    first = loss_of(kind, values, small)
    for same in (
        small.to(torch.int8),
        small.numpy(),
        [n + BASIS.range * 10**40 for n in small.tolist()],
        (small + BASIS.range * 10**6).view(torch.uint64),
    ):
        assert torch.equal(loss_of(kind, values, same), first)
    huge = [2**64 - 1, 2**63, 0]
    as_tensor = torch.tensor(huge, dtype=torch.uint64)
    assert torch.equal(loss_of(kind, values, as_tensor), loss_of(kind, values, huge))


def test_the_circular_loss_is_half_the_squared_distance_on_the_circle() -> None:
    torch.manual_seed(0)
    points, numbers = torch.randn(4, BASIS.dim), [0, -1, 10**20, 8]
    unit = functional.normalize(points.reshape(-1, 2), dim=-1).reshape(4, -1)
    chord = (unit - code(numbers)).square().reshape(4, -1, 2).sum(-1)
    torch.testing.assert_close(circular_loss(points, numbers, BASIS), chord.mean() / 2)
    assert circular_loss(code(numbers), numbers, BASIS).item() == pytest.approx(0, abs=1e-6)
    assert circular_loss(-code(numbers), numbers, BASIS).item() == pytest.approx(2, abs=1e-6)


@LOSSES
@pytest.mark.parametrize("form", [list, np.array, torch.tensor])
def test_missing_integers_do_not_count(kind: str, form: Any) -> None:
    values = torch.randn(2, 3, BASIS.dim)
    integers = form([[1, -100, 7], [-100, -100, 2]])
    kept = torch.tensor([[True, False, True], [False, False, True]])
    wanted = loss_of(kind, values[kept], [1, 7, 2])
    for options in (
        {"padding_mask": ~kept},
        {"attention_mask": kept.long()},
        {"ignore_index": -100},
        {"ignore_index": -100, "padding_mask": torch.tensor([[False] * 3, [True, False, False]])},
    ):
        torch.testing.assert_close(loss_of(kind, values, integers, **options), wanted)
    assert loss_of(kind, values, integers) != wanted, "-100 is an integer like any other"
    assert loss_of(kind, values, integers, torch.ones(2, 3) > 0, ignore_index=-100) == 0
    for bad in (kept[0], kept.int()):
        with pytest.raises(ValueError, match=r"padding_mask must have dtype torch.bool and shape"):
            loss_of(kind, values, integers, bad)


@pytest.mark.parametrize("dtype", [torch.uint64, torch.uint8, torch.int8])
def test_an_ignored_integer_that_a_dtype_cannot_hold_ignores_nothing(dtype: torch.dtype) -> None:
    values, integers = torch.randn(2, BASIS.dim), torch.tensor([5, 44]).to(dtype)
    for index in (300, -212, -100 if dtype != torch.int8 else 300, 10**30):
        found = loss_of("head", values, integers, ignore_index=index)
        assert found == loss_of("head", values, integers)
    wide = torch.tensor([2**64 - 100, 1], dtype=torch.uint64)
    found = loss_of("head", values, wide, ignore_index=-100)
    assert found == loss_of("head", values, wide), "2^64 - 100 is not -100"


@LOSSES
@pytest.mark.parametrize("way", ["padding_mask", "attention_mask", "ignore_index"])
def test_nan_features_of_missing_integers_have_no_gradient(kind: str, way: str) -> None:
    values = torch.randn(4, BASIS.dim)
    values[1], values[3] = torch.nan, torch.inf
    values.requires_grad_()
    integers = torch.tensor([1, -100, 2, -100])
    missing = integers == -100
    options: dict[str, Any] = {"padding_mask": missing, "attention_mask": ~missing}
    options["ignore_index"] = -100
    head = CRTHead(BASIS.dim, BASIS)
    if kind == "head":
        loss = head.loss(values, integers, **{way: options[way]})
    else:
        loss = circular_loss(values, integers, BASIS, **{way: options[way]})
    loss.backward()
    assert values.grad is not None
    assert values.grad.isfinite().all()
    assert (values.grad != 0).any(-1).tolist() == (~missing).tolist()
    for parameter in head.parameters() if kind == "head" else ():
        assert parameter.grad is not None
        assert parameter.grad.isfinite().all()


def test_gradients_reach_features_and_parameters_and_are_right() -> None:
    torch.manual_seed(0)
    head = CRTHead(4, BASIS, dtype=torch.float64)
    nn.init.normal_(head.log_scale)
    features = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    numbers = torch.tensor([0, 41, 1000])
    assert torch.autograd.gradcheck(lambda x: circular_loss(head(x), numbers, BASIS), (features,))
    names, values = zip(*head.named_parameters(), strict=True)

    def loss(x: Tensor, *values: Tensor) -> Tensor:
        given = {f"head.{name}": value for name, value in zip(names, values, strict=True)}
        found: Tensor = torch.func.functional_call(Loss(head), given, (x, numbers))
        return found

    assert torch.autograd.gradcheck(loss, (features, *values))
    gradients = torch.autograd.grad(loss(features, *values), (features, *values))
    assert all(gradient.ne(0).any() for gradient in gradients)


@LOSSES
def test_a_network_learns_integers_of_many_digits(kind: str) -> None:
    """Memorise 20 integers of 40 digits: no softmax over 10^40 classes is needed."""
    torch.manual_seed(0)
    basis = PrimeBasis(PAPER_BASIS.primes, 2)
    numbers = [3**k * 10**17 + k for k in range(30, 50)]
    head, table = CRTHead(64, basis), nn.Embedding(20, 64)
    optimizer = torch.optim.Adam([*head.parameters(), *table.parameters()], lr=0.05)
    for _ in range(200):
        if kind == "head":
            loss = head.loss(table.weight, numbers)
        else:
            loss = circular_loss(head(table.weight), numbers, basis)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    found = head.decode(table.weight)
    assert found.value.tolist() == numbers
    assert not found.mask.any()


@pytest.mark.slow
def test_captured_heads_give_the_same() -> None:
    torch.manual_seed(0)
    model, features = Decoder(CRTHead(5, BASIS)), torch.randn(4, 5)
    batch = {0: torch.export.Dim.AUTO}
    exported: Any = torch.export.export(model, (features,), dynamic_shapes=(batch,)).module()
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    for captured, size in ((exported, 4), (exported, 9), (compiled, 4)):
        x = torch.randn(size, 5)
        for one, other in zip(captured(x), model(x), strict=True):
            torch.testing.assert_close(one, other)
    loss = torch.compile(model.head.loss, fullgraph=True, backend="aot_eager")
    numbers = torch.arange(4)
    torch.testing.assert_close(loss(features, numbers), model.head.loss(features, numbers))


@pytest.mark.parametrize("weights", [torch.float32, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16, torch.float64])
def test_features_may_have_another_dtype_than_the_weights(
    weights: torch.dtype, kind: torch.dtype
) -> None:
    network = ChannelNetwork(BASIS, hidden=(8,), dtype=weights)
    codes = torch.randn(6, 2, BASIS.dim).to(kind)
    assert torch.equal(network(codes), network(codes.to(weights)))
    head = CRTHead(16, BASIS, dtype=weights)
    x = torch.randn(4, 16).to(kind).requires_grad_()
    head.loss(x, torch.arange(4)).backward()
    assert x.grad is not None
    assert x.grad.dtype == kind
    assert torch.equal(head(x), head(x.to(weights)))
    with torch.autocast("cpu", torch.bfloat16):
        assert head.loss(x, torch.arange(4)).isfinite()
        assert head.decode(x).value.shape == (4,)


@pytest.mark.parametrize(
    ("features", "integers", "options", "kind", "words"),
    [
        (torch.zeros(2, 11), [1, 2], {}, ValueError, r"must be floats of shape \(\.\.\., 12\)"),
        (torch.zeros(2, 12).long(), [1, 2], {}, ValueError, "must be floats of shape"),
        (torch.zeros(2, 12), torch.rand(2), {}, TypeError, "integers are required"),
        (torch.zeros(2, 12), [1.0, 2.0], {}, TypeError, "integers are required"),
        (torch.zeros(2, 12), [1], {}, ValueError, "one integer for each code is required"),
        (torch.zeros(2, 12), 7, {}, ValueError, "one integer for each code is required"),
        (torch.zeros(2, 12), [1] * 3, {"ignore_index": 0}, ValueError, r"\(3,\) for codes of"),
        (torch.zeros(2, 12), [1, 2], {"ignore_index": 0.5}, TypeError, "ignore_index must be an"),
        ([[0.0] * 12], [1], {}, TypeError, "must be a torch tensor, got a list"),
    ],
)
def test_wrong_arguments_are_refused(
    features: Any, integers: Any, options: Any, kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        CRTHead(12, BASIS).loss(features, integers, **options)


def test_wrong_sizes_and_other_bases_are_refused() -> None:
    with pytest.raises(ValueError, match=r"saved with primes \(2, 3, 7\) and depth 2"):
        CRTHead(5, PrimeBasis((2, 3, 5), 2)).load_state_dict(CRTHead(5, BASIS).state_dict())
    assert CRTHead(5, BASIS, bias=False).linear.bias is None
    with pytest.raises(ValueError, match=r"codes must have shape \(..., 12\), got \(4, 5\)"):
        circular_loss(torch.zeros(4, 5), torch.arange(4), BASIS)
    with pytest.raises(ValueError, match="in_features must be an integer of at least 1, got 0"):
        CRTHead(0, BASIS)
    with pytest.raises(ValueError, match=r"needs periods below 2\^62, got 59\^12"):
        CRTHead(5, PrimeBasis((59,), 12)).loss(torch.zeros(4, 5), torch.arange(4))
