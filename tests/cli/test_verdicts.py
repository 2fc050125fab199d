"""Commands that judge a run: ``pfe claims`` and ``pfe questions``."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from primefourier import lab
from primefourier.cli.verdicts import print_claims

Pfe = Callable[..., tuple[int, str, str]]
KINDS = ("zero", "mean", "permute")


def widest(text: str) -> int:
    return max(map(len, text.splitlines()))


def test_claims_are_readable_in_80_columns_and_end_with_a_tally(pfe: Pfe, paper: Path) -> None:
    code, out, _ = pfe("claims", str(paper))
    assert code == 0
    table, tally = out.split("\n\n")
    assert widest(table) <= 80
    names = re.findall(r"^[A-Z]\w?\.\d", table, re.M)
    assert (names[0], names[-1], len(set(names))) == ("E1.1", "T.2", 14)
    words = table.replace("holds so far", "").split()
    assert " ".join(words).count("drop far above off-diagonal drop in all 35 configurations") == 1
    assert "…" not in table
    assert re.match(r"14 claims: holds \d+, holds in part \d+.*\.\n", tally)
    assert tally.endswith(f"Evidence for one claim: pfe claims {paper} E1.3\n")


def test_verdicts_are_coloured_on_a_terminal(
    small: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        "primefourier.cli.output.Console",
        lambda **options: Console(
            **{**options, "force_terminal": True, "color_system": "standard"}
        ),
    )
    monkeypatch.delenv("NO_COLOR", raising=False)
    print_claims(lab.open(small).claims())
    out = capsys.readouterr().out
    assert "\x1b[32mholds so far" in out
    assert "\x1b[2mnot measured yet" in out


def test_evidence_is_shown_for_one_claim_or_for_all(pfe: Pfe, small: Path) -> None:
    code, out, _ = pfe("claims", str(small), "e1.1")
    assert code == 0
    assert out.startswith("\nE1.1: diagonal drop far above off-diagonal drop in all 35 ")
    assert "\n  paper: 35 of 35\n" in out
    assert "\n  verdict: holds so far (1 of 35 measured)\n" in out
    assert "\n  ✓ |P| = 4, r = 100: 0.791 against 0.012\n" in out
    assert "E1.2" not in out
    everything = pfe("claims", str(small), "--evidence")[1]
    assert everything.count("\n  rule: ") == 14
    assert "measured: nothing yet" in everything
    assert max(widest(out), widest(everything)) <= 80
    code, _, err = pfe("claims", str(small), "E1.33")
    assert (code, "did you mean 'E1.3'?" in err) == (2, True)


def test_claims_as_json(pfe: Pfe, small: Path) -> None:
    data = json.loads(pfe("claims", str(small), "--json")[1])
    lab.open(small).save_claims()
    assert data == json.loads((small / "claims.json").read_text())
    (one,) = json.loads(pfe("claims", str(small), "E1.2", "--json")[1])
    assert one == data[1]


def test_other_ablations_need_probes(pfe: Pfe, small: Path, probed: Path) -> None:
    out = " ".join(pfe("claims", str(small), "--ablation", "mean")[1].split())
    assert "5 measured models did not count: other settings than the paper's" in out
    assert "or not probed." in out
    data = json.loads(pfe("claims", str(probed), "--ablation", "permute", "--json")[1])
    assert {claim["claim"]: claim["configurations"] for claim in data}["E1.3"] == 1


def test_every_question_has_a_short_answer(pfe: Pfe, probed: Path) -> None:
    code, out, _ = pfe("questions", str(probed))
    assert code == 0
    found = re.findall(r"^(Q\d)  (.*\?)\n((?:    .*\n)+)", out, re.M)
    assert [name for name, _, _ in found] == ["Q1", "Q2", "Q3", "Q4"]
    answers = [" ".join(answer.split()) for _, _, answer in found]
    data = json.loads(pfe("questions", str(probed), "--json")[1])
    changed = [c["claim"] for c in data["claims"] if len({c[k]["verdict"] for k in KINDS}) > 1]
    assert changed
    assert answers[0].endswith(f"claims depend on it: {', '.join(changed)}.")
    (depths,) = [each for each in data["depths"] if each["ablation"] == "permute"]
    costs = [f"{depths['relevant'][d]['mean']:.2f}" for d in (0, 1)]
    assert f"it costs {costs[0]}; any other block at most {costs[1]} " in answers[1]
    far = data["aliases"][-1]
    assert answers[2].endswith(f", {far['used']} of {far['blocks']} at 4 turns or more.")
    (curve,) = [c for c in data["equivariance"] if c["measure"] == "share_apart"]
    first, last = (curve["by_epoch"][at]["mean"] for at in (0, -1))
    assert f"{first:.2f} untrained, {last:.2f} after the last epoch." in answers[3]
    assert out.endswith(f"Evidence for one question: pfe questions {probed} Q1\n")


@pytest.mark.parametrize("width", [80, 200])
def test_evidence_for_questions_is_in_tables_that_fit(
    pfe: Pfe, probed: Path, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    code, out, _ = pfe("questions", str(probed), "--evidence")
    assert code == 0
    assert len(re.findall(r"^[A-Z ,]+\?$", out, re.M)) == 4
    assert widest(out) <= width
    assert "Experiment 1, |P| = 2" not in out, "only configurations of the paper count"
    rows = [line.split() for line in out.splitlines()]
    for kind in KINDS:
        assert ["100", "1", kind] in [row[:3] for row in rows]
    assert ("tables also have 95 % intervals" in out) == (width == 80)
    one = pfe("questions", str(probed), "q2")[1]
    assert one.startswith("\nWHICH DEPTHS CARRY THE ANSWER?\n")
    assert one.count("?\n") == 1
    code, _, err = pfe("questions", str(probed), "Q5")
    assert (code, "the question must be 'Q1', 'Q2', 'Q3' or 'Q4', got 'Q5'" in err) == (2, True)


def test_questions_as_json(pfe: Pfe, probed: Path, small: Path) -> None:
    data = json.loads(pfe("questions", str(probed), "--json")[1])
    files = lab.open(probed).save_questions()
    assert json.loads(files[0].read_text()) == data
    assert {len(curve["by_epoch"]) for curve in data["equivariance"]} == {26}
    code, _, error = pfe("questions", str(small))
    assert (code, "again with --probe" in error) == (2, True)
