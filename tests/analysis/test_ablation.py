"""Ablation of any classifier: known answers, a loop over single inputs, and untouched models."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from primefourier import PrimeBasis, encode
from primefourier.analysis import (
    Ablation,
    ablate,
    ablation_frame,
    feature_groups,
    noise_floor,
    paired_p_value,
)
from primefourier.analysis.ablation import Kind
from primefourier.analysis.site import FeatureSite
from primefourier.nn import PrimeFourierEmbedding

BASIS = PrimeBasis((3, 5, 7), 2)
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


@pytest.mark.parametrize("modulus", [3, 5, 7, 15, 21, 105])
def test_a_residue_reader_needs_exactly_the_primes_of_its_modulus(modulus: int) -> None:
    model = residue_reader(modulus)
    groups = feature_groups(BASIS, "prime")
    for ablation in ablate(model, NUMBERS, NUMBERS % modulus, groups, at=model[0]):
        assert ablation.accuracy == 1
        if modulus % ablation.label:
            assert (ablation.lost, ablation.gained, ablation.p_value) == (0, 0, 1.0)
        else:  # the rest is a guess among p classes
            assert ablation.ablated_accuracy == pytest.approx(1 / ablation.label, rel=1e-12)
            assert ablation.distinguishable


@given(st.integers(0, 10**6), st.integers(1, 40), st.sampled_from(KINDS), st.integers(1, 50))
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
    (ablation,) = ablate(
        model, inputs, labels, {"m": mask}, kind=kind, batch_size=batch_size, seed=seed
    )
    assert ablation == Ablation("m", kind, n, correct, lost, gained)


@pytest.mark.parametrize("kind", KINDS)
def test_the_input_of_a_layer_is_the_output_of_the_one_before(kind: Kind) -> None:
    model = residue_reader(21)
    noise = torch.randn(21, BASIS.dim, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        model[1].get_parameter("weight").add_(0.3 * noise)
    groups = feature_groups(BASIS, "channel")
    labels = NUMBERS % 21
    inside = ablate(model, NUMBERS, labels, groups, at=model[0], kind=kind, batch_size=100)
    outside = ablate(model[1], model[0](NUMBERS), labels, groups, kind=kind)
    assert inside == outside
    assert any(ablation.lost for ablation in inside)


def test_layers_that_work_in_place_do_no_harm() -> None:
    model, inputs, labels = random_case(3, 200, 6)
    model[2] = nn.LeakyReLU(0.5)
    safe = ablate(model, inputs, labels, {0: torch.arange(16) < 8}, at=model[1], kind="permute")
    model[2] = nn.LeakyReLU(0.5, inplace=True)
    kept = inputs.clone()
    assert safe == ablate(
        model, inputs, labels, {0: torch.arange(16) < 8}, at=model[1], kind="permute"
    )
    model[0] = nn.ReLU(inplace=True)
    gradients: list[bool] = []
    model[3].register_forward_hook(lambda module, given, out: gradients.append(out.requires_grad))
    ablate(model, inputs, labels, {0: torch.arange(16) < 8}, at=model[1])
    assert torch.equal(inputs, kept)
    assert gradients == [False, False]


def test_groups_are_ablated_independently() -> None:
    model, inputs, labels = random_case(5, 300, 6)
    groups = {i: torch.arange(6) == i for i in range(6)}
    together = ablate(model, inputs, labels, groups, kind="permute", seed=4)
    alone = [
        ablate(model, inputs, labels, {i: mask}, kind="permute", seed=4)[0]
        for i, mask in groups.items()
    ]
    assert together == alone
    assert together != ablate(model, inputs, labels, groups, kind="permute", seed=5)


def test_an_empty_mask_changes_nothing() -> None:
    model, inputs, labels = random_case(6, 50, 6)
    assert ablate(model, inputs, labels, {}) == []
    (nothing,) = ablate(model, inputs, labels, {"none": torch.tensor(False)})
    assert (nothing.lost, nothing.gained, nothing.drop) == (0, 0, 0)
    assert not nothing.distinguishable
    unused = torch.arange(6) == 2
    (clean,) = ablate(model, inputs, labels, {2: unused})
    inputs[:, 2] = torch.nan
    (dirty,) = ablate(model, inputs, labels, {2: unused})
    assert clean.ablated_accuracy == dirty.ablated_accuracy


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
    class Fragile(nn.Module):
        """Fail as soon as a feature is zero in every input."""

        def __init__(self) -> None:
            super().__init__()
            self.first, self.last = nn.Linear(6, 6), nn.Linear(6, 4)

        def forward(self, x: Tensor) -> Tensor:
            x = self.first(x)
            if (x == 0).all(0).any():
                raise FloatingPointError
            output: Tensor = self.last(x)
            return output

    model = Fragile().double()
    _, inputs, labels = random_case(9, 20, 6)
    with pytest.raises(FloatingPointError):
        ablate(model, inputs, labels, {0: torch.arange(6) < 3}, at=model.first)
    assert model.training
    assert model.last.training
    assert not model.first._forward_hooks
    assert torch.is_grad_enabled()


@given(st.integers(1, 10**5).flatmap(
    lambda n: st.tuples(st.just(n), st.integers(0, n)).flatmap(
        lambda t: st.tuples(st.just(t[0]), st.just(t[1]), st.integers(0, t[1]),
                            st.integers(0, t[0] - t[1])))
))  # fmt: skip
def test_numbers_of_an_ablation_are_consistent(counts: tuple[int, int, int, int]) -> None:
    size, correct, lost, gained = counts
    ablation = Ablation(3, "zero", size, correct, lost, gained)
    assert 0 <= ablation.ablated_accuracy <= 1
    assert ablation.drop == pytest.approx(ablation.accuracy - ablation.ablated_accuracy, abs=1e-15)
    assert ablation.noise_floor == noise_floor(size)
    assert ablation.p_value == paired_p_value(lost, gained)
    assert ablation.distinguishable == (abs(lost - gained) / size >= noise_floor(size))


@pytest.mark.parametrize(
    "counts", [(0, 0, 0, 0), (5, 6, 0, 0), (5, 3, 4, 0), (5, 3, 0, 3), (5, 3, -1, 0)]
)
def test_impossible_counts_are_refused(counts: tuple[int, int, int, int]) -> None:
    with pytest.raises(ValueError, match="an ablation needs size ≥ 1"):
        Ablation(3, "zero", *counts)


MODEL, INPUTS, LABELS = random_case(10, 20, 6)
MASK = {0: torch.arange(6) < 3}
WRONG: list[tuple[Callable[[], object], type[Exception], str]] = [
    (lambda: ablate(MODEL, INPUTS, LABELS[:19], MASK), ValueError,
     r"labels must have one class for each of the 20 inputs, got shape \(19,\)"),
    (lambda: ablate(MODEL, INPUTS, LABELS[:, None], MASK), ValueError,
     r"labels must have the shape of the logits without the classes, \(20,\), got \(20, 1\)"),
    (lambda: ablate(MODEL, INPUTS, LABELS.float(), MASK), TypeError, "integers are required"),
    (lambda: ablate(MODEL, INPUTS, LABELS + 1, MASK), ValueError,
     "labels must be classes 0 … 3 of the model, or -100 where there is no answer, got 4"),
    (lambda: ablate(MODEL, INPUTS, LABELS - 9, MASK), ValueError, "got -9"),
    (lambda: ablate(MODEL, INPUTS, LABELS * 0 - 100, MASK), ValueError, "at least one answer"),
    (lambda: ablate(MODEL, INPUTS[:0], LABELS[:0], MASK), ValueError,
     r"inputs must have at least one sample, .* got lengths \[0\]"),
    (lambda: ablate(MODEL, INPUTS, LABELS, {7: torch.arange(5) < 3}), ValueError,
     r"mask of group 7 must .* of shape \(6,\), got torch\.bool of shape \(5,\)"),
    (lambda: ablate(MODEL, INPUTS, LABELS, {7: INPUTS > 0}), ValueError, r"of shape \(20, 6\)"),
    (lambda: ablate(MODEL, INPUTS, LABELS, MASK, kind="zeros"), ValueError,  # type: ignore[arg-type]
     r"got 'zeros'; did you mean 'zero'\?"),
    (lambda: ablate(MODEL, INPUTS, LABELS, MASK, at=nn.Flatten()), ValueError, "not part of it"),
    (lambda: ablate(nn.Unflatten(1, (2, 3)), INPUTS, LABELS, MASK), ValueError,
     r"without the classes, \(20, 2\), got \(20,\)"),
    (lambda: ablate(MODEL, INPUTS, LABELS, MASK, batch_size=0), ValueError, "batch_size must be"),
    (lambda: ablate(MODEL, INPUTS, LABELS, [MASK]), TypeError,  # type: ignore[arg-type]
     "groups must have a mask for each label, got a list"),
    (lambda: ablate(MODEL, INPUTS, LABELS, MASK, metric=torch.nn.functional.cross_entropy),
     ValueError, r"each of \d+ answers, got shape \(\); a loss needs reduction='none'"),
    (lambda: ablate(MODEL, INPUTS, LABELS, MASK, kind="permute", seed=-1), ValueError, "seed must"),
    (lambda: ablate(lambda x: x, INPUTS, LABELS, MASK), TypeError,  # type: ignore[arg-type]
     "model must be a torch module, got a function"),
    (lambda: ablate(nn.Flatten(), NUMBERS[:120].reshape(20, 6), LABELS, MASK), TypeError,
     r"got torch\.int64; pass the submodule that embeds the integers as at"),
    (lambda: ablate(MODEL, INPUTS.tolist(), LABELS, MASK), TypeError,  # type: ignore[arg-type]
     "inputs must be a torch tensor, or a mapping or tuple of tensors, got a list"),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "error", "message"), WRONG)
def test_wrong_arguments_are_refused(
    wrong: Callable[[], object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        wrong()


class Calls(nn.Module):
    """Call the same layer a number of times."""

    def __init__(self, layer: nn.Module, times: int) -> None:
        super().__init__()
        self.layer, self.times = layer, times

    def forward(self, x: Tensor) -> Tensor:
        for _ in range(self.times):
            x = self.layer(x)
        return x


def hooks(model: nn.Module) -> int:
    return sum(len(module._forward_hooks) for module in model.modules())


def test_hooks_of_the_user_stay_and_run_first() -> None:
    first, last = nn.Linear(6, 5).double(), nn.Linear(5, 3).double()
    model = nn.Sequential(first, last)
    handle = first.register_forward_hook(lambda module, arguments, output: output + 1)
    changed = FeatureSite(model, first).run(INPUTS, lambda call, x: 2 * x)
    assert hooks(model) == 1
    handle.remove()
    assert torch.equal(changed, last(2 * (first(INPUTS) + 1)))


LINEAR = nn.Linear(6, 6).double()


@pytest.mark.parametrize(
    ("model", "at", "words"),
    [
        (Calls(LINEAR, 0), LINEAR, "Linear must be called when the model runs, got no call"),
        *(
            (nn.Sequential(layer), layer, f"of the 20 inputs along its first axis, got {got}")
            for layer, got in ((nn.LSTM(6, 6).double(), "a tuple"), (nn.Flatten(0), r"shape \(120"))
        ),
        *(
            (layer, None, rf"logits of shape \(20, classes\) for 20 inputs, .* got {got}")
            for layer, got in (
                (nn.Flatten(0), r"shape \(120,\)"),
                (nn.Unflatten(0, (4, 5)), r"shape \(4, 5, 6\)"),
            )
        ),
    ],
)
def test_models_that_do_not_fit_are_refused_and_keep_no_hook(
    model: nn.Module, at: nn.Module | None, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        FeatureSite(model, at).run(INPUTS, lambda call, x: x)
    assert hooks(model) == 0


@pytest.mark.process
@pytest.mark.parametrize("package", ["torch", "scipy"])
def test_a_missing_package_is_named_with_its_extra(package: str) -> None:
    program = (
        f"import sys; sys.modules['{package}'] = None; from primefourier import analysis; "
        "analysis.ablate; analysis.paired_p_value(3, 1)"
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

    def forward(self, *, a: Tensor, b: Tensor, scale: float) -> tuple[Tensor, str]:
        both = torch.stack([self.embedding(a), self.embedding(b)], dim=1)
        return scale * self.head(both), "no logits"


@pytest.mark.parametrize("kind", ["zero", "mean", "permute"])
def test_an_embedding_called_once_per_operand_is_ablated_in_every_call(kind: Kind) -> None:
    """Two answers per input, one for each operand, as one answer for each of two inputs."""
    joined = residue_reader(15)
    groups = feature_groups(BASIS, "prime")
    a = NUMBERS[torch.randperm(1050, generator=torch.Generator().manual_seed(1))]
    labels = torch.stack([a % 15, NUMBERS % 15], dim=1)
    inputs = {"a": a, "b": NUMBERS, "scale": 2.0}
    model = Operands(joined)
    found = ablate(model, inputs, labels, groups, at=model.embedding, kind=kind, batch_size=400)
    for ablation in found:
        assert (ablation.size, ablation.correct_before) == (2100, 2100)
        relevant = 15 % ablation.label == 0
        assert (ablation.drop > 0.5) == relevant
        assert (ablation.lost == 0) == (not relevant)


def test_ignored_labels_are_not_counted() -> None:
    model, labels = residue_reader(15), NUMBERS % 15
    labels[::2] = -100
    (found,) = ablate(model, NUMBERS, labels, {3: feature_groups(BASIS, "prime")[3]}, at=model[0])
    assert (found.size, found.correct_before) == (525, 525)


def test_a_metric_is_averaged_before_and_after() -> None:
    def loss(logits: Tensor, labels: Tensor) -> Tensor:
        return nn.functional.cross_entropy(logits, labels, reduction="none")

    model, inputs, labels = random_case(11, 30, 6)
    (found,) = ablate(model, inputs, labels, MASK, metric=loss, batch_size=7)
    zeroed = inputs.clone()
    zeroed[:, :3] = 0
    assert found.metric_before == pytest.approx(loss(model(inputs), labels).mean().item())
    assert found.metric_after == pytest.approx(loss(model(zeroed), labels).mean().item())


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_ablations_become_a_long_data_frame(library: Any) -> None:
    found = ablate(MODEL, INPUTS, LABELS, {"a b": MASK[0], 5: ~MASK[0]})
    frame = ablation_frame(found, library)
    assert list(frame["label"]) == ["a b", "5"]
    assert list(frame["drop"]) == [ablation.drop for ablation in found]
    assert set(frame["kind"]) == {"zero"}
    assert list(ablation_frame([], library).columns) == list(frame.columns)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_has_plain_types_also_without_metrics_and_rows(library: Any) -> None:
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
    missing = frame["metric_before"].isna if library == "pandas" else frame["metric_before"].is_null
    assert list(missing()) == [True, True, False]


def nan_for(model: nn.Module, which: Callable[[Tensor], Tensor], value: float) -> nn.Module:
    """Return a model whose logits have a value of no meaning for some of its inputs."""

    class Broken(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = model

        def forward(self, x: Tensor) -> Tensor:
            return torch.where(which(x)[:, None], value, self.inner(x))

    return Broken()


@pytest.mark.parametrize("value", [torch.nan, -torch.inf])
def test_nan_is_never_an_answer(value: float) -> None:
    inner = residue_reader(15)
    model = nan_for(inner, lambda x: x % 15 < 5, value)
    found = ablate(model, NUMBERS, NUMBERS % 15, feature_groups(BASIS, "prime"), at=inner[0])
    for one in found:
        assert one.correct_before == 2 * len(NUMBERS) // 3, "residue 0 has no answer either"
        assert (one.nan_before, one.nan_after, one.diverged) == (350, 350, True)
        assert one.lost <= one.correct_before
    whole = ablate(inner, NUMBERS, NUMBERS % 15, feature_groups(BASIS, "prime"), at=inner[0])
    assert not any(one.diverged or one.nan_after for one in whole)


def test_one_nan_among_the_logits_is_no_answer_and_minus_infinity_is_one() -> None:
    table = torch.tensor([[0, 2, 1], [0, 2, torch.nan], [-torch.inf, 2, -torch.inf]])
    groups = {"nothing": torch.tensor(False)}
    model = nn.Embedding.from_pretrained(table)
    for label, correct in ((1, 2), (2, 0)):
        labels = torch.full((3,), label)
        (found,) = ablate(model, torch.arange(3), labels, groups, at=model)
        assert (found.correct_before, found.nan_before) == (correct, 1)
    labels = torch.tensor([1, -100, 1])
    (found,) = ablate(model, torch.arange(3), labels, groups, at=model)
    assert (found.size, found.correct_before, found.diverged) == (2, 2, False), "-100 is ignored"


def test_an_ablation_that_makes_nan_loses_the_answer() -> None:
    class Normalised(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x / x.square().sum(-1, keepdim=True).sqrt()

    x = torch.eye(2).repeat(5, 1)
    groups = {"all": torch.tensor([True, True])}
    (found,) = ablate(Normalised(), x, x.argmax(1), groups)
    assert (found.accuracy, found.lost, found.nan_before, found.nan_after) == (1.0, 10, 0, 10)
    frame = ablation_frame([found])
    assert frame[["nan_before", "nan_after"]].to_numpy().tolist() == [[0, 10]]


def test_more_nan_than_wrong_answers_are_refused() -> None:
    counts: dict[str, Any] = {"size": 10, "correct_before": 8, "lost": 1, "gained": 1}
    assert Ablation("x", "zero", **counts, nan_before=2, nan_after=2).diverged
    for name in ("nan_before", "nan_after"):
        with pytest.raises(ValueError, match="must count as a wrong one"):
            Ablation("x", "zero", **counts, **{name: 3})
