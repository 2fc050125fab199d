"""Read integers from Python, numpy, torch and other arrays without changing their values."""

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
    """Return integers as an array of int64, uint64 or, beyond 64 bits, Python ints.

    Values are never rounded, wrapped or parsed; non-integers raise an error.

    Args:
        values: An int, a (nested) sequence of ints, a numpy or torch integer array of any width,
            an object array of ints, or an object that numpy can convert to one of these.

    Returns:
        The integers, with the shape of the input.

    Raises:
        TypeError: For floats, bools, strings, missing values and all other non-integers.
        ValueError: For ragged nested sequences, masked entries and tensors on the meta device.

    Shape:
        The shape of ``values``; () for a single integer.

    >>> as_integers([1, -2, 3]).dtype.name
    'int64'
    >>> as_integers([1, 2.0])
    Traceback (most recent call last):
    TypeError: integers are required, got a float, 2.0, at position [1]; convert it with int() ...
    """
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(values, torch.Tensor):
        require_integer_tensor(values)
        require_values(values, "integers")
        return _from_numpy(values.detach().cpu().numpy())
    if isinstance(values, np.ndarray | np.generic):
        return _from_numpy(np.asanyarray(values))
    if _is_integer(values):
        return _pack([_leaf(values, ())]).reshape(())
    if isinstance(values, Sequence) and not isinstance(values, str | bytes | bytearray):
        leaves: list[int] = []
        shape = _collect(values, leaves, ())
        return _pack(leaves).reshape(shape)
    if str(getattr(values, "dtype", "")) in ("Int128", "UInt128"):  # polars dtypes numpy lacks
        return as_integers(values.to_list())  # type: ignore[attr-defined]
    if hasattr(values, "__array__"):
        return _from_numpy(np.asanyarray(values))
    raise _refusal(values, ())


def as_integer(value: object, name: str, *, at_least: int | None = None) -> int:
    """Return an integer argument as a Python int, or raise an error that names it.

    >>> as_integer(np.int8(3), "depth", at_least=1)
    3
    >>> as_integer(0, "depth", at_least=1)
    Traceback (most recent call last):
    ValueError: depth must be an integer of at least 1, got 0
    """
    required = "an integer" if at_least is None else f"an integer of at least {at_least}"
    try:
        number = _leaf(value, ())
    except TypeError as error:
        raise TypeError(f"{name} must be {required}, got {describe(value)}") from error
    if at_least is not None and number < at_least:
        raise ValueError(f"{name} must be {required}, got {format_integer(number)}")
    return number


def format_integer(n: int, digits: int = 60) -> str:
    """Format an integer of any size, with its middle left out beyond ``digits`` digits.

    >>> format_integer(-1000), format_integer(10**40 + 7, digits=24)
    ('-1000', '100000000…00000007 (41 digits)')
    """
    if n.bit_length() > 14_000:  # str() stops at 4300 digits
        return f"an integer of {n.bit_length()} bits"
    text = str(n)
    if len(text) <= digits:
        return text
    return f"{text[:9]}…{text[-8:]} ({len(text.lstrip('-'))} digits)"


def _is_integer(value: object) -> bool:
    """Return whether a single value is an integer; bools of Python and numpy are not."""
    if type(value) is int:
        return True
    if isinstance(value, bool | np.bool | np.ndarray | type):
        return False
    return hasattr(value, "__index__") and not hasattr(value, "__len__")


def _leaf(value: object, position: tuple[int, ...]) -> int:
    """Return a single integer as a Python int."""
    if type(value) is int:
        return value
    if not _is_integer(value):
        raise _refusal(value, position)
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, RuntimeError) as error:  # missing, as a null of pyarrow
        raise _refusal(value, position) from error


def _pack(numbers: list[int]) -> IntegerArray:
    try:
        return np.array(numbers, dtype=np.int64)
    except OverflowError:
        return np.fromiter(numbers, dtype=object, count=len(numbers))


def require_integer_tensor(tensor: Any) -> None:
    """Raise TypeError for torch tensors of other numbers, and for sparse and quantised ones."""
    kind = tensor.dtype
    if str(kind).startswith("torch.q"):
        raise TypeError(
            f"integers are required, got a quantised tensor of {kind}; convert it with "
            ".dequantize().round().to(torch.int64) if its values are integers"
        )
    if kind.is_floating_point or kind.is_complex or str(kind) == "torch.bool":
        raise TypeError(
            f"integers are required, got a tensor of {kind}; convert it with .to(torch.int64) if "
            "its values are integers"
        )
    require_dense(tensor, "integers")


