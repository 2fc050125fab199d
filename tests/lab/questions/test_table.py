import json
from itertools import pairwise

import pytest

from lab_records import configs_of, records_of, with_probe
from primefourier.analysis import Interval
from primefourier.lab.questions import answer_questions, answers_as_data, answers_as_markdown
from primefourier.lab.questions.answers import Answers
from primefourier.lab.questions.table import answers_as_sections, write_interval


@pytest.fixture(scope="module")
def answers() -> Answers:
    configs = configs_of("exp1", sizes=(4, 8), ranges=(100, 500), seeds=(1, 2))
    configs += configs_of("exp2", ranges=(500,))
    records = [
        with_probe(record, block=lambda c, k, p, d: 0.25 if p in c.relevant and d == 0 else 0.0)
        for record in records_of(configs, off=0.1)
    ]
    found = answer_questions(configs, records)
    assert found is not None
    return found


def test_each_question_has_a_section_with_its_tables(answers: Answers) -> None:
    kinds, depths, aliases, curves = answers_as_sections(answers)
    assert [len(section.tables) for section in (kinds, depths, aliases, curves)] == [1, 3, 2, 3]
    names = ["Experiment 1, |P| = 4", "Experiment 1, |P| = 8", "Experiment 2, all N"]
    assert [table.heading for table in depths.tables] == names
    assert all(
        len(row) == len(table.rows[0])
        for section in (kinds, depths, aliases, curves)
        for table in section.tables
        for row in table.rows
    )


def test_the_tables_say_what_was_measured(answers: Answers) -> None:
    kinds, depths, aliases, curves = answers_as_sections(answers)
    columns, first, *_ = depths.tables[1].rows
    assert columns[:4] == ["r", "seeds", "ablation", "d = 0"]
    assert first == ["100", "2", "zero", "0.250 ± 0.000", *["0.000 ± 0.000"] * 6, "0.000"]
    assert depths.tables[2].rows[1] == ["500", "1", "zero", "0.250", *["0.000"] * 7]
    assert curves.tables[2].rows[0][-2:] == ["epoch 25", "epoch 40"]
    assert curves.tables[0].rows[0][-2:] == ["epoch 10", "epoch 25"]
    assert aliases.tables[0].rows[0][0] == "distance in turns"
    assert aliases.tables[0].rows[-1][0] == "4 on"
    assert len(aliases.tables[0].rows[-1]) == 5
    small = next(row for row in kinds.tables[0].rows if row[0].startswith("E1.3"))
    assert small[1:] == [
        "does not hold so far: 0 of 4 below the noise floor; seed by seed 0, 0",
        "holds so far: 4 of 4 below the noise floor; seed by seed 4, 4",
        "holds so far: 4 of 4 below the noise floor; seed by seed 4, 4",
    ]


def test_markdown_tables_have_as_many_cells_as_columns(answers: Answers) -> None:
    lines = answers_as_markdown(answers).splitlines()
    assert lines[0] == "# Questions that the paper leaves open"
    rows = [line.replace("\\|", "") for line in lines if line.startswith("|")]
    for line, following in pairwise(rows):
        if set(following) == {"|", "-"}:
            width = line.count("|")
        assert line.count("|") == width or set(following) == {"|", "-"}


def test_the_data_are_those_of_the_answers(answers: Answers) -> None:
    data = json.loads(json.dumps(answers_as_data(answers), allow_nan=False))
    assert len(data["depths"]) == 15
    assert data["depths"][0]["relevant"][0] == {"mean": 0.25, "low": 0.25, "high": 0.25}
    assert data["depths"][0]["seeds"] == [1, 2]
    assert len(data["equivariance"]) == 20
    assert len(data["equivariance"][0]["by_epoch"]) == 26
    assert data["claims"][2]["mean"]["verdict"] == "holds"


def test_nothing_is_written_as_minus_zero() -> None:
    assert write_interval(Interval(-0.0001, None, None, 1)) == "0.000"
    assert write_interval(Interval(-0.001, None, None, 1)) == "-0.001"
