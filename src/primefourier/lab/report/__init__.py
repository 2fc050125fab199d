"""What people look at, made of records: the paper's figures, and the data of a report page."""

from primefourier.lab.report.catalogue import draw_figures
from primefourier.lab.report.figure_file import FigureFile
from primefourier.lab.report.run_data import run_as_data

__all__ = ["FigureFile", "draw_figures", "run_as_data"]
