"""A model as a graph of operations, which shows what reads its integers and where samples meet.

``torch.export`` analyses the model's code for a batch of any size; two more graphs, for a batch of
one and with gradients on, must have the same operations. Code that changes anything outside (a
counter, a list), that depends on chance, or that branches on the size of the batch has no such
graph. What a model reads besides (environment variables, files, whether it is compiled, the dtype
and layout of its input) is taken as it was; ``certify`` compares the graph with the running model.

Every operation that is carried out or bounded is named here or in ``boxes``; others end a proof.
"""

from __future__ import annotations

import io
import logging
import operator
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import torch
from torch import Tensor, fx, nn
from torch._ops import HigherOrderOperator
from torch.export import Dim, ExportedProgram

from primefourier.analysis.boxes import (
    _OWN,
    BOUNDS,
    CODE_UNITS,
    MEET,
    UNITS,
    Box,
    NoProofError,
    as_box,
    read,
)
from primefourier.encoding import encode
from primefourier.nn import PrimeFourierEmbedding

_MOVES = {
    *("view", "reshape", "view_as", "flatten", "unflatten", "squeeze", "unsqueeze", "permute"),
    *("transpose", "t", "numpy_T", "mT", "movedim", "swapaxes", "cat", "stack", "expand"),
    *("expand_as", "flip", "roll", "pad", "index", "select", "slice", "split", "chunk", "unbind"),
    "embedding",
}
"""Operations that move numbers and compute none."""
_CHOSEN: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("select", "slice", "unbind"), lambda axis=0, *_: axis),
    **dict.fromkeys(("split", "chunk", "roll"), lambda _, axis=(): axis),
    **dict.fromkeys(("flip", "squeeze"), lambda axes=(): axes),
    "index": lambda indices: [i for i, one in enumerate(indices) if one is not None],
    "embedding": lambda *_: 0,
    "pad": lambda widths, *_: [-1 - i // 2 for i, width in enumerate(widths) if width],
}
"""The axes along which some of them choose places; no axes are all."""
_SAME = {"contiguous", "clone", "detach", "detach_", "alias", "lift_fresh_copy"}
_CONSTANTS = {"zeros", "ones", "full", "scalar_tensor", "eye"}
_EXACT = {
    *("to", "add", "sub", "rsub", "mul", "neg", "abs", "eq", "ne", "lt", "le", "gt", "ge", "where"),
    *("logical_not", "logical_and", "logical_or", "bitwise_not", "bitwise_and", "bitwise_or"),
    *("arange", "masked_fill", "one_hot", "sum", "cumsum", "remainder"),
    *("floor_divide", "tril", "triu"),
}
"""Operations whose integer results are the same on every device, if their operands are integers."""
_SIZED = {"view", "reshape", "expand", "unflatten", "zeros", "ones", "full"}
"""Operations that may be given the size of the batch, as a size."""
_SIZES = {operator.add, operator.sub, operator.mul, operator.floordiv}
_ASKED = {"_assert_tensor_metadata", "sym_constrain_range_for_size", "_assert_scalar"}
_FEW = 3
"""The size of the batch in which moves are followed. Along the samples nothing is chosen, so that
what views and exchanges of axes do to their order is the same for every size from 2 on."""


@torch.library.custom_op("primefourier::codes", mutates_args=())
def _codes(integers: Tensor, number: int, dim: int, dtype: torch.dtype) -> Tensor:
    """Stand for the codes of an embedding in a graph; it is never run."""
    raise NotImplementedError


@_codes.register_fake
def _(integers: Tensor, number: int, dim: int, dtype: torch.dtype) -> Tensor:  # noqa: ARG001
    return integers.new_empty(*integers.shape, dim, dtype=dtype)


class _Boundary(PrimeFourierEmbedding):
    """An embedding that appears as one operation in a graph."""

    number: int

    def _compute(self, x: Tensor) -> Tensor:
        codes: Tensor = _codes(x, self.number, self.embedding_dim, self.table.dtype)
        return codes


@contextmanager
def _bounded_by(embeddings: Sequence[PrimeFourierEmbedding]) -> Iterator[None]:
    """Let embeddings appear as one operation each."""
    try:
        for number, embedding in enumerate(embeddings):
            # its class alone, so that hooks, names and weights of the model stay where they are
            embedding.__class__ = _Boundary
            embedding.number = number  # type: ignore[assignment]
        yield
    finally:
        for embedding in embeddings:
            embedding.__class__ = PrimeFourierEmbedding
            del embedding.number


