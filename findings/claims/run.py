"""The claims of the paper as tables and sentences, for README and docs/paper-vs-measured.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from findings.runs import HOME, PAPER
from findings.text import several, table
from primefourier import lab
from primefourier_paper import SECTIONS, Finding, claims_table, judge, tally

CLAIMED = ("predictions", "beyond")
"""The runs whose models count for the claims, beside the paper's own."""


def blocks() -> Iterator[tuple[str, str]]:
    """Yield the tables of the claims, and how many of them hold."""
    findings = judge(lab.open(PAPER, *(HOME / name for name in CLAIMED)))
    for section in SECTIONS:
        yield section, claims_table(findings, section).markdown()
    by_name = {claim.name: found for claim, found in findings.items()}
    mine = {claim.name: found for claim, found in findings.items() if claim.section == "claims"}
    rows = [[verdict, count, _which(mine, verdict)] for verdict, count, *_ in tally(findings)]
    others = [words for _, count, words, _ in tally(findings, "statements") if count]
    unsteady = [name for name, found in mine.items() if "alone" in found.words]
    lines = [
        "A configuration agrees with a claim if [its mean over seeds](docs/paper-vs-measured.md) "
        f"does. The verdicts on the paper's {len(mine)} claims:",
        "",
        table(["verdict", "claims", "which, and in how many configurations"], rows),
        "",
        "The main claim holds: a row matters if its prime divides N. The verdicts on "
        f"{several(unsteady)} [depend on the seed](docs/findings/seeds.md).",
        "",
        f"Of the further statements in the text, {several(others)}. In the control, rows that hold "
        "none of the numbers that a network needs mostly cost next to nothing, so “distributed "
        "over all rows” does not hold. An earlier abstract, not the paper, claimed ratios above "
        f"500: {by_name['T.2'].words}.",
    ]
    yield "claims short", "\n".join(lines)
    rows = [
        [claim.name, claim.paper, found.by_means, found.seed_by_seed]
        for claim, found in findings.items()
        if "alone" in found.words
    ]
    yield (
        "seeds lead",
        f"The means over seeds and most single seeds disagree about {len(rows)} verdicts.",
    )
    yield "seeds verdicts", table(["claim", "the paper says", "by means", "seed by seed"], rows)


def _which(found: Mapping[str, Finding], verdict: str) -> str:
    """Return the claims with a verdict, and in how many configurations they hold."""
    return "; ".join(
        f"{name}: {one.by_means}" + f" ({one.needed} are claimed)" * (one.needed < one.asked)
        for name, one in found.items()
        if one.verdict == verdict
    )
