"""Records brought together: variants of an experiment, and the cells of its heatmaps."""

from primefourier.lab.results.cells import Cell, make_cells
from primefourier.lab.results.variant import Variant, find_variants, paper_variant

__all__ = ["Cell", "Variant", "find_variants", "make_cells", "paper_variant"]
