"""Diagnoses of networks that are built to compute, to cheat, and to lean on slow circles."""

from typing import Any

import pytest
import torch
from matplotlib.patches import Rectangle
from torch import Tensor, nn

from primefourier import PrimeBasis, encode, lab
from primefourier.analysis import diagnose
from primefourier.nn import PrimeFourierEmbedding

N, RANGE = 231, 100
CLASSES = torch.arange(N)


class Network(nn.Module):
    """Add a and b modulo 231 on the circles of 3, 7 and 11, and misuse others if told to."""

    def __init__(self, primes: tuple[int, ...], depth: int, *, alias: float, slow: bool) -> None:
        super().__init__()
        self.embedding = PrimeFourierEmbedding(PrimeBasis(primes, depth))
        self.alias, self.slow = alias, slow
        self.calls = 0

    def turn(self, a: Tensor, b: Tensor, prime: int, rate: float) -> Tensor:
        i = self.embedding.basis.primes.index(prime)
        both = torch.complex(a[:, i, 0, 0], a[:, i, 0, 1])
        both = both * torch.complex(b[:, i, 0, 0], b[:, i, 0, 1])
        return (both[:, None] * torch.polar(torch.ones(N), -2 * torch.pi * rate * CLASSES)).real

    def forward(self, x: Tensor) -> Tensor:
        shape = (len(self.embedding.basis.primes), -1, 2)
        a, b = self.embedding(x[:, 0]), self.embedding(x[:, 1])
        a, b = (codes.unflatten(1, shape) for codes in (a, b))
        logits = sum(self.turn(a, b, p, 1 / p) for p in (3, 7, 11))
        if self.alias:
            logits = logits + self.alias * self.turn(a, b, 23, 10 / N)
        if self.slow:
            logits = logits * a[:, 0, -1, :1]  # the cosine of the slowest circle of 3
        assert isinstance(logits, Tensor)
        return logits


def test_an_honest_network_is_called_honest() -> None:
    found = diagnose(Network((3, 7, 11), 1, alias=0, slow=False), modulus=N, input_range=500)
    assert found.honest
    assert found.accuracy == 1
    assert dict(found.beyond) == {1000: 1.0, **{10**k: 1.0 for k in (4, 6, 9, 12, 18)}}
    assert found.unneeded == ()
    assert found.verdict == "Uses only the primes of 231, and was right on every input tried."


def test_an_alias_is_named_with_the_range_from_which_it_fails() -> None:
    model = Network((3, 7, 11, 13, 23), 1, alias=5.0, slow=False)
    found = diagnose(model, modulus=N, input_range=RANGE, beyond=(200, 10**6))
    assert found.accuracy > 0.99
    assert found.unneeded == (23,)
    assert not found.honest
    assert found.beyond[10**6] < 0.5
    assert "Uses 23, which is not a factor of 231 but looks like one below 100" in found.verdict
    assert "(1/23 ≈ 10/231)" in found.verdict
    known = 200 if found.beyond[200] >= 0.99 else 100
    assert f"Expect errors from inputs {known} on: accuracy" in found.verdict


def test_several_rows_without_need_are_named_in_one_sentence() -> None:
    class Two(Network):
        """Flips the signs of all logits for some integers, by the rows of 13 and 19."""

        def forward(self, x: Tensor) -> Tensor:
            codes = self.embedding(x[:, 0]).unflatten(1, (6, 1, 2))[:, :, 0, 0]
            right = encode(x[:, 0].numpy(), self.embedding.basis)[:, :, 0, 0]
            same = torch.isclose(codes, torch.from_numpy(right), atol=1e-5)[:, [3, 4]].all(1)
            return super().forward(x) * torch.where(same, 1, -1)[:, None]

    model = Two((3, 7, 11, 13, 19, 23), 1, alias=5.0, slow=False)
    found = diagnose(model, modulus=N, input_range=RANGE, beyond=(10**6,))
    assert {*found.unneeded} == {13, 19, 23}
    assert "which are not factors of 231 but look like one below 100 (" in found.verdict
    assert all(f"1/{prime} ≈ " in found.verdict for prime in (13, 19, 23))


def test_slow_circles_used_as_constants_are_named() -> None:
    model = Network((3, 7, 11), 6, alias=0, slow=True)
    found = diagnose(model, modulus=N, input_range=RANGE)
    assert (found.accuracy, found.unneeded) == (1.0, ())
    assert found.beyond[10**6] < 0.9
    assert "slow circles of deeper powers probably serve as constants: use depth 1" in found.verdict
    wrapping = diagnose(model, modulus=N, input_range=150).verdict
    assert wrapping.endswith("by random multiples of 231, as lab.Training(shifts=True) does.")


