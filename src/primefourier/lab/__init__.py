"""The laboratory: the paper's experiments, from pairs of integers to judged claims.

It uses the library's public names and adds nothing to them. Data flows one way: experiments give
configs, a sweep turns each into a record, and claims, figures and exports read the records.
"""

try:
    import torch  # noqa: F401
except ImportError as error:
    raise ImportError(
        "primefourier.lab needs torch, which is not installed; run pip install 'primefourier[lab]'"
    ) from error
