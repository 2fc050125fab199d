"""The interactive page: number circles, channels and the results of a run, in one HTML file."""

from primefourier.explorer.data import page_data
from primefourier.explorer.page import make_page

__all__ = ["make_page", "page_data"]
