from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from primefourier import PrimeBasis, encode
from primefourier.analysis import Ablation, ablate, feature_groups, noise_floor, paired_p_value
from primefourier.analysis.stand_in import Kind
from primefourier.nn import PrimeFourierEmbedding

BASIS = PrimeBasis((3, 5, 7), 2)
NUMBERS = torch.arange(1050)
DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
KINDS: list[Kind] = ["zero", "mean", "permute"]


def residue_reader(modulus: int) -> nn.Sequential:
    """Make a classifier of a mod N by hand: logit c is the likeness of the codes of a and c."""
    linear = nn.Linear(BASIS.dim, modulus)
    codes = encode(range(modulus), BASIS)
    codes[:, :, 1:] = 0  # periods p alone
    for i, p in enumerate(BASIS.primes):
        if modulus % p:
            codes[:, i] = 0
    linear.weight.data = torch.from_numpy(codes.reshape(modulus, -1))
    linear.bias.data = -0.001 * torch.arange(modulus)  # in doubt, the smaller residue
    return nn.Sequential(PrimeFourierEmbedding(BASIS), linear)


def random_case(seed: int, *shape: int) -> tuple[nn.Sequential, Tensor, Tensor]:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = nn.Sequential(nn.Flatten(), nn.Linear(shape[1], 16), nn.ReLU(), nn.Linear(16, 4))
        return model.double(), torch.randn(*shape, dtype=torch.float64), torch.randint(4, shape[:1])


@pytest.mark.parametrize("modulus", [3, 5, 7, 15, 21, 105])
def test_a_reader_of_residues_needs_the_primes_of_its_modulus_alone(modulus: int) -> None:
    model = residue_reader(modulus)
    groups = feature_groups(BASIS, "prime")
    for ablation in ablate(model, NUMBERS, NUMBERS % modulus, groups, at=model[0]):
        assert ablation.accuracy == 1
        if modulus % ablation.label:
            assert (ablation.lost, ablation.gained, ablation.p_value) == (0, 0, 1.0)
        else:  # what is left is a guess among p classes
            assert ablation.ablated_accuracy == pytest.approx(1 / ablation.label, rel=1e-12)
            assert ablation.distinguishable


def test_depths_beyond_the_first_are_worth_nothing_to_it() -> None:
    model = residue_reader(15)
    first, second = ablate(
        model, NUMBERS, NUMBERS % 15, feature_groups(BASIS, "depth"), at=model[0]
    )
    assert (first.label, second.label) == (0, 1)
    assert first.drop == pytest.approx(14 / 15)
    assert second.drop == 0


