"""``pfe questions``: what probes say about questions that the paper leaves open."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

from primefourier.cli.options import Json
from primefourier.cli.output import print_json, print_table, print_text

if TYPE_CHECKING:
    from primefourier.lab.questions import Answers

_WIDTH = 120


def questions(folder: Path, /, *, json: Json = False) -> None:
    """Answer what the paper leaves open, by models that were trained with --probe.

    Does it matter what stands in for an ablated row? Which depths carry the answer? Which other
    blocks are used? Does training make the network equivariant?

    Parameters
    ----------
    folder
        The --out of pfe run or pfe reproduce.
    """
    from primefourier.lab.questions import answers_as_data

    answers = _answer(folder)
    if answers is None:
        raise ValueError(
            f"no configuration of the paper in {folder} was probed whole; train it with --probe, "
            "such as pfe run exp1 --sizes 4 --ranges 100 --probe"
        )
    if json:
        print_json(answers_as_data(answers))
    else:
        _print(answers)


def write_questions(folder: Path) -> list[Path]:
    """Write the answers beside the records; return the files, none if nothing was probed."""
    from primefourier.lab.questions import answers_as_data, answers_as_markdown

    answers = _answer(folder)
    if answers is None:
        return []
    files = [folder / "questions.json", folder / "questions.md"]
    data = json_module.dumps(answers_as_data(answers), ensure_ascii=False, indent=1)
    files[0].write_text(data + "\n", encoding="utf-8")
    files[1].write_text(answers_as_markdown(answers), encoding="utf-8")
    return files


def _print(answers: Answers) -> None:
    from primefourier.lab.questions.table import answers_as_sections

    for section in answers_as_sections(answers):
        print_text(f"\n{section.question.upper()}\n\n{fill(section.text, _WIDTH)}\n")
        for table in section.tables:
            if table.heading:
                print_text(f"\n{table.heading}\n")
            columns, *rows = table.rows
            if columns[0] == "claim":  # sentences, not numbers
                print_table(columns, rows, left=columns, width=_WIDTH, lines=True)
            else:
                print_table(columns, rows, left=("measure", "ablation"))


def _answer(folder: Path) -> Answers | None:
    from primefourier.lab.questions import answer_questions
    from primefourier.lab.sweep import read_store

    with read_store(folder) as store:
        return answer_questions(store.planned(), store.records())
