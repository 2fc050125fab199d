"""Experiments from a TOML file: one table for each, with the keys that ``pfe run`` has as options.

.. code-block:: toml

    [exp1]
    sizes = [4, 8]
    ranges = [100, 1000]

    [[exp2]]
    moduli = [15, 45]
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from primefourier.lab.experiments.experiment import Experiment
from primefourier.lab.experiments.profiles import EXPERIMENTS
from primefourier.lab.keys import refuse_unknown


def read_settings(path: Path) -> list[Experiment]:
    """Read experiments from a TOML file; whatever is not known in it is refused.

    Args:
        path: The file. ``[exp1]`` is one experiment, ``[[exp1]]`` one of several of its kind.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not a TOML file: {error}") from error
    refuse_unknown(data, list(EXPERIMENTS), str(path))
    experiments = [
        _read(name, table, f"[{name}] of {path}")
        for name, tables in data.items()
        for table in (tables if isinstance(tables, list) else [tables])
    ]
    if not experiments:
        raise ValueError(f"{path} names no experiment; write a table such as [exp1]")
    return experiments


def _read(name: str, table: Any, where: str) -> Experiment:
    if not isinstance(table, dict):
        raise ValueError(f"{where} must be a table of settings, got {table!r}")
    try:
        return EXPERIMENTS[name].from_dict(table, where)
    except (TypeError, ValueError) as error:
        text = str(error)
        raise ValueError(text if where in text else f"{where}: {text}") from error
