"""Pictures of the encoding and of measurements, with matplotlib; needs the extra ``figures``."""

try:
    import matplotlib  # noqa: F401
except ImportError as error:
    raise ImportError(
        "primefourier.figures needs matplotlib, which is not installed; run "
        "pip install '.[figures]' in a clone"
    ) from error

from primefourier.figures.bars import DropBars, draw_drop_bars
from primefourier.figures.blocks import draw_block_matrix
from primefourier.figures.circles import draw_circles
from primefourier.figures.cliff import Cliff, draw_cliffs
from primefourier.figures.grids import DropMatrix, draw_drop_matrices, draw_heatmap
from primefourier.figures.lines import Line, Panel, draw_panels

__all__ = [
    "Cliff",
    "DropBars",
    "DropMatrix",
    "Line",
    "Panel",
    "draw_block_matrix",
    "draw_circles",
    "draw_cliffs",
    "draw_drop_bars",
    "draw_drop_matrices",
    "draw_heatmap",
    "draw_panels",
]
