import json
import subprocess
from collections.abc import Callable
from pathlib import Path

Pfe = Callable[..., tuple[int, str, str]]
Smoke = tuple[Path, subprocess.CompletedProcess[str]]


def test_the_table_shows_verdicts_and_the_configurations_behind_them(
    smoke: Smoke, pfe: Pfe
) -> None:
    code, out, _ = pfe("claims", str(smoke[0]))
    assert code == 0
    lines = [" ".join(line.split()) for line in out.splitlines()]
    (first,) = [line for line in lines if line.startswith("E1.1 diagonal")]
    assert "35 of 35 2 of 2 configurations;" in first
    assert "holds so far (2 of 35)" in first
    assert max(map(len, out.splitlines()[:60])) <= 120
    assert any(line.startswith("✓ |P| = 4, r = 500: 0.8") for line in lines)
    assert "nothing measured yet" in lines


def test_json_is_what_reproduce_wrote(smoke: Smoke, pfe: Pfe) -> None:
    out = pfe("claims", str(smoke[0]), "--json")[1]
    assert json.loads(out) == json.loads((smoke[0] / "claims.json").read_text())


def test_other_ablations_need_probes(smoke: Smoke, probed: Path, pfe: Pfe) -> None:
    out = pfe("claims", str(smoke[0]), "--ablation", "mean")[1]
    assert "not probed" in out
    code, text, _ = pfe("claims", str(probed), "--ablation", "permute", "--json")
    assert code == 0
    verdicts = {claim["claim"]: claim["configurations"] for claim in json.loads(text)}
    assert verdicts["E1.3"] == 1
    code, _, error = pfe("claims", str(probed), "--ablation", "median")
    assert code == 2
    assert "zero" in error
