"""Odd inputs of public functions: errors say what is required, what came, and what to do."""

import warnings
from collections.abc import Callable
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch

import primefourier as pf
from primefourier import analysis, theory
from primefourier import nn as modules

BASIS = pf.PrimeBasis((3, 5, 7), 2)
CHARACTERS = pf.CharacterBasis((5, 7))
CODES = torch.from_numpy(pf.encode([1, 2], BASIS)).flatten(1)
EMBEDDING = modules.PrimeFourierEmbedding(BASIS)
TABLE = modules.PrimeFourierEmbedding(BASIS, num_embeddings=10)
SHUFFLED = modules.ShuffledPrimeFourier(BASIS)
HEAD = modules.CRTHead(4, BASIS)
FEATURES = torch.zeros(2, 4)
SPARSE = torch.eye(2, dtype=torch.int64).to_sparse()
SPARSE_CODES = torch.eye(2, 12).to_sparse()
META = torch.zeros(2, dtype=torch.int64, device="meta")
META_HEAD = modules.CRTHead(4, BASIS, device="meta")
NETWORK = torch.nn.Linear(2, 2)
with warnings.catch_warnings(action="ignore"):  # of what is a prototype or deprecated
    NESTED = torch.nested.nested_tensor([torch.tensor([1]), torch.tensor([1, 2])])
    QUANTISED = torch.quantize_per_tensor(torch.tensor([1.0, 2.0]), 1.0, 0, torch.qint8)


def ablate(**changes: Any) -> Any:
    groups = {"one": torch.tensor([True, False])}
    given: dict[str, Any] = {"inputs": torch.zeros(3, 2), "labels": torch.zeros(3, dtype=int)}  # type: ignore[call-overload]
    given |= changes
    return analysis.ablate(NETWORK, given.pop("inputs"), given.pop("labels"), groups, **given)


READERS: dict[str, Callable[[Any], Any]] = {
    "encode": lambda x: pf.encode(x, BASIS),
    "character codes": CHARACTERS.encode,
    "combine residues": lambda x: pf.combine_residues(x, [3, 5]),
    "loss of the head": lambda x: HEAD.loss(FEATURES, x),
    "circular loss": lambda x: modules.circular_loss(CODES, x, BASIS),
}


@pytest.mark.parametrize("reader", READERS)
def test_integers_that_have_no_value_are_refused(reader: str) -> None:
    for value, words in (
        (pa.scalar(None, pa.int64()), "got an Int64Scalar, .*drop missing values"),
        ([pa.scalar(3), pa.scalar(None)], r"at position \[1\]; drop missing values"),
        (int, "got a type, <class 'int'>; pass an int, a sequence of ints"),
        (SPARSE, r"as a dense tensor, .* convert it with \.to_dense"),
        (NESTED, "a tensor of one shape, got a nested tensor; pad it"),
        (META, "a tensor on the meta device, which has no values; pass a tensor on another"),
        (QUANTISED, r"got a quantised tensor of torch\.qint8; convert it with \.dequantize"),
    ):
        with pytest.raises((TypeError, ValueError), match=f"integers are required.*{words}"):
            READERS[reader](value)


@pytest.mark.parametrize("module", [EMBEDDING, TABLE, SHUFFLED])
def test_modules_refuse_tensors_without_one_shape(module: Any) -> None:
    with pytest.raises(TypeError, match=r"as a dense tensor, .* convert it with \.to_dense"):
        module(SPARSE)
    with pytest.raises(TypeError, match="got a nested tensor; pad it"):
        module(NESTED)
    with pytest.raises(TypeError, match=r"integers are required, got a quantised tensor"):
        module(QUANTISED)


@pytest.mark.parametrize(
    ("head", "features", "words"),
    [
        (HEAD, FEATURES.to("meta"), "got features on meta and weights on cpu"),
        (META_HEAD, FEATURES, "got features on cpu and weights on meta"),
    ],
)
def test_a_head_and_features_of_which_one_is_on_the_meta_device_are_refused(
    head: modules.CRTHead, features: torch.Tensor, words: str
) -> None:
    for call in (head, head.decode, lambda rows: head.loss(rows, torch.arange(2))):
        with pytest.raises(ValueError, match=f"must be on one device, {words}.* have no values"):
            call(features)


