"""The numbers of docs/hugging-face.md: what small language models make of word problems."""

from __future__ import annotations

import json
from typing import Any

from studies.finding_paper import spaced
from studies.finding_studies import RESULTS, table

SHARES = {"right": "answers", "residues": "residues"}


def word_problem_blocks() -> dict[str, str]:
    """Return the tables of right answers and right residues, and the sentence with the budget."""
    found: dict[str, Any] = json.loads((RESULTS / "word_problems" / "results.json").read_text())
    budget, models = found["budget"], found["models"]
    kinds: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for one in models:
        kinds.setdefault((one["variant"], one["steps"]), []).append(one)
    tests = list(models[0]["tests"])
    columns = ["model", "parameters", "steps", "seeds", *tests]
    blocks = {}
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
        blocks[f"word problems {share}"] = table(columns, rows)
    minutes = sum(one["seconds"] for one in models) / 60
    blocks["word problems budget"] = (
        f"Trained on integers below {budget['range']}, with {budget['batch']} new problems in each "
        f"step; {minutes:.0f} minutes of one busy core for all {len(models)} models. Each test has "
        f"{budget['problems']} problems. A cell is the share of right answers: the mean of the "
        "seeds, with the least and the largest."
    )
    return blocks


def _spread(values: list[float]) -> str:
    """Return a mean, and of several values also the smallest and the largest."""
    ends = f" ({min(values):.2f} to {max(values):.2f})" if len(values) > 1 else ""
    return f"{sum(values) / len(values):.2f}{ends}"
