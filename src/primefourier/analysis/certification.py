"""Proof by finite check: a network that reads only residues is right for all integers, or not.

Circles whose periods divide L have bit-identical codes for a and a + L. A network that reads
integers only through such circles is a function of the residues modulo L, so its answers to all
tuples of residues are its answers to all integers. What rounding may change on any device is
bounded (``boxes``) along the operations of the network (``graph``). A ChannelNetwork computes a
prime's circles of the answer from that prime's circles of the operands alone, so it is checked
prime by prime.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.module import _has_any_global_hook

from primefourier.analysis.boxes import (
    BOUNDS,
    CODE_UNITS,
    UNITS,
    Box,
    NoProofError,
    divide,
    linear,
    read,
)
from primefourier.analysis.finite_check import (
    Certificate,
    Task,
    check,
    label_integers,
    require_periodic,
)
from primefourier.analysis.graph import ModelGraph
from primefourier.analysis.torch_ablation import evaluating
from primefourier.arithmetic.crt import combine_coprime
from primefourier.arithmetic.integers import as_integer, format_integer
from primefourier.encoding import CharacterBasis, PrimeBasis, encode
from primefourier.encoding.characters import Basis, require_either
from primefourier.nn import ChannelNetwork, PrimeFourierEmbedding, settle_residues
from primefourier.nn.device_codes import device_periods, residue_codes

MOST_CASES = 5_000_000


def certify(
    model: nn.Module,
    basis: Basis,
    label: Callable[[Tensor], Any],
    *,
    operands: int = 2,
    output: PrimeBasis | None = None,
    most_cases: int = MOST_CASES,
    batch_size: int = 8_192,
) -> Certificate:
    """Prove that a network is right for all integers, check it, or find a counterexample.

    Every tuple of residues modulo L, the product of the largest periods of the basis, is checked,
    and again with random integers of the same residues, which must not change a bit.

    *Proved* means: ``torch.export`` turns the model into a graph in which integers reach nothing
    but PrimeFourierEmbedding, and the samples of a batch never meet, with gradients on or off;
    every operation of the graph is known and has a rounding bound; no case comes closer to a wrong
    answer than the bounds allow; and the running model stays within them. The proof holds for the
    given weights on every device with IEEE float32 or float64 arithmetic, in any order of
    summation, with elementary functions (exp, tanh, …) within 8 units in the last place. Outside
    are TF32, bfloat16, autocast, quantised kernels, codes on MPS (which has no float64) and layer
    norms that compute the variance as mean(x²) - mean(x)². It takes for granted that the labels
    depend on residues alone, which is tried on 1000 random shifts, and that what the model reads
    beside the numbers of its input stays as it is here: environment variables, files, whether it is
    compiled, and an input of contiguous int64.

    *Checked* means that a bound or a graph is missing: the model is right on all cases on this
    machine, in batches of 1, 2, 3, 7 and many cases, in order and mixed, and in batches of copies
    of its 1000 closest cases. *Refuted* comes with a counterexample and the size of its batch.

    A ChannelNetwork is proved prime by prime: the tuples of residues modulo each p^D suffice, the
    sum of all p^(D · operands) instead of the product. What is proved is that the decoded integer
    equals the label modulo L, for all integers.

    Args:
        model: A classifier that reads integers (n, operands) through PrimeFourierEmbedding, and
            nothing else; or one without such a module, which reads codes (n, operands, dim). Or a
            ChannelNetwork, alone or as ``nn.Sequential(PrimeFourierEmbedding, ChannelNetwork)``.
        basis: The circles or characters that the model may read.
        label: The right class for integers (n, operands); it must have the same value for
            operands that are equal modulo L. It is tried on integers below 2^31 in absolute value.
            For a model that returns codes the right integer, whose residue modulo p^D must have
            the same value, for a ChannelNetwork for operands that are equal modulo p^D.
        operands: The number of integers per input.
        output: The basis of the codes that a model returns instead of logits, as
            ``nn.CRTHead`` does; a ChannelNetwork returns those of ``basis``.
        most_cases: Refuse to check more than this.
        batch_size: The number of cases per forward pass.

    Raises:
        ValueError: If there are too many cases, if the model reads a circle whose period does not
            divide L, if its logits change with other inputs of the batch, with other integers of
            the same residues or from run to run, or if the labels are no function of the residues.

    >>> from primefourier import PrimeBasis
    >>> basis = PrimeBasis((3,), depth=1)
    >>> model = nn.Sequential(PrimeFourierEmbedding(basis), nn.Flatten(), nn.Linear(2, 3))
    >>> model[2].weight.data = torch.from_numpy(encode(range(3), basis)).flatten(1)
    >>> print(certify(model, basis, lambda x: x[:, 0] % 3, operands=1).explain())
    Proved for all integers, on every device with IEEE float32 arithmetic: right on all 3 tuples ...
    """
    require_either(basis)
    if not isinstance(model, nn.Module):
        raise TypeError(f"model must be a torch module, got a {type(model).__name__}")
    count = as_integer(operands, "operands", at_least=1)
    step = as_integer(batch_size, "batch_size", at_least=2)
    most = as_integer(most_cases, "most_cases", at_least=1)
    network = _find_channels(model, basis, count)
    with evaluating(model), torch.no_grad():
        if network is None:
            cases = basis.range**count
            _require_few(cases, f"{format_integer(basis.range)}^{count}", most, model)
            tasks = [_classify(model, basis, label, count, output)]
        else:
            tops = [row[-1] for row in network.basis.periods]
            _require_few(
                sum(top**count for top in tops), "the sum of p^(D · operands)", most, network
            )
            for top in tops:
                require_periodic(label, top, count, moduli=(top,))
            tasks = [_follow_prime(model, network, i, label) for i in range(len(tops))]
        for task in tasks:
            task.reason = _find_mode() or task.reason
        found = [check(task, step) for task in tasks]
    # a wrong answer is shown before a narrow margin
    worst = min(found, key=lambda one: (not one.wrong, one.margin))
    wrong, reasons = sum(one.wrong for one in found), [one.reason for one in found if one.reason]
    joined = replace(
        worst,
        modulus=basis.range,
        cases=sum(one.cases for one in found),
        wrong=wrong,
        period=None if network is None else worst.period,
    )
    if wrong:
        return joined
    if reasons:
        return replace(joined, status="checked", reason=reasons[0], bound=None, radius=None)
    return replace(
        joined,
        bound=max(one.bound or 0.0 for one in found),
        radius=min(one.radius or 0.0 for one in found),
    )


def _find_mode() -> str | None:
    """Return which mode of torch is on, in which models compute something else."""
    if _has_any_global_hook():
        return "hooks on all modules are registered"
    if any(map(torch.is_autocast_enabled, ("cpu", "cuda"))):
        return "autocast is on"
    return None


def _require_few(cases: int, what: str, most: int, model: nn.Module) -> None:
    """Raise ValueError if there are too many cases to check."""
    if cases <= most:
        return
    hint = ""
    if any(isinstance(part, ChannelNetwork) for part in model.modules() if part is not model):
        hint = (
            "; a ChannelNetwork inside another module is not proved prime by prime, so certify the "
            "ChannelNetwork itself"
        )
    raise ValueError(
        f"certify checks at most {most} cases, got {format_integer(cases)}, {what}; use fewer "
        f"or smaller primes or a smaller depth, or raise most_cases{hint}"
    )


def _classify(
    model: nn.Module,
    basis: Basis,
    label: Callable[[Tensor], Any],
    operands: int,
    output: PrimeBasis | None,
) -> Task:
    """Return the check of a model that reads all circles together."""
    period = basis.range
    embeddings = _embeddings(model, period)
    moduli = () if output is None else tuple(row[-1] for row in output.periods)
    require_periodic(label, period, operands, moduli=moduli)
    # buffers of integers say nothing of the dtype in which the model computes
    tensors = [*model.parameters(), *model.buffers()]
    real = [t for t in tensors if t.is_floating_point() or t.is_complex()]
    dtype = torch.empty(0, dtype=real[0].dtype).real.dtype if real else torch.get_default_dtype()
    device = tensors[0].device if tensors else torch.device("cpu")
    if embeddings:
        dtype = embeddings[0].table.dtype

    def read(inputs: Tensor) -> Tensor:
        if embeddings:
            return inputs.to(device)
        return _codes(basis, inputs).to(device, dtype)

    def run(inputs: Tensor) -> Tensor:
        given = read(inputs)
        try:
            values = model(given)
        except Exception as error:
            what = "integers" if embeddings else "codes, since it has no PrimeFourierEmbedding,"
            raise ValueError(
                f"the model must run on {what} of shape {tuple(given.shape)}, it raised "
                f"{type(error).__name__}: {error}"
            ) from error
        width = None if output is None else output.dim
        shape = f"({len(inputs)}, {'classes' if width is None else width})"
        if not isinstance(values, Tensor) or values.ndim != 2 or len(values) != len(inputs):
            got = tuple(values.shape) if isinstance(values, Tensor) else type(values).__name__
            raise ValueError(f"the model must return logits of shape {shape}, got {got}")
        found = values.to("cpu", torch.float64)
        if bool((found.isnan() | (found == torch.inf)).any()) or width not in (None, len(found[0])):
            raise ValueError(
                f"the model must return numbers of shape {shape}, finite or -inf for classes that "
                f"are not used, got NaN, infinity or shape {tuple(found.shape)}"
            )
        return found

    def bound(inputs: Tensor, moved: float) -> Box:
        return graph(
            Box(inputs, None, 0) if embeddings else _coded(basis, inputs, dtype, moved), moved
        )

    def right(inputs: Tensor) -> Tensor:
        return label_integers(label, inputs)

    task = Task(run, bound, right, period, operands, dtype)
    if output is not None:
        task.leads = partial(_digit_leads, basis=output, unit=UNITS.get(dtype, 0.0))
        task.answer = partial(_decoded, basis=output)
    try:
        graph = ModelGraph(model, embeddings, read(torch.zeros(3, operands, dtype=torch.int64)))
    except NoProofError as error:
        task.reason = str(error)
    return task


def _follow_prime(
    model: nn.Module, network: ChannelNetwork, place: int, label: Callable[[Tensor], Any]
) -> Task:
    """Return the check of one prime of a ChannelNetwork."""
    basis = PrimeBasis((network.basis.primes[place],), network.basis.depth)
    like, width = network.weights[0], basis.dim
    # a network alone reads codes of all primes, which are those of the same residues here
    embedding = PrimeFourierEmbedding(network.basis, dtype=like.dtype)
    dtype = like.dtype if model is network else model[0].table.dtype  # type: ignore[index]
    layers = [
        [Box((part if network.shared else part[place]).double().cpu()) for part in layer]
        for layer in zip(network.weights, network.biases, strict=True)
    ]

    def run(inputs: Tensor) -> Tensor:
        given = inputs.to(like.device)
        codes: Tensor = model(embedding(given) if model is network else given)
        if not bool(codes.isfinite().all()):
            raise ValueError("the network's codes must be finite, got NaN or infinity")
        return codes[:, place * width : (place + 1) * width].to("cpu", torch.float64)

    def bound(inputs: Tensor, moved: float) -> Box:
        """Bound the points before they are normalised, which keeps their angles."""
        if like.dtype not in UNITS:
            raise NoProofError(f"there is no bound for {like.dtype}".replace("torch.", ""))
        # one row per prime; within a row depth, operand, (cos, sin)
        codes = _coded(basis, inputs, dtype, moved).move(
            lambda t: t.unflatten(-1, (basis.depth, 2)).transpose(1, 2).flatten(1)
        )
        box = read(codes, unit, convert=dtype != like.dtype)
        for i, (weight, bias) in enumerate(layers):
            box = linear(unit, BOUNDS["relu"](unit, box) if i else box, weight, bias)
        return box

    def right(inputs: Tensor) -> Tensor:
        return label_integers(label, inputs) % basis.range

    def given(box: Box) -> Box:
        """Normalise the points, as the network does."""
        points = box.move(lambda t: t.unflatten(-1, (-1, 2)))
        length = BOUNDS["linalg_vector_norm"](unit, points, 2, [-1], True)
        found = divide(unit, points, BOUNDS["clamp_min"](unit, length, 1e-12))
        return found.move(lambda t: t.flatten(-2))

    unit = UNITS.get(like.dtype, 0.0)
    task = Task(run, bound, right, basis.range, network.operands, like.dtype)
    task.leads = partial(_digit_leads, basis=basis, unit=unit)
    task.answer = partial(_decoded, basis=basis)
    task.given = given
    return task


def _codes(basis: Basis, integers: Tensor) -> Tensor:
    """Return flat codes in float64."""
    # in float64, so that the middles of boxes are closer than any code
    if isinstance(basis, CharacterBasis):
        return torch.from_numpy(basis.encode(integers, "float64")).flatten(2)
    return torch.from_numpy(encode(integers, basis, "float64")).flatten(2)


def _coded(basis: Basis, integers: Tensor, dtype: torch.dtype, moved: float) -> Box:
    """Return the box of flat codes of a dtype, moved by that much in addition."""
    if dtype not in CODE_UNITS:
        raise NoProofError(f"there is no bound for {dtype}".replace("torch.", ""))
    codes = _codes(basis, integers)
    return Box(codes, torch.full_like(codes, CODE_UNITS[dtype] + UNITS[torch.float64] + moved), 0)


def _digit_leads(
    box: Box, right: Tensor, *, basis: PrimeBasis, unit: float
) -> tuple[Tensor, Tensor]:
    """Return the smallest margins of digits, and those that hold for all points of a box."""
    periods = device_periods(basis, torch.device("cpu"))
    target = torch.view_as_complex(residue_codes(right[:, None, None], periods, torch.float64))
    middle, spread = (t.unflatten(-1, basis.shape) for t in (box.middle, box.spread))

    def margins(points: Tensor) -> Tensor:
        angles = torch.view_as_complex(points.contiguous()) / target
        angles = torch.where(angles == 0, math.pi, angles.angle().abs())
        return (1 - angles * periods[:, :1] / math.pi).flatten(1).amin(1)

    if box.radius is None:
        return margins(middle), margins(middle)
    # a box without the origin is seen from there under the angles of its corners
    corners = [margins(middle + spread * torch.tensor((x, y))) for x in (-1, 1) for y in (-1, 1)]
    clear = (middle.abs() > spread).any(-1) & (middle.abs() + spread < 1e15).all(-1)
    clear &= torch.linalg.vector_norm(middle, dim=-1) > 1e-15  # normalised without underflow
    sure = torch.stack(corners).amin(0) - 64 * unit * basis.primes[-1]  # how exactly it is decoded
    return margins(middle), torch.where(clear.flatten(1).all(1), sure, -torch.inf)


def _decoded(values: Tensor, right: int, *, basis: PrimeBasis) -> int:  # noqa: ARG001
    """Return the integer that codes are decoded to."""
    residues, _ = settle_residues(values, basis)
    tops = [row[-1] for row in basis.periods]
    return int(combine_coprime(residues[None].numpy(), tops)[0])


def _find_channels(model: object, basis: Basis, operands: int) -> ChannelNetwork | None:
    """Return the ChannelNetwork that a model is, alone or behind an embedding, or None."""
    # with hooks, another forward method, basis or number of operands, the proof would be one of
    # something else
    layers: list[Any] = list(model) if type(model) is nn.Sequential else [model]
    network = layers[-1] if layers else None
    if not isinstance(network, ChannelNetwork):
        return None
    parts = [model, *layers, network.weights, network.biases]
    kinds = nn.Sequential, nn.ParameterList, PrimeFourierEmbedding, ChannelNetwork
    if (
        not all(_is_unchanged(part, *kinds) for part in parts)
        or any(type(weight) is not nn.Parameter for weight in [*network.weights, *network.biases])
        or [type(layer) for layer in layers[:-1]] not in ([], [PrimeFourierEmbedding])
    ):
        raise ValueError(
            "the model must be a ChannelNetwork itself, or nn.Sequential of a "
            "PrimeFourierEmbedding and a ChannelNetwork, not compiled, without hooks, replaced "
            "methods and other kinds of parameters, got "
            f"{', '.join(type(layer).__name__ for layer in layers)}"
        )
    for layer in layers:
        if layer.basis != basis:
            raise ValueError(
                f"basis must be that of the {type(layer).__name__}, {layer.basis}, got {basis}"
            )
        if layer is not network:
            _require_all_integers(layer)
    if operands != network.operands:
        raise ValueError(f"the network has {network.operands} operands, got operands={operands}")
    return network


def _is_unchanged(module: nn.Module, *kinds: type) -> bool:
    """Return whether a module is of one of the classes itself, without hooks and other methods."""
    hooks = module._forward_hooks or module._forward_pre_hooks
    return type(module) in kinds and not hooks and not any(map(callable, vars(module).values()))


def _require_all_integers(embedding: PrimeFourierEmbedding) -> None:
    """Raise ValueError if an embedding has a table, or other periods than its basis."""
    if embedding.num_embeddings is not None:
        raise ValueError(
            f"the embedding has a table of {embedding.num_embeddings} integers and refuses others; "
            "use one without num_embeddings"
        )
    periods = embedding.periods
    if periods is not None and periods.tolist() != [list(row) for row in embedding.basis.periods]:
        raise ValueError(f"the embedding's periods are not those of its {embedding.basis}")


def _embeddings(model: nn.Module, period: int) -> list[PrimeFourierEmbedding]:
    """Return the embeddings of a model, if their codes depend on residues alone."""
    found = [m for m in model.modules() if isinstance(m, PrimeFourierEmbedding)]
    for embedding in found:
        if not _is_unchanged(embedding, PrimeFourierEmbedding):
            raise ValueError(
                "the model must read integers through PrimeFourierEmbedding itself, without hooks "
                f"and replaced methods, got a {type(embedding).__name__}"
            )
        _require_all_integers(embedding)
        for foreign in (t for row in embedding.basis.periods for t in row if period % t):
            raise ValueError(
                f"the model reads a circle of period {foreign}, which does not divide {period}; "
                "name the basis that it reads, or remove the circle"
            )
    return found
