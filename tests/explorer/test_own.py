"""Try your own: the commands train the models that the page announces."""

from explorer_pages import read_command
from primefourier.lab.studies import EXPERIMENTS, models_of
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


def test_the_command_trains_the_number_of_models_shown(explorer: Visit) -> None:
    form = explorer.page.locator("#own")
    for experiment, fields in CHOICES:
        form.get_by_role("radio", name=experiment).click()
        for label, value in {"Primes, one row each": "", **fields}.items():
            form.get_by_label(label).fill(value)
        models = models_of([read_command(command(explorer))])
        assert f"This trains {len(models)} model" in form.inner_text()


def test_empty_fields_mean_the_papers_values(explorer: Visit) -> None:
    form = explorer.page.locator("#own")
    for name, title, label, field in (
        ("exp1", "Experiment 1", "Numbers of primes |P|", "sizes"),
        ("control", "Control", "Primes, one row each", "primes"),
        ("exp2", "Experiment 2", "Moduli N", "moduli"),
        ("exp2", "Experiment 2", "Input ranges r", "ranges"),
    ):
        form.get_by_role("radio", name=title).click()
        shown = form.get_by_label(label).get_attribute("placeholder") or ""
        assert tuple(map(int, shown.split(","))) == getattr(EXPERIMENTS[name](), field)


def test_lists_may_be_unordered_or_empty(explorer: Visit) -> None:
    explorer.page.locator("#own-sizes").fill("")
    explorer.page.locator("#own-primes").fill("7, 3 5,")
    assert read_command(command(explorer)).primes == (3, 5, 7)
    explorer.page.locator("#own-primes").fill(" , ,")
    assert read_command(command(explorer)).configs


def test_operation_and_shuffle_are_part_of_the_command(explorer: Visit) -> None:
    form = explorer.page.locator("#own")
    form.get_by_role("radio", name="Control").click()
    form.get_by_label("Operation").select_option("multiply")
    form.get_by_label("What is shuffled").select_option("shuffled-pair")
    (config, *_) = read_command(command(explorer)).configs
    data = config.to_dict()
    assert (data["task"]["operation"], data["embedding"]["unit"]) == ("multiply", "pair")


def test_mistakes_are_explained(explorer: Visit) -> None:
    for name, value in [
        ("sizes", "17"),
        ("sizes", "x"),
        ("ranges", "1"),
        ("seeds", "-1"),
        ("primes", "4"),
    ]:
        field = explorer.page.locator(f"#own-{name}")
        field.fill(value)
        assert field.get_attribute("aria-invalid") == "true"
        assert explorer.text(f"#{field.get_attribute('aria-describedby')}")
        assert explorer.page.locator("#own form .command").count() == 0
        field.fill("")


def test_commands_follow_the_circles(explorer: Visit) -> None:
    page = explorer.page
    page.get_by_label("a ↔", exact=True).fill("-26")
    page.locator("#circles input.number.n").fill("21")
    text = page.locator("#own").inner_text()
    assert "pfe plan 21" in text
    assert "pfe circles -26 17 --modulus 21 --out circles.png" in text
