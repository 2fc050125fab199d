"""The head gives integers behind any network: its loss, its gradients, and what it decodes."""

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from torch import Tensor, nn
from torch.nn import functional

import primefourier as pf
from primefourier import PAPER_BASIS, PrimeBasis
from primefourier.nn import CRTHead, DecodedCodes, circular_loss, digit_logits
from strategies import NUMBERS

BASIS = PrimeBasis((2, 3, 7), 2)


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


def identity(basis: PrimeBasis, **options: Any) -> CRTHead:
    """Return a head whose features are codes."""
    head = CRTHead(basis.dim, basis, **options)
    with torch.no_grad():
        head.linear.weight.copy_(torch.eye(basis.dim))
        if head.linear.bias is not None:
            head.linear.bias.zero_()
    return head


def code(values: Any, basis: PrimeBasis) -> Tensor:
    return torch.from_numpy(pf.encode(values, basis)).flatten(-3)


@given(NUMBERS, NUMBERS)
def test_codes_as_features_decode_to_their_integers(a: int, b: int) -> None:
    for basis in (BASIS, PAPER_BASIS):
        found = identity(basis).decode(3 * code([a, b], basis))
        assert found.value.tolist() == [a % basis.range, b % basis.range]
        assert not found.mask.any()


def test_outputs_grow_with_the_sum_of_depths_and_the_modulus_with_the_product() -> None:
    head = CRTHead(64, PAPER_BASIS)
    assert head.linear.out_features == 192
    assert PAPER_BASIS.range > 10**125
    assert head.log_scale.shape == (16, 6)


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


def test_integers_may_be_tensors_or_python_ints_of_any_size() -> None:
    head, features = CRTHead(5, BASIS), torch.randn(3, 5)
    small = torch.tensor([1, -2, 3])
    first = head.loss(features, small)
    for same in (
        small.to(torch.int8),
        small.tolist(),
        small.numpy(),
        [n + BASIS.range * 10**40 for n in small.tolist()],
        (small + BASIS.range * 10**6).view(torch.uint64),
    ):
        assert torch.equal(head.loss(features, same), first)
        assert torch.equal(
            circular_loss(head(features), same, BASIS),
            circular_loss(head(features), small, BASIS),
        )
    huge = torch.tensor([2**64 - 1, 2**63, 0], dtype=torch.uint64)
    exact = head.loss(features, [2**64 - 1, 2**63, 0])
    assert torch.equal(head.loss(features, huge), exact)


def test_the_circular_loss_is_half_the_squared_distance_on_the_circle() -> None:
    torch.manual_seed(0)
    points, numbers = torch.randn(4, BASIS.dim), [0, -1, 10**20, 8]
    unit = functional.normalize(points.reshape(-1, 2), dim=-1).reshape(4, -1)
    chord = (unit - code(numbers, BASIS)).square().reshape(4, -1, 2).sum(-1)
    torch.testing.assert_close(circular_loss(points, numbers, BASIS), chord.mean() / 2)
    perfect = code(numbers, BASIS)
    assert circular_loss(perfect, numbers, BASIS).item() == pytest.approx(0, abs=1e-6)
    assert circular_loss(-perfect, numbers, BASIS).item() == pytest.approx(2, abs=1e-6)


@pytest.mark.parametrize("kind", ["head", "circle"])
def test_missing_integers_do_not_count(kind: str) -> None:
    head = CRTHead(5, BASIS)

    def loss(x: Tensor, numbers: Tensor, mask: Tensor | None = None, **keep: Any) -> Tensor:
        if kind == "head":
            return head.loss(x, numbers, padding_mask=mask, **keep)
        return circular_loss(head(x), numbers, BASIS, padding_mask=mask, **keep)

    features, numbers = torch.randn(2, 3, 5), torch.arange(6).reshape(2, 3)
    mask = torch.tensor([[False, True, True], [False, False, True]])
    torch.testing.assert_close(loss(features, numbers, mask), loss(features[~mask], numbers[~mask]))
    assert loss(features, numbers, torch.ones_like(mask)).item() == 0
    kept = loss(features, numbers, attention_mask=(~mask).long())
    assert torch.equal(kept, loss(features, numbers, mask))
    for bad in (mask[0], mask.int()):
        with pytest.raises(ValueError, match=r"padding_mask must have dtype torch.bool and shape"):
            loss(features, numbers, bad)


