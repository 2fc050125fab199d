"""Certificates: proved only where every step follows, checked, or refuted with a counterexample.

The networks look up sums modulo 6, one hidden unit for each of 36 pairs, so that they are right by
construction; each attack changes one of them into something that must not be proved.
"""

import logging
import random
import re
import sys
import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from primefourier import CharacterBasis, PrimeBasis, encode, lab
from primefourier.analysis import Certificate, certify
from primefourier.analysis.boxes import Box
from primefourier.analysis.finite_check import Task, check
from primefourier.nn import CRTHead, PrimeFourierEmbedding, decode_codes
from primefourier.theory import exact_product_logits

BASIS = PrimeBasis((2, 3), depth=1)
N, CASES = 6, 36
PAIRS = torch.cartesian_prod(torch.arange(N), torch.arange(N))
Forward = Callable[..., Any]
norm = torch.linalg.vector_norm


def add(x: Tensor) -> Tensor:
    return (x % N).sum(1) % N


def look_up(units: int = CASES, place: Callable[[int], int] = int) -> Any:
    """Return a network that looks up the sum of two residues: one ReLU for each pair."""
    codes = torch.from_numpy(encode(range(N), BASIS, flat=True))
    layers = nn.Linear(8, units), nn.ReLU(), nn.Linear(units, N)
    model: Any = nn.Sequential(PrimeFourierEmbedding(BASIS), nn.Flatten(), *layers)
    for parameter in model.parameters():
        parameter.data.zero_()
    for i, (a, b) in enumerate(PAIRS.tolist()):
        # 4 at its own pair, at most 2.5 at others
        model[2].weight.data[place(i)] = torch.cat([codes[a], codes[b]])
        model[2].bias.data[place(i)] = -3.5
        model[4].weight.data[(a + b) % N, place(i)] = 2.0
    return model.eval()


class Network(nn.Module):
    """A right network, and what a test may need to misuse it."""

    def __init__(self, basis: PrimeBasis = BASIS) -> None:
        super().__init__()
        _, *layers = look_up()
        self.embedding, self.layers = PrimeFourierEmbedding(basis), nn.Sequential(*layers)
        self.calls, self.log = 0, [0]
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))
        self.register_buffer("ints", torch.arange(N))
        self.register_buffer("off", torch.arange(N + 1) == N)
        self.table, self.scale = nn.Embedding(2, 4), torch.tensor(0.5, dtype=torch.float64)

    def answer(self, x: Tensor) -> Tensor:
        found: Tensor = self.layers(self.embedding(x))
        return found

    def forward(self, x: Tensor) -> Tensor:
        return self.answer(x)


def variant(forward: Forward) -> Any:
    """Return the network with another forward method of (s, x), or of (s, x, y) with its answer."""

    def after(self: Any, x: Tensor) -> Any:
        return forward(self, x, self.answer(x))

    takes_answer = forward.__code__.co_argcount == 3
    kind = type("Variant", (Network,), {"forward": after if takes_answer else forward})
    return kind().eval()


def certified(forward: Forward) -> Certificate:
    return certify(variant(forward), BASIS, add)


def remember(model: nn.Module) -> dict[str, Any]:
    """Return everything that a certificate must leave as it was, in forms that compare equal."""
    return {
        "state": {name: str(value) for name, value in model.state_dict().items()},
        "attributes": [sorted(map(str, vars(part).items())) for part in model.modules()],
        "kinds": [type(part) for part in model.modules()],
        "gradients": (torch.is_grad_enabled(), [p.requires_grad for p in model.parameters()]),
        "chance": (torch.get_rng_state().tolist(), random.getstate()),
        "torch": (torch.get_default_dtype(), torch.is_autocast_enabled("cpu")),
        "words": (warnings.filters[:], logging.root.manager.disable, sys.stdout, sys.stderr),
    }


