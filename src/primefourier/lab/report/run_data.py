"""A whole run as plain data, for the report page: counts, grids, claims, failures, where it ran."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from primefourier.lab.config import ModelConfig
from primefourier.lab.experiments import EXPERIMENTS
from primefourier.lab.provenance import Provenance
from primefourier.lab.questions import answer_questions, answers_as_data
from primefourier.lab.record import Record
from primefourier.lab.report.claim_data import claims_with_cells
from primefourier.lab.report.grid_data import grid_as_data
from primefourier.lab.report.page import Page, distinct_commands
from primefourier.lab.results import find_variants, paper_variant


def run_as_data(
    planned: Sequence[ModelConfig],
    records: Sequence[Record],
    commands: Sequence[str],
    folder: Path,
) -> dict[str, Any]:
    """Return all that a report shows of a run; docs/explorer.md has its parts.

    The paper's three grids come first, also where nothing of them was asked for.

    Args:
        planned: The models that were asked for.
        records: The records that are there.
        commands: The commands that made them.
        folder: Where they are, as the user named it.
    """
    by_key = {record.config.key: record for record in records}
    asked = find_variants(planned)
    variants = list(dict.fromkeys([*map(paper_variant, EXPERIMENTS), *asked]))
    answers = answer_questions(planned, records)
    failures = [record for record in records if record.error is not None]
    asked_for = distinct_commands(commands)
    return {
        "name": folder.resolve().name or str(folder),
        "folder": str(folder),
        "commands": asked_for,
        "continue": [command for command in asked_for if _is_ours(command)],
        "counts": {
            "planned": len(planned),
            "measured": len(records) - len(failures),
            "failed": len(failures),
            "waiting": sum(config.key not in by_key for config in planned),
        },
        **_circumstances([record.provenance for record in records]),
        "grids": [grid_as_data(Page(v, asked.get(v, []), by_key, commands)) for v in variants],
        "claims": claims_with_cells(planned, records, variants),
        "questions": None if answers is None else answers_as_data(answers),
        "failures": [
            {"model": record.config.describe(), "error": record.error} for record in failures
        ],
    }


def _is_ours(command: str) -> bool:
    """Tell whether a command trains models; a store from elsewhere could hold any other.

    >>> _is_ours("pfe run exp1 --sizes 4"), _is_ours("rm -rf /")
    (True, False)
    """
    return command.split()[:2] in (["pfe", "run"], ["pfe", "reproduce"])


def _circumstances(found: Sequence[Provenance]) -> dict[str, Any]:
    """Tell when, how long, and with what software and machines the models were trained."""
    packages = _distinct(name for each in found for name in each.versions)
    return {
        "finished": max((each.finished for each in found), default=None),
        "seconds": sum(each.seconds for each in found),
        "commits": _distinct(each.commit for each in found),
        "versions": {
            name: _distinct(str(each.versions[name]) for each in found if name in each.versions)
            for name in packages
        },
        "machines": _distinct(each.machine for each in found),
    }


def _distinct(texts: Iterable[str | None]) -> list[str]:
    """Return each text once, without those that are missing or empty."""
    return list(dict.fromkeys(text for text in texts if text))