def test_gradients_reach_features_and_parameters_and_are_right() -> None:
    torch.manual_seed(0)
    head = CRTHead(4, BASIS, dtype=torch.float64)
    features = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    numbers = torch.tensor([0, 41, 1000])
    assert torch.autograd.gradcheck(lambda x: head.loss(x, numbers), (features,))
    assert torch.autograd.gradcheck(lambda x: circular_loss(head(x), numbers, BASIS), (features,))
    nn.init.normal_(head.log_scale)
    parameters = tuple(head.parameters())
    names = [name for name, _ in head.named_parameters()]

    def loss(*values: Tensor) -> Tensor:
        given = dict(zip(names, values, strict=True))
        found: Tensor = torch.func.functional_call(
            Loss(head), {f"head.{k}": v for k, v in given.items()}, (features.detach(), numbers)
        )
        return found

    assert torch.autograd.gradcheck(loss, parameters)
    assert all(
        gradient.ne(0).any() for gradient in torch.autograd.grad(loss(*parameters), parameters)
    )


@pytest.mark.parametrize("kind", ["head", "circle"])
def test_a_network_learns_integers_of_many_digits(kind: str) -> None:
    """Memorise 100 integers of 40 digits: no softmax over 10^40 classes is needed."""
    torch.manual_seed(0)
    basis = PrimeBasis(PAPER_BASIS.primes, 2)
    generator = np.random.default_rng(0)
    numbers = [int("".join(map(str, generator.integers(10, size=40)))) for _ in range(100)]
    head, table = CRTHead(128, basis), nn.Embedding(100, 128)
    optimizer = torch.optim.Adam([*head.parameters(), *table.parameters()], lr=0.05)
    for _ in range(300):
        features = table(torch.arange(100))
        if kind == "head":
            loss = head.loss(features, numbers)
        else:
            loss = circular_loss(head(features), numbers, basis)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    found = head.decode(table(torch.arange(100)))
    assert found.value.tolist() == numbers
    assert not found.mask.any()


def test_bfloat16_gives_the_same_integers_and_nearly_the_same_loss() -> None:
    numbers = [0, 1, 3**80, -1]
    head = identity(PAPER_BASIS)
    features = code(numbers, PAPER_BASIS)
    with torch.autocast("cpu", torch.bfloat16):
        found, rough = head.decode(features), head.loss(features, numbers)
    assert found.value.tolist() == [n % PAPER_BASIS.range for n in numbers]
    assert rough.item() == pytest.approx(head.loss(features, numbers).item(), rel=0.01)
    whole = identity(PAPER_BASIS).to(torch.bfloat16)
    assert whole.decode(features.bfloat16()).value.tolist() == found.value.tolist()


def test_an_exported_head_gives_the_same_integers() -> None:
    torch.manual_seed(0)
    model = Decoder(CRTHead(5, BASIS))
    features = torch.randn(4, 5)
    batch = {0: torch.export.Dim.AUTO}
    exported: Any = torch.export.export(model, (features,), dynamic_shapes=(batch,)).module()
    for given_features in (features, torch.randn(9, 5)):
        for one, other in zip(exported(given_features), model(given_features), strict=True):
            torch.testing.assert_close(one, other)


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning")
def test_a_compiled_head_gives_the_same() -> None:
    torch.manual_seed(0)
    head = CRTHead(5, BASIS)
    features, numbers = torch.randn(4, 5), torch.arange(4)
    compiled = torch.compile(Decoder(head), fullgraph=True)(features)
    assert torch.equal(compiled.value, head.decode(features, signed=True).value)
    loss = torch.compile(head.loss, fullgraph=True)
    torch.testing.assert_close(loss(features, numbers), head.loss(features, numbers))