def test_causes_that_no_circle_explains_are_not_invented() -> None:
    class Narrow(Network):
        def forward(self, x: Tensor) -> Tensor:
            return super().forward(x.to(torch.int8))

    found = diagnose(Narrow((3, 7, 11), 1, alias=0, slow=False), modulus=N, input_range=120)
    assert not found.honest
    assert "No circle explains it; check whether the model reads its integers" in found.verdict
    assert "shifts" not in found.verdict


def test_rare_errors_are_not_called_honest() -> None:
    class Rare(Network):
        def forward(self, x: Tensor) -> Tensor:
            logits = super().forward(x)
            return torch.where((x[:, :1] % 289 == 5), -logits, logits)

    found = diagnose(Rare((3, 7, 11), 1, alias=0, slow=False), modulus=N, input_range=500)
    assert 0.99 < found.accuracy < 1
    assert not found.honest
    assert "except for single inputs (0.99" in found.verdict


def test_a_network_that_learned_nothing_is_not_called_a_cheat() -> None:
    model = Network((3, 7, 11, 23), 1, alias=-50.0, slow=False)
    assert diagnose(model, modulus=N, input_range=RANGE).verdict.startswith("Has not learned")


def test_every_kind_and_row_is_in_the_frame_and_in_words() -> None:
    model = Network((3, 7, 11, 23), 1, alias=5.0, slow=False)

    def named(x: Tensor) -> Any:
        return {"x": x}

    def gap(logits: Tensor, labels: Tensor) -> Tensor:
        return logits.gather(1, labels[:, None])[:, 0] - logits.mean(1)

    kinds: Any = ("zero", "permute")
    found = diagnose(
        model, modulus=N, input_range=RANGE, kinds=kinds, prepare=named, metric=gap, samples=500
    )
    frame = found.frame()
    assert list(frame["label"]) == [3, 7, 11, 23] * 2
    assert list(frame["relevant"]) == [True, True, True, False] * 2
    assert set(frame["kind"]) == {"zero", "permute"}
    assert (frame["metric_before"] > frame["metric_after"]).all()
    words = str(found).splitlines()
    assert words[0].startswith("accuracy 1.0000 on inputs below 100")
    assert sum(line.endswith("(needed)") for line in words) == 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"model": nn.Linear(2, 2)}, "must have one PrimeFourierEmbedding, .* got 0"),
        ({"beyond": (150,)}, "every end in beyond must be an integer of at least 200, got 150"),
        ({"input_range": 2**70}, f"input_range must be at most {2**62}, got {2**70}"),
        ({"modulus": 10**30}, f"modulus must be at most {2**62}, got {10**30}"),
        ({"operands": 0}, "operands must be an integer of at least 1, got 0"),
        ({"seed": -1}, "seed must be an integer of at least 0, got -1"),
        ({"beyond": (2**64,)}, r"none above 2\^63"),
        ({"beyond": ()}, "beyond must have at least one number"),
        ({"samples": 1}, "samples must be an integer of at least 100, got 1"),
        ({"kinds": ()}, "kinds must name at least one of"),
        ({"kinds": "zero"}, r"kinds must be a sequence of kinds, such as \(.zero.,\), got a str"),
        ({"modulus": 1}, "modulus must be an integer of at least 2, got 1"),
    ],
)
def test_wrong_arguments_are_refused(options: dict[str, Any], words: str) -> None:
    model = Network((3, 7, 11), 1, alias=0, slow=False)
    arguments: dict[str, Any] = {"model": model, "modulus": N, "input_range": RANGE} | options
    with pytest.raises((TypeError, ValueError), match=words):
        diagnose(arguments.pop("model"), **arguments)


@pytest.mark.parametrize("name", ["label", "prepare", "beyond"])
def test_a_number_where_functions_or_several_are_needed_is_refused(name: str) -> None:
    model = Network((3, 7, 11), 1, alias=0, slow=False)
    options: dict[str, Any] = {name: 3}
    with pytest.raises(TypeError, match=rf"{name} must be .*got 3"):
        diagnose(model, modulus=N, input_range=RANGE, **options)


def train_until_nan(model: nn.Module, modulus: int) -> None:
    """Train a network with a learning rate that explodes, until its loss is NaN."""
    optimizer = torch.optim.SGD(model.parameters(), lr=1e20)
    for _ in range(100):
        pairs = torch.randint(RANGE, (64, 2))
        loss = nn.functional.cross_entropy(model(pairs), pairs.sum(1) % modulus)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss.isnan():
            return
    raise AssertionError("the network has not diverged")


