"""Pictures of the encoding, drawn with matplotlib; needs the extra ``figures``."""

try:
    import matplotlib  # noqa: F401
except ImportError as error:
    raise ImportError(
        "primefourier.figures needs matplotlib, which is not installed; run "
        "pip install 'primefourier[figures]'"
    ) from error

from primefourier.figures.circles import draw_circles

__all__ = ["draw_circles"]