def test_copies_are_complete_and_other_bases_refused() -> None:
    head, features = CRTHead(5, BASIS), torch.randn(4, 5)
    for again in (copy.deepcopy(head), pickle.loads(pickle.dumps(head))):
        assert torch.equal(again(features), head(features))
    with pytest.raises(ValueError, match=r"saved with primes \(2, 3, 7\) and depth 2"):
        CRTHead(5, PrimeBasis((2, 3, 5), 2)).load_state_dict(head.state_dict())
    assert CRTHead(5, BASIS, bias=False).linear.bias is None


def test_wrong_arguments_are_refused() -> None:
    head, features = CRTHead(5, BASIS), torch.randn(4, 5)
    for bad in (torch.rand(4), [1.0, 2.0, 3.0, 4.0]):
        with pytest.raises(TypeError, match="integers are required"):
            head.loss(features, bad)
    for short in (torch.arange(3), [1], 7):
        with pytest.raises(ValueError, match="one integer for each code is required"):
            circular_loss(head(features), short, BASIS)
    with pytest.raises(ValueError, match=r"codes must have shape \(..., 12\), got \(4, 5\)"):
        circular_loss(features, torch.arange(4), BASIS)
    with pytest.raises(ValueError, match="in_features must be an integer of at least 1, got 0"):
        CRTHead(0, BASIS)
    deep = PrimeBasis((59,), 12)
    with pytest.raises(ValueError, match=r"needs periods below 2\^62, got 59\^12"):
        CRTHead(5, deep).loss(features, torch.arange(4))


LOSSES = ["head", "circular"]


def loss_of(kind: str, basis: PrimeBasis, values: Tensor, integers: Any, **options: Any) -> Tensor:
    """Return the loss of the head on features, or the circular loss on codes."""
    if kind == "circular":
        return circular_loss(values, integers, basis, **options)
    torch.manual_seed(0)
    return CRTHead(basis.dim, basis).loss(values, integers, **options)


@pytest.mark.parametrize("kind", LOSSES)
@pytest.mark.parametrize("form", [list, np.array, torch.tensor])
def test_ignored_integers_do_not_count(kind: str, form: Any) -> None:
    basis, values = PrimeBasis((3, 5), 2), torch.randn(2, 3, 8)
    integers = form([[1, -100, 7], [-100, -100, 2]])
    kept = torch.tensor([[1, 0, 1], [0, 0, 1]])
    wanted = loss_of(kind, basis, values, integers, attention_mask=kept)
    found = loss_of(kind, basis, values, integers, ignore_index=-100)
    assert found == wanted
    assert loss_of(kind, basis, values, integers) != wanted, "-100 is an integer like any other"
    masked = loss_of(
        *(kind, basis, values, integers), ignore_index=-100, padding_mask=torch.ones(2, 3) > 0
    )
    assert masked == 0
    both = {"ignore_index": -100, "attention_mask": torch.tensor([[0, 1, 1], [1, 1, 1]])}
    fewer = torch.tensor([[0, 0, 1], [0, 0, 1]])
    assert loss_of(kind, basis, values, integers, **both) == loss_of(
        kind, basis, values, integers, attention_mask=fewer
    )


