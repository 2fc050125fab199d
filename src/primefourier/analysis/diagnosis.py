"""Does a network compute, or does it cheat? Ablation, tests beyond the range, and aliases."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import torch
from torch import Tensor, nn

from primefourier.analysis.ablation import Ablation, Kind, ablation_frame
from primefourier.analysis.groups import feature_groups
from primefourier.analysis.torch_ablation import Inputs, Metric, ablate
from primefourier.arithmetic.integers import as_integer, format_integer
from primefourier.encoding import Plan, plan
from primefourier.nn import PrimeFourierEmbedding

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from primefourier.figures import Cliff

USED = 0.02
"""A row is used if replacing it costs more accuracy than this, and more than the noise floor."""
RIGHT = 0.99
"""A network with a smaller accuracy on a test set is wrong there."""
CLIFF_CAPTION = (
    "Drop: accuracy lost when a row is replaced by another input's. Accuracy is on integers from "
    "half of each number up to it."
)
_LARGEST = 2**63
_Label = Callable[[Tensor], Tensor]
_Prepare = Callable[[Tensor], Inputs]
_LEAST_SAMPLES = 100


@dataclass(frozen=True)
class Diagnosis:
    """What a network uses, and how far its answers can be trusted.

    Attributes:
        modulus: N.
        input_range: r.
        needed: The names of the rows that N needs.
        plan: The plan of the basis with the aliases in reach below r; None for rows of other kinds.
        accuracy: Accuracy on inputs below the range.
        beyond: Accuracy on inputs from half of each number up to it, all at or above the range.
        ablations: Every row, replaced in each of the ways.
        enough: The smallest range whose sums reach N, if the input range is smaller; else None.
        nan_beyond: For each end beyond the range, how many answers are NaN, and how many there are.
            Below the range it is ``nan_before`` of every ablation. They all count as wrong.
    """

    modulus: int
    input_range: int
    needed: frozenset[int | str]
    plan: Plan | None
    accuracy: float
    beyond: Mapping[int, float]
    ablations: Sequence[Ablation[int | str]]
    enough: int | None = None
    nan_beyond: Mapping[int, tuple[int, int]] = field(default_factory=dict)

    @property
    def diverged(self) -> bool:
        """Whether some answer below the input range is NaN."""
        return self.ablations[0].diverged

    @property
    def rows(self) -> dict[int | str, float]:
        """The drop of each row by its name, replaced by another input's if that was measured.

        The other replacements are no codes of any integer, so a network may fail on them for that
        reason alone; without "permute" the largest drop counts.
        """
        names = dict.fromkeys(a.label for a in self.ablations)
        return {p: max(a.drop for a in self._fair if a.label == p) for p in names}

    @property
    def unneeded(self) -> tuple[int | str, ...]:
        """The names of the rows that the network uses without need, the most used first."""
        # a drop within chance is no use, however few inputs there are
        floor = max(USED, self.ablations[0].noise_floor)
        drops = {p: drop for p, drop in self.rows.items() if p not in self.needed and drop > floor}
        return tuple(sorted(drops, key=lambda p: -drops[p]))

    @property
    def honest(self) -> bool:
        """Whether every answer was right, and none depended on a row that is not needed."""
        changed = any(a.lost or a.gained for a in self._fair if a.label not in self.needed)
        return not changed and {self.accuracy, *self.beyond.values()} == {1.0}

    @property
    def verdict(self) -> str:
        """The diagnosis in words."""
        n, r = self.modulus, self.input_range
        unwrapped = [] if self.enough is None else [
            f"No sum of inputs below {r} reaches {n}, so none wraps around: train on a range of "
            f"{self.enough} or more."
        ]  # fmt: skip
        if self.diverged:
            first = self.ablations[0]
            return (
                f"The network has diverged: its logits are NaN on {first.nan_before} of "
                f"{first.size} inputs below {r}, so nothing else is diagnosed. Train it again, for "
                "example with a smaller learning rate."
            )
        unseen = []
        if self.plan is not None and not self.plan.complete:
            unseen.append(self.plan.explain_missing())
        if self.accuracy < RIGHT:
            words = [f"Has not learned the task: accuracy {self.accuracy:.3f} on inputs below {r}."]
            reasons = unseen + unwrapped
            return " ".join(words + (reasons or ["Train it longer, or give it more pairs."]))
        if self.honest:
            what = "primes of" if self.plan else "rows needed for"
            return f"Uses only the {what} {n}, and was right on every input tried."
        words = self._unneeded_words()
        for end, (missing, size) in self.nan_beyond.items():
            if missing:
                words.append(
                    f"Its logits are NaN on {missing} of {size} inputs {end // 2} … {end}."
                )
                break
        # the first range that fails is named; larger ones follow from it
        wrong = [(end, accuracy) for end, accuracy in self.beyond.items() if accuracy < RIGHT]
        if wrong:
            end, accuracy = wrong[0]
            known = max((e for e in self.beyond if e < end), default=r)
            words.append(
                f"Expect errors from inputs {known} on: accuracy {accuracy:.3f} on {end // 2} … "
                f"{end}."
            )
            words += unseen + unwrapped
            depth = max((d for _, d in self.plan.relevant), default=0) + 1 if self.plan else 0
            deeper = self.plan is not None and self.plan.basis.depth > depth
            if deeper and not (self.unneeded or unseen):
                words.append(
                    "No row is used without need, so slow circles of deeper powers probably serve "
                    f"as constants: use depth {depth}."
                )
            elif not (self.unneeded or unseen or unwrapped):
                words.append(
                    "No circle explains it; check whether the model reads its integers otherwise, "
                    "and whether the labels are right for large integers."
                )
            if self.plan and (deeper or self.unneeded) and not (unseen or unwrapped):
                words.append(
                    f"To cure it, shift operands in training by random multiples of {n}, as "
                    "lab.Training(shifts=True) does."
                )
        elif (lowest := min(self.accuracy, *self.beyond.values())) < 1:
            words.append(f"Right on every range tried, except for single inputs ({lowest:.4f}).")
        else:
            words.append("Right on every input tried, but some answers change with other rows.")
        return " ".join(words)

    @property
    def _fair(self) -> Sequence[Ablation[int | str]]:
        return [a for a in self.ablations if a.kind == "permute"] or self.ablations

    def _unneeded_words(self) -> list[str]:
        """Name the three most used rows without need, and the aliases that they take part in."""
        if self.plan is None:
            names = ", ".join(map(str, self.unneeded[:3]))
            return [f"Uses {names} without need."] if names else []
        found: dict[bool, list[tuple[str, str]]] = {True: [], False: []}
        for prime in self.unneeded[:3]:
            aliases = (a for a in (*self.plan.aliases, *self.plan.alias_pairs)
                       if any(p == prime for p, _ in a.channels))  # fmt: skip
            alias = next(aliases, None)
            found[alias is not None].append((str(prime), alias.equation if alias else ""))
        words = []
        for alike, rows in found.items():
            if rows:
                *first, last = (prime for prime, _ in rows)
                names = f"{', '.join(first)} and {last}" if first else last
                which = "which are not factors" if first else "which is not a factor"
                like = f" but look{'s' * (not first)} like one below {self.input_range}" * alike
                equations = f" ({', '.join(equation for _, equation in rows)})" * alike
                words.append(f"Uses {names}, {which} of {self.modulus}{like}{equations}.")
        return words

    def frame(self, library: Literal["pandas", "polars"] = "pandas") -> Any:
        """Return the ablations as a data frame, one row per prime and kind.

        If the network has diverged, accuracies and drops are missing.
        """
        return ablation_frame(self.ablations, library, relevant=self.needed)

    def cliff(self, name: str) -> Cliff:
        """Return rows and accuracies as :func:`primefourier.figures.draw_cliffs` draws them."""
        from primefourier.figures import Cliff

        needed = [row for row in self.rows if row in self.needed]
        known = (self.input_range, self.accuracy, self.beyond, self.unneeded)
        return Cliff(name, self.rows, needed, *known)

    def figure(self, name: str = "Network") -> Figure:
        """Draw the drop of every row, and accuracy against input size; needs matplotlib.

        Args:
            name: What the network is called in the figure.
        """
        from primefourier.figures import draw_cliffs

        return draw_cliffs([self.cliff(name)], title=self.verdict, caption=CLIFF_CAPTION)

    def __str__(self) -> str:
        def write(value: float, form: str) -> str:
            return "–" if self.diverged else format(value, form)

        lines = [f"accuracy {write(self.accuracy, '.4f')} on inputs below {self.input_range}"]
        for end, accuracy in self.beyond.items():
            lines.append(f"accuracy {write(accuracy, '.4f')} on inputs {end // 2} … {end}")
        for p, drop in self.rows.items():
            needed = " (needed)" * (p in self.needed)
            lines.append(f"row {p}: drop {write(drop, 'z.3f')}{needed}")
        return "\n".join([*lines, self.verdict])


def diagnose(
    model: nn.Module,
    *,
    modulus: int,
    input_range: int,
    operands: int = 2,
    label: Callable[[Tensor], Tensor] | None = None,
    prepare: Callable[[Tensor], Inputs] | None = None,
    at: nn.Module | None = None,
    needed: Collection[str] | None = None,
    kinds: Sequence[Kind] = ("zero", "mean", "permute"),
    beyond: Sequence[int] | None = None,
    metric: Metric | None = None,
    samples: int = 4000,
    seed: int = 0,
) -> Diagnosis:
    """Find out which rows a classifier uses, and whether it is right beyond its training range.

    Args:
        model: Any torch classifier that reads integers through a PrimeFourierEmbedding, or through
            another module whose output has rows.
        modulus: N; the task is arithmetic modulo N.
        input_range: r; it was trained on operands 0 … r - 1.
        operands: The number of integers per input.
        label: The right answers to integers (n, operands); by default their sum modulo N.
        prepare: What the model reads for integers (n, operands), such as a mapping for a model
            with named inputs; by default the integers.
        at: The embedding, the only one of the model. One of another kind must have ``row_names``
            and rows (n, rows, ...) as output, as in networks of :func:`primefourier.lab.train`.
        needed: The names of the rows that N needs, if the embedding is of another kind; by default
            none is known to be needed.
        kinds: The ways of replacing a row, see :func:`ablate`.
        beyond: Ends b of further test sets, integers b/2 … b - 1; by default 2r and some powers of
            ten up to 10^18.
        metric: A metric of the ablations, see :func:`ablate`.
        samples: The number of inputs of each test set.
        seed: The seed of the inputs.

    >>> from primefourier import PrimeBasis
    >>> class Adder(nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.embedding = PrimeFourierEmbedding(PrimeBasis((5, 7), depth=1))
    ...     def forward(self, x):
    ...         a, b = self.embedding(x).unflatten(-1, (2, 2)).unbind(1)
    ...         turned = torch.complex(*a.unbind(-1)) * torch.complex(*b.unbind(-1))
    ...         angles = 2 * torch.pi * torch.arange(5) / 5
    ...         return (turned[:, :1] * torch.polar(torch.ones(5), -angles)).real
    >>> print(diagnose(Adder(), modulus=5, input_range=100).verdict)
    Uses only the primes of 5, and was right on every input tried.
    """
    embedding = find_rows(model) if at is None else at
    basis = embedding.basis if isinstance(embedding, PrimeFourierEmbedding) else None
    groups: Mapping[int | str, Tensor] = _groups(embedding)
    if basis is not None and at is not None and at is not find_rows(model):
        raise ValueError("at must be the PrimeFourierEmbedding of the model, got another module")
    if needed is not None and (basis is not None or not {*needed} <= groups.keys()):
        raise ValueError(
            "needed must name rows of an embedding that is no PrimeFourierEmbedding, got "
            f"{needed!r:.80}; its rows are {', '.join(map(str, groups))}"
        )
    n, r, enough, label, prepare, draw = read_task(
        modulus, input_range, operands, label, prepare, samples, seed
    )
    powers = (10**k for k in (4, 6, 9, 12, 18))
    chosen = (2 * r, *(end for end in powers if end > 4 * r)) if beyond is None else beyond
    if not isinstance(chosen, Iterable):
        raise TypeError(f"beyond must be several integers, such as (10**6,), got {chosen!r}")
    ends = sorted(as_integer(end, "every end in beyond", at_least=2 * r) for end in chosen)
    if not ends or ends[-1] > _LARGEST:
        raise ValueError(f"beyond must have at least one number, and none above 2^63, got {ends}")
    if isinstance(kinds, str):
        raise TypeError(f"kinds must be a sequence of kinds, such as ({kinds!r},), got a str")
    if not isinstance(kinds, Sequence):
        raise TypeError(f"kinds must be a sequence of kinds, such as ('zero',), got {kinds!r:.80}")
    inside = draw(0, r)
    found = [
        ablation
        for kind in kinds
        for ablation in ablate(
            model,
            prepare(inside),
            label(inside),
            groups,
            at=embedding,
            kind=kind,
            metric=metric,
            seed=seed,
        )
    ]
    if not found:
        raise ValueError(f"kinds must name at least one of {get_args(Kind)}, got none")
    tests = {end: draw(end // 2, end) for end in ends}
    nothing = {e: _ablate_nothing(model, embedding, prepare(x), label(x)) for e, x in tests.items()}
    planned = None if basis is None else plan(n, basis, input_range=r)
    return Diagnosis(
        n,
        r,
        frozenset((needed or ()) if planned is None else (p for p, _ in planned.relevant)),
        planned,
        found[0].accuracy,
        {end: far.accuracy for end, far in nothing.items()},
        found,
        enough,
        {end: (far.nan_before, far.size) for end, far in nothing.items()},
    )


def read_task(
    modulus: int,
    input_range: int,
    operands: int,
    label: _Label | None,
    prepare: _Prepare | None,
    samples: int,
    seed: int,
) -> tuple[int, int, int | None, _Label, _Prepare, Callable[[int, int], Tensor]]:
    """Return N, r, the range at which sums wrap, both functions, and one that draws integers."""
    r = as_integer(input_range, "input_range", at_least=2)
    count = as_integer(samples, "samples", at_least=_LEAST_SAMPLES)
    n = as_integer(modulus, "modulus", at_least=2)
    terms = as_integer(operands, "operands", at_least=1)
    for name, value, most in (("input_range", r, _LARGEST // 2), ("modulus", n, _LARGEST // terms)):
        if value > most:
            raise ValueError(f"{name} must be at most {most}, got {format_integer(value)}")
    for name, function in (("label", label), ("prepare", prepare)):
        if function is not None and not callable(function):
            raise TypeError(
                f"{name} must be a function of integers (n, operands), got {function!r}"
            )
    enough = -(-n // terms) + 1 if label is None and terms * (r - 1) < n else None
    # residues before the sum, which might overflow otherwise
    label = label or (lambda x: (x % n).sum(1) % n)
    prepare = prepare or (lambda x: x)
    generator = np.random.default_rng(as_integer(seed, "seed", at_least=0))

    def draw(low: int, high: int) -> Tensor:
        drawn = generator.integers(low, high, size=(count, terms), dtype=np.int64)
        return torch.from_numpy(drawn)

    return n, r, enough, label, prepare, draw


def _ablate_nothing(
    model: nn.Module, at: nn.Module, inputs: Inputs, labels: Tensor
) -> Ablation[int]:
    """Count the right answers of a model, and those that are NaN."""
    return ablate(model, inputs, labels, {0: torch.tensor(False)}, at=at)[0]


def find_rows(model: nn.Module) -> nn.Module:
    """Return the only embedding of a model: of primes, or of another kind with named rows."""
    if not isinstance(model, nn.Module):
        raise TypeError(f"model must be a torch module, got a {type(model).__name__}")
    found: list[nn.Module] = [m for m in model.modules() if isinstance(m, PrimeFourierEmbedding)]
    found = found or [module for module in model.modules() if hasattr(module, "row_names")]
    if len(found) != 1:
        raise ValueError(
            "the model must have one PrimeFourierEmbedding, or one module with row_names, through "
            f"which it reads all integers, got {len(found)}"
        )
    return found[0]


def _groups(embedding: nn.Module) -> Mapping[Any, Tensor]:
    """Return the features of each row of an embedding."""
    if isinstance(embedding, PrimeFourierEmbedding):
        return feature_groups(embedding.basis, "prime")
    names: Any = getattr(embedding, "row_names", None)
    if not isinstance(names, list | tuple) or len({*names}) < len(names) or not names:
        raise ValueError(
            f"at must be a PrimeFourierEmbedding or a module with row_names, got a "
            f"{type(embedding).__name__}; set its attribute row_names to a name per row"
        )
    masks = torch.eye(len(names), dtype=torch.bool).unsqueeze(-1)
    return dict(zip(map(str, names), masks, strict=True))