def test_a_network_that_was_trained_until_it_diverged_is_called_so() -> None:
    embedding = PrimeFourierEmbedding(PrimeBasis((3, 5), 1))
    model = nn.Sequential(embedding, nn.Flatten(), nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))
    train_until_nan(model, 3)
    # every label is 0, the class that the argmax of NaN names
    found = diagnose(model, modulus=3, input_range=RANGE, label=lambda x: 0 * x.sum(1), samples=200)
    assert found.diverged
    assert not found.honest
    assert (found.accuracy, {*found.beyond.values()}) == (0.0, {0.0})
    assert {*found.nan_beyond.values()} == {(200, 200)}
    assert found.verdict == (
        "The network has diverged: its logits are NaN on 200 of 200 inputs below 100, so nothing "
        "else is diagnosed. Train it again, for example with a smaller learning rate."
    )
    *lines, last = str(found).splitlines()
    assert last == found.verdict
    assert lines[0] == "accuracy – on inputs below 100"
    assert lines[-2:] == ["row 3: drop – (needed)", "row 5: drop –"]
    assert all("–" in line for line in lines)
    for library in ("pandas", "polars"):
        frame = found.frame(library)
        assert frame["diverged"].to_list() == [True] * 6
        for name in ("accuracy", "ablated_accuracy", "drop", "p_value"):
            missing = frame[name].isna() if library == "pandas" else frame[name].is_null()
            assert missing.all(), name
    assert all(a.diverged and (a.nan_before, a.lost) == (200, 0) for a in found.ablations)


def test_nan_beyond_the_range_alone_is_named_and_wrong() -> None:
    class Overflowing(Network):
        def forward(self, x: Tensor) -> Tensor:
            logits = super().forward(x)
            return torch.where((x[:, :1] + x[:, 1:]) > 10**6, torch.nan, logits)

    found = diagnose(
        Overflowing((3, 7, 11), 1, alias=0, slow=False),
        modulus=N,
        input_range=500,
        beyond=(10**9,),
        label=lambda x: 0 * x.sum(1) + torch.where(x.sum(1) > 10**6, 0, x.sum(1) % N),
    )
    assert (found.accuracy, found.diverged, found.honest) == (1.0, False, False)
    assert found.beyond[10**9] == 0
    assert "Its logits are NaN on 4000 of 4000 inputs 500000000 … 1000000000." in found.verdict


def test_weights_that_are_nan_and_unused_say_nothing() -> None:
    model = Network((3, 7, 11), 1, alias=0, slow=False)
    model.unused = nn.Linear(2, 2)
    nn.init.constant_(model.unused.bias, torch.nan)
    assert diagnose(model, modulus=N, input_range=500).honest


@pytest.mark.parametrize(
    ("primes", "depth", "modulus", "words"),
    [
        ((3, 7), 1, 231, "To see all of 231, add the prime 11."),
        ((3, 13), 1, 231, "To see all of 231, add the primes 7, 11."),
        ((3, 5), 1, 45, "To see all of 45, raise the depth from 1 to 2."),
    ],
)
def test_a_missing_prime_is_named_instead_of_more_training(
    primes: tuple[int, ...], depth: int, modulus: int, words: str
) -> None:
    basis = PrimeBasis(primes, depth)
    model = nn.Sequential(
        PrimeFourierEmbedding(basis), nn.Flatten(), nn.Linear(2 * basis.dim, modulus)
    )
    verdict = diagnose(model, modulus=modulus, input_range=500).verdict
    assert verdict.startswith("Has not learned the task")
    assert words in verdict
    assert "longer" not in verdict


def test_a_missing_prime_is_named_where_its_answers_fail_beyond_the_range() -> None:
    class Memory(nn.Module):
        """Adds modulo 33 below 100, and knows nothing of larger numbers."""

        def __init__(self) -> None:
            super().__init__()
            self.embedding = PrimeFourierEmbedding(PrimeBasis((3,), depth=5))

        def forward(self, x: Tensor) -> Tensor:
            known = (self.embedding(x) == self.embedding(x % 243)).all(-1).all(-1)
            right: Tensor = nn.functional.one_hot(x.remainder(243).sum(1) % 33, 33)
            return torch.where(known[:, None], right, 0)

    verdict = diagnose(Memory(), modulus=33, input_range=100, kinds=("zero",)).verdict
    assert "Expect errors from inputs" in verdict
    assert "The basis cannot see the factor 11" in verdict
    assert "No circle explains it" not in verdict
    assert "slow circles" not in verdict


