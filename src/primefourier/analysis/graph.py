"""A model as a graph of operations, which shows what reads its integers and where samples meet.

``torch.export`` analyses the model's code for a batch of any size; a second graph, for a batch of
one, must have the same operations, since the first assumes two or more. Code that changes anything
outside (a counter, a list), that depends on chance, or that branches on the size of the batch has
no such graph. What a model reads besides (environment variables, files, whether it is compiled) is
taken as it was; ``certify`` compares the graph with the running model.
"""

from __future__ import annotations

import io
import operator
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from dataclasses import replace
from functools import cache
from typing import Any

import torch
from torch import Tensor, fx, nn
from torch.export import Dim, ExportedProgram

from primefourier.analysis.boxes import (
    _OWN,
    BOUNDS,
    CODE_UNITS,
    UNITS,
    Box,
    NoProofError,
)
from primefourier.encoding import encode
from primefourier.nn import PrimeFourierEmbedding

_MOVES = {
    *("view", "reshape", "view_as", "flatten", "unflatten", "squeeze", "unsqueeze", "permute"),
    *("transpose", "t", "numpy_T", "mT", "movedim", "swapaxes", "cat", "stack", "expand"),
    *("expand_as", "flip", "roll", "pad", "index", "select", "slice", "split", "chunk", "unbind"),
}
"""Operations that move numbers and compute none."""
_PLACES = {"select": 1, "slice": 1, "split": 2, "chunk": 2, "unbind": 1}
"""Where some of them name the axis along which they choose."""
_SAME = {"contiguous", "clone", "detach", "alias", "lift_fresh_copy"}
_CONSTANTS = {"arange", "zeros", "ones", "full", "scalar_tensor"}
_SIZED = {"view", "reshape", "expand", "unflatten", "zeros", "ones", "full"}
"""Operations that may be given the size of the batch, as a size."""
_MEET = "the samples of a batch meet in one operation"
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
    sizes = ({0: Dim.DYNAMIC},) if len(batch) > 1 else None
    quiet = io.StringIO()  # torch prints the graph of what it cannot export
    with warnings.catch_warnings(record=True) as caught, redirect_stderr(quiet):
        warnings.simplefilter("always")
        try:
            program = torch.export.export(model, (batch,), dynamic_shapes=sizes, strict=True)
        except Exception as error:  # whatever the model's code raises under analysis
            what = str(error).strip().partition("\n")[0]
            raise NoProofError(f"torch.export has no graph of the model ({what:.120})") from error
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
    """A model as a graph whose samples never meet; calling it bounds what every device computes.

    Args:
        model: The model, in evaluation mode.
        embeddings: Its embeddings; if there are none, it reads codes.
        batch: Examples of its input, 3 or more.

    Raises:
        NoProofError: If there is no such graph.
    """

    def __init__(
        self, model: nn.Module, embeddings: Sequence[PrimeFourierEmbedding], batch: Tensor
    ) -> None:
        self.embeddings = embeddings
        _require_warnings()
        with _bounded_by(embeddings):
            self._program, single = _export(model, batch[:_FEW]), _export(model, batch[:1])
        self._constants = _constants(self._program)
        numbers = batch.cpu() if embeddings else batch.cpu().double()
        self(Box(numbers[:_FEW], None, 0), 0.0, follow=True)
        one = Box(numbers[:1])
        if self._trace(self._program, one) != self._trace(single, one):
            raise NoProofError("the model treats a batch of one in another way")

    def _trace(self, program: ExportedProgram, inputs: Box) -> list[Any]:
        """Return the operations on some inputs, and where the operands of each come from."""
        trace: list[Any] = []
        constants = _constants(program)
        _Run(self, program, constants, 0.0, trace=trace)(inputs)
        return [*trace, {name: box.middle.tolist() for name, box in constants.items()}]

    def __call__(self, inputs: Box, moved: float, *, follow: bool = False) -> Box:
        """Return the outputs for inputs whose codes may be moved by that much in addition."""
        return _Run(self, self._program, self._constants, moved, follow=follow)(inputs)


def _constants(program: ExportedProgram) -> dict[str, Box]:
    """Return the weights and other constants of a graph by the names of their nodes."""
    found = {}
    for spec in program.graph_signature.input_specs:
        if spec.target is None:
            continue
        value = program.state_dict.get(spec.target, program.constants.get(spec.target))
        if type(value) not in (nn.Parameter, Tensor) or value.is_complex():
            raise NoProofError(f"{spec.target} is no ordinary tensor of numbers")
        value = value.detach().cpu()
        found[spec.arg.name] = Box(value.double() if value.is_floating_point() else value)
    return found