def _export(model: nn.Module, batch: Tensor) -> ExportedProgram:
    """Export a model for batches of one, or of every size."""
    if any(hasattr(module, "_orig_mod") for module in model.modules()):
        raise NoProofError("the model is compiled; certify the module before compilation")
    # torch treats a size of 1 as a constant, which never follows from larger batches
    sizes = ({0: Dim.DYNAMIC},) if len(batch) > 1 else None
    # torch prints and logs the graph of what it cannot export
    level, quiet = logging.root.manager.disable, io.StringIO()
    with warnings.catch_warnings(record=True) as caught, redirect_stderr(quiet):
        warnings.simplefilter("always")
        logging.disable()
        try:
            program = torch.export.export(model, (batch,), dynamic_shapes=sizes, strict=True)
        except Exception as error:  # whatever the model's code raises under analysis
            what = str(error).strip().partition("\n")[0]
            raise NoProofError(f"torch.export has no graph of the model ({what:.120})") from error
        finally:
            logging.disable(level)
    for warning in caught:
        if "side effects" in str(warning.message):
            raise NoProofError("the model changes something when it runs, a counter or a list")
    # private, and so required to be there: what the code asked of the batch's size
    guards = getattr(program, "_guards_code", ["a question that this version of torch hides"])
    if guards:
        raise NoProofError(f"the model depends on the size of the batch: {guards[0]}")
    signature = program.graph_signature
    if signature.buffers_to_mutate or signature.user_inputs_to_mutate:
        raise NoProofError("the model changes a buffer or its input when it runs")
    return program


class _Canary(nn.Module):
    """A model that must not be proved, for what one of its two questions must raise."""

    def __init__(self, counts: bool) -> None:
        super().__init__()
        self.counts, self.calls = counts, 0

    def forward(self, x: Tensor) -> Tensor:
        """Count the calls, or ask for the size of the batch."""
        if self.counts:
            self.calls += 1
            return x * self.calls
        return x * 2 if len(x) % 7 else x


@cache
def _require_warnings() -> None:
    """Raise NoProofError if this version of torch exports such models without a word."""
    for counts, words in ((True, "changes something"), (False, "size of the batch")):
        try:
            _export(_Canary(counts), torch.zeros(_FEW, 2))
        except NoProofError as error:
            if words in str(error):
                continue
        raise NoProofError("this version of torch does not say what a model does besides")


class _Size(int):
    """A number that depends on the size of the batch."""


class ModelGraph:
    """A model as a graph whose samples never meet; calling it bounds what every device computes."""

    def __init__(
        self, model: nn.Module, embeddings: Sequence[PrimeFourierEmbedding], batch: Tensor
    ) -> None:
        """Export a model in evaluation mode, which reads codes if it has no embeddings.

        The batch has three examples of its input or more. Without such a graph, NoProofError.
        """
        self.embeddings = embeddings
        _require_warnings()
        numbers = batch.cpu() if embeddings else batch.cpu().double()
        with _bounded_by(embeddings):
            self._program = _export(model, batch[:_FEW])
            self._constants = _constants(self._program)
            # before the other graphs, since most of what has no proof fails here
            self(Box(numbers[:_FEW], None, 0), 0.0, follow=True)
            single = _export(model, batch[:1])
            learning = torch.enable_grad()(_export)(model, batch[:1])
        one = Box(numbers[:1])
        for program, what in (
            (single, "treats a batch of one in another way"),
            (learning, "computes something else with gradients on"),
        ):
            if self._trace(program, one) != self._trace(self._program, one):
                raise NoProofError(f"the model {what}")

    def _trace(self, program: ExportedProgram, inputs: Box) -> list[Any]:
        """Return the operations on some inputs, and where the operands of each come from."""
        run = _Run(self.embeddings, program, _constants(program))
        run(inputs)
        for name, box in run.constants.items():
            if name not in self._constants or not torch.equal(
                box.middle, self._constants[name].middle
            ):
                run.trace.append(name)
        return run.trace

    def __call__(self, inputs: Box, moved: float, *, follow: bool = False) -> Box:
        """Return the outputs for inputs whose codes may be moved by that much in addition."""
        return _Run(self.embeddings, self._program, self._constants, moved, follow)(inputs)