@pytest.mark.parametrize("dtype", [torch.uint64, torch.uint8, torch.int8])
def test_an_ignored_integer_that_a_dtype_cannot_hold_ignores_nothing(dtype: torch.dtype) -> None:
    basis, values = PrimeBasis((3, 5), 2), torch.randn(2, 8)
    integers = torch.tensor([5, 44]).to(dtype)
    for index in (300, -212, -100 if dtype != torch.int8 else 300, 10**30):
        found = loss_of("head", basis, values, integers, ignore_index=index)
        assert found == loss_of("head", basis, values, integers)
    wide = torch.tensor([2**64 - 100, 1], dtype=torch.uint64)
    found = loss_of("head", basis, values, wide, ignore_index=-100)
    assert found == loss_of("head", basis, values, wide), "2^64 - 100 is not -100"


@pytest.mark.parametrize("kind", LOSSES)
@pytest.mark.parametrize("value", [torch.nan, torch.inf])
@pytest.mark.parametrize("way", ["padding_mask", "attention_mask", "ignore_index"])
def test_nan_features_of_missing_integers_have_no_gradient(
    kind: str, value: float, way: str
) -> None:
    basis = PrimeBasis((3, 5), 2)
    values = torch.randn(4, 8)
    values[[1, 3]] = value
    values.requires_grad_()
    integers = torch.tensor([1, -100, 2, -100])
    missing = integers == -100
    options: dict[str, Any] = {
        "padding_mask": missing,
        "attention_mask": ~missing,
        "ignore_index": -100,
    }
    head = CRTHead(8, basis)
    inputs = {way: options[way]}
    loss = (
        head.loss(values, integers, **inputs)
        if kind == "head"
        else circular_loss(values, integers, basis, **inputs)
    )
    loss.backward()
    assert values.grad is not None
    assert values.grad.isfinite().all()
    assert (values.grad[missing] == 0).all()
    assert (values.grad[~missing] != 0).any()
    for parameter in head.parameters() if kind == "head" else ():
        assert parameter.grad is not None
        assert parameter.grad.isfinite().all()


@pytest.mark.parametrize("weights", [torch.float32, torch.bfloat16, torch.float16, torch.float64])
@pytest.mark.parametrize("features", [torch.float32, torch.bfloat16, torch.float64])
def test_features_may_have_another_dtype_than_the_weights(
    weights: torch.dtype, features: torch.dtype
) -> None:
    head = CRTHead(16, PrimeBasis((3, 5), 2), dtype=weights)
    x = torch.randn(4, 16).to(features).requires_grad_()
    head.loss(x, torch.arange(4)).backward()
    assert x.grad is not None
    assert x.grad.dtype == features
    same = head(x.to(weights))
    assert torch.equal(head(x), same)
    with torch.autocast("cpu", torch.bfloat16):
        narrowed = weights if weights == torch.float64 else torch.bfloat16
        assert head.linear(x.to(weights)).dtype == narrowed
        assert head.loss(x, torch.arange(4)).isfinite()
        assert head.decode(x).value.shape == (4,)


def test_features_of_another_kind_or_width_are_refused() -> None:
    head = CRTHead(16, PrimeBasis((3, 5), 2))
    wrong: list[Any] = [torch.zeros(2, 15), torch.zeros(2, 16, dtype=torch.int64), torch.zeros(())]
    for x in wrong:
        for call in (head, head.decode, lambda x: head.loss(x, [1, 2])):
            with pytest.raises(ValueError, match=r"must be floats of shape \(\.\.\., 16\)"):
                call(x)
    with pytest.raises(TypeError, match="features must be a torch tensor, got a list"):
        head([0.0] * 16)


@pytest.mark.parametrize("kind", LOSSES)
def test_ignored_integers_of_another_shape_are_refused(kind: str) -> None:
    basis, values = PrimeBasis((3, 5), 2), torch.randn(2, 8)
    with pytest.raises(ValueError, match=r"integers of shape \(3,\) for codes of shape \(2, 8\)"):
        loss_of(kind, basis, values, [1, 2, 3], ignore_index=-100)
    with pytest.raises(TypeError, match="ignore_index must be an integer, got a float"):
        loss_of(kind, basis, values, [1, 2], ignore_index=-100.0)
