"""The claims in a report: the verdicts of the library, each with its evidence."""

from pathlib import Path

from playwright.sync_api import Browser

from explorer_pages import RECORDS, write_report
from lab_records import STUDIES, configs_of, records_of, run_of
from prime_models import modulus
from primefourier.lab import Run
from primefourier_paper import judge
from primefourier_paper.rule import tally
from visits import Visit, visit

FINDINGS = judge(Run(STUDIES, RECORDS))


def test_every_claim_shows_its_verdict_rule_and_evidence(report: Visit) -> None:
    for claim, finding in FINDINGS.items():
        body = report.page.locator(f'tbody[data-claim="{claim.name}"]')
        text = body.inner_text()
        for words in (claim.name, claim.statement, claim.paper, finding.words):
            assert words in text
        assert finding.measured in text
        button = body.get_by_role("button", name=claim.name)
        assert button.get_attribute("aria-expanded") == "false"
        button.click()
        assert button.get_attribute("aria-expanded") == "true"
        assert claim.rule in body.inner_text()
        table = body.get_by_role("table", name=f"Evidence for {claim.name}")
        shown = [row.split("\t") for row in table.locator("tbody tr").all_inner_texts()]
        assert [[name, value] for name, value, *_ in shown] == [
            [item.configuration, item.value] for item in finding.evidence
        ]
        button.click()
        assert button.get_attribute("aria-expanded") == "false"


def test_evidence_opens_its_configuration_and_the_head_counts_the_verdicts(report: Visit) -> None:
    page = report.page
    page.get_by_role("button", name="C.1").click()
    page.get_by_role("button", name="|P| = 6, r = 500", exact=True).click()
    assert page.locator("#detail-title").inner_text() == "Control (PFE-Shuffled): |P| = 6, r = 500"
    text = page.locator("#run").inner_text().replace("\n", " ")
    counted = [words for _, count, words, _ in tally(FINDINGS) if count]
    assert len(counted) > 2
    for words in counted:
        assert f" {words} " in text


def test_several_seeds_show_intervals_and_doubt(browser: Browser, tmp_path: Path) -> None:
    configs = configs_of("exp2", moduli=(15, 21), ranges=(500,), seeds=(1, 2))
    records = records_of(configs, off=lambda c: 0.3 if (modulus(c), c.seed) == (21, 2) else 0.0)
    file = tmp_path / "report.html"
    write_report(file, configs, records)
    with visit(browser, file) as opened:
        counts = {verdict: words for verdict, _, words, _ in tally(judge(run_of(configs, records)))}
        assert counts["undecided"] in opened.text("#run")
        opened.page.get_by_role("button", name="E2.1").click()
        text = opened.page.locator('tbody[data-claim="E2.1"]').inner_text()
        assert "Agree with single seeds: 2, 1 of 2 (seeds 1, 2)." in text
        assert "Within 95 % intervals: 1 to 2 of 2." in text
        rows = opened.page.get_by_role("table", name="Evidence for E2.1").locator("tbody tr")
        assert [row.split("\t")[2] for row in rows.all_inner_texts()] == ["yes", "no, not settled"]
