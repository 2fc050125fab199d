"""The numbers of docs/hugging-face.md: what small language models make of word problems."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from findings.runs import read_json
from findings.text import spaced, table

SHARES = {"right": "answers", "residues": "residues"}


def blocks() -> Iterator[tuple[str, str]]:
    """Yield the tables of right answers and right residues, and the sentence with the budget."""
    found: dict[str, Any] = read_json("word_problems/results.json")
    budget, models = found["budget"], found["models"]
    kinds: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for one in models:
        kinds.setdefault((one["variant"], one["steps"]), []).append(one)
    tests = list(models[0]["tests"])
    columns = ["model", "parameters", "steps", "seeds", *tests]
    for name, share in SHARES.items():
        rows = [
            [
                variant,
                spaced(some[0]["parameters"]),
                spaced(steps),
                len(some),
                *(_spread([one["tests"][test][name] for one in some]) for test in tests),
            ]
            for (variant, steps), some in kinds.items()
        ]
        yield f"word problems {share}", table(columns, rows)
    minutes = sum(one["seconds"] for one in models) / 60
    yield (
        "word problems budget",
        f"Trained on integers below {budget['range']}, with {budget['batch']} new problems in each "
        f"step; {minutes:.0f} minutes of one busy core for all {len(models)} models. Each test has "
        f"{budget['problems']} problems. A cell is the share of right answers: the mean of the "
        "seeds, with the least and the largest.",
    )


def _spread(values: list[float]) -> str:
    """Return a mean, and of several values also the smallest and the largest."""
    ends = f" ({min(values):.2f} to {max(values):.2f})" if len(values) > 1 else ""
    return f"{sum(values) / len(values):.2f}{ends}"
