"""The questions beyond the paper in a report: replacements, depths, aliases, equivariance."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator

from explorer_pages import write_report
from lab_records import configs_of, plausible, run_of, with_probe
from prime_models import input_range, primes
from primefourier.analysis.ablation import Kind
from primefourier.lab.config import ModelConfig
from primefourier.lab.record import Record
from primefourier.lab.studies.question_tables import answers_as_data
from visits import PHONE, Visit, read_heights, visit

CONFIGS = [
    *configs_of("exp1", sizes=(4, 8), ranges=(100, 500), seeds=(1, 2)),
    *configs_of("exp2", ranges=(500,)),
]
KINDS: dict[Kind, str] = {"zero": "Zeros", "mean": "Its mean", "permute": "Another pair’s"}
ROWS = {"relevant": "p divides N", "other": "other p"}
DEPTHS, EPOCHS = "Which depths carry the answer?", "Does training make the network equivariant?"


def block(config: ModelConfig, kind: Kind, prime: int, depth: int) -> float:
    """Return a drop that differs between kinds, depths, sizes, ranges and seeds."""
    wobble = config.seed / 1000 + len(primes(config)) / 1000 + input_range(config) / 100_000
    if str(prime) not in (config.relevant or ()):
        return wobble / 4
    return {"zero": 0.8, "mean": 0.7, "permute": 0.6}[kind] / (1 + depth) + wobble


def probed(record: Record) -> Record:
    seed, most = record.config.seed, input_range(record.config)
    return with_probe(
        record,
        off={"mean": 0.0, "permute": 0.1},
        block=block,
        curve=lambda epoch: 1 / (1 + epoch * (1 + seed / 10) * most / 100),
    )


RECORDS = [probed(record) for record in plausible(CONFIGS)]
ANSWERS = run_of(CONFIGS, RECORDS).questions()
assert ANSWERS is not None
DATA: dict[str, Any] = answers_as_data(ANSWERS)


@pytest.fixture(scope="module")
def questions_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("questions") / "report.html"
    write_report(file, CONFIGS, RECORDS)
    return file


@pytest.fixture(scope="module")
def tab(browser: Browser, questions_file: Path) -> Iterator[Visit]:
    with visit(browser, questions_file) as opened:
        yield opened


@pytest.fixture
def opened(tab: Visit) -> Iterator[Visit]:
    """The report, not reloaded: a test sets what it depends on."""
    tab.page.mouse.move(0, 0)
    yield tab
    tab.check()


def card(opened: Visit, title: str) -> Locator:
    return opened.page.locator("#questions .card").filter(has_text=title)


def choose(part: Locator, name: str) -> None:
    part.get_by_role("radio", name=name, exact=True).click()
    part.locator(".chart svg").wait_for()  # it is drawn when its width is known


def numbers(part: Locator) -> list[list[str]]:
    """Open the table of a card's numbers, and return it."""
    if part.locator("details:not([open])").count():
        part.locator("summary").click()
    part.locator("table.numbers").wait_for()
    return [row.split("\t") for row in part.locator("table.numbers tr").all_inner_texts()]


def written(interval: dict[str, float | None], digits: int = 3) -> str:
    mean, high = interval["mean"], interval["high"]
    assert mean is not None
    return f"{mean:.{digits}f}" + ("" if high is None else f" ± {high - mean:.{digits}f}")


def found(part: str, group: str, **wanted: str) -> list[dict[str, Any]]:
    """Return the data of a group, one item per range."""
    wanted["group"] = group
    return [each for each in DATA[part] if all(each[key] == wanted[key] for key in wanted)]


def test_reports_of_probes_have_this_part_after_the_claims(opened: Visit, report: Visit) -> None:
    assert report.page.locator("#questions").count() == 0
    links = opened.page.get_by_role("navigation").get_by_role("link")
    names = links.all_inner_texts()
    assert names[names.index("Claims") + 1] == "Beyond the paper"
    links.nth(names.index("Beyond the paper")).click()
    assert opened.page.evaluate("document.activeElement.id") == "questions-title"


def test_every_claim_is_judged_for_every_replacement(opened: Visit) -> None:
    shown = opened.page.locator("#questions tbody[data-about]").evaluate_all(
        """bodies => bodies.map((body) => [body.dataset.about, body.querySelector("th").innerText,
          [...body.querySelectorAll("td")].map((cell) => [cell.dataset.kind, cell.innerText])])"""
    )
    assert [name for name, *_ in shown] == [claim["claim"] for claim in DATA["claims"]]
    for claim, (_, head, cells) in zip(DATA["claims"], shown, strict=True):
        assert head == f"{claim['claim']} {claim['statement']}"
        for (kind, text), expected in zip(cells, KINDS, strict=True):
            finding = claim[expected]
            assert kind == expected
            assert text.split() == f"{finding['words']} {finding['measured']}".split()
    changed = [
        claim["claim"]
        for claim in DATA["claims"]
        if len({claim[kind]["so_far"] for kind in KINDS}) > 1
    ]
    assert "E1.3" in changed
    words = opened.text("#questions .kinds-part > p:nth-of-type(2)")
    assert re.findall(r"\w+\.\d", words) == changed


