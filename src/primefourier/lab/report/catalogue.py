"""All 22 figures of the paper, and those of probes: which records make which, and their names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from hashlib import sha256

import numpy as np
from matplotlib.figure import Figure

from primefourier.encoding import PrimeBasis
from primefourier.figures import draw_block_matrix, draw_circles
from primefourier.lab.config import ModelConfig
from primefourier.lab.experiments.experiment import PAPER_RANGES
from primefourier.lab.record import Record
from primefourier.lab.report.figure_file import FigureFile
from primefourier.lab.report.heatmaps import HEATMAPS, draw_measure
from primefourier.lab.report.lines import draw_lines
from primefourier.lab.report.page import Page
from primefourier.lab.report.probes import probe_figures
from primefourier.lab.report.profiles import draw_bars, draw_matrices
from primefourier.lab.results import Variant, find_variants
from primefourier.theory import project_to_equivariant

_PROFILES_1, _LINES, _PROFILES_2 = 12, 17, 18


def draw_figures(
    planned: Iterable[ModelConfig], records: Iterable[Record], commands: Sequence[str]
) -> Iterator[FigureFile]:
    """Yield the paper's figures for a set of records; those of other settings come after them.

    Figures 1 to 3 show the encoding and the theorem, and need no records. A figure whose experiment
    was not asked for is left out. Figures of probes come where there are any.

    Args:
        planned: The models that were asked for, which give the axes.
        records: The records that are there.
        commands: What made them, for the captions.
    """
    yield FigureFile("figure-01-circles-9-17-mod-23", partial(draw_circles, 9, 17, 23))
    yield FigureFile("figure-02-circles-13-15-mod-21", partial(draw_circles, 13, 15, 21))
    yield FigureFile("figure-03-block-diagonal", _draw_blocks)
    by_key = {record.config.key: record for record in records}
    for variant, configs in find_variants(planned).items():
        page, suffix = Page(variant, configs, by_key, commands), _suffix(variant)
        yield from _of_page(page, suffix)
        if not suffix:
            yield from probe_figures(page)


def _of_page(page: Page, suffix: str) -> Iterator[FigureFile]:
    experiment = page.variant.experiment
    for heatmap in HEATMAPS:
        if heatmap.experiment == experiment:
            name = f"figure-{heatmap.number:02}-{experiment}-{heatmap.slug}{suffix}"
            yield FigureFile(name, partial(draw_measure, heatmap, page))
    profiles = {"exp1": (_PROFILES_1, draw_matrices), "exp2": (_PROFILES_2, draw_bars)}
    if experiment in profiles:
        first, draw = profiles[experiment]
        for r in page.ranges:
            number = f"{first + PAPER_RANGES.index(r):02}" if r in PAPER_RANGES else "extra"
            name = f"figure-{number}-{experiment}-profiles-r{r}{suffix}"
            yield FigureFile(name, partial(draw, page, r))
    if experiment == "exp1":
        yield FigureFile(f"figure-{_LINES}-exp1-lines{suffix}", partial(draw_lines, page))


def _suffix(variant: Variant) -> str:
    """Tell the files of other settings from those of the paper's."""
    if variant.follows_paper and variant.trainer == "fast":
        return ""
    return f"-{sha256(repr(variant).encode()).hexdigest()[:8]}"


def _draw_blocks() -> Figure:
    basis = PrimeBasis((3, 5, 7), depth=3)
    drawn = np.random.default_rng(42).normal(size=(basis.dim, basis.dim))
    return draw_block_matrix(
        project_to_equivariant(drawn, basis),
        primes=basis.primes,
        depth=basis.depth,
        title="A linear map that commutes with addition",
        caption=(
            "A random matrix, projected onto the maps that commute with a → a + b on the codes of "
            "three primes at depth 3. Each prime couples to itself alone, each depth to itself "
            "alone, and each 2 × 2 block is a scaled rotation. Made by: pfe figures"
        ),
    )
