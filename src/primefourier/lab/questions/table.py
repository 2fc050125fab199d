"""The answers as data for programs and as Markdown for people."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

from primefourier.analysis import Interval
from primefourier.lab.claims.table import escape, verdict_so_far
from primefourier.lab.probing import KINDS
from primefourier.lab.questions.aliases import FAR, USED, AliasBin
from primefourier.lab.questions.answers import Answers
from primefourier.lab.questions.depths import DepthDrops
from primefourier.lab.questions.equivariance import MEASURES, EpochCurve
from primefourier.lab.questions.groups import Group

SHOWN_EPOCHS = (0, 1, 2, 5, 10, 25)
"""Columns of the tables of equivariance; the last epoch is added."""
_SHOWN_DROP = 0.0005
"""A drop that is not written as 0.000 is told with its block."""


def answers_as_data(answers: Answers) -> dict[str, Any]:
    """Return the answers as plain data."""
    return {
        "depths": [
            {
                **_group(found.group),
                "ablation": found.kind,
                "relevant": list(map(_interval, found.relevant)),
                "other": list(map(_interval, found.other)),
                "largest": asdict(found.largest),
            }
            for found in answers.depths
        ],
        "equivariance": [
            {
                **_group(curve.group),
                "measure": curve.measure.name,
                "title": curve.measure.title,
                "meaning": curve.measure.meaning,
                "by_epoch": list(map(_interval, curve.values)),
            }
            for curve in answers.curves
        ],
        "aliases": list(map(_bin, answers.aliases)),
        "alias_pairs": list(map(_bin, answers.alias_pairs)),
        "claims": [
            {
                "claim": claim.name,
                "statement": claim.statement,
                **{
                    kind: {
                        "measured": finding.measured,
                        "verdict": finding.verdict,
                        "verdict_so_far": verdict_so_far(finding),
                        "complete": finding.complete,
                    }
                    for kind, finding in by_kind.items()
                },
            }
            for claim, by_kind in answers.claims.items()
        ],
    }


@dataclass(frozen=True)
class Table:
    """Rows of words; the first has the names of the columns."""

    heading: str
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Section:
    """A question, how it was asked of the networks, and the tables that answer it."""

    question: str
    text: str
    tables: Sequence[Table]


def answers_as_sections(answers: Answers) -> list[Section]:
    """Return the answers as tables, one section for each question."""
    meanings = [
        f"{measure.title[0].upper()}{measure.title[1:]}: {measure.meaning}."
        for measure in dict.fromkeys(curve.measure for curve in answers.curves)
    ]
    return [
        Section(
            "Does it matter what stands in for an ablated row?",
            "Zeros are the paper's choice, and no row of the data is zero. mean puts the row's "
            "mean over the test pairs there, permute the row of another test pair. Only probed "
            "models count, the same ones in each column.",
            [Table("", [["claim", *KINDS], *_claims(answers)])],
        ),
        Section(
            "Which depths carry the answer?",
            "Mean drop when one (p, d) block is ablated by itself: blocks of primes that divide N "
            "by depth; of the other primes the largest mean over the depths, and the largest drop "
            "of one block of one model.",
            [
                Table(name, list(_depths(list(some))))
                for name, some in groupby(answers.depths, key=lambda found: found.group.name)
            ],
        ),
        Section(
            "Which other blocks are used, and can that be foreseen?",
            "Below r, a block of period T can stand in for a harmonic k/N of N if 1/T is near it. "
            "Its distance, r · min |k/N - 1/T|, is known before training. Blocks whose period does "
            "not divide N, in all probed models that are not degenerate, if they turn by a quarter "
            "or more; each is replaced by another pair's. Two blocks can do it together: products "
            "of their coordinates turn with 1/T ± 1/U.",
            [
                Table("One block", list(_aliases(answers.aliases))),
                Table(
                    f"Two blocks together: those {FAR:g} turns or more away by themselves",
                    list(_aliases(answers.alias_pairs)),
                ),
            ],
        ),
        Section(
            "Does training make the network equivariant?",
            "When the first operand is exchanged, a → a + s, every logit should move by s. "
            + " ".join(meanings),
            [
                Table(name, list(_curves(list(some))))
                for name, some in groupby(answers.curves, key=lambda curve: curve.group.name)
            ],
        ),
    ]


def answers_as_markdown(answers: Answers) -> str:
    """Return the answers as Markdown."""
    lines = ["# Questions that the paper leaves open"]
    for section in answers_as_sections(answers):
        lines += ["", f"## {section.question}", "", section.text]
        for table in section.tables:
            lines += ["", f"### {table.heading}"] if table.heading else []
            lines += ["", *_rows(table.rows)]
    return "\n".join(lines) + "\n"


def _claims(answers: Answers) -> Iterator[list[str]]:
    for claim, by_kind in answers.claims.items():
        cells = [
            f"{verdict_so_far(finding)}: {finding.measured or '—'}" for finding in by_kind.values()
        ]
        yield [f"{claim.name} {claim.statement}", *cells]


def _depths(found: Sequence[DepthDrops]) -> Iterator[list[str]]:
    depth = len(found[0].relevant)
    yield ["r", "seeds", "ablation", *(f"d = {d}" for d in range(depth)), "others", "largest"]
    for drops in found:
        other = max(drops.other, key=lambda interval: interval.mean)
        values = [write_interval(interval) for interval in (*drops.relevant, other)]
        group = drops.group
        most = drops.largest
        place = f"{most.prime}^{most.depth + 1} of N = {most.modulus}, seed {most.seed}"
        one = f"{most.drop + 0.0:.3f}" + f" ({place})" * (most.drop >= _SHOWN_DROP)
        yield [str(group.input_range), str(len(group.by_seed)), drops.kind, *values, one]


def _aliases(bins: Sequence[AliasBin]) -> Iterator[list[str]]:
    yield ["distance in turns", "blocks", "mean drop", "largest drop", f"drop above {USED}"]
    for found in bins:
        name = f"{found.low:g} to {found.high:g}" if found.high < math.inf else f"{found.low:g} on"
        values = (f"{value + 0.0:.4f}" for value in (found.mean, found.largest))
        yield [name, str(found.blocks), *values, str(found.used)]


def _curves(curves: Sequence[EpochCurve]) -> Iterator[list[str]]:
    last = len(curves[0].values) - 1
    shown = sorted({*(epoch for epoch in SHOWN_EPOCHS if epoch < last), last})
    yield ["measure", "r", *("untrained" if e == 0 else f"epoch {e}" for e in shown)]
    for curve in sorted(curves, key=lambda c: MEASURES.index(c.measure)):  # r stays in order
        values = [write_interval(curve.values[epoch]) for epoch in shown]
        yield [curve.measure.title, str(curve.group.input_range), *values]


def write_interval(interval: Interval) -> str:
    """Write a mean, with its 95 % interval where there are several seeds.

    >>> write_interval(Interval(0.9091, None, None, 1)), write_interval(Interval(0.9, 0.8, 1.0, 5))
    ('0.909', '0.900 ± 0.100')
    """
    text = f"{interval.mean + 0.0:.3f}".replace("-0.000", "0.000")
    return text if interval.high is None else f"{text} ± {interval.high - interval.mean:.3f}"


def _rows(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    for number, row in enumerate(rows):
        yield f"| {' | '.join(map(escape, row))} |"
        if number == 0:
            yield "|" + "---|" * len(row)


def _group(group: Group) -> dict[str, Any]:
    return {
        "group": group.name,
        "experiment": group.experiment,
        "row": group.row,
        "range": group.input_range,
        "seeds": list(group.by_seed),
        "models": group.models,
    }


def _bin(found: AliasBin) -> dict[str, Any]:
    return {**asdict(found), "high": None if found.high == math.inf else found.high}


def _interval(interval: Interval) -> dict[str, float | None]:
    return {"mean": interval.mean, "low": interval.low, "high": interval.high}