def test_a_right_network_is_proved() -> None:
    model = Network()
    model.layers[0].train()
    before = remember(model)
    found = certify(model, BASIS, add, batch_size=10)
    assert remember(model) == before
    assert (found.status, found.proved, found.wrong) == ("proved", True, 0)
    assert (found.modulus, found.cases, found.counterexample) == (N, CASES, None)
    assert found.margin == pytest.approx(1, abs=1e-3)
    assert found.bound is not None
    assert found.radius is not None
    assert 0 < found.bound < 1e-3 < found.radius
    words = found.explain()
    assert words.startswith("Proved for all integers, on every device with IEEE float32 arithmetic")
    assert "right on all 36 tuples of 2 residues modulo 6. Smallest margin 1; " in words
    assert words.endswith("float16 codes are covered and bfloat16 codes are covered.")


# What must not be proved


def count_calls(s: Any, x: Tensor, y: Tensor) -> Any:
    s.calls += 1
    return y if s.calls < 10**6 else y * 0


TOTAL = [0]


def count_globally(s: Any, x: Tensor, y: Tensor) -> Any:
    TOTAL[0] += 1
    return y if TOTAL[0] < 10**6 else y * 0


def count_in_a_buffer(s: Any, x: Tensor, y: Tensor) -> Any:
    s.count += 1
    return y * (s.count < 10**6)


def write_weights(s: Any, x: Tensor) -> Any:
    s.layers[1].weight.data.mul_(1.0)
    return s.answer(x)


def hide_a_large_number(s: Any, x: Tensor, y: Tensor) -> Any:
    """Large numbers that cancel in one order, and are 0 when one looks again."""
    large = torch.tensor(2**30)
    wide = large.to(torch.float32).expand_as(y)
    found = torch.stack([wide, -wide, y]).sum(0)
    large.zero_()
    return found


def enable_gradients(s: Any, x: Tensor) -> Any:
    with torch.enable_grad():
        return s.answer(x)


def copy_integers(s: Any, x: Tensor) -> Any:
    with pytest.warns(UserWarning, match="copy construct"):
        return s.answer(torch.tensor(x))


