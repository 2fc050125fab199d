import json
from collections.abc import Callable
from pathlib import Path

from primefourier.cli.questions import write_questions

Pfe = Callable[..., tuple[int, str, str]]


def test_each_question_is_answered_with_tables(probed: Path, pfe: Pfe) -> None:
    code, out, _ = pfe("questions", str(probed))
    assert code == 0
    assert out.count("?\n") == 4
    assert "Experiment 1, |P| = 2" not in out, "only configurations of the paper count"
    lines = [line.split() for line in out.splitlines()]
    assert ["30", "1", "zero"] not in [line[:3] for line in lines]
    for kind in ("zero", "mean", "permute"):
        assert ["100", "1", kind] in [line[:3] for line in lines]


def test_json_is_what_is_written_beside_the_records(probed: Path, pfe: Pfe) -> None:
    data = json.loads(pfe("questions", str(probed), "--json")[1])
    files = write_questions(probed)
    assert [file.name for file in files] == ["questions.json", "questions.md"]
    assert json.loads(files[0].read_text()) == data
    assert {len(curve["by_epoch"]) for curve in data["equivariance"]} == {26}
    assert files[1].read_text().startswith("# Questions that the paper leaves open")


def test_a_folder_without_probes_is_told_how_to_get_them(
    smoke: tuple[Path, object], pfe: Pfe
) -> None:
    code, _, error = pfe("questions", str(smoke[0]))
    assert code == 2
    assert "--probe" in error
    assert write_questions(smoke[0]) == []
