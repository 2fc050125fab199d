"""The numbers of docs/hugging-face.md: what small language models make of word problems."""

from __future__ import annotations

import json
from typing import Any

from studies.finding_paper import spaced
from studies.finding_studies import RESULTS, table


def word_problem_blocks() -> dict[str, str]:
    """Return the table of right answers by model and test, and the sentence with the budget."""
    found: dict[str, Any] = json.loads((RESULTS / "word_problems" / "results.json").read_text())
    budget, models = found["budget"], found["models"]
    tests = list(models[0]["tests"])
    variants = list(dict.fromkeys(one["variant"] for one in models))
    seeds = sorted({one["seed"] for one in models})

    def of(variant: str) -> list[dict[str, Any]]:
        return [one for one in models if one["variant"] == variant]

    def row(variant: str, measure: str) -> list[str]:
        return [_spread([one["tests"][test][measure] for one in of(variant)]) for test in tests]

    rows = [
        [variant, spaced(of(variant)[0]["parameters"]), *row(variant, "right")]
        for variant in variants
    ]
    residues = [[variant, *row(variant, "residues")] for variant in variants]
    minutes = sum(one["seconds"] for one in models) / 60
    sentence = (
        f"Trained on integers below {budget['range']}: {spaced(budget['steps'])} steps of "
        f"{budget['batch']} new problems, {len(seeds)} seeds, {minutes:.0f} minutes of one core "
        f"for all {len(models)} models. Each test has {budget['problems']} problems; a cell is the "
        "share of right answers, the mean of the seeds, with the least and the largest."
    )
    return {
        "word problems sentence": sentence,
        "word problems table": table(["model", "parameters", *tests], rows),
        "word problems residues": table(["model", *tests], residues),
    }


def _spread(values: list[float]) -> str:
    """Return a mean with the smallest and the largest value."""
    return f"{sum(values) / len(values):.2f} ({min(values):.2f} to {max(values):.2f})"
