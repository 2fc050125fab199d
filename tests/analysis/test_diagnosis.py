"""Diagnoses of networks that are built to compute, to cheat, and to lean on slow circles."""

from typing import Any

import pytest
import torch
from matplotlib.patches import Rectangle
from torch import Tensor, nn

from built_networks import RANGE, N, Network
from primefourier import PrimeBasis, lab
from primefourier.analysis import Ablation, Diagnosis, diagnose
from primefourier.nn import PrimeFourierEmbedding


def changed(forward: Any, *others: int, **options: Any) -> Network:
    """Return a network whose logits another function of (s, x, logits) changes."""

    def after(self: Any, x: Tensor) -> Any:
        return forward(self, x, Network.forward(self, x))

    kind = type("Changed", (Network,), {"forward": after})
    return kind(*others, **options)  # type: ignore[no-any-return]


def look(model: nn.Module, input_range: int = RANGE, **options: Any) -> Diagnosis:
    return diagnose(model, modulus=N, input_range=input_range, **({"samples": 1000} | options))


def test_an_honest_network_is_called_honest_after_tests_in_all_ranges() -> None:
    tried: list[tuple[int, int]] = []

    def label(x: Tensor) -> Tensor:
        tried.append((int(x.min()), int(x.max())))
        return x.remainder(N).sum(1) % N

    model = Network()
    model.unused = nn.Linear(2, 2)
    nn.init.constant_(model.unused.bias, torch.nan)  # which says nothing
    found = look(model, 500, label=label)
    ends = (1000, *(10**k for k in (4, 6, 9, 12, 18)))
    assert (found.honest, found.accuracy, found.unneeded) == (True, 1, ())
    assert dict(found.beyond) == dict.fromkeys(ends, 1.0)
    assert found.verdict == "Uses only the primes of 231, and was right on every input tried."
    inside = [pair for pair in tried if pair[1] < 500]
    assert all(0 <= low < 25 < 475 < high for low, high in inside)
    for end in ends:
        assert any(end // 2 <= low < 0.55 * end < 0.95 * end < high < end for low, high in tried)
    assert all(low >= 500 for low, high in tried if high >= 500)


def test_an_alias_is_named_with_the_range_from_which_it_fails_and_drawn() -> None:
    found = look(Network(13, 23, alias=5.0), beyond=(200, 10**6))
    assert found.accuracy > 0.99
    assert (found.unneeded, found.honest) == ((23,), False)
    assert found.beyond[10**6] < 0.5
    assert "Uses 23, which is not a factor of 231 but looks like one below 100" in found.verdict
    assert "(1/23 ≈ 10/231)" in found.verdict
    known = 200 if found.beyond[200] >= 0.99 else 100
    assert f"Expect errors from inputs {known} on: accuracy" in found.verdict
    figure = found.figure("Mine")
    rows, accuracies = figure.axes
    assert rows.get_title(loc="left") == "Mine: rows used"
    assert [tick.get_text() for tick in rows.get_xticklabels()] == ["3", "7", "11", "13", "23"]
    drops = [bar.get_height() for bar in rows.patches if isinstance(bar, Rectangle)]
    assert drops == pytest.approx(list(found.rows.values()))
    shown = [text.get_text() for text in accuracies.texts]
    assert {f"{found.accuracy:.2f}", f"{found.beyond[10**6]:.2f}"} <= {*shown}
    assert " ".join(figure.get_suptitle().split()) == found.verdict


def depends(primes: tuple[int, ...], when: Any = lambda x: x[:, 0] >= 0) -> Any:
    """Return a change of signs for some integers, by rows that carry another input's codes."""

    def flip(s: Any, x: Tensor, logits: Tensor) -> Tensor:
        places = [s.embedding.basis.primes.index(p) for p in primes]
        given, right = s.codes(x[:, 0]), PrimeFourierEmbedding(s.embedding.basis)(x[:, 0])
        same = (given.flatten(2) == right.unflatten(1, given.shape[1:]).flatten(2)).all(2)
        wrong = ~same[:, places].all(1) & when(x)
        return torch.where(wrong[:, None], -logits, logits)

    return flip


def test_several_rows_without_need_are_named_in_one_sentence() -> None:
    found = look(changed(depends((13, 19)), 13, 19, 23, alias=5.0), beyond=(10**6,))
    assert {*found.unneeded} == {13, 19, 23}
    assert "which are not factors of 231 but look like one below 100 (" in found.verdict
    assert all(f"1/{prime} ≈ " in found.verdict for prime in (13, 19, 23))


class Memory(nn.Module):
    """Adds modulo 33 below 100, and knows nothing of larger numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = PrimeFourierEmbedding(PrimeBasis((3,), depth=5))

    def forward(self, x: Tensor) -> Tensor:
        known = (self.embedding(x) == self.embedding(x % 243)).all(-1).all(-1)
        right: Tensor = nn.functional.one_hot(x.remainder(243).sum(1) % 33, 33)
        return torch.where(known[:, None], right, 0)


def plain(s: Any, x: Tensor, logits: Tensor) -> Tensor:
    """Add, but never wrap: the answer to a + b is at most 230."""
    return nn.functional.one_hot(x.sum(1).clamp(max=N - 1), N) + 0 * logits


NARROW = changed(lambda s, x, logits: Network.forward(s, x.to(torch.int8)))
RARE = changed(lambda s, x, logits: torch.where(x[:, :1] % 289 == 5, -logits, logits))
TIED = changed(depends((13,), lambda x: x[:, 0] == 5), 13)
NO_SUM = "No sum of inputs below 100 reaches 231, so none wraps around: train on a range of 117"
SHIFTS = "by random multiples of 231, as lab.Training(shifts=True) does."
BLIND = [
    nn.Sequential(PrimeFourierEmbedding(basis), nn.Flatten(), nn.Linear(2 * basis.dim, classes))
    for basis, classes in (
        (PrimeBasis((3, 7), 1), N),
        (PrimeBasis((3, 13), 1), N),
        (PrimeBasis((3, 5), 1), 45),
    )
]


@pytest.mark.parametrize(
    ("model", "options", "words", "absent"),
    [
        (Network(depth=6, slow=True), {}, "probably serve as constants: use depth 1", "longer"),
        (Network(depth=6, slow=True), {"input_range": 150}, SHIFTS, "longer"),
        (NARROW, {"input_range": 120}, "No circle explains it; check whether the model", "slow"),
        (NARROW, {"input_range": 120}, "No circle explains it; check whether the model", "shifts"),
        (changed(plain), {}, NO_SUM, "shifts"),
        (RARE, {"input_range": 500, "samples": 4000}, "except for single inputs (0.99", "errors"),
        (Network(23, alias=-50.0), {"input_range": 150}, "Train it longer", "Uses 23"),
        (Network(23, alias=-50.0), {}, NO_SUM, "longer"),
        (changed(plain), {}, NO_SUM, "slow"),
        (changed(plain), {"input_range": 117}, "No circle explains it", "No sum"),
        (changed(plain), {"label": lambda x: x.sum(1) % N}, "Expect errors", "No sum"),
        (BLIND[0], {"input_range": 500}, "To see all of 231, add the prime 11.", "longer"),
        (BLIND[1], {"input_range": 500}, "To see all of 231, add the primes 7, 11.", "longer"),
        (BLIND[2], {"modulus": 45}, "To see all of 45, raise the depth from 1 to 2.", "longer"),
        (Memory(), {"modulus": 33}, "The basis cannot see the factor 11", "No circle"),
        (TIED, {"input_range": 500, "samples": 4000}, "some answers change with other rows", "Use"),
    ],
)
def test_every_cause_is_named_and_none_invented(
    model: nn.Module, options: dict[str, Any], words: str, absent: str
) -> None:
    given: dict[str, Any] = {"modulus": N, "input_range": RANGE, "samples": 1000} | options
    found = diagnose(model, **given)
    assert words in found.verdict
    assert absent not in found.verdict
    assert not found.honest


def built(size: int, lost: int, **options: Any) -> Diagnosis:
    """Return the diagnosis of a network that loses some answers without a row it does not need."""
    rows: list[Any] = [
        Ablation("5", "zero", size, size, size, 0),
        Ablation("5", "permute", size, size, lost, 0),
    ]
    return Diagnosis(7, 100, frozenset({"7"}), None, 1.0, {200: 1.0}, rows, **options)


def test_a_row_is_used_if_another_input_in_its_place_costs_more_than_noise() -> None:
    assert built(10_000, 300).rows == {"5": 0.03}, "zeros are no code of any integer"
    assert built(10_000, 300).unneeded == ("5",)
    assert built(10_000, 190).unneeded == (), "at most 0.02"
    assert built(100, 5).unneeded == (), "no more than the noise floor of 0.14"
    assert (built(100, 0).honest, built(100, 1).honest) == (True, False)


def test_every_kind_and_row_is_in_the_frame_and_in_words() -> None:
    def gap(logits: Tensor, labels: Tensor) -> Tensor:
        return logits.gather(1, labels[:, None])[:, 0] - logits.mean(1)

    model = Network(23, alias=5.0)
    found = look(model, kinds=("zero", "permute"), prepare=lambda x: {"x": x}, metric=gap)
    frame = found.frame()
    assert list(frame["label"]) == [3, 7, 11, 23] * 2
    assert list(frame["relevant"]) == [True, True, True, False] * 2
    assert set(frame["kind"]) == {"zero", "permute"}
    assert (frame["metric_before"] > frame["metric_after"]).all()
    words = str(found).splitlines()
    assert words[0].startswith("accuracy 1.0000 on inputs below 100")
    assert sum(line.endswith("(needed)") for line in words) == 3


TWO = nn.Sequential(*(PrimeFourierEmbedding(PrimeBasis((3,), 1)) for _ in range(2)))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"model": nn.Linear(2, 2)}, "must have one PrimeFourierEmbedding, .* got 0"),
        ({"model": TWO}, "got 2"),
        ({"model": lambda x: x}, "model must be a torch module, got a function"),
        ({"beyond": (150,)}, "every end in beyond must be an integer of at least 200, got 150"),
        ({"beyond": (2**64,)}, r"none above 2\^63"),
        ({"beyond": ()}, "beyond must have at least one number"),
        ({"beyond": 3}, "beyond must be .*got 3"),
        ({"label": 3}, "label must be .*got 3"),
        ({"prepare": 3}, "prepare must be .*got 3"),
        ({"input_range": 2**70}, f"input_range must be at most {2**62}, got {2**70}"),
        ({"modulus": 10**30}, f"modulus must be at most {2**62}, got {10**30}"),
        ({"modulus": 1}, "modulus must be an integer of at least 2, got 1"),
        ({"operands": 0}, "operands must be an integer of at least 1, got 0"),
        ({"seed": -1}, "seed must be an integer of at least 0, got -1"),
        ({"samples": 1}, "samples must be an integer of at least 100, got 1"),
        ({"kinds": ()}, "kinds must name at least one of"),
        ({"kinds": "zero"}, r"kinds must be a sequence of kinds, such as \(.zero.,\), got a str"),
        ({"needed": ("3",)}, "needed must name rows of an embedding that is no PrimeFourier"),
    ],
)
def test_wrong_arguments_are_refused(options: dict[str, Any], words: str) -> None:
    right: dict[str, Any] = {"model": Network(), "modulus": N, "input_range": RANGE}
    with pytest.raises((TypeError, ValueError), match=words):
        diagnose(**(right | options))


def test_a_network_that_was_trained_until_it_diverged_is_called_so() -> None:
    embedding = PrimeFourierEmbedding(PrimeBasis((3, 5), 1))
    model = nn.Sequential(embedding, nn.Flatten(), nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e20)
    for _ in range(20):
        pairs = torch.randint(RANGE, (64, 2))
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(pairs), pairs.sum(1) % 3).backward()
        optimizer.step()
    # every label is 0, the class that the argmax of NaN names
    found = diagnose(model, modulus=3, input_range=RANGE, label=lambda x: 0 * x.sum(1), samples=200)
    assert (found.diverged, found.honest) == (True, False)
    assert (found.accuracy, {*found.beyond.values()}) == (0.0, {0.0})
    assert {*found.nan_beyond.values()} == {(200, 200)}
    assert found.verdict.startswith(
        "The network has diverged: its logits are NaN on 200 of 200 inputs below 100, so nothing "
        "else is diagnosed. Train it again"
    )
    *lines, last = str(found).splitlines()
    assert last == found.verdict
    assert lines[0] == "accuracy – on inputs below 100"
    assert lines[-2:] == ["row 3: drop – (needed)", "row 5: drop –"]
    assert found.frame("polars")["drop"].is_null().all()
    assert all(a.diverged and (a.nan_before, a.lost) == (200, 0) for a in found.ablations)


def test_nan_beyond_the_range_alone_is_named_and_wrong() -> None:
    model = changed(
        lambda s, x, logits: torch.where(x.sum(1, keepdim=True) > 10**6, torch.nan, logits)
    )
    # whose answers to NaN would be right, since their labels are 0
    found = look(model, 500, beyond=(10**9,), label=lambda x: (x.sum(1) % N) * (x.sum(1) < 10**6))
    assert (found.accuracy, found.diverged, found.honest) == (1.0, False, False)
    assert found.beyond[10**9] == 0
    assert "Its logits are NaN on 1000 of 1000 inputs 500000000 … 1000000000." in found.verdict


@pytest.mark.parametrize(
    "embedding",
    [
        lab.ShuffledPrimeFourier((3, 5), depth=1),
        lab.LearnedTable(size=60, width=4, row_count=2),
        lab.Planned(),
    ],
    ids=lambda part: part.name,
)
def test_a_network_of_the_laboratory_is_diagnosed_whatever_its_embedding(embedding: Any) -> None:
    task = lab.ModularArithmetic(modulus=15, input_range=60)
    config = lab.ModelConfig(embedding=embedding, task=task, training=lab.Training(epochs=30))
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
    config = lab.ModelConfig(
        embedding=lab.Periods((3, 5, 7.5)),
        task=lab.ModularArithmetic(modulus=15, input_range=60),
        training=lab.Training(epochs=1),
    )
    network = lab.train(config)
    found = diagnose(network, modulus=15, input_range=60, needed=("3", "5"), samples=100)
    assert found.plan is None
    assert (sorted(map(str, found.needed)), list(found.rows)) == (["3", "5"], ["3", "5", "7.5"])
    with pytest.raises(ValueError, match=r"its rows are 3, 5, 7\.5"):
        diagnose(network, modulus=15, input_range=60, needed=("7",))
    with pytest.raises(ValueError, match="set its attribute row_names to a name per row"):
        diagnose(network, modulus=15, input_range=60, at=nn.Linear(2, 2))