def require_dense(tensor: Any, what: str) -> None:
    """Raise TypeError for torch tensors that are sparse or nested."""
    if tensor.is_nested:
        raise TypeError(
            f"{what} are required as a tensor of one shape, got a nested tensor; pad it with "
            "torch.nested.to_padded_tensor, and pass a padding mask"
        )
    if tensor.is_sparse or tensor.is_sparse_csr:
        raise TypeError(
            f"{what} are required as a dense tensor, got one of layout {tensor.layout}; convert it "
            "with .to_dense()"
        )


def require_values(tensor: Any, what: str) -> None:
    """Raise ValueError for torch tensors on the meta device."""
    if tensor.is_meta:
        raise ValueError(
            f"{what} are required, got a tensor on the meta device, which has no values; pass a "
            "tensor on another device"
        )


def _from_numpy(array: NDArray[Any]) -> IntegerArray:
    if np.ma.is_masked(array):
        raise ValueError("masked integers have no value; fill or drop masked entries first")
    array = np.asarray(array)
    kind = array.dtype.kind
    if kind == "i" or (kind == "u" and array.dtype.itemsize < 8):
        return array.astype(np.int64, copy=False)
    if kind == "u":
        return array.astype(np.uint64, copy=False)  # native byte order
    if kind == "O":
        numbers = [_leaf(value, (i,)) for i, value in enumerate(array.ravel().tolist())]
        return _pack(numbers).reshape(array.shape)
    if array.size == 0 and kind == "f":  # numpy reads an empty list as float64
        return np.empty(array.shape, dtype=np.int64)
    if kind == "f" and not (known := np.isfinite(array)).all():
        position = tuple(np.argwhere(~known)[0].tolist())
        what = "infinity" if np.isinf(array[position]) else "a missing value (null or NaN)"
        raise TypeError(
            f"integers are required, got {what} at position {list(position)}; drop or fill missing "
            "values first, because a conversion to integers would replace them by arbitrary numbers"
        )
    advice = {
        **dict.fromkeys("fb", "; convert it with .astype('int64') if its values are integers"),
        "M": "; count a unit first, as in .astype('datetime64[D]').astype('int64')",
    }.get(kind, "")
    raise TypeError(f"integers are required, got an array of {array.dtype}{advice}")


def _collect(
    values: Sequence[object], leaves: list[int], position: tuple[int, ...]
) -> tuple[int, ...]:
    """Append the integers of a nested sequence to ``leaves`` and return its shape."""
    # most lists are flat ones of ints, and this is ten times as fast as looking at each
    if all(type(value) is int for value in values):
        leaves.extend(values)  # type: ignore[arg-type]
        return (len(values),)
    if len(position) >= 64:
        raise ValueError("nested sequences must have fewer than 64 levels")
    inner: tuple[int, ...] | None = None
    for i, value in enumerate(values):
        here = (*position, i)
        if _is_integer(value):
            leaves.append(_leaf(value, here))
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


def describe(value: object) -> str:
    """Describe a value that is refused, for an error: its type and the start of its text."""
    kind = type(value).__name__
    article = "an" if kind[0] in "aeiouAEIOU" else "a"
    try:
        text = repr(value)
    except ValueError:  # contains an integer of more than 4300 digits
        return f"{article} {kind}"
    return f"{article} {kind}, {text if len(text) <= 40 else text[:37] + '...'}"


def is_missing(value: object) -> bool:
    """Return whether a value is missing: None, NaN, NaT, masked, pandas' NA, pyarrow's null."""
    if isinstance(value, float | np.floating | np.datetime64):
        return bool(np.isnan(value))
    if value is None or value is np.ma.masked or getattr(value, "is_valid", True) is False:
        return True
    return type(value).__name__ in ("NAType", "NaTType")


def _refusal(value: object, position: tuple[int, ...]) -> TypeError:
    """Return the error for a value that is not an integer, with advice by type."""
    where = f", at position {list(position)}" if position else ""
    advice = "pass an int, a sequence of ints, or an integer array"
    if isinstance(value, bool | np.bool):
        advice = "convert it with int() if you mean 0 or 1"
    elif is_missing(value):
        advice = "drop missing values, or use a padding mask when you embed them"
    elif isinstance(value, float | np.floating):
        advice = "convert it with int() if its value is an integer, or round it first"
    elif isinstance(value, str | bytes):
        advice = "convert it with int() if it contains an integer"
    return TypeError(f"integers are required, got {describe(value)}{where}; {advice}")
