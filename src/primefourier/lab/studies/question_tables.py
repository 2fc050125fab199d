"""The answers as plain data, as tables, and as Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

from primefourier.analysis import Interval
from primefourier.lab.probe import KINDS
from primefourier.lab.studies.probe_means import MEASURES, DepthDrops, EpochCurve, Group
from primefourier.lab.studies.questions import FAR, USED, AliasBin, Answers
from primefourier.lab.tables import Table, write_interval, write_number

SHOWN_EPOCHS = (0, 1, 2, 5, 10, 25)
"""Columns of the tables of equivariance; the last epoch is added."""
_SHOWN_DROP = 0.0005
"""A drop that is not written as 0.000 comes with its block."""


def six_digits(data: Any) -> Any:
    """Round the floats of plain data to six significant digits; more depend on the libraries.

    >>> six_digits({"mean": 2 / 3, "counts": [1, 12345678]})
    {'mean': 0.666667, 'counts': [1, 12345678]}
    """
    if isinstance(data, dict):
        return {key: six_digits(value) for key, value in data.items()}
    if isinstance(data, list):
        return [six_digits(value) for value in data]
    return float(f"{data:.6g}") if isinstance(data, float) else data


def answers_as_data(answers: Answers) -> dict[str, Any]:
    """Return the answers as plain data."""
    data = {
        "depths": [
            {
                **_group(found.group),
                "ablation": found.kind,
                "relevant": list(map(interval_as_data, found.relevant)),
                "other": list(map(interval_as_data, found.other)),
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
                "by_epoch": [value and interval_as_data(value) for value in curve.values],
                "skipped": curve.skipped,
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
                        "so_far": finding.so_far,
                        "words": finding.words,
                        "by_means": finding.by_means,
                        "seed_by_seed": finding.seed_by_seed,
                        "complete": finding.complete,
                    }
                    for kind, finding in by_kind.items()
                },
            }
            for claim, by_kind in answers.claims.items()
        ],
    }
    found: dict[str, Any] = six_digits(data)
    return found


@dataclass(frozen=True)
class Section:
    """A question, how the networks are tested, and the tables that answer it."""

    question: str
    text: str
    tables: Sequence[Table]


def answers_as_sections(answers: Answers, *, brief: bool = False) -> list[Section]:
    """Return the answers as tables, one section for each question.

    Args:
        answers: The answers.
        brief: Whether to leave out intervals and details, so that tables fit 80 columns.
    """
    meanings = [
        f"{measure.title[0].upper()}{measure.title[1:]}: {measure.meaning}."
        for measure in dict.fromkeys(curve.measure for curve in answers.curves)
    ]
    return [
        Section(
            "Does it matter what replaces an ablated row?",
            "The paper replaces it by zeros, and no row of the data is zero. mean replaces the row "
            "by its mean over the test pairs, permute by the row of another test pair. Only probed "
            "models count, the same ones in each column.",
            [Table(["claim", *KINDS], list(_claims(answers, brief)))],
        ),
        Section(
            "Which depths carry the answer?",
            "Mean drop when one (p, d) block is ablated by itself: blocks of primes that divide N "
            "by depth; of the other primes the largest mean over the depths, and the largest drop "
            "of one block of one model.",
            [
                _depths(name, list(some), brief)
                for name, some in groupby(answers.depths, key=lambda found: found.group.name)
            ],
        ),
        Section(
            "Which other blocks are used, and can that be predicted?",
            "Below r, a block of period T can replace a harmonic k/N of N if 1/T is near it. "
            "Its distance, r · min |k/N - 1/T|, is known before training. The tables count blocks "
            "whose period does not divide N and that turn by a quarter or more, in all probed "
            "models that are not degenerate; each is replaced by another pair's. Two blocks can do "
            "it together: products of their coordinates turn with 1/T ± 1/U.",
            [
                _aliases("One block", answers.aliases),
                _aliases(
                    f"Two blocks together: those {FAR:g} turns or more away by themselves",
                    answers.alias_pairs,
                ),
            ],
        ),
        Section(
            "Does training make the network equivariant?",
            "When the first operand changes, a → a + s, every logit should move by s. "
            + " ".join(meanings),
            [
                _curves(name, list(some), brief)
                for name, some in groupby(answers.curves, key=lambda curve: curve.group.name)
            ],
        ),
    ]


def answers_as_markdown(answers: Answers) -> str:
    """Return the answers as Markdown."""
    parts = ["# Questions that the paper leaves open"]
    for section in answers_as_sections(answers):
        parts += [f"## {section.question}", section.text]
        for table in section.tables:
            parts += [f"### {table.heading}"] if table.heading else []
            parts.append(table.markdown())
    return "\n\n".join(parts) + "\n"


def _claims(answers: Answers, brief: bool) -> Iterator[list[str]]:
    for claim, by_kind in answers.claims.items():
        verdicts = [finding.words for finding in by_kind.values()]
        if brief:
            yield [claim.name, *verdicts]
        else:
            measured = [finding.measured or "—" for finding in by_kind.values()]
            cells = [
                f"{verdict}: {value}" for verdict, value in zip(verdicts, measured, strict=True)
            ]
            yield [f"{claim.name} {claim.statement}", *cells]


def _depths(heading: str, found: Sequence[DepthDrops], brief: bool) -> Table:
    rows = []
    for drops in found:
        other = max(drops.other, key=lambda interval: interval.mean)
        values = [_write(interval, brief) for interval in (*drops.relevant, other)]
        most = drops.largest
        one = write_number(most.drop, 3)
        if most.drop >= _SHOWN_DROP and not brief:
            one += f" ({most.prime}^{most.depth + 1} of N = {most.modulus}, seed {most.seed})"
        group = drops.group
        rows.append([str(group.input_range), str(len(group.by_seed)), drops.kind, *values, one])
    depths = [f"d = {d}" for d in range(len(found[0].relevant))]
    return Table(["r", "seeds", "ablation", *depths, "others", "largest"], rows, heading)


def _aliases(heading: str, bins: Sequence[AliasBin]) -> Table:
    rows = []
    for found in bins:
        name = f"{found.low:g} to {found.high:g}" if found.high < math.inf else f"{found.low:g} on"
        values = [write_number(value, 4) for value in (found.mean, found.largest)]
        rows.append([name, str(found.blocks), *values, str(found.used)])
    columns = ["distance in turns", "blocks", "mean drop", "largest drop", f"drop above {USED}"]
    return Table(columns, rows, heading)


def _curves(heading: str, curves: Sequence[EpochCurve], brief: bool) -> Table:
    last = len(curves[0].values) - 1
    shown = sorted({*(epoch for epoch in SHOWN_EPOCHS if epoch < last), last})
    rows = []
    for curve in sorted(curves, key=lambda c: MEASURES.index(c.measure)):  # r stays in order
        found = [curve.values[epoch] for epoch in shown]
        values = ["—" if value is None else _write(value, brief) for value in found]
        title = curve.measure.title
        if curve.skipped:
            title += f" (diverged models skipped: {curve.skipped})"
        rows.append([title, str(curve.group.input_range), *values])
    if brief:
        epochs = [str(epoch) for epoch in shown]
    else:
        epochs = ["untrained" if epoch == 0 else f"epoch {epoch}" for epoch in shown]
    return Table(["measure", "r", *epochs], rows, heading)


def _write(interval: Interval, brief: bool) -> str:
    return write_number(interval.mean, 3) if brief else write_interval(interval)


def _group(group: Group) -> dict[str, Any]:
    return {
        "group": group.name,
        "experiment": group.experiment.short_name,
        "row": group.row,
        "range": group.input_range,
        "seeds": list(group.by_seed),
        "models": len(group.records),
    }


def _bin(found: AliasBin) -> dict[str, Any]:
    return {**asdict(found), "high": None if found.high == math.inf else found.high}


def interval_as_data(interval: Interval) -> dict[str, float | None]:
    """Return a mean and the ends of its interval."""
    return {"mean": interval.mean, "low": interval.low, "high": interval.high}
