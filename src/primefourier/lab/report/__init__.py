"""What people look at: the paper's figures, drawn from measured records."""

from primefourier.lab.report.catalogue import FigureFile, draw_figures

__all__ = ["FigureFile", "draw_figures"]