class _Run:
    """One pass through a graph, with boxes in place of tensors."""

    def __init__(
        self, graph: ModelGraph, program: ExportedProgram, constants: dict[str, Box], moved: float,
        *, follow: bool = False, trace: list[Any] | None = None,
    ) -> None:  # fmt: skip
        self.graph, self.nodes, self.moved = graph, program.graph.nodes, moved
        self.values: dict[str, Any] = dict(constants)
        self.follow, self.trace = follow, trace
        self.alive: list[Any] = [constants]
        self.origins = {id(box): name for name, box in constants.items()}

    def __call__(self, inputs: Box) -> Box:
        """Return the output."""
        left = {node.name: len(node.users) for node in self.nodes}
        for node in self.nodes:
            if node.op == "placeholder":
                self.values.setdefault(node.name, inputs)
                self.origins.setdefault(id(inputs), "inputs")
                continue
            args, kwargs = fx.map_arg((node.args, node.kwargs), lambda n: self.values[n.name])
            if node.op == "output":
                if len(args[0]) != 1 or not isinstance(args[0][0], Box):
                    raise NoProofError("the model returns more than one tensor")
                self._note(node, [], args, kwargs)
                output: Box = args[0][0]
                return output
            found = self._call(node, args, kwargs)
            if self.follow and isinstance(found, Box | list):
                found = self._locate(node, found, args, kwargs)
            self._note(node, found, args, kwargs)
            self.values[node.name] = found
            for used in node.all_input_nodes:
                left[used.name] -= 1
                if not left[used.name]:
                    del self.values[used.name]
        raise NoProofError("the model returns nothing")

    def _note(self, node: fx.Node, found: Any, args: Any, kwargs: Any) -> None:
        """Write down an operation and where its operands come from."""
        same = args and found is args[0]
        if self.trace is None or same or not isinstance(found, Box | list):
            return
        leaves = [x if isinstance(x, Box) else str(x) for x in _flat((args, kwargs))]
        origins = [self.origins[id(x)] if isinstance(x, Box) else x for x in leaves]
        for i, box in enumerate(found if isinstance(found, list) else [found]):
            self.origins[id(box)] = f"{len(self.trace)}.{i}"
        self.trace.append((_name(node) if node.op == "call_function" else node.op, origins))
        self.alive.append(found)  # so that no other box gets its id

    def _call(self, node: fx.Node, args: Any, kwargs: Any) -> Any:
        if node.op != "call_function":
            raise NoProofError(
                "the model has parts that run under a condition or run under autocast"
            )
        space, name = _name(node)
        function: Any = node.target
        if function is operator.getitem:
            return args[0][args[1]]
        if space == "":  # arithmetic of sizes
            found = function(*args, **kwargs)
            if type(found) not in (int, _Size):
                raise NoProofError("the size of the batch enters a number")
            return _Size(found)
        boxes = [x for x in _flat((args, kwargs)) if isinstance(x, Box)]
        if name == "sym_size":
            return _Size(args[0].middle.shape[args[1]])
        if name in ("_assert_tensor_metadata", "sym_constrain_range_for_size", "_assert_scalar"):
            return None
        if space == "primefourier":
            return self._encode(*args)
        if space != "aten":
            raise NoProofError(f"there is no bound for {node.target}")
        integers = [box for box in boxes if not box.is_float]
        sized = any(isinstance(x, _Size) for x in _flat((args, kwargs)))
        if sized and (name not in _SIZED or (name == "full" and isinstance(args[1], _Size))):
            raise NoProofError(f"the size of the batch enters {name}")
        if name in _SAME:
            return args[0]
        if name in _MOVES:
            moved = self._move(node, args, kwargs)
            if name == "slice" and moved.middle.shape == args[0].middle.shape:
                return args[0]
            if isinstance(args[0], Box):
                args[0].require_apart(*_chosen(name, args))
            return moved
        if any(box.axis is not None for box in integers):
            if name == "to" and _dtype(node) == torch.int64:
                return integers[0]
            raise NoProofError(f"integers reach {name}, not only PrimeFourierEmbedding")
        if name == "dropout" and not args[2]:
            return args[0]
        if len(integers) == len(boxes) and (boxes or name in _CONSTANTS):  # exact numbers
            kwargs = {name: x for name, x in kwargs.items() if name not in ("device", "pin_memory")}
            found = function(*_middles(args), **_middles(kwargs))
            return Box(found.double() if found.is_floating_point() else found)
        if name not in BOUNDS:
            raise NoProofError(f"there is no bound for {name}")
        try:
            return BOUNDS[name](_unit(node), *args, **({} if name == "to" else kwargs))
        except (TypeError, ValueError, RuntimeError, IndexError) as error:
            raise NoProofError(f"there is no bound for {name} with these options") from error

    def _encode(self, integers: Box, number: int, _: int, dtype: torch.dtype) -> Box:
        """Return the codes of integers, which may differ by a unit in the last place."""
        basis = self.graph.embeddings[number].basis
        codes = torch.from_numpy(encode(integers.middle, basis, "float64")).flatten(-3)
        return Box(codes, torch.full_like(codes, CODE_UNITS[dtype] + _OWN + self.moved))

    def _move(self, node: fx.Node, args: Any, kwargs: Any) -> Any:
        """Move middles and radii alike."""
        if set(kwargs) - {"implicit"}:
            raise NoProofError(f"there is no bound for {node.target} with these options")
        middles = _target(node)(*_middles(args), **_middles(kwargs))
        spreads = middles
        if any(box.radius is not None for box in _flat(args) if isinstance(box, Box)):
            move = _target(node, 0)
            spreads = move(*_middles(args, spread=True), **_middles(kwargs, spread=True))
        if isinstance(middles, Tensor):
            return Box(middles, None if spreads is middles else spreads)
        pairs = zip(middles, spreads, strict=True)
        return [Box(m, None if spreads is middles else r) for m, r in pairs]

    def _locate(self, node: fx.Node, found: Any, args: Any, kwargs: Any) -> Any:
        """Return boxes with the place of their samples, and check where moves have put them."""
        several = isinstance(found, list)
        name, owners = _name(node)[1], None
        boxes = [x for x in _flat((args, kwargs)) if isinstance(x, Box)]
        if name in _MOVES:
            move = _target(node, -1)
            owners = move(*_middles(args, owner=True), **_middles(kwargs, owner=True))
        values = node.meta["val"] if several else [node.meta["val"]]
        placed = []
        for i, (box, value) in enumerate(zip(found if several else [found], values, strict=True)):
            axis = _sample_axis(value)
            if owners is not None:
                turns = _turns(owners[i] if several else owners, axis)
            else:  # an operation on samples side by side
                turns, *others = {x.turns for x in boxes if x.axis is not None} or {1}
                if others:
                    raise NoProofError(_MEET)
            placed.append(replace(box, axis=axis, turns=turns))
        return placed if several else placed[0]


