"""``pfe claims``: what the paper says, what the records say, and the verdict."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import TYPE_CHECKING, cast

from primefourier.cli.options import Json
from primefourier.cli.output import count, print_json, print_table, print_text

if TYPE_CHECKING:
    from primefourier.analysis.stand_in import Kind
    from primefourier.lab.claims import Claim, Finding

_WIDTH = 120


def claims(folder: Path, /, *, ablation: str = "zero", json: Json = False) -> None:
    """Judge the paper's claims by the records of a folder.

    Parameters
    ----------
    folder
        The --out of pfe run or pfe reproduce.
    ablation
        What stands in for an ablated row: zero, as in the paper; mean, its mean over the test
        pairs; or permute, another pair's row. The last two need models trained with --probe.
    """
    from primefourier.analysis.choices import require_choice
    from primefourier.lab.claims import claims_as_data
    from primefourier.lab.probing import KINDS

    require_choice(ablation, KINDS, "--ablation")
    findings = _judge(folder, cast("Kind", ablation))
    if json:
        print_json(claims_as_data(findings))
        return
    _print_table(findings)
    _print_evidence(findings)
    _print_left_out(folder, cast("Kind", ablation))


def write_claims(folder: Path) -> None:
    """Print the table of claims, and write it with its evidence beside the records."""
    from primefourier.lab.claims import claims_as_data, claims_as_markdown

    findings = _judge(folder)
    data = json_module.dumps(claims_as_data(findings), ensure_ascii=False, indent=1)
    (folder / "claims.json").write_text(data + "\n", encoding="utf-8")
    text = claims_as_markdown(findings, heading="The paper's claims")
    (folder / "claims.md").write_text(text, encoding="utf-8")
    _print_table(findings)


def _judge(folder: Path, kind: Kind = "zero") -> dict[Claim, Finding]:
    from primefourier.lab.claims import judge_claims
    from primefourier.lab.sweep import read_store

    with read_store(folder) as store:
        return judge_claims(store.planned(), store.records(), kind=kind)


def _print_table(findings: dict[Claim, Finding]) -> None:
    from primefourier.lab.claims.table import coverage, verdict_so_far

    columns = ["claim", "the paper says", "measured", "verdict"]
    print_table(
        columns,
        [
            [
                f"{claim.name}  {claim.statement}",
                claim.paper,
                finding.measured or "—",
                f"{verdict_so_far(finding)} ({coverage(finding)})",
            ]
            for claim, finding in findings.items()
        ],
        left=columns,
        width=_WIDTH,
        lines=True,
    )


def _print_left_out(folder: Path, kind: Kind) -> None:
    """Say how many models do not follow the paper's protocol, since they do not count."""
    from primefourier.lab.claims.judge import paper_cells
    from primefourier.lab.sweep import read_store

    with read_store(folder) as store:
        records = [record for record in store.records() if record.error is None]
        cells = paper_cells(store.planned(), records, kind=kind)
    used = {r.config.key for found in cells.values() for cell in found for r in cell.records}
    if other := len(records) - len(used):
        print_text(
            f"\n{count(other, 'measured model')} did not count: not of the paper's settings, of "
            f"a configuration that is not whole{', or not probed' * (kind != 'zero')}."
        )


def _print_evidence(findings: dict[Claim, Finding]) -> None:
    from primefourier.lab.claims.table import NOT_SETTLED, within_intervals

    signs = {True: "✓", False: "✗", None: "?"}
    for claim, finding in findings.items():
        print_text(f"\n{claim.name}: {claim.rule}.")
        for item in finding.evidence:
            doubt = NOT_SETTLED * item.doubtful
            print_text(f"  {signs[item.agrees]} {item.configuration}: {item.value}{doubt}")
        if counts := within_intervals(finding):
            print_text(f"  within 95 % intervals: {counts}")
        if not finding.evidence:
            print_text("  nothing measured yet")