@given(st.integers(0, 10**6), st.integers(1, 40), st.sampled_from(KINDS), st.integers(1, 50))
def test_counts_are_those_of_a_loop_over_single_inputs(
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


def test_a_layer_that_writes_into_the_features_does_no_harm() -> None:
    model, inputs, labels = random_case(3, 200, 6)
    model[2] = nn.LeakyReLU(0.5)
    safe = ablate(model, inputs, labels, {0: torch.arange(16) < 8}, at=model[1], kind="permute")
    model[2] = nn.LeakyReLU(0.5, inplace=True)
    kept = inputs.clone()
    assert safe == ablate(
        model, inputs, labels, {0: torch.arange(16) < 8}, at=model[1], kind="permute"
    )
    model[0] = nn.ReLU(inplace=True)
    ablate(model, inputs, labels, {0: torch.arange(16) < 8}, at=model[1])
    assert torch.equal(inputs, kept)


def test_operands_are_permuted_one_at_a_time() -> None:
    class Sum(nn.Module):
        """Answer (a + b) mod 5 from the integers themselves."""

        def forward(self, pairs: Tensor) -> Tensor:
            return nn.functional.one_hot(pairs.sum(1) % 5, 5)

    pairs = torch.cartesian_prod(torch.arange(20), torch.arange(20))
    groups = {"a": torch.tensor([True, False]), "both": torch.tensor(True)}
    a, both = ablate(Sum(), pairs, pairs.sum(1) % 5, groups, kind="permute", seed=1)
    assert a.accuracy == 1
    assert a.ablated_accuracy == pytest.approx(0.2, abs=0.1)
    assert both.ablated_accuracy == pytest.approx(0.2, abs=0.1)


def test_one_group_s_result_does_not_depend_on_the_other_groups() -> None:
    model, inputs, labels = random_case(5, 300, 6)
    groups = {i: torch.arange(6) == i for i in range(6)}
    together = ablate(model, inputs, labels, groups, kind="permute", seed=4)
    alone = [
        ablate(model, inputs, labels, {i: mask}, kind="permute", seed=4)[0]
        for i, mask in groups.items()
    ]
    assert together == alone
    assert together != ablate(model, inputs, labels, groups, kind="permute", seed=5)


def test_taking_nothing_away_changes_nothing_not_even_nan() -> None:
    model, inputs, labels = random_case(6, 50, 6)
    (nothing,) = ablate(model, inputs, labels, {"none": torch.tensor(False)})
    assert (nothing.lost, nothing.gained, nothing.drop) == (0, 0, 0)
    assert not nothing.distinguishable
    unused = torch.arange(6) == 2
    (clean,) = ablate(model, inputs, labels, {2: unused})
    inputs[:, 2] = torch.nan
    (dirty,) = ablate(model, inputs, labels, {2: unused})
    assert clean.ablated_accuracy == dirty.ablated_accuracy


def test_no_groups_give_no_ablations() -> None:
    model, inputs, labels = random_case(6, 5, 6)
    assert ablate(model, inputs, labels, {}) == []


@pytest.mark.parametrize("device", DEVICES)
def test_batches_go_where_the_model_is(device: str) -> None:
    model, inputs, labels = random_case(7, 100, 6)
    groups = {0: torch.arange(6) < 3}
    expected = ablate(model, inputs, labels, groups, kind="mean")
    assert ablate(model.to(device), inputs, labels, groups, kind="mean") == expected


def test_the_model_is_left_as_it_was() -> None:
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


def test_the_model_is_left_as_it_was_after_an_error_too() -> None:
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


def test_no_gradients_are_kept() -> None:
    model, inputs, labels = random_case(11, 20, 6)
    seen: list[bool] = []
    model[3].register_forward_hook(lambda module, arguments, out: seen.append(out.requires_grad))
    ablate(model, inputs, labels, {0: torch.arange(6) < 3})
    assert seen == [False, False]


def test_a_trained_network_needs_the_prime_of_its_task() -> None:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        pairs = torch.cartesian_prod(torch.arange(30), torch.arange(30))
        embedding = PrimeFourierEmbedding(BASIS)
        model = nn.Sequential(
            embedding, nn.Flatten(), nn.Linear(2 * BASIS.dim, 64), nn.ReLU(), nn.Linear(64, 5)
        )
        labels = pairs.sum(1) % 5
        weights = list(model.parameters())
        for _ in range(200):
            loss = nn.functional.cross_entropy(model(pairs), labels)
            for weight, slope in zip(weights, torch.autograd.grad(loss, weights), strict=True):
                weight.data -= 0.7 * slope
    groups = feature_groups(BASIS, "prime", operands=2)
    drops = {a.label: a.drop for a in ablate(model, pairs, labels, groups, at=embedding)}
    assert drops[5] > 0.5
    assert abs(drops[3]) < 0.1
    assert abs(drops[7]) < 0.1


@given(st.integers(1, 10**5).flatmap(
    lambda n: st.tuples(st.just(n), st.integers(0, n)).flatmap(
        lambda t: st.tuples(st.just(t[0]), st.just(t[1]), st.integers(0, t[1]),
                            st.integers(0, t[0] - t[1])))
))  # fmt: skip
def test_an_ablation_s_numbers_fit_together(counts: tuple[int, int, int, int]) -> None:
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
     r"labels must hold one class for each of the 20 inputs, got shape \(19,\)"),
    (lambda: ablate(MODEL, INPUTS, LABELS[:, None], MASK), ValueError, r"got shape \(20, 1\)"),
    (lambda: ablate(MODEL, INPUTS, LABELS.float(), MASK), TypeError, "integers are required"),
    (lambda: ablate(MODEL, INPUTS, LABELS + 1, MASK), ValueError,
     "labels must be classes 0 … 3 of the model, got 4"),
    (lambda: ablate(MODEL, INPUTS, LABELS - 100, MASK), ValueError, "got -100"),
    (lambda: ablate(MODEL, INPUTS[:0], LABELS[:0], MASK), ValueError,
     r"inputs must hold at least one sample, got shape \(0, 6\)"),
    (lambda: ablate(MODEL, INPUTS, LABELS, {7: torch.arange(5) < 3}), ValueError,
     r"mask of group 7 must .* of shape \(6,\), got torch\.bool of shape \(5,\)"),
    (lambda: ablate(MODEL, INPUTS, LABELS, MASK, at=MODEL[1]), ValueError, r"of shape \(16,\)"),
    (lambda: ablate(MODEL, INPUTS, LABELS, MASK, kind="zeros"), ValueError,  # type: ignore[arg-type]
     r"got 'zeros'; did you mean 'zero'\?"),
    (lambda: ablate(MODEL, INPUTS, LABELS, MASK, at=nn.Flatten()), ValueError, "not part of it"),
    (lambda: ablate(nn.Unflatten(1, (2, 3)), INPUTS, LABELS, MASK), ValueError,
     r"logits of shape \(20, classes\) for 20 inputs, got shape \(20, 2, 3\)"),
    (lambda: ablate(MODEL, INPUTS, LABELS, MASK, batch_size=0), ValueError, "batch_size must be"),
    (lambda: ablate(nn.Flatten(), NUMBERS[:120].reshape(20, 6), LABELS, MASK), TypeError,
     r"got torch\.int64; pass the submodule that embeds the integers as at"),
    (lambda: ablate(MODEL, INPUTS.tolist(), LABELS, MASK), TypeError,  # type: ignore[arg-type]
     "inputs must be a torch tensor, got a list"),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "error", "message"), WRONG)
def test_mistakes_are_answered_with_what_was_required(
    wrong: Callable[[], object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        wrong()