def test_a_range_in_which_no_sum_wraps_around_is_named() -> None:
    class Plain(Network):
        """Add, but never wrap: the answer to a + b is at most 230."""

        def forward(self, x: Tensor) -> Tensor:
            return nn.functional.one_hot(x.sum(1).clamp(max=N - 1), N) + 0 * super().forward(x)

    model = Plain((3, 7, 11), 1, alias=0, slow=False)
    words = "No sum of inputs below 100 reaches 231, so none wraps around: train on a range of 117"
    verdict = diagnose(model, modulus=N, input_range=100).verdict
    assert words in verdict
    assert "shifts" not in verdict
    assert "No circle explains it" in diagnose(model, modulus=N, input_range=117).verdict
    learned_nothing = Network((3, 7, 11, 23), 1, alias=-50.0, slow=False)
    assert words in diagnose(learned_nothing, modulus=N, input_range=100).verdict
    # of a task other than sums nothing is known
    assert words not in diagnose(model, modulus=N, input_range=100, label=wrapped).verdict


def wrapped(x: Tensor) -> Tensor:
    return x.sum(1) % N


def test_answers_that_change_with_other_rows_are_named_where_all_are_right() -> None:
    class Tied(Network):
        """Row 13 changes the answer where it does not belong to the same integers."""

        def forward(self, x: Tensor) -> Tensor:
            logits = super().forward(x)
            codes = self.embedding(x[:, 0]).unflatten(1, (4, -1, 2))[:, 3, 0]
            right = PrimeFourierEmbedding(self.embedding.basis)(x[:, 0]).unflatten(1, (4, -1, 2))
            wrong = (codes != right[:, 3, 0]).any(1) & (x[:, 0] == 5)
            return torch.where(wrong[:, None], -logits, logits)

    found = diagnose(Tied((3, 7, 11, 13), 1, alias=0, slow=False), modulus=N, input_range=500)
    assert (found.unneeded, found.honest) == ((), False)
    assert found.verdict == "Right on every input tried, but some answers change with other rows."


def test_the_figure_shows_the_rows_the_accuracies_and_the_verdict() -> None:
    model = Network((3, 7, 11, 13, 23), 1, alias=5.0, slow=False)
    found = diagnose(model, modulus=N, input_range=RANGE, beyond=(200, 10**6))
    figure = found.figure("Mine")
    rows, accuracies = figure.axes
    assert rows.get_title(loc="left") == "Mine: rows used"
    assert [tick.get_text() for tick in rows.get_xticklabels()] == ["3", "7", "11", "13", "23"]
    drops = [bar.get_height() for bar in rows.patches if isinstance(bar, Rectangle)]
    assert drops == pytest.approx(list(found.rows.values()))
    shown = [text.get_text() for text in accuracies.texts]
    assert {f"{found.accuracy:.2f}", f"{found.beyond[10**6]:.2f}"} <= {*shown}
    assert " ".join(figure.get_suptitle().split()) == found.verdict


@pytest.mark.parametrize(
    "embedding",
    [
        lab.Periods((3, 5, 7.5)),
        lab.ShuffledPrimeFourier((3, 5), depth=1),
        lab.LearnedTable(size=60, width=4, row_count=2),
        lab.Planned(),
    ],
    ids=lambda part: part.name,
)
def test_a_network_of_the_laboratory_is_diagnosed_whatever_its_embedding(embedding: Any) -> None:
    task = lab.ModularArithmetic(modulus=15, input_range=60)
    config = lab.ModelConfig(embedding=embedding, task=task, training=lab.Training(epochs=60))
    network, record = lab.train(config), lab.measure(config)
    needed = config.relevant if not isinstance(embedding, lab.Planned) else None
    found = diagnose(network, modulus=15, input_range=60, needed=needed, samples=1000)
    assert [str(row) for row in found.rows] == list(config.row_names)
    assert found.accuracy > record.measured.accuracy - 0.1
    assert str(found).count("\n") >= len(found.rows)
    for row, drop in zip(found.rows, record.row_drops(), strict=True):
        (zeroed,) = (a for a in found.ablations if (a.label, a.kind) == (row, "zero"))
        assert zeroed.drop == pytest.approx(drop, abs=0.2)


def test_rows_of_other_kinds_are_named_by_the_model() -> None:
    network = lab.train(
        lab.ModelConfig(
            embedding=lab.Periods((3, 5, 32)),
            task=lab.ModularArithmetic(modulus=15, input_range=60),
            training=lab.Training(epochs=60),
        )
    )
    found = diagnose(network, modulus=15, input_range=60, needed=("3", "5"), samples=1000)
    assert found.plan is None
    assert (sorted(map(str, found.needed)), list(found.rows)) == (["3", "5"], ["3", "5", "32"])
    with pytest.raises(ValueError, match="its rows are 3, 5, 32"):
        diagnose(network, modulus=15, input_range=60, needed=("7",))
    with pytest.raises(ValueError, match="or one module with row_names"):
        diagnose(nn.Linear(2, 15), modulus=15, input_range=60)
    with pytest.raises(ValueError, match="set its attribute row_names to a name per row"):
        diagnose(network, modulus=15, input_range=60, at=nn.Linear(2, 2))
