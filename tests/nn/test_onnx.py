"""Modules exported to ONNX and run in onnxruntime; needs the extra interop."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import primefourier as pf
from primefourier.nn import (
    ChannelNetwork,
    CRTHead,
    EquivariantLinear,
    PrimeFourierEmbedding,
    ShuffledPrimeFourier,
    decode_codes,
)

onnxruntime: Any = pytest.importorskip("onnxruntime")
pytest.importorskip("onnxscript")
pytestmark = pytest.mark.slow

BASIS = pf.PrimeBasis((2, 3, 5, 59), depth=4)
EDGES = torch.tensor([-(2**63), 2**63 - 1, -1, 0, 1, -(2**62), 2**62, 59**4, -(59**4), 10**18])
BATCH = {0: torch.export.Dim.DYNAMIC}


class Decoder(nn.Module):
    """All that ``decode`` returns, as a tuple."""

    def __init__(self, head: CRTHead) -> None:
        super().__init__()
        self.head = head

    def forward(self, features: Tensor) -> tuple[Tensor, ...]:
        return tuple(self.head.decode(features, signed=True, min_margin=0.1))


class Reader(nn.Module):
    """``decode_codes`` alone."""

    def forward(self, codes: Tensor) -> tuple[Tensor, ...]:
        return tuple(decode_codes(codes, BASIS))


class Exported:
    """A module as onnxruntime runs it."""

    def __init__(self, module: nn.Module, *examples: Tensor, shapes: Any = BATCH) -> None:
        program: Any = torch.onnx.export(
            module.eval(), examples, dynamic_shapes=(shapes,) * len(examples), verbose=False
        )
        self._session = onnxruntime.InferenceSession(
            program.model_proto.SerializeToString(), providers=["CPUExecutionProvider"]
        )

    def __call__(self, *inputs: Tensor) -> list[Any]:
        names = [wanted.name for wanted in self._session.get_inputs()]
        given = dict(zip(names, (x.numpy() for x in inputs), strict=True))
        outputs: list[Any] = self._session.run(None, given)
        return outputs


def test_an_exported_embedding_has_the_same_codes() -> None:
    module = PrimeFourierEmbedding(BASIS, dtype=torch.float64)
    exported = Exported(module, torch.arange(3))
    for numbers in (EDGES, torch.randint(-(2**63), 2**63 - 1, (500,)), EDGES[:1], EDGES[:0]):
        (codes,) = exported(numbers)
        np.testing.assert_allclose(codes, module(numbers).numpy(), rtol=0, atol=1e-15)


def test_the_widest_integers_can_be_exported() -> None:
    module = PrimeFourierEmbedding(BASIS)
    numbers = torch.tensor([0, 2**64 - 1, 2**64 - 2, 1, 59], dtype=torch.uint64)
    (codes,) = Exported(module, numbers[:2])(numbers)
    np.testing.assert_allclose(codes, module(numbers).numpy(), rtol=0, atol=1e-7)


@pytest.mark.parametrize(("table", "dtype"), [(None, torch.int8), (10, torch.int32)])
def test_padding_is_exported_and_a_table_refuses_integers_outside(
    table: int | None, dtype: torch.dtype
) -> None:
    module = PrimeFourierEmbedding(BASIS, num_embeddings=table)
    numbers = torch.tensor([[5, -1, 0], [9, 0, 2], [-128, -8, -9]], dtype=dtype)
    exported = Exported(module, numbers[:2], numbers[:2] < 0)
    for missing in (numbers < 0, torch.zeros(3, 3) > 0):
        if table is not None and not missing.any():
            for outside in (-1, -10, 10):
                with pytest.raises(Exception, match="out of data bounds"):
                    exported(torch.full((1, 3), outside, dtype=dtype), missing[:1])
        else:
            (codes,) = exported(numbers, missing)
            np.testing.assert_allclose(codes, module(numbers, missing).numpy(), rtol=0, atol=1e-7)


def test_an_exported_head_gives_the_same_integers() -> None:
    torch.manual_seed(0)
    model = Decoder(CRTHead(5, pf.PrimeBasis((3, 1_000_003), depth=2), dtype=torch.float64))
    features = torch.randn(40, 5, dtype=torch.float64)
    nn.init.zeros_(model.head.linear.bias)
    features[0] = 0
    exported = Exported(model, features[:2])
    value, residues, margin, mask = (found.numpy() for found in model(features))
    for got, right in zip(exported(features), (value, residues, margin, mask), strict=True):
        np.testing.assert_allclose(got, right, rtol=0, atol=1e-8)
    assert mask[0]
    assert not mask[1:].all()


def test_exported_phases_are_those_of_float64_for_points_of_any_size() -> None:
    numbers = torch.randint(0, BASIS.range, (200,))
    codes = PrimeFourierEmbedding(BASIS, dtype=torch.float64)(numbers)
    codes += 0.01 * torch.randn(codes.shape, generator=torch.Generator().manual_seed(0))
    codes *= torch.tensor([1e-200, 1e-50, 1.0, 1e60, 1e200])[torch.arange(200) % 5, None]
    codes[0, :2] = torch.tensor([-1.0, 0.0])
    codes[1, :2] = torch.tensor([0.0, -1.0])
    codes[2, :2] = torch.nan
    for got, right in zip(Exported(Reader(), codes[:2])(codes), Reader()(codes), strict=True):
        np.testing.assert_allclose(got, right.numpy(), rtol=0, atol=1e-12)


def test_a_whole_network_is_exported_for_batches_and_lengths() -> None:
    torch.manual_seed(0)
    primes = pf.PrimeBasis((3, 5, 7), depth=1)
    layers = (PrimeFourierEmbedding(primes), ChannelNetwork(primes), EquivariantLinear(primes))
    model = nn.Sequential(*layers, Decoder(CRTHead(primes.dim, primes)))
    shapes = {0: torch.export.Dim.DYNAMIC, 1: torch.export.Dim.DYNAMIC}
    exported = Exported(model, torch.arange(12).reshape(2, 3, 2), shapes=shapes)
    for shape in ((2, 3, 2), (5, 1, 2), (1, 9, 2)):
        numbers = torch.randint(-(2**63), 2**63 - 1, shape)
        got, right = exported(numbers), model(numbers)
        np.testing.assert_array_equal(got[0], right[0].numpy())
        np.testing.assert_allclose(got[2], right[2].numpy(), rtol=0, atol=1e-4)


def test_shuffled_codes_are_exported() -> None:
    module, numbers = ShuffledPrimeFourier(BASIS, operands=2, seed=1), EDGES.reshape(5, 2)
    (codes,) = Exported(module, numbers[:2])(numbers)
    np.testing.assert_allclose(codes, module(numbers).numpy(), rtol=0, atol=1e-7)


def test_what_cannot_be_exported_is_an_error_that_says_what_can() -> None:
    head = Decoder(CRTHead(5, pf.PAPER_BASIS))
    with pytest.raises(Exception, match=r"range must be below 2\^63 for int64 values; export the"):
        Exported(head, torch.randn(2, 5))
    (codes,) = Exported(head.head, torch.randn(2, 5))(features := torch.randn(4, 5))
    read = pf.decode(codes, pf.PAPER_BASIS, min_margin=0).value
    assert (read == head.head.decode(features).value).all()