MEET, GRAPH = "samples of a batch meet", "no graph"
SIZE, CHANGE = "size of the batch", "rounding may change margins"
CHECKED: dict[str, tuple[Forward, str]] = {
    "a norm of the whole batch": (lambda s, x, y: y - 1e-9 * norm(s.embedding(x), dim=()), MEET),
    "a norm of ones": (lambda s, x, y: y - 1e-9 * norm(torch.ones(len(x)), dim=()), MEET),
    "a small mean of the batch": (lambda s, x, y: y - 1e-12 * y.mean(0), MEET),
    "rolled by three": (lambda s, x, y: y - 1e-12 * y.roll(3, 0), MEET),
    "rolled without an axis": (lambda s, x, y: y + 1e-20 * y.T.roll(3).T, MEET),
    "copies of integers": (copy_integers, "graph|integers reach"),
    "every fourth of four columns": (lambda s, x, y: y + 1e-20 * torch.cat([y] * 4)[::4], MEET),
    "sorted inputs": (lambda s, x, y: y + 1e-20 * y.sort(0).values, "no bound for sort"),
    "a changed copy of a buffer": (
        lambda s, x, y: y * (s.count.clone().add_(1) < 9), "no bound for add_"),
    "a constant that is changed after use": (hide_a_large_number, "no bound for zero_"),
    "a result that is written elsewhere": (
        lambda s, x, y: torch.add(y, 1.0, out=torch.zeros(len(x), N)), "no bound for add|no graph"),
    "integers that float32 does not have": (
        lambda s, x, y: 4 * y.relu() + (s.count + 2**24 + 1), CHANGE),
    "a norm of numbers whose squares are 0": (
        lambda s, x, y: (y / norm(s.embedding(x) * 1e-22, dim=(1, 2))[:, None]).mul(1e-22),
        "a divisor may be 0"),
    "another answer with gradients": (
        lambda s, x, y: y.roll(int(torch.is_grad_enabled()), 1), "else with gradients on"),
    "another constant with gradients": (
        lambda s, x, y: y * torch.tensor(0.5 if torch.is_grad_enabled() else 1.0),
        "else with gradients on"),
    "gradients that are switched on": (enable_gradients, "switch gradients on or off"),
    "integers that choose a row": (
        lambda s, x, y: y + torch.zeros(3, 1)[torch.zeros(len(x), dtype=torch.int64)],
        "integers reach index, not only"),
    "a number from a buffer": (lambda s, x, y: y.roll(int(s.count), 1), "no bound for item"),
    "the bits of a number": (
        lambda s, x, y: y + 0 * y.view(torch.int32)[:, :1], "no bound for view"),
    "columns that a mask chooses": (lambda s, x, y: y[:, s.ints >= 0], "depends on a mask"),
    "an axis that one input loses": (
        lambda s, x, y: y.squeeze().reshape(-1, N), "a batch of one loses an axis"),
    "a padding that copies": (
        lambda s, x, y: functional.pad(y, (1, 0), mode="replicate")[:, 1:], "padding|no bound"),
    "arguments of addmm": (
        lambda s, x: torch.addmm(
            s.layers[3].bias, s.layers[:3](s.embedding(x)), s.layers[3].weight.T, alpha=2
        ), "no bound for addmm with these options"),
    "a counter": (count_calls, "changes something"),
    "a global": (count_globally, "changes something"),
    "a buffer": (count_in_a_buffer, "changes"),
    "weights": (write_weights, "no ordinary tensor|changes"),
    "chance": (lambda s, x, y: y if random.random() < 1 - 1e-12 else y * 0, GRAPH),
    "torch's chance": (lambda s, x, y: y * (torch.rand(()) < 2), "no bound for rand"),
    "dropout": (
        lambda s, x, y: functional.dropout(y, 0.0, training=True), "no bound for dropout"),
    "raw integers beside numbers": (
        lambda s, x, y: y + torch.cat([x[:, :1], y], 1)[:, :1].sub(2.0**62).relu(),
        "integers reach cat"),
    "raw integers": (
        lambda s, x, y: y * (x.abs().amax(1, keepdim=True) > -1), "integers reach abs"),
    "a condition": (lambda s, x, y: y if x.max() < 2**63 - 1 else y * 0, "graph"),
    "another batch's size": (lambda s, x, y: y if x.shape[0] != 4099 else y * 0, SIZE),
    "a single input": (lambda s, x, y: y * 2 if len(x) == 1 else y, "batch of one in another way"),
    "the batch's size as a number": (lambda s, x, y: y * len(x), SIZE),
    "the place in the batch": (
        lambda s, x, y: y * (torch.arange(len(x)) < 10**6)[:, None], SIZE),
    "a floor": (
        lambda s, x, y: y + 0 * torch.div(y, 1.0, rounding_mode="floor"), "no bound for div"),
    "half a float": (lambda s, x, y: y.half().float(), "no bound for float16"),
    "another answer outside a compiler": (
        lambda s, x, y: y * (1 if torch.compiler.is_compiling() else 0.5),
        "the model does not compute what its graph says"),
}  # fmt: skip


CHANGE_THEMSELVES = {"a counter", "a buffer", "chance", "torch's chance"}
FIRST: dict[str, str] = {}
"""The first attack of each kind, which also the quick tests make."""
for row, (_, words) in CHECKED.items():
    FIRST.setdefault(words[:12], row)


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[pytest.mark.slow] * (n not in FIRST.values())) for n in CHECKED],
)
def test_what_is_more_than_a_bounded_function_of_residues_is_checked(name: str) -> None:
    forward, reason = CHECKED[name]
    model = variant(forward)
    before = remember(model)
    found = certify(model, BASIS, add)
    assert name in CHANGE_THEMSELVES or remember(model) == before
    assert (found.status, found.proved) == ("checked", False), found.explain()
    assert found.bound is found.radius is None
    assert found.reason is not None
    assert re.search(reason, found.reason), found.reason
    assert "proved" not in found.explain().lower()
    assert found.explain().startswith("Checked: right on all 36 tuples")


