"""Parts of one's own: registered, checked, trained like the built-in ones, or refused clearly."""

import json
import re
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from primefourier import lab
from primefourier.lab import parts
from primefourier.lab.parts import UnknownPart, register
from primefourier.lab.study import find_axes
from small_models import small_config


def config_with(**changes: Any) -> lab.ModelConfig:
    """Return a small model with some parts of one's own."""
    task = lab.ModularArithmetic(modulus=5, input_range=20, beyond=(40, 10**18), beyond_samples=30)
    values = {"embedding": lab.PrimeFourier((3, 5), 1), "task": task}
    return lab.ModelConfig(**{**values, "training": lab.Training(epochs=2), **changes})


@dataclass(frozen=True)
class Digits:
    """Circles of the powers of a base."""

    name: ClassVar[str] = "test-digits"
    version: ClassVar[int] = 1
    base: int = 10

    def row_names(self) -> list[str]:
        return ["ones", "tens"]

    def rows(self, integers: Any) -> Tensor:
        turns = [[int(a) % t / t for t in (self.base, self.base**2)] for a in integers]
        angles = 2 * torch.pi * torch.tensor(turns)
        return torch.stack([angles.cos(), angles.sin()], -1)

    def relevant(self, task: Any) -> list[str] | None:
        return ["ones"] if self.base % task.modulus == 0 else None


def test_an_embedding_of_ones_own_is_measured_like_ours() -> None:
    register(Digits)
    config = config_with(embedding=Digits())
    record = lab.measure(config)
    measured = record.measured
    assert measured.row_names == ("ones", "tens")
    assert measured.relevant == ("ones",)
    assert measured.trainer == "fast", "the paper's network on fixed features"
    assert [size for _, size in measured.beyond.values()] == [30, 30]
    assert lab.ModelConfig.from_dict(json.loads(json.dumps(config.to_dict()))) == config
    assert lab.measure(config_with(embedding=Digits(7))).measured.relevant is None


@dataclass(frozen=True)
class Frequencies:
    """Learned frequencies: an embedding with parameters."""

    name: ClassVar[str] = "test-frequencies"
    version: ClassVar[int] = 1
    count: int = 3

    def row_names(self) -> list[str]:
        return [f"frequency {i}" for i in range(self.count)]

    def module(self) -> nn.Module:
        count = self.count

        class Circles(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.frequencies = nn.Parameter(torch.rand(count))

            def forward(self, integers: Tensor) -> Tensor:
                angles = 2 * torch.pi * integers[:, None].float() * self.frequencies
                return torch.stack([angles.cos(), angles.sin()], -1)

        return Circles()

    def relevant(self, task: Any) -> None:
        return None


@pytest.mark.parametrize(
    "embedding", [lab.LearnedTable(size=20, width=5, row_count=2), Frequencies()], ids=str
)
@pytest.mark.parametrize("network", [lab.RowClassifier(), lab.Linear()], ids=str)
def test_embeddings_with_parameters_are_trained_with_the_network(
    embedding: Any, network: Any
) -> None:
    register(Frequencies)
    config = config_with(embedding=embedding, network=network, ablations=("mean", "permute"))
    one, again = (lab.measure(config).measured for _ in range(2))
    assert one == again
    assert one.trainer == "plain"
    assert one.row_names == tuple(embedding.row_names())
    assert list(one.ablations) == ["mean", "permute"]
    assert len(one.lost) == len(one.row_names)


@pytest.mark.parametrize(
    "network",
    [
        lab.Linear(),
        lab.Mlp(hidden=(16, 8)),
        lab.Transformer(width=8, heads=2, hidden=8),
        lab.Transformer(tokens="operands", width=8, heads=2, hidden=8),
        lab.RowClassifier(encoder=(8, 4), classifier=6),
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "training",
    [
        lab.Training(epochs=2),
        lab.Training(epochs=2, batch_size=None, optimizer_name="adamw", weight_decay=1.0),
        lab.Training(epochs=2, optimizer_name="sgd", learning_rate=0.1),
    ],
    ids=str,
)
def test_every_network_is_trained_and_ablated(network: Any, training: lab.Training) -> None:
    config = config_with(network=network, training=training, ablations=("mean",))
    measured = lab.measure(config).measured
    fast = isinstance(network, lab.RowClassifier) and training == lab.Training(epochs=2)
    assert measured.trainer == ("fast" if fast else "plain")
    assert measured.correct == measured.correct_by_epoch[-1]
    assert set(measured.ablations) == {"mean"}


def test_weight_decay_and_optimizer_change_the_weights_of_the_readable_loop() -> None:
    task = lab.ModularArithmetic(modulus=5, input_range=60)
    found = {
        lab.measure(config_with(task=task, training=training)).measured.correct_by_epoch
        for training in (
            lab.Training(epochs=4),
            lab.Training(epochs=4, weight_decay=0.5, optimizer_name="adamw"),
            lab.Training(epochs=4, optimizer_name="sgd"),
        )
    }
    assert len(found) == 3


def test_a_training_of_ones_own_brings_its_optimizer() -> None:
    @register
    @dataclass(frozen=True)
    class Momentum:
        name: ClassVar[str] = "test-momentum"
        version: ClassVar[int] = 1
        epochs: int = 3
        batch_size: int | None = None

        def optimizer(self, parameters: list[Tensor]) -> torch.optim.Optimizer:
            return torch.optim.SGD(parameters, lr=0.1, momentum=0.9)

    measured = lab.measure(config_with(training=Momentum())).measured
    assert (measured.trainer, len(measured.correct_by_epoch)) == ("plain", 3)


class Made(Digits):
    """An embedding whose features a test makes."""


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (lambda x: torch.full((len(x), 2, 3), torch.nan), "must return finite features, got NaN"),
        (lambda x: torch.zeros(len(x), 3, 2), r"must return shape .* 2 row names, got"),
        (lambda x: torch.zeros(len(x), 2), r"must return shape \(20, 2, width\) for 20 integers"),
        (lambda x: torch.zeros(len(x), 2, 0), r"must return shape"),
        (lambda x: np.zeros((len(x), 2, 3)), "must return a tensor of floats, got ndarray"),
        (lambda x: torch.zeros(len(x), 2, 3, dtype=torch.long), "must return a tensor of floats"),
        (
            lambda x: torch.zeros(len(x), 2, 3 if max(x) < 50 else 4),
            r"must have one width for all integers, got examples of shapes \[\(2, 6\), \(2, 8\)\]",
        ),
    ],
    ids=["nan", "rows", "flat", "empty", "numpy", "integers", "changing width"],
)
def test_bad_features_are_clear_errors(
    monkeypatch: pytest.MonkeyPatch, rows: Any, message: str
) -> None:
    register(Made)
    monkeypatch.setattr(Made, "rows", lambda _, integers: rows(integers))
    reason = lab.measure(config_with(embedding=Made())).reason
    assert re.search(message, reason)


