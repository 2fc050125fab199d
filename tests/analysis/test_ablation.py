"""Ablation of any classifier: known answers, a loop over single inputs, and untouched models."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from primefourier import PrimeBasis, encode
from primefourier.analysis import Ablation, ablate, ablation_frame, feature_groups, feature_mask
from primefourier.analysis.ablation import Kind
from primefourier.analysis.torch_ablation import run_changed
from primefourier.nn import PrimeFourierEmbedding
from strategies import BASES

BASIS = PrimeBasis((3, 5, 7), 2)
PRIMES = feature_groups(BASIS, "prime")
NUMBERS = torch.arange(1050)
KINDS: list[Kind] = ["zero", "mean", "permute"]


def residue_reader(modulus: int) -> nn.Sequential:
    """Return a classifier of a mod N: logit c compares the codes of a and c."""
    linear = nn.Linear(BASIS.dim, modulus)
    codes = encode(range(modulus), BASIS)
    codes[:, :, 1:] = 0  # periods p alone
    for i, p in enumerate(BASIS.primes):
        if modulus % p:
            codes[:, i] = 0
    linear.weight.data = torch.from_numpy(codes.reshape(modulus, -1))
    linear.bias.data = -0.001 * torch.arange(modulus)  # ties go to the smaller residue
    return nn.Sequential(PrimeFourierEmbedding(BASIS), linear)


def random_case(seed: int, *shape: int) -> tuple[nn.Sequential, Tensor, Tensor]:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = nn.Sequential(nn.Flatten(), nn.Linear(shape[1], 16), nn.ReLU(), nn.Linear(16, 4))
        return model.double(), torch.randn(*shape, dtype=torch.float64), torch.randint(4, shape[:1])


@pytest.mark.parametrize("modulus", [3, 15, 105])
def test_a_residue_reader_needs_exactly_the_primes_of_its_modulus(modulus: int) -> None:
    model = residue_reader(modulus)
    for ablation in ablate(model, NUMBERS, NUMBERS % modulus, PRIMES, at=model[0]):
        assert ablation.accuracy == 1
        if modulus % ablation.label:
            assert (ablation.lost, ablation.gained, ablation.p_value) == (0, 0, 1.0)
        else:  # the rest is a guess among p classes
            assert ablation.ablated_accuracy == pytest.approx(1 / ablation.label, rel=1e-12)
            assert ablation.distinguishable


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(1, 20), st.sampled_from(KINDS), st.integers(1, 25))
def test_counts_equal_a_loop_over_single_inputs(
    seed: int, n: int, kind: Kind, batch_size: int
) -> None:
    model, inputs, labels = random_case(seed, n, 6)
    mask = torch.rand(6, generator=torch.Generator().manual_seed(seed)) < 0.5
    order = torch.randperm(n, generator=torch.Generator().manual_seed(seed))
    lost = gained = correct = 0
    for i in range(n):
        changed = inputs[i].clone()
        for j in range(6):
            if mask[j] and kind == "zero":
                changed[j] = 0
            elif mask[j]:
                changed[j] = inputs[:, j].mean() if kind == "mean" else inputs[order[i], j]
        with torch.no_grad():
            before = model(inputs[i : i + 1]).argmax() == labels[i]
            after = model(changed[None]).argmax() == labels[i]
        correct += int(before)
        lost += int(before and not after)
        gained += int(after and not before)
    groups = {"m": mask}
    (found,) = ablate(model, inputs, labels, groups, kind=kind, batch_size=batch_size, seed=seed)
    assert found == Ablation("m", kind, n, correct, lost, gained)


@pytest.mark.parametrize("kind", KINDS)
def test_the_input_of_a_layer_is_the_output_of_the_one_before(kind: Kind) -> None:
    model = residue_reader(21)
    noise = torch.randn(21, BASIS.dim, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        model[1].get_parameter("weight").add_(0.3 * noise)
    groups, labels = feature_groups(BASIS, "channel"), NUMBERS % 21
    inside = ablate(model, NUMBERS, labels, groups, at=model[0], kind=kind, batch_size=100)
    assert inside == ablate(model[1], model[0](NUMBERS), labels, groups, kind=kind)
    assert any(ablation.lost for ablation in inside)


def test_layers_that_work_in_place_do_no_harm() -> None:
    model, inputs, labels = random_case(3, 200, 6)
    groups = {0: torch.arange(16) < 8}
    model[2] = nn.LeakyReLU(0.5)
    safe = ablate(model, inputs, labels, groups, at=model[1], kind="permute")
    model[2] = nn.LeakyReLU(0.5, inplace=True)
    kept = inputs.clone()
    assert safe == ablate(model, inputs, labels, groups, at=model[1], kind="permute")
    model[0] = nn.ReLU(inplace=True)
    gradients: list[bool] = []
    model[3].register_forward_hook(lambda module, given, out: gradients.append(out.requires_grad))
    ablate(model, inputs, labels, groups, at=model[1])
    assert torch.equal(inputs, kept)
    assert gradients == [False, False]


def test_groups_are_ablated_independently_and_an_empty_one_changes_nothing() -> None:
    model, inputs, labels = random_case(5, 300, 6)
    groups = {i: torch.arange(6) == i for i in range(6)}
    together = ablate(model, inputs, labels, groups, kind="permute", seed=4)
    one = {3: groups[3]}
    assert [together[3]] == ablate(model, inputs, labels, one, kind="permute", seed=4)
    assert together != ablate(model, inputs, labels, groups, kind="permute", seed=5)
    assert ablate(model, inputs, labels, {}) == []
    (nothing,) = ablate(model, inputs, labels, {"none": torch.tensor(False)})
    assert (nothing.lost, nothing.gained, nothing.distinguishable) == (0, 0, False)
    (clean,) = ablate(model, inputs, labels, one)
    inputs[:, 3] = torch.nan
    (dirty,) = ablate(model, inputs, labels, one)
    assert clean.ablated_accuracy == dirty.ablated_accuracy, "a NaN that is replaced"


def test_the_model_stays_unchanged() -> None:
    model = nn.Sequential(nn.Dropout(0.9), nn.BatchNorm1d(6), nn.Linear(6, 4)).double()
    model[1].eval()
    state = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    modes = [module.training for module in model.modules()]
    random_state = torch.get_rng_state()
    _, inputs, labels = random_case(8, 100, 6)
    groups = {0: torch.arange(6) < 3}
    one = ablate(model, inputs, labels, groups, at=model[1], kind="permute")
    assert one == ablate(model, inputs, labels, groups, at=model[1], kind="permute")
    assert all(torch.equal(state[name], tensor) for name, tensor in model.state_dict().items())
    assert [module.training for module in model.modules()] == modes
    assert torch.equal(torch.get_rng_state(), random_state)
    assert torch.is_grad_enabled()
    assert model[2].weight.grad is None


def test_the_model_is_restored_after_an_error() -> None:
    class Fragile(nn.Linear):
        """Fail as soon as a feature is zero in every input."""

        def forward(self, x: Tensor) -> Tensor:
            if (x == 0).all(0).any():
                raise FloatingPointError
            return super().forward(x)

    model = nn.Sequential(nn.Linear(6, 6), Fragile(6, 4)).double()
    _, inputs, labels = random_case(9, 20, 6)
    with pytest.raises(FloatingPointError):
        ablate(model, inputs, labels, {0: torch.arange(6) < 3}, at=model[0])
    assert all(module.training for module in model.modules())
    assert hooks(model) == 0
    assert torch.is_grad_enabled()


def test_numbers_of_an_ablation_are_consistent() -> None:
    found = Ablation(3, "zero", size=200, correct_before=150, lost=10, gained=40)
    assert (found.accuracy, found.ablated_accuracy, found.drop) == (0.75, 0.9, -0.15)
    assert (found.noise_floor, found.distinguishable) == (0.1, True), "also of gains"
    assert found.p_value == pytest.approx(2.4e-5, rel=0.02)
    assert not replace(found, gained=29).distinguishable


COUNTS: dict[str, Any] = {"size": 10, "correct_before": 8, "lost": 1, "gained": 1}


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        *(({**COUNTS, name: n}, "an ablation needs size ≥ 1") for name, n in
          (("size", 0), ("correct_before", 11), ("lost", 9), ("gained", 3), ("lost", -1))),
        *(({**COUNTS, name: 3}, "must count as a wrong one") for name in
          ("nan_before", "nan_after")),
    ],
)  # fmt: skip
def test_impossible_counts_are_refused(counts: dict[str, Any], words: str) -> None:
    assert Ablation("x", "zero", **COUNTS, nan_before=2, nan_after=2).diverged
    with pytest.raises(ValueError, match=words):
        Ablation("x", "zero", **counts)


MODEL, INPUTS, LABELS = random_case(10, 20, 6)
LINEAR = nn.Linear(6, 6).double()
MASK = {0: torch.arange(6) < 3}


class Calls(nn.Module):
    """Has a layer that it does not call."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = LINEAR

    def forward(self, x: Tensor) -> Tensor:
        return x