def _chosen(name: str, args: Any) -> list[int]:
    """Return the axes along which a move chooses some places, which may depend on their number."""
    dims = args[0].middle.ndim
    if name in _PLACES:
        return [args[_PLACES[name]] if len(args) > _PLACES[name] else 0]
    if name in ("flip", "roll"):
        return list(args[-1]) if len(args) > 1 + (name == "roll") and args[-1] else [*range(dims)]
    if name == "index":
        return [axis for axis, index in enumerate(args[1]) if index is not None]
    if name == "pad":
        if args[2:3] not in ((), ("constant",)):
            raise NoProofError("there is no bound for this kind of padding")
        return [-1 - i // 2 for i, width in enumerate(args[1]) if width]
    return []


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


def _middles(value: Any, *, spread: bool = False, owner: bool = False) -> Any:
    """Return arguments with tensors in place of boxes: middles, radii, or who owns each number."""

    def pick(leaf: Any) -> Any:
        if not isinstance(leaf, Box):
            return int(leaf) if isinstance(leaf, _Size) else leaf
        if owner and (leaf.is_float or leaf.axis is not None):
            return _owner(leaf)
        return leaf.spread if spread and leaf.is_float else leaf.middle

    return fx.node.map_aggregate(value, pick)


def _owner(box: Box) -> Tensor:
    """Return which sample every number of a box belongs to; -1 for what all share."""
    shape = box.middle.shape
    if box.axis is None:
        return torch.full(shape, -1)
    each = shape[box.axis] // (_FEW * box.turns)
    owners = torch.arange(_FEW).repeat_interleave(each).repeat(box.turns)
    return owners.reshape(-1, *[1] * (len(shape) - box.axis - 1)).expand(shape)


def _turns(owners: Tensor, axis: int | None) -> int:
    """Return how often the samples follow each other along an axis, alone and in order."""
    if axis is None:
        if bool((owners < 0).all()):
            return 1
        raise NoProofError(_MEET)
    times, rest = divmod(owners.shape[axis], _FEW)
    for turns in range(1, times + 1):
        if times % turns == 0 and rest == 0:
            expected = _owner(Box(owners, None, axis, turns))
            if bool(((owners == expected) | (owners < 0)).all()):
                return turns
    raise NoProofError(_MEET)


def _sample_axis(value: Any) -> int | None:
    """Return the axis of a tensor in a graph whose length is a multiple of the batch's size."""
    axes = [i for i, size in enumerate(value.shape) if not isinstance(size, int)]
    if not axes:
        return None
    if len(axes) > 1 or not re.fullmatch(r"(\d+\*)?s\d+", str(value.shape[axes[0]])):
        raise NoProofError(_MEET)
    return axes[0]


def _dtype(node: fx.Node) -> torch.dtype:
    dtype: torch.dtype = node.meta["val"].dtype
    return dtype


def _unit(node: fx.Node) -> float:
    """Return the unit of the dtype that an operation computes in."""
    if _dtype(node) not in UNITS:
        raise NoProofError(f"there is no bound for {_dtype(node)}".replace("torch.", ""))
    return UNITS[_dtype(node)]
