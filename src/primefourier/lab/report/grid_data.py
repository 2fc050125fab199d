"""One variant of an experiment as a grid of cells, with the command that would fill its gaps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

from primefourier.lab.config import ModelConfig
from primefourier.lab.experiments import EXPERIMENTS
from primefourier.lab.report.cell_data import cell_as_data
from primefourier.lab.report.page import Page
from primefourier.lab.results import Variant, paper_variant
from primefourier.lab.results.cells import cell_of

_DEFAULT_SEEDS = [42]


def grid_as_data(page: Page) -> dict[str, Any]:
    """Return all cells of a page, and what its axes, measures and commands are.

    The paper's own variant has the paper's whole grid, joined with what was asked for.
    """
    variant = page.variant
    experiment = EXPERIMENTS[variant.experiment]
    composite = variant.experiment == "exp2"
    places = _sort(page.asked)
    whole = {*places, *_paper_places(variant)}
    rows, ranges = (sorted(set(axis)) for axis in zip(*whole, strict=True))
    return {
        "title": page.title if variant.trainer == "fast" else f"{page.title}, plain trainer",
        "experiment": variant.experiment,
        "paper": variant.follows_paper,
        "row_name": "N" if composite else "|P|",
        "row_label": page.row_label,
        "on_name": "factor" if composite else "diagonal",
        "off_name": "nonfactor" if composite else "off-diagonal",
        "threshold": experiment.threshold,
        "rows": rows,
        "ranges": ranges,
        "seeds": sorted({config.seed for config in page.asked}) or _DEFAULT_SEEDS,
        "command": command_words(variant),
        "row_option": "--moduli" if composite else "--sizes",
        "cells": [
            cell_as_data(variant, place, places.get(place, ()), page.records, page.cells.get(place))
            for place in product(rows, ranges)
        ],
    }


def command_words(variant: Variant) -> list[str]:
    """Return the command that trains models of a variant, without rows, ranges, seeds and place.

    Settings that are the paper's are left out. An embedding that is not the experiment's own, which
    only a program can have put together with it, ``pfe run`` refuses with a sentence.

    >>> command_words(paper_variant("exp1"))
    ['pfe', 'run', 'exp1']
    """
    other = variant.differences()
    if variant.trainer != EXPERIMENTS[variant.experiment].trainer:
        other["trainer"] = variant.trainer
    words = ["pfe", "run", variant.experiment]
    for name, value in other.items():
        text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
        words += [f"--{name.replace('_', '-')}", text]
    return words


def _sort(asked: Sequence[ModelConfig]) -> dict[tuple[int, int], list[ModelConfig]]:
    """Sort the models of a variant into its cells."""
    found: dict[tuple[int, int], list[ModelConfig]] = {}
    for config in asked:
        found.setdefault(cell_of(config), []).append(config)
    return found


def _paper_places(variant: Variant) -> Iterable[tuple[int, int]]:
    """Return the cells of the paper's grid if this is the paper's variant, and otherwise none."""
    if variant != paper_variant(variant.experiment):
        return ()
    return {cell_of(config) for config in EXPERIMENTS[variant.experiment]().configs()}