SKIPPED, LSTM, FLAT = Calls(), nn.LSTM(6, 6).double(), nn.Flatten(0)
WRONG: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"labels": LABELS[:19]}, ValueError, r"one class for each of the 20 inputs, got shape \(19,"),
    ({"labels": LABELS[:, None]}, ValueError,
     r"labels must have the shape of the logits without the classes, \(20,\), got \(20, 1\)"),
    ({"labels": LABELS.float()}, TypeError, "integers are required"),
    ({"labels": LABELS + 1}, ValueError, "classes 0 … 3 of the model, or -100 .*, got 4"),
    ({"labels": LABELS - 9}, ValueError, "got -9"),
    ({"labels": LABELS * 0 - 100}, ValueError, "at least one answer"),
    ({"inputs": INPUTS[:0], "labels": LABELS[:0]}, ValueError, r"one sample, .* got lengths \[0\]"),
    ({"inputs": INPUTS.tolist()}, TypeError, "a mapping or tuple of tensors, got a list"),
    ({"groups": {7: torch.arange(5) < 3}}, ValueError,
     r"mask of group 7 must .* of shape \(6,\), got torch\.bool of shape \(5,\)"),
    ({"groups": {7: INPUTS > 0}}, ValueError, r"of shape \(20, 6\)"),
    ({"groups": {7: torch.ones(6)}}, ValueError, r"dtype torch\.bool .* got torch\.float32"),
    ({"groups": {7: [True]}}, TypeError, "the mask of group 7 must be a torch tensor, got a list"),
    ({"groups": [MASK]}, TypeError, "groups must have a mask for each label, got a list"),
    ({"kind": "zeros"}, ValueError, r"got 'zeros'; did you mean 'zero'\?"),
    ({"kind": "permute", "seed": -1}, ValueError, "seed must"),
    ({"batch_size": 0}, ValueError, "batch_size must be"),
    ({"metric": cross_entropy}, ValueError, r"got shape \(\); a loss needs reduction='none'"),
    ({"at": nn.Flatten()}, ValueError, "not part of it"),
    ({"model": SKIPPED, "at": LINEAR}, ValueError, "Linear must be called .* got no call"),
    ({"model": nn.Sequential(LSTM), "at": LSTM}, ValueError, "along its first axis, got a tuple"),
    ({"model": nn.Sequential(FLAT), "at": FLAT}, ValueError, r"first axis, got shape \(120"),
    ({"model": FLAT}, ValueError, r"logits of shape \(20, classes\) .* got shape \(120,\)"),
    ({"model": nn.Unflatten(0, (4, 5))}, ValueError, r"for 20 inputs, .* got shape \(4, 5, 6\)"),
    ({"model": nn.Unflatten(1, (2, 3))}, ValueError, r"the classes, \(20, 2\), got \(20,\)"),
    ({"model": lambda x: x}, TypeError, "model must be a torch module, got a function"),
    ({"model": nn.Flatten(), "inputs": NUMBERS[:120].reshape(20, 6)}, TypeError,
     r"got torch\.int64; pass the submodule that embeds the integers as at"),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "error", "words"), WRONG)
