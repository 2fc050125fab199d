"""Studies from a TOML file: one table for each, with the keys that ``pfe run`` has as options.

.. code-block:: toml

    [exp1]
    sizes = [4, 8]
    ranges = [100, 1000]

    [[exp2]]
    moduli = [15, 45]
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from primefourier._checks import refuse_unknown
from primefourier.lab.studies.experiment import Experiment
from primefourier.lab.studies.paper import EXPERIMENTS
from primefourier.lab.studies.study import MOST_MODELS

_MOST_BYTES = 20_000


def read_settings(path: Path | str) -> list[Experiment]:
    """Read studies from a TOML file; unknown tables and keys are refused.

    Args:
        path: The file. ``[exp1]`` is one study, ``[[exp1]]`` one of several of the same kind.
    """
    path = Path(path)
    try:
        data = tomllib.loads(_read_text(path))
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not a TOML file: {error}") from error
    except RecursionError as error:
        raise ValueError(f"{path} is nested too deeply; settings are lists of integers") from error
    refuse_unknown(data, list(EXPERIMENTS), str(path))
    studies, models = [], 0
    for name, tables in data.items():
        for table in tables if isinstance(tables, list) else [tables]:
            studies.append(_read(name, table, f"[{name}] of {path}"))
            models += len(studies[-1].configs)
            if models > MOST_MODELS:
                raise ValueError(f"{path} must name at most {MOST_MODELS} models, got more")
    if not studies:
        raise ValueError(f"{path} names no experiment; write a table such as [exp1]")
    return studies


def _read_text(path: Path) -> str:
    """Read a file; refuse one so large, or with numbers so long, that TOML is slow to read."""
    with path.open("rb") as file:
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise ValueError(f"{path} must have at most {_MOST_BYTES} bytes, got more")
    text = data.decode()
    if re.search(r"[\da-fA-F_]{301}", text):
        raise ValueError(f"{path} must hold numbers of at most 300 digits, got a longer one")
    return text


def _read(name: str, table: Any, where: str) -> Experiment:
    if not isinstance(table, dict):
        raise ValueError(f"{where} must be a table of settings, got {table!r}")
    try:
        return EXPERIMENTS[name].from_dict(table, where)
    except (TypeError, ValueError) as error:
        text = str(error)
        raise ValueError(text if where in text else f"{where}: {text}") from error