REFUTED: dict[str, tuple[Forward, int]] = {
    "int32": (lambda s, x: s.answer(x.int()), CASES),
    "a step": (lambda s, x: s.answer(x + (x.sum(1, keepdim=True) > 10**6)), CASES),
    "single inputs": (lambda s, x, y: y.roll(int(len(x) < 2), 1), 1),
    "copies": (lambda s, x, y: y.roll(int(len(x) == 7 and bool((x == x[:1]).all())), 1), 7),
    "the first of the batch": (lambda s, x: s.answer(x[:1].expand_as(x)), CASES),
    "outside a compiler": (
        lambda s, x, y: y if torch.compiler.is_compiling() else y.roll(1, 1), CASES),
    "while gradients are off": (
        lambda s, x, y: y.roll(int(not torch.is_grad_enabled()), 1), CASES),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUTED)
def test_a_wrong_answer_is_a_counterexample(name: str) -> None:
    forward, batch = REFUTED[name]
    found = certified(forward)
    assert (found.status, found.batch) == ("refuted", batch)
    assert found.counterexample is not None
    assert add(torch.tensor([found.counterexample])).item() == found.expected != found.answer
    assert found.explain().startswith(f"Refuted: wrong on {found.wrong} of 36 tuples")


ERRORS: dict[str, tuple[Forward, str]] = {
    "noise": (
        lambda s, x, y: y + 1e-3 * torch.randn(len(x), 1),
        "not that for its residues modulo 6, and not the same every time"),
    "large integers": (
        lambda s, x, y: y + 1e-3 * (x.abs().amax(1, keepdim=True) > 10**6),
        "not that for its residues modulo 6; it must read integers only through"),
    "a batch that is taken for a sequence": (
        lambda s, x, y: y + 0.1 * functional.scaled_dot_product_attention(y, y, y),
        "depends on the other inputs of its batch"),
    "NaN": (lambda s, x, y: y * torch.nan, "finite or -inf for classes that are not used"),
    "a wrong layer": (lambda s, x: s.layers(s.embedding(x)[..., :3]), "RuntimeError: mat1 and"),
    "one logit": (lambda s, x, y: y[:, 0], r"logits of shape \(36, classes\), got \(36,"),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_what_no_certificate_can_say_is_an_error(name: str) -> None:
    forward, words = ERRORS[name]
    with pytest.raises(ValueError, match=words):
        certified(forward)


def test_large_weights_that_cancel_in_one_order_of_summation_are_refuted() -> None:
    """Two units of weight ±2^30 cancel when all cases are one batch, and not in single inputs."""
    draw, codes = random.Random(2), torch.from_numpy(encode(N - 1, BASIS, flat=True))
    for _ in range(400):
        first, second = sorted(draw.sample(range(256), 2))
        places = [k for k in range(256) if k not in (first, second)]
        model = look_up(256, places.__getitem__)
        for unit, sign in ((first, 1), (second, -1)):  # at the pair (5, 5) alone
            model[2].weight.data[unit] = torch.cat([codes, codes])
            model[2].bias.data[unit] = -3.5
            model[4].weight.data[4, unit] = sign * 2.0**30
        model[4].weight.data[3, places[CASES - 1]] = 0.4
        with torch.no_grad():
            together, alone = model(PAIRS).argmax(1), int(model(PAIRS[-1:]).argmax())
        if torch.equal(together, add(PAIRS)) and alone != 4:
            break
    else:
        pytest.skip("this processor adds in an order in which the weights cancel")
    found = certify(model, BASIS, add)
    assert (found.status, found.counterexample, found.expected) == ("refuted", (5, 5), 4)
    assert found.batch in (1, 2, 3)
    assert f"in a batch of {found.batch} in float32" in found.explain()


def test_a_planted_wrong_logit_is_found() -> None:
    model = look_up()
    model[4].weight.data[4, 5 * N + 2] = 5.0
    found = certify(model, BASIS, add, batch_size=50)
    assert (found.status, found.wrong, found.counterexample) == ("refuted", 1, (5, 2))
    assert (found.expected, found.answer) == (1, 4)
    assert "For (5, 2) the answer is 4, not 1, in a batch of 36 in float32." in found.explain()
    model[4].weight.data[4, 0] = 5.0
    assert certify(model, BASIS, add, batch_size=7).wrong == 2, "of different batches"


def test_margins_that_rounding_may_change_are_no_proof() -> None:
    model = look_up()
    model[4].bias.data.fill_(1e6)
    found = certify(model, BASIS, add)
    assert found.status == "checked"
    assert found.reason is not None
    assert found.reason.startswith("rounding may change margins by up to")
    # 2^24 + 1.5 is 2^24 or 2^24 + 2 in float32, depending on the mode of rounding
    padded = variant(
        lambda s, x: functional.pad(torch.full((len(x), N), 2.0**24), (0, 1), value=2**24 + 1.5)
    )
    found = certify(padded, BASIS, lambda x: N + 0 * x[:, 0])
    assert (found.status, found.reason) == ("checked", "rounding may change margins by up to 2")


def test_the_radius_is_one_that_all_cases_bear() -> None:
    """Margins of 1 and 1/3 whose box grows by what codes are moved: less than half of 1/3."""
    logits = torch.tensor([[1.0, 0.0], [0.0, 1 / 3]], dtype=torch.float64)

    def run(x: Tensor) -> Tensor:
        return logits[x[:, 0] % 2]

    def bound(x: Tensor, moved: float) -> Box:
        return Box(run(x), torch.full((len(x), 2), moved, dtype=torch.float64))

    task = Task(run, bound, lambda x: x[:, 0] % 2, period=2, operands=1, dtype=torch.float32)
    for step in (1, 2):
        found = check(task, step)
        assert found.radius is not None
        assert 0.998 / 6 < found.radius < 1 / 6
        assert bool(task.sure(torch.tensor([[0], [1]]), found.radius).all())


def test_statistics_of_a_batch_are_an_error_and_stored_ones_are_proved() -> None:
    *first, activation, last = look_up()
    with torch.no_grad():
        hidden = nn.Sequential(*first)(PAIRS)
        average, variance = hidden.mean(0), hidden.var(0, correction=0)
    for stored in (True, False):
        layer = nn.BatchNorm1d(CASES, track_running_stats=stored)
        if stored:
            layer.running_mean, layer.running_var = average, variance
        # the layer undoes itself on all cases together
        layer.weight.data, layer.bias.data = (variance + layer.eps).sqrt(), average
        model = nn.Sequential(*first, layer, activation, last).eval()
        if stored:
            assert certify(model, BASIS, add).proved
        else:
            with pytest.raises(ValueError, match="depends on the other inputs"):
                certify(model, BASIS, add)


def test_quantised_and_compiled_models_get_a_reason() -> None:
    compiled: Any = torch.compile(look_up(), backend="eager", dynamic=True)
    for model, dtype, words in (
        (compiled, "float32", "certify the module before compilation"),
        (look_up().to(torch.bfloat16), "bfloat16", "there is no bound for bfloat16"),
    ):
        found = certify(model, BASIS, add)
        assert (found.status, found.dtype) == ("checked", dtype)
        assert words in str(found.reason)


@pytest.mark.parametrize("place", ["a hook on all modules", "autocast"])
def test_a_mode_in_which_models_compute_something_else_is_no_proof(place: str) -> None:
    if place == "autocast":
        with torch.autocast("cpu", dtype=torch.bfloat16):
            found = certify(Network(), BASIS, add)
        assert (found.status, found.reason) == ("checked", "autocast is on")
        return
    hook = nn.modules.module.register_module_forward_hook(lambda module, given, found: None)
    with hook:
        found = certify(Network(), BASIS, add)
    assert (found.status, found.reason) == ("checked", "hooks on all modules are registered")


def test_sparse_constants_are_no_ordinary_tensors() -> None:
    model = variant(lambda s, x, y: y @ s.sparse.to_dense())
    model.register_buffer("sparse", torch.eye(N).to_sparse())
    found = certify(model, BASIS, add)
    assert (found.status, found.reason) == ("checked", "sparse is no ordinary tensor of numbers")


# What may be proved


class Readings(Network):
    """Reads its integers in several ways: per operand, as one axis, and by two embeddings."""

    def __init__(self) -> None:
        super().__init__()
        self.two, self.three = (PrimeFourierEmbedding(PrimeBasis((p,), 1)) for p in (2, 3))

    def forward(self, x: Tensor) -> Tensor:
        single = torch.stack([self.embedding(x[:, 0]), self.embedding(x=x[:, 1])], dim=1)
        flat = self.embedding(x.flatten()).unflatten(0, tuple(x.shape))
        apart = torch.cat([self.two(x), self.three(x)], dim=-1)
        found: Tensor = self.layers(single) + self.layers(flat) + self.layers(apart)
        return found


class Attention(Network):
    """Joins operands by attention that is written by hand and looks back alone."""

    def forward(self, x: Tensor) -> Tensor:
        codes = self.embedding(x) + 1e-3 * self.table(torch.arange(2))
        later, scores = torch.ones(2, 2, dtype=torch.bool).triu(1), codes @ codes.mT / 2
        for fill in (-torch.inf, -1e9, torch.finfo(torch.float32).min):
            codes = codes + 1e-3 * (scores.masked_fill(later, fill).softmax(-1) @ codes)
        found: Tensor = self.layers(codes)
        return found


def activate(s: Any, x: Tensor, y: Tensor) -> Any:
    found = functional.leaky_relu(torch.tanh(y), 0.1)
    found = functional.layer_norm(found.sigmoid() * 3 + found, (N,)).softmax(-1)
    return torch.cat([found, torch.full((len(found), 2), -torch.inf)], dim=1)  # unused classes


def attend_evenly(s: Any, x: Tensor, y: Tensor) -> Any:
    codes, value = s.embedding(x)[:, None], y[:, None, None].expand(-1, 1, 2, -1)
    return functional.scaled_dot_product_attention(codes, codes, value, scale=0.0)[:, 0, 0]


def mask(s: Any, x: Tensor, y: Tensor) -> Any:
    """Switch off one logit more in every way that a constant mask can."""
    y = functional.pad(y, (0, 1), value=7.0)
    y = y.masked_fill((torch.arange(7) > 5)[None], -9.0).masked_fill(s.off[None, :], -1e3)
    y = y.masked_fill(~~s.off, -9.0).masked_fill(s.off, -torch.inf)
    y = y + torch.zeros(7).masked_fill(s.off, -torch.inf)
    return (y + torch.full((7, 7), -torch.inf).triu(1)[5]).softmax(1)


def compute(s: Any, x: Tensor, y: Tensor) -> Any:
    """Compute with integers, tables and numbers of other dtypes."""
    y = y * torch.tensor(2.0) + s.ints[:5].float().mean() + s.count + 0 * s.ints.clone()
    y = torch.where(s.ints.view(1, N) < N, y, -1e9).flip(1)[:, 5 - s.ints]
    y = functional.hardtanh(y @ functional.one_hot(s.ints, N).float(), -100.0, max_val=50.0)
    return (y.double() * 1.1 + 2**16).float() * s.scale


def move(s: Any, x: Tensor) -> Any:
    """Move integers in every way that does not change them, or exchanges operands."""
    x = torch.from_numpy(x.long().to(torch.int64).cpu().clone().detach().flip(1).numpy())
    x = torch.stack([x[:, 1], x[:, 0]], dim=1).roll(1, 1)
    return s.answer(x.reshape(-1).view(-1, 2).swapaxes(0, 1).mT.contiguous())


HONEST: dict[str, Callable[[], nn.Module]] = {
    "float64": lambda: look_up(60).double(), "readings": Readings, "attention": Attention,
    "masks": lambda: variant(mask),
    "activations": lambda: variant(lambda s, x, y: activate(s, x, attend_evenly(s, x, y))),
    "moves and constants": lambda: variant(lambda s, x: compute(s, x, move(s, x))),
}  # fmt: skip


@pytest.mark.parametrize("name", HONEST)
def test_honest_networks_of_different_build_are_proved(name: str) -> None:
    found = certify(HONEST[name](), BASIS, add)
    assert found.proved, found.explain()
    assert found.bound is not None
    assert found.margin > 2 * found.bound


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_codes_of_few_digits_count_as_what_they_are(dtype: torch.dtype) -> None:
    model = variant(lambda s, x: s.layers(s.embedding(x).float()))
    model.layers[3].bias.data[0] = 0.9  # which leaves a margin of 0.1
    model.embedding.to(dtype)
    found = certify(model, BASIS, add)
    assert found.status == ("proved" if dtype == torch.float16 else "checked"), found.explain()
    if dtype == torch.float16:
        assert found.bound > 0.01  # type: ignore[operator]
        assert found.explain().endswith(
            "float16 codes are not covered and bfloat16 codes are not covered."
        )


def trained(network: object, epochs: int) -> nn.Module:
    """Return a network of the laboratory for sums modulo 6."""
    config = lab.ModelConfig(
        embedding=lab.PrimeFourier((2, 3), depth=1),
        task=lab.ModularArithmetic("add", modulus=N, input_range=30),
        network=network,
        training=lab.Training(epochs=epochs),
    )
    return lab.train(config)


@pytest.mark.slow
@pytest.mark.parametrize(
    "network",
    [lab.RowClassifier(), lab.Channels(), lab.CRTClassifier(hidden=(64,))],
    ids=lambda network: type(network).__name__,
)
def test_trained_networks_of_the_laboratory_are_proved(network: object) -> None:
    model: Any = trained(network, epochs=60)
    found = certify(model, BASIS, add)
    assert found.proved, found.explain()
    # codes moved in every coordinate by the radius, towards the worst of many corners
    assert found.radius is not None
    moved = found.radius * torch.randint(0, 2, (40, CASES, 2, 4)).mul(2).sub(1)
    turns = iter(moved)
    shift = model.embedding.register_forward_hook(lambda module, given, codes: codes + next(turns))
    with torch.no_grad(), shift:
        for _ in moved:
            assert torch.equal(model(PAIRS).argmax(1), add(PAIRS))


@pytest.mark.slow
def test_a_transformer_is_checked_in_float32_and_proved_in_float64() -> None:
    """Interval bounds grow in every layer of attention; float32 leaves too few digits for them."""
    model = trained(lab.Transformer(tokens="rows"), epochs=20)
    single, double = (
        certify(model.to(dtype), BASIS, add) for dtype in (torch.float32, torch.float64)
    )
    assert (single.status, double.status) == ("checked", "proved")
    assert str(single.reason).startswith("rounding may change margins")


def test_integers_behind_any_network_are_proved_by_their_codes() -> None:
    head = CRTHead(N, BASIS)
    with torch.no_grad():  # from the logits of a sum, 1 and zeros, to its code
        head.linear.weight.copy_(torch.from_numpy(encode(range(N), BASIS, flat=True)).T)
        nn.init.zeros_(head.linear.bias)
    model = nn.Sequential(look_up(), head)
    found = certify(model, BASIS, lambda x: x.sum(1), output=BASIS)
    assert found.proved, found.explain()
    with torch.no_grad():
        decoded = decode_codes(model(PAIRS), BASIS)
    assert torch.equal(decoded.value, add(PAIRS))
    assert found.margin == pytest.approx(float(decoded.margin.min()), abs=1e-4)
    shifted = certify(model, BASIS, lambda x: x.sum(1) + 1, output=BASIS)
    assert (shifted.status, shifted.wrong) == ("refuted", CASES)


# What decides the dtype, and which models, bases and labels are accepted


def test_the_dtype_is_that_of_real_or_complex_parameters() -> None:
    class Counting(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("seen", torch.zeros(3, dtype=torch.int64))
            _, *layers = look_up().double()
            self.layers = nn.Sequential(*layers)

        def forward(self, codes: Tensor) -> Tensor:
            found: Tensor = self.layers(codes)
            return found

    found = certify(Counting(), BASIS, add)
    assert (found.status, found.dtype) == ("proved", "float64")

    class Turned(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            turns = torch.arange(N)[:, None] / torch.tensor([2, 3])
            self.answers = nn.Parameter(torch.polar(torch.ones(N, 2), -2 * torch.pi * turns))

        def forward(self, codes: Tensor) -> Tensor:
            a, b = torch.view_as_complex(codes.unflatten(2, (2, 2))).unbind(1)
            return ((a * b)[:, None] * self.answers).real.sum(2)

    complex_ = certify(Turned(), BASIS, add)
    assert (complex_.status, complex_.dtype) == ("checked", "float32")


def reading(embedding: nn.Module) -> Network:
    model = Network()
    model.embedding = embedding  # type: ignore[assignment]
    return model


def test_circles_tables_and_hooks_that_do_more_are_refused() -> None:
    hooked = Network()
    hooked.embedding.register_forward_hook(lambda module, given, codes: codes * (given[0] < 9))
    other = Network()
    other.embedding.periods = torch.tensor([[2], [7]])
    for model, words in (
        (hooked, "hooks"),
        (other, "periods are not those of its PrimeBasis"),
        (reading(PrimeFourierEmbedding(BASIS, num_embeddings=6)), "table of 6"),
        (reading(type("Derived", (PrimeFourierEmbedding,), {})(BASIS)), "got a Derived"),
        (Network(PrimeBasis((2, 3, 7), 1)), "a circle of period 7, which does not divide 6"),
        (Network(PrimeBasis((2, 3), 2)), "a circle of period 4, which does not divide 6"),
        (nn.Sequential(nn.Flatten(), nn.Linear(4, 6)), "on codes, since it has no PrimeFourier"),
    ):
        with pytest.raises(ValueError, match=words):
            certify(model, BASIS, add)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"label": lambda x: x.sum(1) % 7}, "label must depend only on the operands modulo 6"),
        ({"label": lambda x: x.sum(1).fmod(6).abs()}, "label must depend only on the operands"),
        ({"label": lambda x: x.sum(1) % 6 + 1}, "labels must be classes 0 … 5 .* got 1 … 6"),
        ({"label": lambda x: x % 6}, r"one integer for each of 1000 tuples .* shape \(1000, 2\)"),
        ({"basis": PrimeBasis((3, 5, 7, 11, 13, 17, 19), depth=1)}, "checks at most 5000000 cases"),
        ({"most_cases": 0}, "most_cases must be an integer of at least 1, got 0"),
        ({"most_cases": 35}, r"at most 35 cases, got 36, 6\^2"),
        ({"output": BASIS}, r"numbers of shape \(36, 4\)"),
    ],
)
def test_what_cannot_be_checked_is_refused(options: dict[str, Any], words: str) -> None:
    arguments: dict[str, Any] = {"model": Network(), "basis": BASIS, "label": add} | options
    with pytest.raises(ValueError, match=words):
        certify(**arguments)


