"""The claims in a report: verdicts as the library judges them, each with its evidence."""

from explorer_pages import RECORDS
from lab_records import PAPER
from primefourier.lab.claims import judge_claims
from primefourier.lab.claims.table import verdict_so_far
from visits import Visit

FINDINGS = judge_claims(PAPER, RECORDS)


def test_every_claim_has_its_verdict_and_value(report: Visit) -> None:
    for claim, finding in FINDINGS.items():
        text = report.page.locator(f'tbody[data-claim="{claim.name}"]').inner_text()
        for words in (claim.name, claim.statement, claim.paper, verdict_so_far(finding)):
            assert words in text
        assert finding.measured in text


def test_a_claim_opens_its_rule_and_all_its_evidence(report: Visit) -> None:
    for claim, finding in FINDINGS.items():
        body = report.page.locator(f'tbody[data-claim="{claim.name}"]')
        button = body.get_by_role("button", name=claim.name)
        assert button.get_attribute("aria-expanded") == "false"
        button.click()
        assert button.get_attribute("aria-expanded") == "true"
        text = report.page.locator("#claims").inner_text()
        assert claim.rule in text
        rows = report.page.get_by_role("table", name=f"Evidence for {claim.name}").locator(
            "tbody tr"
        )
        shown = [row.split("\t") for row in rows.all_inner_texts()]
        assert [[name, value] for name, value, *_ in shown] == [
            [item.configuration, item.value] for item in finding.evidence
        ]
        button.click()
        assert button.get_attribute("aria-expanded") == "false"


def test_evidence_opens_its_configuration(report: Visit) -> None:
    page = report.page
    page.get_by_role("button", name="C.1").click()
    page.get_by_role("button", name="|P| = 6, r = 500", exact=True).click()
    assert page.locator("#detail-title").inner_text() == "Control (PFE-Shuffled): |P| = 6, r = 500"


def test_the_head_counts_the_verdicts(report: Visit) -> None:
    verdicts: list[str] = [finding.verdict for finding in FINDINGS.values()]
    text = report.page.locator("#run").inner_text()
    for verdict, words in [("holds", "hold so far"), ("does not hold", "do not hold so far")]:
        assert f"{verdicts.count(verdict)} {words}" in text.replace("\n", " ")
