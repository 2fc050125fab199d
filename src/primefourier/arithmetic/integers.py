"""Read integers of any kind (Python, numpy, torch, lists of them) without changing one of them."""

from __future__ import annotations

import operator
import sys
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

IntegerArray: TypeAlias = NDArray[Any]
"""An array of dtype int64, uint64 or object (Python ints of any size)."""


def as_integers(values: object) -> IntegerArray:
    """Return the same integers as an array of int64, uint64 or, beyond 64 bits, Python ints.

    Nothing is rounded, wrapped or parsed: what is not an integer is refused.

    Args:
        values: An int, a (nested) sequence of ints, a numpy or torch integer array of any width,
            an object array of ints, or anything that numpy can read as one of these.

    Returns:
        The integers, with the shape of the input.

    Raises:
        TypeError: For floats, bools, strings, missing values and everything else that is not an
            integer.
        ValueError: For ragged nested sequences and masked entries.

    Shape:
        The shape of ``values``; () for a single integer.

    >>> as_integers([1, -2, 3]).dtype.name
    'int64'
    >>> as_integers(10**30).item() == 10**30
    True
    >>> as_integers([1, 2.0])
    Traceback (most recent call last):
    TypeError: integers are required, got a float, 2.0, at position [1]; convert it with int() ...
    """
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(values, torch.Tensor):
        require_integer_tensor(values)
        return _from_numpy(values.detach().cpu().numpy())
    if isinstance(values, np.ndarray | np.generic):
        return _from_numpy(np.asanyarray(values))
    if _is_integer(values):
        return _pack([operator.index(values)]).reshape(())  # type: ignore[arg-type]
    if isinstance(values, Sequence) and not isinstance(values, str | bytes | bytearray):
        leaves: list[int] = []
        shape = _collect(values, leaves, ())
        return _pack(leaves).reshape(shape)
    if hasattr(values, "__array__"):
        return _from_numpy(np.asanyarray(values))
    raise _refusal(values, ())


def as_integer(value: object, name: str, *, at_least: int | None = None) -> int:
    """Return one integer argument as a Python int, or say what was required of it.

    >>> as_integer(np.int8(3), "depth", at_least=1)
    3
    >>> as_integer(0, "depth", at_least=1)
    Traceback (most recent call last):
    ValueError: depth must be an integer of at least 1, got 0
    """
    required = "an integer" if at_least is None else f"an integer of at least {at_least}"
    if not _is_integer(value):
        raise TypeError(f"{name} must be {required}, got {_describe(value)}")
    number = operator.index(value)  # type: ignore[arg-type]
    if at_least is not None and number < at_least:
        raise ValueError(f"{name} must be {required}, got {number}")
    return number


def _is_integer(value: object) -> bool:
    """Tell whether a single value is an integer, bools (also numpy's) excluded."""
    if type(value) is int:
        return True
    if isinstance(value, bool | np.bool | np.ndarray):
        return False
    return hasattr(value, "__index__") and not hasattr(value, "__len__")


def _pack(numbers: list[int]) -> IntegerArray:
    try:
        return np.array(numbers, dtype=np.int64)
    except OverflowError:
        packed = np.empty(len(numbers), dtype=object)
        packed[:] = numbers
        return packed


def require_integer_tensor(tensor: Any) -> None:
    """Refuse torch tensors of floats, complex numbers and bools; needs no torch itself."""
    kind = tensor.dtype
    if kind.is_floating_point or kind.is_complex or str(kind) == "torch.bool":
        raise TypeError(
            f"integers are required, got a tensor of {kind}; convert it with .to(torch.int64) if "
            "its values are whole numbers"
        )


def _from_numpy(array: NDArray[Any]) -> IntegerArray:
    if np.ma.is_masked(array):
        raise ValueError("masked integers have no value to encode; fill or drop them first")
    array = np.asarray(array)
    kind = array.dtype.kind
    if kind == "i" or (kind == "u" and array.dtype.itemsize < 8):
        return array.astype(np.int64, copy=False)
    if kind == "u":
        return array.astype(np.uint64, copy=False)  # native byte order
    if kind == "O":
        numbers = [_leaf(value, (i,)) for i, value in enumerate(array.ravel().tolist())]
        return _pack(numbers).reshape(array.shape)
    if array.size == 0 and kind == "f":  # what numpy makes of an empty list
        return np.empty(array.shape, dtype=np.int64)
    numeric = "; convert it with .astype('int64') if its values are whole numbers"
    raise TypeError(
        f"integers are required, got an array of {array.dtype}{numeric if kind in 'fb' else ''}"
    )


def _collect(
    values: Sequence[object], leaves: list[int], position: tuple[int, ...]
) -> tuple[int, ...]:
    """Append the integers of a nested sequence to ``leaves`` and return its shape."""
    if all(type(value) is int for value in values):
        leaves.extend(values)  # type: ignore[arg-type]
        return (len(values),)
    if len(position) >= 64:
        raise ValueError("nested sequences must have fewer than 64 levels")
    inner: tuple[int, ...] | None = None
    for i, value in enumerate(values):
        here = (*position, i)
        if _is_integer(value):
            leaves.append(operator.index(value))  # type: ignore[arg-type]
            shape: tuple[int, ...] = ()
        elif isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray):
            shape = _collect(value, leaves, here)
        elif hasattr(value, "__array__") and not isinstance(value, np.generic):
            try:
                array = as_integers(value)
            except TypeError as error:
                raise _refusal(value, here) from error
            leaves.extend(array.ravel().tolist())
            shape = array.shape
        else:
            raise _refusal(value, here)
        if inner is None:
            inner = shape
        elif inner != shape:
            raise ValueError(
                f"nested sequences must be rectangular, got shape {shape} at position "
                f"{list(here)} where the first entry has shape {inner}"
            )
    return (len(values), *(inner or ()))


def _leaf(value: object, position: tuple[int, ...]) -> int:
    if not _is_integer(value):
        raise _refusal(value, position)
    return operator.index(value)  # type: ignore[arg-type]


def _describe(value: object) -> str:
    kind = type(value).__name__
    article = "an" if kind[0] in "aeiouAEIOU" else "a"
    text = repr(value)
    return f"{article} {kind}, {text if len(text) <= 40 else text[:37] + '...'}"


def _is_missing(value: object) -> bool:
    """Tell whether a value stands for none: None, NaN, and what pandas uses."""
    if isinstance(value, float | np.floating):
        return bool(np.isnan(value))
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def _refusal(value: object, position: tuple[int, ...]) -> TypeError:
    where = f", at position {list(position)}" if position else ""
    if isinstance(value, bool | np.bool):
        advice = "convert it with int() if you mean 0 or 1"
    elif _is_missing(value):
        advice = "drop missing values, or mask them where they are embedded"
    elif isinstance(value, float | np.floating):
        advice = "convert it with int() if it is a whole number, round it first if it is not"
    elif isinstance(value, str | bytes):
        advice = "convert it with int() if it spells a whole number"
    else:
        advice = "pass an int, a sequence of ints, or an integer array"
    return TypeError(f"integers are required, got {_describe(value)}{where}; {advice}")
