"""The command that judges a run: ``pfe claims``."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from lab_records import configs_of, plausible, studies_of
from primefourier import lab
from primefourier.lab.store import write_store
from primefourier_paper import judge, save_claims
from primefourier_paper.commands import print_claims

Pfe = Callable[..., tuple[int, str, str]]


def widest(text: str) -> int:
    return max(map(len, text.splitlines()))


def test_claims_are_readable_in_80_columns_and_end_with_a_tally(pfe: Pfe, small: Path) -> None:
    code, out, _ = pfe("claims", str(small))
    assert code == 0
    *tables, tally = out.split("\n\n")
    table = "\n".join(tables)
    assert widest(table) <= 80
    names = re.findall(r"^[A-Z]\w?\.\d", table, re.M)
    assert (names[0], names[-1], len(set(names))) == ("E1.1", "T.2", 21)
    assert re.search(r"E1\.4 +off-diagonal drops of 0\.03–0\.09 at", table)
    assert "…" not in table
    assert re.match(r"13 claims: \d+ holds?, .*\.\n", tally)
    assert "cannot decide those that are undecided" in " ".join(tally.split())
    assert tally.endswith(
        f"Models of further runs also count: pfe claims {small} FOLDER …\n"
        f"Evidence for one claim: pfe claims {small} E1.3\n"
    )


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
    print_claims(judge(lab.open(small)))
    out = capsys.readouterr().out
    assert "\x1b[32mholds" in out
    assert "\x1b[2mundecided" in out
    assert "\x1b[2mnot measured yet" in out


def test_evidence_is_shown_for_one_claim_or_for_all(pfe: Pfe, small: Path) -> None:
    code, out, _ = pfe("claims", str(small), "e1.1")
    assert code == 0
    assert out.startswith("\nE1.1: diagonal drop far above off-diagonal drop in all 35 ")
    assert "\n  paper: 35 of 35\n" in out
    assert "\n  verdict: undecided: 1 of 1 agree so far (35 asked)\n" in out
    assert "\n  ✓ |P| = 4, r = 100: 0.803 against 0.009\n" in out
    assert "E1.2" not in out
    everything = pfe("claims", str(small), "--evidence")[1]
    assert everything.count("\n  rule: ") == 21
    assert "measured: nothing yet" in everything
    assert max(widest(out), widest(everything)) <= 80
    code, _, err = pfe("claims", str(small), "E1.33")
    assert (code, "did you mean 'E1.3'?" in err) == (2, True)


def test_claims_as_json(pfe: Pfe, small: Path) -> None:
    data = json.loads(pfe("claims", str(small), "--json")[1])
    save_claims(lab.open(small))
    assert data == json.loads((small / "claims.json").read_text())
    (one,) = json.loads(pfe("claims", str(small), "E1.2", "--json")[1])
    assert one == data[1]


def test_further_folders_count_and_several_claims_may_be_named(
    pfe: Pfe, small: Path, tmp_path: Path
) -> None:
    more = configs_of("exp1", sizes=(6,), ranges=(100,))
    with write_store(tmp_path) as store:
        store.begin(studies_of(more), "pfe run exp1 --sizes 6 --ranges 100")
        for record in plausible(more):
            store.add(record)
    words = ("claims", str(small), str(tmp_path))
    one, two = json.loads(pfe(*words, "e1.1", "c.1", "--json")[1])
    assert (one["claim"], one["by_means"], two["claim"]) == ("E1.1", "2 of 2", "C.1")
    out = pfe(*words)[1]
    assert out.endswith(f"pfe claims {small} {tmp_path} E1.3\n")
    assert "also count" not in out
    code, _, error = pfe("claims", str(small), f"{tmp_path}/none")
    assert (code, "none" in error) == (2, True)
    assert pfe("report", str(small), str(tmp_path), "--out", str(tmp_path / "report.html"))[0] == 0
    run = lab.open(small, tmp_path)
    assert run.page_data()["claims"][0]["by_means"] == "2 of 2"


def test_other_ablations_count_where_they_were_measured(
    pfe: Pfe, small: Path, ablated: Path
) -> None:
    out = " ".join(pfe("claims", str(small), "--ablation", "mean")[1].split())
    assert "5 measured models did not count: other settings than the paper's" in out
    assert "or not ablated by mean." in out
    data = json.loads(pfe("claims", str(ablated), "--ablation", "permute", "--json")[1])
    assert {claim["claim"]: claim["by_means"] for claim in data}["E1.3"] == "1 of 1"