def _constants(program: ExportedProgram) -> dict[str, Box]:
    """Return the weights and other constants of a graph by the names of their nodes."""
    found = {}
    for spec in program.graph_signature.input_specs:
        if spec.target is None:
            continue
        value = program.state_dict.get(spec.target, program.constants.get(spec.target))
        if (
            type(value) not in (nn.Parameter, Tensor)
            or value.layout != torch.strided
            or value.is_complex()
            or value.is_quantized
        ):
            raise NoProofError(f"{spec.target} is no ordinary tensor of numbers")
        value = value.detach().cpu()
        found[spec.arg.name] = Box(value.double() if value.is_floating_point() else value.clone())
    return found


@dataclass
class _Run:
    """One pass through a graph, with boxes in place of tensors."""

    embeddings: Sequence[PrimeFourierEmbedding]
    program: ExportedProgram
    constants: dict[str, Box]
    moved: float = 0.0
    follow: bool = False
    values: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, Any] = field(default_factory=dict)
    trace: list[Any] = field(default_factory=list)

    def __call__(self, inputs: Box) -> Box:
        """Return the output."""
        left = {node.name: len(node.users) for node in self.program.graph.nodes}
        for node in self.program.graph.nodes:
            name = node.name
            if node.op == "placeholder":
                self.values[name] = self.constants.get(name, inputs)
                self.sources[name] = name if name in self.constants else "inputs"
                continue
            args, kwargs = fx.map_arg((node.args, node.kwargs), lambda n: self.values[n.name])
            sources = fx.map_arg((node.args, node.kwargs), lambda n: self.sources[n.name])
            if node.op == "output":
                if len(args[0]) != 1 or not isinstance(args[0][0], Box):
                    raise NoProofError("the model returns more than one tensor")
                self.trace.append(sources)
                output: Box = args[0][0]
                return output
            try:
                found = self._call(node, args, kwargs)
                placed = found
                if self.follow and isinstance(found, Box | list):
                    placed = self._locate(node, found, args, kwargs)
            except (TypeError, ValueError, RuntimeError, ArithmeticError, LookupError) as error:
                what = f"there is no bound for {_name(node)[1]} with these options"
                raise NoProofError(what) from error
            # what returns its operand is no operation of the trace, since one batch may need it
            # and another not
            if isinstance(found, _Size):
                self.sources[name] = int(found)
            elif args and found is args[0]:
                self.sources[name] = self.sources[node.args[0].name]
            elif found is not None:
                self.trace.append((_name(node), sources))
                self.sources[name] = f"operation {len(self.trace)}"
            self.values[name] = placed
            for used in node.all_input_nodes:  # boxes that nobody reads any more are let go
                left[used.name] -= 1
                if not left[used.name]:
                    del self.values[used.name]
        raise NoProofError("the model returns nothing")

    def _call(self, node: fx.Node, args: Any, kwargs: Any) -> Any:
        """Return what an operation gives, in place of tensors boxes."""
        (space, name), leaves = _name(node), _flat((args, kwargs))
        function: Any = node.target
        if node.op != "call_function" or isinstance(function, HigherOrderOperator):
            raise NoProofError(
                "the model has parts that run under a condition, that switch gradients on or off, "
                "or that run under autocast"
            )
        if function is operator.getitem:
            return args[0][args[1]]
        if space == "":  # arithmetic of sizes
            if function not in _SIZES:
                raise NoProofError("the size of the batch enters a number")
            return _Size(function(*args))
        if name == "sym_size":
            return _Size(args[0].middle.shape[args[1]])
        if name in _ASKED:
            return None
        if (space, name) == ("primefourier", "codes"):
            integers, number, _, dtype = args
            basis = self.embeddings[number].basis
            codes = torch.from_numpy(encode(integers.middle, basis, "float64")).flatten(-3)
            # codes of two devices may differ by a unit in the last place
            return Box(codes, torch.full_like(codes, CODE_UNITS[dtype] + _OWN + self.moved))
        if space != "aten" or (function._schema.is_mutable and name not in _SAME):
            raise NoProofError(f"there is no bound for {name}")
        sized = any(isinstance(x, _Size) for x in leaves)
        if sized and (name not in _SIZED or (name == "full" and isinstance(args[1], _Size))):
            raise NoProofError(f"the size of the batch enters {name}")
        return args[0] if name in _SAME else self._compute(node, name, args, kwargs)

    def _compute(self, node: fx.Node, name: str, args: Any, kwargs: Any) -> Any:
        """Move, carry out or bound an operation on boxes."""
        if name in _MOVES:
            return self._move(node, name, args, kwargs)
        boxes = [x for x in _flat((args, kwargs)) if isinstance(x, Box)]
        # the integers of the batch may be moved and cast to int64, and nothing else
        if any(box.axis is not None and not box.is_float for box in boxes):
            if name == "to" and _dtype(node) == torch.int64:
                return args[0]
            raise NoProofError(f"integers reach {name}, not only PrimeFourierEmbedding")
        if name == "dropout" and not args[2]:
            return args[0]
        # no device rounds integers, so that constants are computed at once
        exact = name in _EXACT and not any(box.is_float for box in boxes)
        if (
            (exact and not _dtype(node).is_floating_point)
            or (name in _CONSTANTS and not boxes)
            or (name in ("tril", "triu") and boxes[0].radius is None and boxes[0].axis is None)
        ):
            kwargs = {name: x for name, x in kwargs.items() if name not in ("device", "pin_memory")}
            found: Tensor = _target(node)(*_tensors(args), **_tensors(kwargs))
            return Box(found.double() if found.is_floating_point() else found)
        if name not in BOUNDS:
            raise NoProofError(f"there is no bound for {name}")
        args, kwargs = self._read(node)
        return BOUNDS[name](_unit(node), *args, **({} if name == "to" else kwargs))

    def _read(self, node: fx.Node) -> Any:
        """Return the operands of an operation in its dtype."""

        def find(used: fx.Node) -> Any:
            found = self.values[used.name]
            if not isinstance(found, Box):
                return found
            return read(found, _unit(node), convert=_dtype(used) != _dtype(node))

        return fx.map_arg((node.args, node.kwargs), find)

    def _move(self, node: fx.Node, name: str, args: Any, kwargs: Any) -> Any:
        """Move middles and radii alike."""
        if set(kwargs) - {"implicit"} or getattr(node.target, "_overloadname", "") == "dtype":
            raise NoProofError(f"there is no bound for {name} with these options")
        if name == "pad" and args[2:3] not in ((), ("constant",)):
            raise NoProofError("there is no bound for this kind of padding")
        indices = args[1] if name == "index" else [args[1]] if name == "embedding" else []
        # a table of constants may be read at constant places alone
        for index in indices:
            if index is not None and index.axis is not None:
                raise NoProofError(f"integers reach {name}, not only PrimeFourierEmbedding")
            if index is not None and index.middle.dtype in (torch.bool, torch.uint8):
                raise NoProofError("the shape of a result depends on a mask")
        if isinstance(args[0], list):  # cat and stack, which convert
            if any(x.axis is not None and not x.is_float for x in args[0]):
                if _dtype(node) != torch.int64:
                    raise NoProofError(f"integers reach {name}, not only PrimeFourierEmbedding")
            elif _dtype(node) in UNITS:
                args, _ = self._read(node)
            elif _dtype(node).is_floating_point and len(set(map(_dtype, node.all_input_nodes))) > 1:
                raise NoProofError(f"there is no bound for {name} of several dtypes")
        middles = _target(node)(*_tensors(args))
        # along the samples nothing may be chosen, or it would depend on the place in the batch
        if name in _CHOSEN:
            if name == "slice" and middles.shape == args[0].middle.shape:
                return args[0]
            axes, dims = _CHOSEN[name](*args[1:]), args[0].middle.ndim
            axes = [axes] if isinstance(axes, int) else list(axes) or [*range(dims)]
            if name == "squeeze" and args[0].axis in {axis % dims for axis in axes}:
                raise NoProofError("a batch of one loses an axis in squeeze")
            args[0].require_apart(*axes)
        value = args[3] if name == "pad" and args[3:] else 0
        spreads, given = middles, [x for x in _flat(args[0]) if x.is_float]
        # radii go where middles go; what is padded has the radius of its rounding
        if given and (value or any(box.radius is not None for box in given)):
            move = _target(node, float(as_box(value, _unit(node)).spread) if value else 0)
            spreads = move(_tensors(args[0], lambda box: box.spread), *_tensors(args[1:]))
        if isinstance(middles, Tensor):
            return Box(middles, None if spreads is middles else spreads)
        pairs = zip(middles, spreads, strict=True)
        return [Box(m, None if spreads is middles else r) for m, r in pairs]

    def _locate(self, node: fx.Node, found: Any, args: Any, kwargs: Any) -> Any:
        """Return boxes with the place of their samples, and check where moves have put them."""
        if isinstance(found, list):
            owners = _target(node)(_tensors(args[0], _owner), *_tensors(args[1:]))
            places = zip(found, node.meta["val"], owners, strict=True)
            return [_placed(box, _sample_axis(value), owner) for box, value, owner in places]
        axis = _sample_axis(node.meta["val"])
        if _name(node)[1] in _MOVES:
            # the numbers of samples go the same way, and must arrive alone and in order
            owner = _target(node, -1)(_tensors(args[0], _owner), *_tensors(args[1:]))
            return _placed(found, axis, owner)
        # an operation on samples side by side, which joins none of them
        boxes = [x for x in _flat((args, kwargs)) if isinstance(x, Box) and x.axis is not None]
        turns, *others = {box.turns for box in boxes} or {1}
        if others or (axis is None and boxes):
            raise NoProofError(MEET)
        return replace(found, axis=axis, turns=turns)