def test_relevant_rows_must_be_rows() -> None:
    @register
    @dataclass(frozen=True)
    class Wrong(Digits):
        name: ClassVar[str] = "test-wrong"

        def relevant(self, task: Any) -> list[str]:
            return ["hundreds"]

    record = lab.measure(config_with(embedding=Wrong()))
    assert (
        "relevant must return names of rows, ('ones', 'tens'), got ('hundreds',)" in record.reason
    )


def test_a_network_must_build_a_module_with_the_right_logits() -> None:
    @register
    @dataclass(frozen=True)
    class Built:
        name: ClassVar[str] = "test-built"
        version: ClassVar[int] = 1
        what: str = "nothing"

        def build(self, shape: lab.InputShape, classes: int) -> Any:
            if self.what == "nothing":
                return None
            size = shape.rows * shape.operands * shape.width
            return nn.Sequential(nn.Flatten(), nn.Linear(size, classes + 1))

    assert (
        "must return an nn.Module, got NoneType" in lab.measure(config_with(network=Built())).reason
    )
    wrong = lab.measure(config_with(network=Built("wrong"))).reason
    assert "must return logits of shape (320, 5), got (320, 6)" in wrong


def test_integers_beyond_64_bits_are_refused_by_embeddings_with_parameters() -> None:
    task = lab.ModularArithmetic(modulus=5, input_range=20, beyond=(10**30,))
    record = lab.measure(config_with(task=task, embedding=lab.LearnedTable(size=20)))
    assert "has parameters and reads integers below 2^63" in record.reason


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"name": None}, TypeError, "the name of Part must be a text such as 'digits', got None"),
        ({"name": ""}, TypeError, "the name of Part must be a text"),
        ({"name": "a\x1b[2J"}, TypeError, "the name of Part must be a text"),
        ({"version": 0}, TypeError, "the version of Part must be an integer of at least 1, got 0"),
        ({"version": "1"}, TypeError, "the version of Part must be an integer"),
        ({"row_names": None}, TypeError, "Part must have exactly one of these methods: row_names"),
        ({"build": print}, TypeError, "Part must have exactly one of these methods"),
        ({"rows": None}, TypeError, r"either rows\(integers\), if it is fixed, or module"),
        ({"module": print}, TypeError, "either rows"),
        ({"relevant": None}, TypeError, r"must have relevant\(task\)"),
        ({"name": "prime-fourier"}, ValueError, "name 'prime-fourier' is taken by .*PrimeFourier"),
    ],
)
def test_classes_that_are_not_parts_are_refused(
    change: dict[str, Any], error: type[Exception], message: str
) -> None:
    part: Any = dataclass(frozen=True)(type("Part", (Digits,), {"name": "test-part", **change}))
    with pytest.raises(error, match=message):
        register(part)


