"""Try your own: the commands a page offers do what they say."""

import pytest

from explorer_pages import read_command
from primefourier.lab.experiments import EXPERIMENTS, models_of
from visits import Visit


def command(opened: Visit) -> str:
    return opened.page.locator("#own .command code").first.inner_text()


NOTHING = {"Input ranges r": "", "Seeds": "", "Primes, one row each": ""}
CHOICES = [
    ("Experiment 1", {"Numbers of primes |P|": "", **NOTHING}),
    ("Control", {"Numbers of primes |P|": "", **NOTHING}),
    ("Experiment 2", {"Moduli N": "", **NOTHING}),
    ("Experiment 1", {"Numbers of primes |P|": "4, 6", "Input ranges r": "100", "Seeds": "42"}),
    ("Control", {"Numbers of primes |P|": "4", "Input ranges r": "50 100", "Seeds": "1,2"}),
    ("Experiment 2", {"Moduli N": "15, 45", "Input ranges r": "100", "Seeds": "42"}),
    (
        "Experiment 2",
        {"Moduli N": "6", "Primes, one row each": "2,3", "Input ranges r": "", "Seeds": ""},
    ),
]


@pytest.mark.parametrize(("experiment", "fields"), CHOICES)
def test_the_command_trains_as_many_models_as_the_page_says(
    explorer: Visit, experiment: str, fields: dict[str, str]
) -> None:
    form = explorer.page.locator("#own")
    form.get_by_role("radio", name=experiment).click()
    for label, value in fields.items():
        form.get_by_label(label).fill(value)
    models = models_of([read_command(command(explorer))])
    assert f"This trains {len(models)} model" in form.inner_text()


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_empty_fields_stand_for_the_papers_values(explorer: Visit, name: str) -> None:
    """The page has these lists written down once more, since it needs no laboratory."""
    form = explorer.page.locator("#own")
    titles = {"exp1": "Experiment 1", "control": "Control", "exp2": "Experiment 2"}
    form.get_by_role("radio", name=titles[name]).click()
    paper = EXPERIMENTS[name]()
    rows = ("Moduli N", "moduli") if name == "exp2" else ("Numbers of primes |P|", "sizes")
    for label, field in [rows, ("Input ranges r", "ranges"), ("Primes, one row each", "primes")]:
        shown = form.get_by_label(label).get_attribute("placeholder") or ""
        assert tuple(map(int, shown.split(","))) == getattr(paper, field)


def test_primes_may_be_typed_in_any_order(explorer: Visit) -> None:
    form = explorer.page.locator("#own")
    form.get_by_label("Numbers of primes |P|").fill("")
    form.get_by_label("Primes, one row each").fill("7, 3 5,")
    assert read_command(command(explorer)).primes == (3, 5, 7)


@pytest.mark.parametrize("name", ["sizes", "ranges", "seeds", "primes"])
def test_a_lone_comma_is_an_empty_field(explorer: Visit, name: str) -> None:
    explorer.page.locator(f"#own-{name}").fill(" , ,")
    assert read_command(command(explorer)).configs()


def test_operation_and_shuffle_are_part_of_the_command(explorer: Visit) -> None:
    form = explorer.page.locator("#own")
    form.get_by_role("radio", name="Control").click()
    form.get_by_label("Operation").select_option("multiply")
    form.get_by_label("What is shuffled").select_option("shuffled-pair")
    (config, *_) = read_command(command(explorer)).configs()
    assert (config.operation, config.embedding) == ("multiply", "shuffled-pair")


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("Numbers of primes |P|", "17"),
        ("Numbers of primes |P|", "x"),
        ("Input ranges r", "1"),
        ("Seeds", "-1"),
        ("Primes, one row each", "4"),
    ],
)
def test_mistakes_are_explained(explorer: Visit, label: str, value: str) -> None:
    form = explorer.page.locator("#own")
    field = form.get_by_label(label)
    field.fill(value)
    assert field.get_attribute("aria-invalid") == "true"
    described = field.get_attribute("aria-describedby") or ""
    assert explorer.page.locator(f"#{described.split()[-1]}").inner_text()


def test_commands_follow_what_the_page_shows(explorer: Visit) -> None:
    page = explorer.page
    page.get_by_label("a ↔", exact=True).fill("-26")
    page.locator("#circles input.number.n").fill("21")
    text = page.locator("#own").inner_text()
    assert "pfe plan 21" in text
    assert "pfe circles -26 17 --modulus 21 --out circles.png" in text


def test_a_command_can_be_copied(explorer: Visit) -> None:
    page = explorer.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy the command that trains").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == command(explorer)