def _placed(box: Box, axis: int | None, owners: Tensor) -> Box:
    """Return a box whose samples follow each other along an axis, alone and in order."""
    times, rest = (1, 0) if axis is None else divmod(owners.shape[axis], _FEW)
    for turns in range(1, times + 1):
        if times % turns == 0 and rest == 0:
            placed = replace(box, axis=axis, turns=turns)
            if bool(((owners == _owner(placed)) | (owners < 0)).all()):
                return placed
    raise NoProofError(MEET)


def _name(node: fx.Node) -> tuple[str, str]:
    """Return the namespace and the name of an operation; no namespace for a Python function."""
    target: Any = node.target
    if node.op != "call_function" or not hasattr(target, "namespace"):
        return "", ""
    space, _, name = target.name().partition(".")[0].partition("::")
    return space, name


def _target(node: fx.Node, fill: float | None = None) -> Any:
    """Return the function of a move, which may fill what it pads with another number."""
    if _name(node)[1] == "view":  # needs strides that middles need not have
        return torch.ops.aten.reshape.default
    if _name(node)[1] == "pad" and fill is not None:
        return lambda x, pads, *_: nn.functional.pad(x, pads, value=fill)
    return node.target


def _flat(value: Any) -> list[Any]:
    """Return the leaves of nested arguments."""
    leaves: list[Any] = []
    fx.node.map_aggregate(value, leaves.append)
    return leaves