class Multiplier(nn.Module):
    """Exact logits of a·b mod 6 from codes of characters; one pair can be made wrong."""

    basis = CharacterBasis((2, 3))

    def __init__(self, wrong: tuple[int, int] | None = None) -> None:
        super().__init__()
        self.wrong = wrong

    def forward(self, codes: Tensor) -> Tensor:
        a, b = codes.unbind(1)
        logits = torch.from_numpy(exact_product_logits(a, b, N, self.basis))
        if self.wrong is not None:
            here = torch.from_numpy(self.basis.encode(self.wrong, "float64")).flatten(1)
            logits[(codes - here).abs().amax((1, 2)) < 1e-3, 3] += 100
        return logits


def test_a_network_of_characters_is_checked_or_refuted() -> None:
    def multiply(x: Tensor) -> Tensor:
        return (x % N).prod(1) % N

    found = certify(Multiplier(), Multiplier.basis, multiply)
    assert (found.status, found.modulus, found.cases) == ("checked", N, CASES)
    assert certify(Multiplier((4, 5)), Multiplier.basis, multiply).counterexample == (4, 5)
    with pytest.raises(ValueError, match="depend only on the operands modulo 6"):
        certify(Multiplier(), Multiplier.basis, lambda x: x.sum(1) % 13)