def test_a_table_names_the_integers_that_it_lacks() -> None:
    """Also those of uint64, which torch would call -1, and none under a mask."""
    with pytest.raises(IndexError, match=f"integers from 3 to {2**64 - 1}; increase"):
        TABLE(torch.tensor([3, 2**64 - 1], dtype=torch.uint64))
    masked = torch.tensor([False, False, True])
    with pytest.raises(IndexError, match="integers from 3 to 10; increase"):
        TABLE(torch.tensor([3, 10, 99]), masked)


FLOATS: dict[str, Callable[[Any], Any]] = {
    "decode": lambda x: pf.decode(x, BASIS),
    "characters": CHARACTERS.decode,
    "projection": lambda x: theory.project_to_equivariant(x, BASIS),
}


@pytest.mark.parametrize("reader", FLOATS)
def test_floats_that_have_no_value_are_refused(reader: str) -> None:
    for value, words in (
        ([[1.0], [1.0, 2.0]], r"nested sequences of one shape, got a list, \[\[1\.0\], \[1\.0, 2"),
        (torch.zeros(2, 12, device="meta"), "on the meta device, which has no values"),
        (SPARSE_CODES, r"a dense tensor, .* convert it with \.to_dense"),
    ):
        with pytest.raises((TypeError, ValueError), match=f"floats are required.*{words}"):
            FLOATS[reader](value)


@pytest.mark.parametrize(
    "call",
    [
        lambda: modules.decode_codes(SPARSE_CODES, BASIS),
        lambda: modules.negate_codes(SPARSE_CODES, BASIS),
        lambda: HEAD(SPARSE_CODES),
        lambda: EMBEDDING(torch.arange(2), padding_mask=SPARSE.bool()),
        lambda: ablate(inputs=SPARSE_CODES),
    ],
)
def test_tensors_of_other_layouts_are_refused(call: Callable[[], Any]) -> None:
    with pytest.raises(TypeError, match=r"required as a dense tensor, .* with \.to_dense"):
        call()


TWO = pd.Series([1, 2])
core: Any = pf  # arguments of wrong types are wanted here
networks: Any = modules
measures: Any = analysis


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: core.encode(1, BASIS, torch.zeros(1)), "dtype must be float16, float32 or"),
        (lambda: core.encode(1, BASIS, pl.Series([1])), "dtype must be float16, float32 or"),
        (lambda: core.decode(CODES, BASIS, errors=TWO), "errors must be 'raise' or"),
        (lambda: networks.decode_codes(CODES, BASIS, min_margin=None), "0 and 1, got a None"),
        (lambda: networks.decode_codes(CODES, BASIS, min_margin="x"), "between 0 and 1, got a str"),
        (lambda: networks.PrimeFourierEmbedding(BASIS, dtype=[]), "dtype must be float16, bf"),
        (lambda: networks.PrimeFourierEmbedding(BASIS, dtype=TWO), "dtype must be float16, bf"),
        (lambda: networks.ShuffledPrimeFourier(BASIS, unit=TWO), "unit must be 'column', 'pair'"),
        (lambda: networks.digit_logits(CODES, [1, 2], BASIS, scale="x"), "scale must be a number"),
        (lambda: networks.digit_logits(CODES, [1, 2], BASIS, scale=[1.0] * 9), "one for each"),
        (lambda: measures.feature_mask({3: 1}), "groups must be masks of one shape"),
        (lambda: ablate(metric=3), "metric must be a function of logits and labels, got 3"),
        (lambda: ablate(labels=META.new_zeros(3)), "labels are required.* meta device"),
        (lambda: measures.ablation_frame(3), "must be several results of ablate"),
        (lambda: measures.ablation_frame(["x"]), "got str; pass the list"),
        (lambda: measures.mean_interval([[1.0], [1.0, 2.0]]), "values must be one sequence of num"),
        (lambda: measures.mean_interval([1, 2], None), "confidence must be a number"),
        (lambda: measures.selectivity([0.1], [3]), "drops must be a mapping from rows to numbers"),
        (lambda: measures.selectivity({3: 0.1}, 3), "and relevant a collection of rows, got"),
        (lambda: measures.selectivity({3: "x"}, [3]), "drop of row 3 must be a number"),
        (lambda: measures.specialisation_ratio(None, 0.1, 0.1), "relevant must be a number"),
        (lambda: measures.specialisation_ratio(0.1, "x", 0.1), "other must be a number, got a str"),
        (lambda: measures.specialisation_ratio(0.1, 0.1, []), "floor must be a number, got a list"),
        (lambda: measures.diagnose(EMBEDDING, modulus=3, input_range=9, kinds=3), "kinds must"),
    ],
)  # fmt: skip
def test_options_of_another_kind_are_refused(call: Callable[[], Any], words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        call()