def _tensors(value: Any, pick: Callable[[Box], Tensor] = lambda box: box.middle) -> Any:
    """Return arguments with tensors in place of boxes, and numbers in place of sizes."""

    def find(leaf: Any) -> Any:
        if isinstance(leaf, Box):
            return pick(leaf)
        return int(leaf) if isinstance(leaf, _Size) else leaf

    return fx.node.map_aggregate(value, find)


def _owner(box: Box) -> Tensor:
    """Return which sample every number of a box belongs to; -1 for what all share."""
    shape = box.middle.shape
    if box.axis is None:
        return torch.full(shape, -1)
    each = shape[box.axis] // (_FEW * box.turns)
    owners = torch.arange(_FEW).repeat_interleave(each).repeat(box.turns)
    return owners.reshape(-1, *[1] * (len(shape) - box.axis - 1)).expand(shape)


def _sample_axis(value: Any) -> int | None:
    """Return the axis of a tensor in a graph whose length is a multiple of the batch's size."""
    axes = [i for i, size in enumerate(value.shape) if not isinstance(size, int)]
    if not axes:
        return None
    if len(axes) > 1 or not re.fullmatch(r"(\d+\*)?s\d+", str(value.shape[axes[0]])):
        raise NoProofError(MEET)
    return axes[0]


def _dtype(node: fx.Node) -> torch.dtype:
    dtype: torch.dtype = node.meta["val"].dtype
    return dtype


def _unit(node: fx.Node) -> float:
    """Return the unit of the dtype that an operation computes in."""
    if _dtype(node) not in UNITS:
        raise NoProofError(f"there is no bound for {_dtype(node)}".replace("torch.", ""))
    return UNITS[_dtype(node)]
