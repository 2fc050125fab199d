"""Features for scikit-learn; needs the extra ``sklearn``."""

from primefourier._checks import missing_extra

try:
    from primefourier.sklearn.features import PrimeFourierFeatures
except ImportError as error:
    raise missing_extra("primefourier.sklearn", error, "sklearn") from error

__all__ = ["PrimeFourierFeatures"]
