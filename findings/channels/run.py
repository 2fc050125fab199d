"""The numbers and the figure of docs/findings/channels.md."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from findings.channels.study import ENDS, FEW, MODULI
from findings.panels import BLUE, GREY, VERMILLION, make_panels
from findings.runs import FAR, read_json, run_of
from findings.text import spaced, span, table
from primefourier import PrimeBasis, lab

RIGHT = 0.99
"""A network is right on a test set if its accuracy is at least this."""
NAMES = {
    "row-classifier": "the paper's network",
    "channels": "channel network",
    "crt-classifier": "perceptron, points",
}
_LOOKS = {
    "channels": (BLUE, "o"),
    "crt-classifier": (GREY, "s"),
    "row-classifier": (VERMILLION, "X"),
}
_BASES = {"depth 1": "8 primes", "plan": "`plan`"}
_PAIRS = {"all": "all", str(FEW): spaced(FEW)}


@cache
def count_parameters(network: Any, basis: PrimeBasis, classes: int) -> int:
    """Return the number of parameters of a network."""
    shape = lab.InputShape(len(basis.primes), 2, 2 * basis.depth, basis)
    return sum(part.numel() for part in network.build(shape, classes).parameters())


def read(record: lab.Record) -> dict[str, Any]:
    """Return what counts of one network."""
    config, measured = record.config, record.measured
    beyond = measured.accuracy_beyond
    return {
        "N": config.task.modulus,
        "r": config.task.input_range,
        "pairs": measured.train_size,
        "parameters": count_parameters(config.network, config.embedding.basis, config.task.classes),
        "accuracy": measured.accuracy,
        **{end: beyond[end] for end in ENDS},
    }


@cache
def summarise() -> dict[str, Any]:
    """Count right networks, and give mean accuracies and parameters, by study, N and r."""
    run = run_of("channels")
    records = {record.config.key: record for record in run.records if record.error is None}
    summary: dict[str, Any] = {}
    for study in run.studies:
        found = [read(records[c.key]) for c in study.configs if c.key in records]
        sets = ("accuracy", *ENDS)
        places = sorted({(one["N"], one["r"], one["pairs"]) for one in found})
        summary[study.name] = {
            "networks": len(found),
            "planned": len(study.configs),
            "right": {end: sum(one[end] >= RIGHT for one in found) for end in sets},
            "cells": [
                {
                    "N": n,
                    "r": r,
                    "pairs": pairs,
                    "parameters": some[0]["parameters"],
                    **{end: [one[end] for one in some] for end in sets},
                }
                for n, r, pairs in places
                for some in [[o for o in found if (o["N"], o["r"], o["pairs"]) == (n, r, pairs)]]
            ],
        }
    return summary


def by_pairs(network: str) -> dict[int, dict[str, list[float]]]:
    """Return the accuracies of N = 385 at r = 500 with eight primes, by training pairs."""
    parts = [summarise()[f"{network} {name}"] for name in ("samples", "depth 1 all")]
    return {
        cell["pairs"]: cell
        for part in parts
        for cell in part["cells"]
        if (cell["N"], cell["r"]) == (MODULI[-1], 500)
    }


def count_right(part: dict[str, Any]) -> tuple[int, dict[str, int]]:
    """Count the networks of a study, and those right on each test set, without degenerate ones."""
    cells = [cell for cell in part["cells"] if 2 * (cell["r"] - 1) >= cell["N"]]
    right = {
        end: sum(value >= RIGHT for cell in cells for value in cell[end])
        for end in ("accuracy", *ENDS)
    }
    return sum(len(cell["accuracy"]) for cell in cells), right


def blocks() -> Iterator[tuple[str, str]]:
    """Yield how the three networks do in range, beyond it and with few pairs, and the proofs."""
    rows, short = [], []
    for network, words in NAMES.items():
        pooled = []
        for base, base_words in _BASES.items():
            found = np.zeros(3, dtype=int)
            for pairs, pair_words in _PAIRS.items():
                part = summarise()[f"{network} {base} {pairs}"]
                sizes = [cell["parameters"] for cell in part["cells"]]
                count, right = count_right(part)
                found += [count, right["accuracy"], right[FAR]]
                rows.append(
                    [
                        words,
                        base_words,
                        pair_words,
                        span(sizes, ","),
                        str(count),
                        *(str(n) for n in right.values()),
                    ]
                )
            # Both numbers of pairs together; the table in README keeps them apart.
            pooled += [f"{found[1]} of {found[0]}", str(found[2])]
        short.append([words, *pooled])
    columns = ["network", "basis", "pairs", "parameters", "networks", "in range", "10^6", "10^18"]
    yield "channels table", table(columns, rows)
    columns = [f"{words}: {what}" for words in _BASES.values() for what in ("in range", "10^6")]
    yield "channels short", table(["network", *columns], short)
    far = {words: f"{count} of {some.split()[-1]}" for words, some, count, *_ in short}
    yield (
        "channels lead",
        f"With the circles of eight primes, {far[NAMES['channels']]} channel networks are right "
        f"near a million. Of the paper's networks, {far[NAMES['row-classifier']]} are.",
    )
    yield (
        "channels sentence",
        f"A network is right if at least {RIGHT:.0%} of its answers are. *8 primes* are their "
        "first powers. Some networks are trained on all pairs, others on "
        f"{spaced(FEW)}; the three kinds of networks see the same pairs.",
    )
    rows = [
        [words, *(span(cell[FAR]) for cell in by_pairs(network).values())]
        for network, words in NAMES.items()
    ]
    columns = ["training pairs", *map(spaced, by_pairs("channels"))]
    yield "channels samples", table(columns, rows)
    proofs = read_json("channels/proofs.json")
    own = [one for one in proofs if one["trained on"] != "train_channels"]
    fresh = [one for one in proofs if one["trained on"] == "train_channels"]
    cases = [one["cases"] for one in proofs]
    yield (
        "channels proofs",
        f"Trained on {spaced(FEW)} pairs, {count_proved(own)} of {len(own)} channel networks are "
        f"proved for all integers. Trained by `train_channels`, {count_proved(fresh)} "
        f"of {len(fresh)} are. Each proof takes {min(cases)} to {max(cases)} cases. The smallest "
        f"margin is {min(one['margin'] for one in proofs):.2f}. The largest bound is "
        f"{max(one['bound'] for one in proofs):.4f}.",
    )


def count_proved(certificates: list[dict[str, Any]]) -> int:
    """Return how many networks are proved."""
    return sum(one["status"] == "proved" for one in certificates)


def draw_channels() -> Figure:
    """Draw the accuracy of the three networks against the training pairs."""
    figure, panels = make_panels(
        ["in range: 0 … 499", "near a million"],
        title="A network that cannot mix primes needs few pairs, and holds beyond the range",
        key=[
            (Line2D([], [], color=color, marker=marker), NAMES[name])
            for name, (color, marker) in _LOOKS.items()
        ],
        across="training pairs",
        up="accuracy",
    )
    for axes, test in zip(panels, ("accuracy", FAR), strict=True):
        for network, (color, marker) in reversed(_LOOKS.items()):
            found = by_pairs(network)
            axes.plot([*found], [np.mean(c[test]) for c in found.values()], color=color, lw=1.6)
            for pairs, cell in found.items():
                axes.plot([pairs] * len(cell[test]), cell[test], marker, color=color, ms=5, lw=0)
        axes.set_xscale("log")
        ticks = list(by_pairs("channels"))
        axes.set_xticks(ticks, [spaced(pairs) for pairs in ticks], size=8, rotation=35)
        axes.minorticks_off()
        axes.set_ylim(-0.04, 1.06)
    return figure


SUMMARIES = {"summary.json": summarise}
FIGURES = {"few-pairs.png": draw_channels}
