"""Pictures of the encoding and of measurements, with matplotlib; needs the extra ``figures``."""

try:
    import matplotlib  # noqa: F401
except ImportError as error:
    raise ImportError(
        "primefourier.figures needs matplotlib, which is not installed; run "
        "pip install 'primefourier[figures]'"
    ) from error

from primefourier.figures.block_matrix import draw_block_matrix
from primefourier.figures.circles import draw_circles
from primefourier.figures.heatmap import draw_heatmap
from primefourier.figures.lines import DropLine, draw_drop_lines
from primefourier.figures.panels import Line, Panel, draw_panels
from primefourier.figures.profile_bars import DropBars, draw_drop_bars
from primefourier.figures.profile_matrices import DropMatrix, draw_drop_matrices

__all__ = [
    "DropBars",
    "DropLine",
    "DropMatrix",
    "Line",
    "Panel",
    "draw_block_matrix",
    "draw_circles",
    "draw_drop_bars",
    "draw_drop_lines",
    "draw_drop_matrices",
    "draw_heatmap",
    "draw_panels",
]