def test_what_does_not_fit_is_refused_and_keeps_no_hook(
    wrong: dict[str, Any], error: type[Exception], words: str
) -> None:
    right: dict[str, Any] = {"model": MODEL, "inputs": INPUTS, "labels": LABELS, "groups": MASK}
    with pytest.raises(error, match=words):
        ablate(**(right | wrong))
    assert all(hooks(model) == 0 for model in (MODEL, SKIPPED, LSTM, FLAT))


def hooks(model: nn.Module) -> int:
    return sum(len(module._forward_hooks) for module in model.modules())


def test_hooks_of_the_user_stay_and_run_first() -> None:
    first, last = nn.Linear(6, 5).double(), nn.Linear(5, 3).double()
    model = nn.Sequential(first, last)
    with first.register_forward_hook(lambda module, arguments, output: output + 1):
        changed = run_changed(model, first, INPUTS, lambda call, x: 2 * x)
        assert hooks(model) == 1
    assert torch.equal(changed, last(2 * (first(INPUTS) + 1)))


@pytest.mark.process
@pytest.mark.parametrize("package", ["torch", "scipy"])
def test_a_missing_package_is_named_with_its_extra(package: str) -> None:
    program = (
        f"import sys; sys.modules['{package}'] = None; from primefourier import analysis; "
        "analysis.paired_p_value(3, 1); analysis.ablate"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode != 0
    assert f"needs {package}, which is not installed" in done.stderr
    assert "pip install '.[nn]' in a clone" in done.stderr.splitlines()[-1]


class Operands(nn.Module):
    """Embed each operand in a separate call; inputs by name, logits in a tuple."""

    def __init__(self, joined: nn.Sequential) -> None:
        super().__init__()
        self.embedding, self.head = joined[0], joined[1]

    def forward(self, a: Tensor, b: Tensor, scale: float) -> tuple[Tensor, str]:
        both = torch.stack([self.embedding(a), self.embedding(b)], dim=1)
        return scale * self.head(both), "no logits"


@pytest.mark.parametrize("kind", KINDS)
def test_an_embedding_called_once_per_operand_is_ablated_in_every_call(kind: Kind) -> None:
    """Two answers per input, one for each operand; each call gets its own replacement."""
    joined = residue_reader(15)
    noise = torch.randn(15, BASIS.dim, generator=torch.Generator().manual_seed(2))
    joined[1].get_parameter("weight").data.add_(0.2 * noise)
    a = NUMBERS[torch.randperm(1050, generator=torch.Generator().manual_seed(1))]
    labels = torch.stack([a % 15, NUMBERS % 15], dim=1)
    model, order = (
        Operands(joined),
        torch.randperm(1050, generator=torch.Generator().manual_seed(0)),
    )
    named = {"a": a, "b": NUMBERS, "scale": 2.0}
    found = ablate(model, named, labels, PRIMES, at=model.embedding, kind=kind, batch_size=400)
    placed = ablate(model, (a, NUMBERS, 2.0), labels, PRIMES, at=model.embedding, kind=kind)
    assert found == placed
    codes = torch.stack([model.embedding(a), model.embedding(NUMBERS)], dim=1)
    others = {"zero": 0 * codes, "mean": codes.mean(0).expand_as(codes), "permute": codes[order]}
    before = model.head(codes).argmax(-1) == labels
    for ablation in found:
        after = model.head(torch.where(PRIMES[ablation.label], others[kind], codes)).argmax(-1)
        lost, gained = before & (after != labels), ~before & (after == labels)
        assert (ablation.size, ablation.lost) == (2100, int(lost.sum()))
        assert ablation.gained == int(gained.sum())


def test_ignored_labels_are_not_counted_and_a_metric_is_averaged() -> None:
    def loss(logits: Tensor, labels: Tensor) -> Tensor:
        return cross_entropy(logits, labels, reduction="none")

    model, inputs, labels = random_case(11, 30, 6)
    labels[::2] = -100
    (found,) = ablate(model, inputs, labels, MASK, metric=loss, batch_size=7)
    assert found.size == 15
    kept, zeroed = inputs[1::2], inputs[1::2].clone()
    zeroed[:, :3] = 0
    for mean, rows in ((found.metric_before, kept), (found.metric_after, zeroed)):
        assert mean == pytest.approx(loss(model(rows), labels[1::2]).mean().item())


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_ablations_become_a_long_data_frame_of_plain_types(library: Any) -> None:
    found = ablate(MODEL, INPUTS, LABELS, {3: MASK[0], 5: ~MASK[0]})
    metric = replace(found[0], kind="mean", metric_before=1, metric_after=0.5)
    text = {"str", "object", "String"}  # object in pandas 2
    for rows in (found, [*found, metric], []):
        frame = ablation_frame(rows, library, relevant={3})
        types = dict(zip(frame.columns, map(str, frame.dtypes), strict=True))
        assert {types.pop("kind")} <= text
        assert types.pop("label") in ({"int64", "Int64"} if rows else text)
        assert {types.pop(name) for name in ("relevant", "diverged")} <= {"bool", "Boolean"}
        whole = ("size", "correct_before", "lost", "gained", "nan_before", "nan_after")
        counts = {types.pop(name).lower() for name in whole}
        assert (counts, {kind.lower() for kind in types.values()}) == ({"int64"}, {"float64"})
    frame = ablation_frame([*found, metric], library, relevant={3})
    assert list(frame["label"] == 3) == list(frame["relevant"]) == [True, False, True]
    assert list(frame["drop"]) == [one.drop for one in (*found, metric)]
    assert list(_missing(frame["metric_before"], library)) == [True, True, False]
    first: Any = found[0]
    diverged = replace(first, label="a b", correct_before=0, lost=0, gained=0, nan_before=1)
    frame = ablation_frame([diverged, found[1]], library)
    assert list(frame["label"]) == ["a b", "5"]
    for name in ("accuracy", "ablated_accuracy", "drop", "p_value"):
        assert list(_missing(frame[name], library)) == [True, False], name


def _missing(column: Any, library: str) -> Any:
    return column.isna() if library == "pandas" else column.is_null()


def test_one_nan_among_the_logits_is_no_answer_and_minus_infinity_is_one() -> None:
    off = [-torch.inf] * 3
    table = torch.tensor([[0, 2, 1], [0, 2, torch.nan], [off[0], 2, off[0]], [torch.nan] * 3, off])
    groups = {"nothing": torch.tensor(False)}
    model = nn.Embedding.from_pretrained(table)
    for labels, expected in (
        ([1, 1, 1, 0, 0], (5, 2, 3)),
        ([2, 2, 2, 2, 2], (5, 0, 3)),
        ([1, -100, 1, -100, -100], (2, 2, 0)),
    ):
        (found,) = ablate(model, torch.arange(5), torch.tensor(labels), groups, at=model)
        assert (found.size, found.correct_before, found.nan_before) == expected


def test_an_ablation_that_makes_nan_loses_the_answer() -> None:
    class Normalised(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x / x.square().sum(-1, keepdim=True).sqrt()

    x = torch.eye(2).repeat(5, 1)
    (found,) = ablate(Normalised(), x, x.argmax(1), {"all": torch.tensor([True, True])})
    assert (found.accuracy, found.lost, found.nan_before, found.nan_after) == (1.0, 10, 0, 10)


# Groups of features

Layout = Literal["flat", "rows"]
LAYOUTS: st.SearchStrategy[Layout] = st.sampled_from(["flat", "rows"])


@settings(max_examples=30)
@given(BASES, st.integers(1, 3), LAYOUTS)
def test_groups_contain_exactly_their_features(
    basis: PrimeBasis, operands: int, layout: Layout
) -> None:
    # (prime, depth, operand, cos or sin) of every feature, written one by one
    rows = [[(p, d, j) for d in range(basis.depth) for j in range(operands) for _ in (0, 1)]
            for p in basis.primes]  # fmt: skip
    flat = [[(p, d, j) for p in basis.primes for d in range(basis.depth) for _ in (0, 1)]
            for j in range(operands)]  # fmt: skip
    names = rows if layout == "rows" else flat if operands > 1 else flat[0]

    def mask(part: Any) -> Tensor:
        return torch.tensor([part(x) if isinstance(x, tuple) else [*map(part, x)] for x in names])

    parts: dict[Any, tuple[Any, Any]] = {
        "prime": (basis.primes, lambda x: x[0]),
        "depth": (range(basis.depth), lambda x: x[1]),
        "operand": (range(operands), lambda x: x[2]),
        "channel": (basis.channels, lambda x: (x[0], x[1])),
    }
    for by, (labels, part) in parts.items():
        groups = feature_groups(basis, by, operands=operands, layout=layout)
        assert tuple(groups) == tuple(labels)
        numbered = feature_mask(groups)
        for i, (label, group) in enumerate(groups.items()):
            assert group.dtype == torch.bool
            assert torch.equal(group, mask(lambda x, label=label, part=part: part(x) == label))
            assert torch.equal(numbered == i, group)


def test_the_flat_features_of_a_prime_are_its_block_of_the_embedding() -> None:
    pairs = torch.tensor([[9, 17], [13, 15]])
    codes = PrimeFourierEmbedding(BASIS)(pairs)
    for p, mask in feature_groups(BASIS, "prime", operands=2).items():
        expected = torch.from_numpy(encode(pairs, PrimeBasis((p,), 2))).reshape(2, -1)
        assert mask.shape == codes.shape[1:]
        assert torch.equal(codes[:, mask], expected)


GROUPS: Any = feature_groups
TWO = torch.tensor([True, True])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: GROUPS(BASIS, "primes"), r"by must be 'prime', .* did you mean 'prime'\?"),
        (lambda: GROUPS(BASIS, "prime", layout="row"), "must be .flat. or .rows., got .row."),
        (lambda: GROUPS(BASIS, "prime", operands=0), "operands must be an integer of at least 1"),
        (lambda: GROUPS((3, 5), "prime"), "basis must be a PrimeBasis, got a tuple"),
        *((lambda groups=groups: feature_mask(groups), "every feature in exactly one group, got")
          for groups in ({}, [TWO], {"a": TWO, "b": TWO[:1]}, {"a": TWO, "b": TWO},
                         {"a": torch.tensor([True, False])})),
    ],
)  # fmt: skip
def test_wrong_groups_are_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        call()
