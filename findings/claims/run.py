"""The claims of the paper as tables and sentences, for README and docs/paper-vs-measured.md."""

from __future__ import annotations

from collections.abc import Iterator

from findings.runs import HOME, PAPER
from findings.text import table
from primefourier import lab
from primefourier_paper import judge
from primefourier_paper.rule import SECTIONS, Finding, claims_table, tally

_COUNTS = {0: "none", 1: "one", 2: "two", 3: "three", 4: "four", 5: "five"}
CLAIMED = ("predictions", "beyond")
"""The runs whose models count for the claims, beside the paper's own."""


def blocks() -> Iterator[tuple[str, str]]:
    """Yield the tables of the claims, and how many of them hold."""
    findings = judge(lab.open(PAPER, *(HOME / name for name in CLAIMED)))
    for section in SECTIONS:
        yield section, claims_table(findings, section).markdown()
    names = {claim.name: found for claim, found in findings.items()}
    counts = {verdict: words for verdict, _, words, _ in tally(findings)}
    mine = {claim.name: found for claim, found in findings.items() if claim.section == "claims"}
    others = [words for _, count, words, _ in tally(findings, "statements") if count]
    by_mean = [
        f" {name} holds by the mean of {_COUNTS[len(found.seeds)]} seeds, with "
        f"{_COUNTS[found.seeds_that_hold]} of them alone."
        for name, found in mine.items()
        if found.verdict == "holds" != found.words
    ]
    lines = [
        "A configuration agrees with a claim if [its mean over seeds](docs/paper-vs-measured.md) "
        f"does. Of the paper's {len(mine)} claims,",
        "",
        f"- **{counts.pop('holds')}**, among them the main one: a row matters if its prime divides "
        f"N ({mine['E1.1'].by_means} configurations).{''.join(by_mean)}",
        *(
            f"- **{words}**{': ' * bool(shares)}{shares}."
            for verdict, words in counts.items()
            for shares in [
                "; ".join(share_of(n, f) for n, f in mine.items() if f.verdict == verdict)
            ]
        ),
        "",
        f"Of the further statements in its text, {', '.join(others[:-1])} and {others[-1]}. In the "
        "control, rows that hold none of the numbers that a network needs mostly cost next to "
        f"nothing; so “distributed over all rows” {names['S.3'].words}. Ratios above 500, claimed "
        f"in an earlier abstract and not in the paper: {names['T.2'].words}.",
    ]
    yield "claims short", "\n".join(lines)
    rows = [
        [claim.name, claim.paper, found.by_means, found.seed_by_seed]
        for claim, found in findings.items()
        if "alone" in found.words
    ]
    yield "seeds verdicts", table(["claim", "the paper says", "by means", "seed by seed"], rows)


def share_of(name: str, found: Finding) -> str:
    """Return in how many configurations a claim holds, and with how many single seeds."""
    share = f"{name} in {found.by_means}"
    if "alone" not in found.words:
        return share
    seeds = f"{found.seeds_that_hold} of {len(found.seeds)} seeds"
    return f"{share} ({found.needed} are claimed; it holds with {seeds} alone)"