def test_a_part_must_be_a_frozen_dataclass() -> None:
    for wrong in (dataclass(type("Thawed", (), {})), type("Plain", (), {}), 3):
        with pytest.raises(TypeError, match="a part must be a frozen dataclass"):
            register(wrong)  # type: ignore[type-var]


@pytest.mark.parametrize(
    ("base", "message"),
    [
        (print, "base of Digits must be plain data, .* got builtin_function_or_method"),
        (torch.zeros(2), "plain data"),
        (float("inf"), "base of Digits must be plain data"),
        ([10], "numbers, texts and tuples of them; got list"),
    ],
)
def test_fields_that_cannot_be_sent_to_a_worker_are_refused(base: Any, message: str) -> None:
    register(Digits)
    with pytest.raises(TypeError, match=message):
        config_with(embedding=Digits(base=base))


def test_unknown_parts_are_listed_but_never_trained() -> None:
    register(Digits)
    config = config_with(embedding=Digits())
    data = config.to_dict()
    del parts._registered["embedding", "test-digits"]
    unknown = lab.ModelConfig.from_dict(data)
    assert isinstance(unknown.embedding, UnknownPart)
    assert unknown.key == config.key
    assert unknown.to_dict() == data
    assert "test-digits base=10" in unknown.describe()
    reason = lab.measure(unknown).reason
    assert "the embedding 'test-digits' (version 1) is not registered here" in reason
    register(Digits)
    assert lab.ModelConfig.from_dict(data) == config


def test_another_version_of_a_part_is_unknown() -> None:
    data = small_config().to_dict()
    newer = {**data, "network": {**data["network"], "version": 2}}
    assert not lab.ModelConfig.from_dict(newer).known


def test_a_learned_table_learns_what_it_has_seen_and_nothing_beyond() -> None:
    config = config_with(
        embedding=lab.LearnedTable(size=20, width=16),
        network=lab.Mlp(hidden=(64,)),
        training=lab.Training(epochs=150, batch_size=64, learning_rate=0.01),
    )
    measured = lab.measure(config).measured
    assert measured.accuracy > 0.7
    assert max(measured.accuracy_beyond.values()) < 0.5, "chance is 0.2"


def test_a_part_with_a_new_field_and_the_old_version_is_unknown() -> None:
    data = config_with().to_dict()
    older = {**data, "embedding": {k: v for k, v in data["embedding"].items() if k != "depth"}}
    found = lab.ModelConfig.from_dict(older)
    assert isinstance(found.embedding, lab.UnknownPart)
    assert found.to_dict() == older, "so its key, and its records, stay what they were"


def test_a_field_that_was_added_later_leaves_keys_as_they_were_where_it_has_its_default() -> None:
    def part(**more: Any) -> Any:
        own = {"name": "test-later", **more, "__annotations__": dict.fromkeys(more, bool)}
        return dataclass(frozen=True)(type("Later", (Digits,), own))

    before = register(part())
    old = config_with(embedding=before())
    del parts._registered["embedding", "test-later"]
    after = register(part(padded=field(default=False, metadata={"left_out": True})))
    same, other = (config_with(embedding=after(padded=value)) for value in (False, True))
    assert same.key == old.key
    assert same.to_dict() == old.to_dict()
    assert lab.ModelConfig.from_dict(old.to_dict()) == same, "what was stored before is read"
    assert other.key != old.key
    assert lab.ModelConfig.from_dict(json.loads(json.dumps(other.to_dict()))) == other
    axis = lab.Axis("embedding.padded")
    assert [axis.value(config) for config in (same, other)] == [False, True]
    assert [axis.path for axis in find_axes([same, other])] == ["embedding.padded"]
    with pytest.raises(TypeError, match="padded of Later is left out, so it must have a default"):
        register(part(padded=field(metadata={"left_out": True}, kw_only=True)))