def test_lines_over_depths_show_the_data(opened: Visit) -> None:
    part = card(opened, DEPTHS)
    for name, group in (
        ("Exp. 1, |P| = 8", "Experiment 1, |P| = 8"),
        ("Exp. 2, all N", "Experiment 2, all N"),
    ):
        choose(part, name)
        for kind, label in KINDS.items():
            choose(part, label)
            ranges = found("depths", group, ablation=kind)
            chart = part.locator(".chart svg")
            points = chart.locator(".point").evaluate_all(
                "marks => marks.map((mark) => [mark.matches('.hollow'),"
                " Number(mark.getAttribute('transform').match(/ (.*)\\)/)[1])])"
            )
            for row, hollow in (("relevant", False), ("other", True)):
                drawn = read_heights(chart, [y for is_hollow, y in points if is_hollow is hollow])
                means = [interval["mean"] for each in ranges for interval in each[row]]
                assert drawn == pytest.approx(means, abs=0.002)
            assert numbers(part) == [
                ["blocks", *(f"d = {d}" for d in range(6))],
                *[
                    [f"r = {each['range']}, {ROWS[row]}", *(written(i, 4) for i in each[row])]
                    for each in ranges
                    for row in ROWS
                ],
            ]
            first = [each["relevant"][0]["mean"] for each in ranges]
            costs = " to ".join(dict.fromkeys(f"{v:.2f}" for v in (min(first), max(first))))
            assert f"divide N costs {costs}, all else" in part.inner_text()


def test_marks_and_names_show_their_numbers(opened: Visit) -> None:
    part = card(opened, DEPTHS)
    choose(part, "Exp. 1, |P| = 8")
    choose(part, "Its mean")
    _, far = found("depths", "Experiment 1, |P| = 8", ablation="mean")
    part.locator(".point:not(.hollow)").nth(6).hover()
    tooltip = opened.page.get_by_role("tooltip")
    assert tooltip.inner_text().split("\n") == [
        "r = 500, d = 0",
        *("p divides N", written(far["relevant"][0], 4)),
        *("mean over", "16 models, 2 seeds"),
    ]
    part.get_by_role("button", name="r = 500").hover()
    assert (part.locator("g.strong").count(), part.locator("g.faded").count()) == (1, 1)
    values = f"{written(far['relevant'][5], 4)} / {written(far['other'][5], 4)}"
    assert f"d = 5\n{values}" in tooltip.inner_text()


def test_lines_over_epochs_show_the_data(opened: Visit) -> None:
    part = card(opened, EPOCHS)
    titles = {each["measure"]: each["title"] for each in DATA["equivariance"]}
    radios = part.get_by_role("radiogroup", name="Measure of equivariance").get_by_role("radio")
    assert [name.lower() for name in radios.all_inner_texts()] == list(titles.values())
    for measure, radio in zip(titles, radios.all(), strict=True):
        radio.click()
        choose(part, "Exp. 1, |P| = 8")
        ranges = found("equivariance", "Experiment 1, |P| = 8", measure=measure)
        assert f": {ranges[0]['meaning']}." in part.inner_text()
        chart = part.locator(".chart svg")
        assert chart.locator("path.area").count() == 2
        for each, path in zip(ranges, chart.locator("path.stroke").all(), strict=True):
            places = re.split("[ML]", path.get_attribute("d") or "")[1:]
            drawn = read_heights(chart, [float(place.split(" ")[1]) for place in places])
            assert drawn == pytest.approx([v["mean"] for v in each["by_epoch"]], abs=0.002)
        columns, *rows = numbers(part)
        assert columns == ["after", "r = 100", "r = 500"]
        assert [row[0] for row in rows] == ["untrained", *(f"epoch {e}" for e in range(1, 26))]
        values = zip(*(each["by_epoch"] for each in ranges), strict=True)
        assert [row[1:] for row in rows] == [[written(v, 4) for v in both] for both in values]
    choose(part, "Exp. 2, all N")
    assert part.locator(".chart path.area").count() == 0, "one seed has no interval"


def test_it_is_accessible_on_a_phone(browser: Browser, questions_file: Path) -> None:
    with visit(browser, questions_file, size=PHONE, dark=True) as opened:
        page = opened.page
        page.evaluate("document.querySelectorAll('details').forEach((part) => (part.open = true))")
        page.locator("#questions table.numbers").last.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        assert opened.find_problems() == {}


@pytest.mark.parametrize(
    ("table", "name"), [("aliases", "aliases"), ("alias-pairs", "alias_pairs")]
)
def test_blocks_are_listed_by_their_drift(opened: Visit, table: str, name: str) -> None:
    rows = opened.page.locator(f"table.{table} tbody tr").all_inner_texts()
    shown = [row.split("\t") for row in rows]
    assert [int(row[1]) for row in shown] == [found["blocks"] for found in DATA[name]]
    for row, found in zip(shown, DATA[name], strict=True):
        assert float(row[2].replace("−", "-")) == pytest.approx(found["mean"], abs=6e-5)
        assert float(row[3].replace("−", "-")) == pytest.approx(found["largest"], abs=6e-5)
        assert int(row[4]) == found["used"]
    assert shown[-1][0] == "4 or more"


def test_diverged_models_are_skipped_and_counted(browser: Browser, tmp_path: Path) -> None:
    asked = configs_of("exp1", sizes=(4,), ranges=(100, 500))
    records = [
        with_probe(each, curve=lambda epoch: 0.5 if epoch < 3 else None)
        if input_range(each.config) == 100
        else with_probe(each)
        for each in plausible(asked)
    ]
    write_report(tmp_path / "report.html", asked, records)
    with visit(browser, tmp_path / "report.html") as opened:
        part = card(opened, EPOCHS)
        assert "Diverged models are skipped: 4 models." in part.inner_text()
        assert "after the last epoch 0.04." in part.inner_text()
        rows = {row[0]: row[1] for row in numbers(part)[1:]}
        assert (rows["epoch 2"], rows["epoch 3"]) == ("0.5000", "—")
        opened.check()
