"""The number circles show what Python computes, and the channels are those of ``pf.plan``."""

import math
import random
from typing import Any

import pytest

from primefourier.arithmetic.crt import combine_residues
from primefourier.arithmetic.primes import factorize
from primefourier.encoding import PAPER_BASIS, PrimeBasis, plan
from visits import Visit

SIGNS = {"add": "+", "subtract": "−", "multiply": "×"}
READ = """
async (cases) => {
  const field = (name) => document.querySelector(`#circles input.number.${name}`);
  const busy = () => document.querySelector(".reconstruction").getAttribute("aria-busy") === "true";
  const shown = [];
  for (const { a, b, n, operation } of cases) {
    document.querySelector(`[aria-label="Operation"] [aria-label="${operation}"]`).click();
    for (const [name, value] of Object.entries({ a, b, n })) {
      field(name).value = value;
      field(name).dispatchEvent(new Event("input"));
    }
    while (busy()) await new Promise((resolve) => setTimeout(resolve, 5));
    shown.push({
      equation: document.getElementById("equation").textContent,
      answer: document.querySelector("#equation .answer").dataset.value,
      digits: [...document.querySelectorAll(".all-digits dd")].map((item) => item.textContent),
      circles: [...document.querySelectorAll(".circle")].map((card) => ({ ...card.dataset,
        active: card.classList.contains("active"), words: card.textContent })),
      steps: [...document.querySelectorAll(".steps li")].map((item) => ({ ...item.dataset })),
    });
  }
  return shown;
}
"""


TURN_KNOB = """
([grip, residues]) => {
  const svg = document.querySelector(".circle.active svg");
  const knob = svg.querySelector(`[data-grip="${grip}"] .knob`);
  const spot = knob.getBoundingClientRect(), all = svg.getBoundingClientRect();
  const [cx, cy] = [all.x + all.width / 2, all.y + all.height / 2];
  const [x, y] = [spot.x + spot.width / 2, spot.y + spot.height / 2];
  const angle = (2 * Math.PI * residues) / 23, [dx, dy] = [x - cx, y - cy];
  return [[x, y], [cx + dx * Math.cos(angle) - dy * Math.sin(angle),
                   cy + dx * Math.sin(angle) + dy * Math.cos(angle)]];
}
"""
"""The position of a knob, and its position after a turn by some residues of 23."""


def some_cases(count: int) -> list[dict[str, str]]:
    """Return small, large and negative integers, with moduli that can be factored."""
    draw = random.Random(20)
    primes = [2, 3, 5, 7, 11, 13, 101, 997, 65537, 1_000_003, 2_147_483_647]
    cases = []
    for i in range(count):
        digits = draw.choice([1, 2, 3, 6, 20, 60, 400])
        a, b = (draw.randrange(-(10**digits), 10**digits) for _ in "ab")
        n = draw.randrange(2, 10 ** draw.choice([1, 2, 3, 6, 12, 15]))
        if i % 3 == 0:
            n = 1
            for p in draw.choices(primes, k=draw.randrange(1, 7)):
                n *= p
        operation = draw.choice(["Add", "Subtract", "Multiply"])
        cases.append({"a": str(a), "b": str(b), "n": str(n), "operation": operation})
    return cases


def test_random_tasks_agree_with_python(explorer: Visit) -> None:
    cases = some_cases(40)
    for case, shown in zip(cases, explorer.page.evaluate(READ, cases), strict=True):
        check_task(case, shown)


def check_task(case: dict[str, str], shown: dict[str, Any]) -> None:
    a, b, n = (int(case[name]) for name in "abn")
    result = {"Add": a + b, "Subtract": a - b, "Multiply": a * b}[case["operation"]]
    assert shown["answer"] == str(result % n)
    words = [f"({x})" if x < 0 else str(x) for x in (a, b)]
    sign = SIGNS[case["operation"].lower()]
    equation = f"({words[0]} {sign} {words[1]}) mod {n} = {result % n}"
    assert [int(text.replace("−", "-")) for text in shown["digits"]] == [a, b, n, result % n]
    if max(len(str(x)) for x in (a, b, n)) <= 44:
        assert shown["equation"] == equation.replace("-", "−")
    else:
        assert "…" in shown["equation"]

    factors = factorize(n)
    powers = {p: p**e for p, e in factors}
    for circle in shown["circles"]:
        period = powers.get(int(circle["prime"]), int(circle["prime"]))
        expected = {"period": period, "a": a % period, "b": b % period, "result": result % period}
        assert {name: int(circle[name]) for name in expected} == expected
        assert circle["active"] == (int(circle["prime"]) in powers)
    assert set(powers) <= {int(circle["prime"]) for circle in shown["circles"]}

    moduli = list(powers.values())
    expected_steps = []
    for count in range(1, len(moduli) + 1):
        known = combine_residues([result % m for m in moduli[:count]], moduli[:count])
        expected_steps.append((moduli[count - 1], int(known.value), int(known.modulus)))
    steps = [
        tuple(int(step[name]) for name in ("modulus", "value", "known")) for step in shown["steps"]
    ]
    assert steps == (expected_steps if len(moduli) > 1 else [])


def test_the_page_starts_with_figure_1(explorer: Visit) -> None:
    assert explorer.text("#equation") == "(9 + 17) mod 23 = 3"
    circles = explorer.page.locator(".circle")
    assert [c.get_attribute("data-prime") for c in circles.all()] == ["23", "29", "31", "37"]
    assert explorer.page.locator(".circle.active").get_attribute("data-prime") == "23"
    overlap = explorer.page.locator(".circle.active .sector.sum")
    assert overlap.count() == 1  # 9 + 17 exceeds a full turn
    assert explorer.page.locator(".circle:not(.active) .sector.sum").count() == 0


def test_invalid_integers_are_explained_and_change_nothing(explorer: Visit) -> None:
    field = explorer.page.get_by_label("a ↔", exact=True)
    for text in ("3.5", "", "<b>9</b>", "9" * 5001):
        field.fill(text)
        required = f"An integer such as 9 or −17 is required, got “{text}”."
        if len(text) > 5000:
            required = "This page takes up to 5000 digits, got 5001; the library takes any."
        assert explorer.text("#circles .number-field .problem") == required
        assert field.get_attribute("aria-invalid") == "true"
        assert explorer.text("#equation") == "(9 + 17) mod 23 = 3"
    field.fill("1_0")
    assert explorer.text("#equation") == "(10 + 17) mod 23 = 4"
    assert field.get_attribute("aria-invalid") == "false"


def test_keys_and_buttons_step_a_number_down_to_its_least_value(explorer: Visit) -> None:
    field = explorer.page.get_by_label("b ↔", exact=True)
    for key, expected in [("ArrowUp", "18"), ("PageUp", "28"), ("Shift+ArrowDown", "18")]:
        field.press(key)
        assert field.input_value() == expected
    explorer.page.get_by_role("button", name="Decrease b").click()
    assert field.input_value() == "17"
    modulus = explorer.page.locator("#circles input.number.n")
    modulus.fill("1")
    assert "At least 2 is required, got 1." in explorer.text("#circles .controls")
    modulus.fill("8")
    modulus.press("PageDown")
    assert modulus.input_value() == "2"


def test_names_and_knobs_can_be_dragged(explorer: Visit) -> None:
    """Dragged by 3 of 23 residues clockwise, a number grows by 3, also beyond the top."""
    page = explorer.page
    for grip, residues, equation in (
        ("a", 3, "(12 + 17)"),
        ("b", -5, "(9 + 12)"),
        ("name", 0, "(14 + 17) mod 23 = 8"),
    ):
        page.get_by_role("button", name="9 + 17 mod 23").click()
        if grip == "name":
            box = page.locator("#circles label.handle.a").bounding_box()
            assert box is not None
            at, to = (box["x"] + 5, box["y"] + 5), (box["x"] + 35, box["y"] + 5)
        else:
            at, to = page.evaluate(TURN_KNOB, [grip, residues])
        page.mouse.move(*at)
        page.mouse.down()
        page.mouse.move(*to, steps=7)
        page.mouse.up()
        assert explorer.text("#equation").startswith(equation)
    page.mouse.move(0, to[1])  # after its release, the pointer changes nothing
    assert explorer.text("#equation").startswith(equation)


def test_large_periods_draw_a_hand(explorer: Visit) -> None:
    explorer.load(f"#a=2&b={7**380}&n={3**700}&operation=multiply")
    ends = explorer.page.locator(".circle.active .hand").evaluate(
        "hand => ['x2', 'y2'].map((name) => Number(hand.getAttribute(name)))"
    )
    turn = 2 * 7**380 % 3**700 / 3**700
    assert ends == pytest.approx(
        [96 * math.sin(2 * math.pi * turn), -96 * math.cos(2 * math.pi * turn)], abs=1e-3
    )


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_counting_up_turns_the_hands_until_it_is_stopped(explorer: Visit, motion: Any) -> None:
    """With reduced motion, hands turn in whole steps."""
    page = explorer.page
    page.emulate_media(reduced_motion=motion)
    page.get_by_label("Speed of counting").select_option("30")
    page.get_by_role("button", name="Count a up").click()
    explorer.until("document.querySelector('#equation .a').textContent > 12")
    step = page.evaluate(
        """() => {
          const hand = document.querySelector(".circle.active .hand");
          const a = Number(document.querySelector("#equation .a").textContent);
          const [x, y] = ["x2", "y2"].map((name) => hand.getAttribute(name));
          const turn = Math.atan2(x, -y) / (2 * Math.PI);
          return (((turn - (a + 17) / 23) * 23) % 23 + 23) % 23;
        }"""
    )
    assert min(step, 23 - step) < (1e-6 if motion == "reduce" else 1.001)
    page.get_by_role("button", name="Stop counting").click()
    stopped = explorer.text("#equation")
    page.wait_for_timeout(150)
    assert explorer.text("#equation") == stopped


def test_depths_open_as_rings_with_a_table(explorer: Visit) -> None:
    page = explorer.page
    page.locator("#circles input.number.n").fill("45")
    opener = page.get_by_role("button", name="Depths of p = 3")
    opener.click()
    assert opener.get_attribute("aria-expanded") == "true"
    card = page.locator('.circle[data-prime="3"]')
    assert card.locator(".track").count() == 6
    assert card.locator(".track.active").count() == 2  # 3 and 9 divide 45
    rows = page.locator(".depth-table tbody tr").all()
    assert [int(row.get_attribute("data-result") or "") for row in rows] == [
        26 % 3 ** (d + 1) for d in range(6)
    ]
    assert "−0.500" in rows[0].inner_text()  # cos of 2/3 of a turn
    opener.click()
    assert card.locator(".hand").count() == 1


def test_reconstruction_goes_step_by_step(explorer: Visit) -> None:
    page = explorer.page
    page.get_by_role("button", name="13 + 15 mod 21").click()
    items = page.locator(".steps li")
    assert items.all_inner_texts() == [
        "mod 3 the answer is 1; 7 numbers are left: 1, 4, 7, 10, …",
        "mod 7 the answer is 0; one number is left: 7",
    ]
    assert page.locator(".bar-row .needle").count() == 3  # both bars and the answer line up
    page.get_by_role("button", name="Back").click()
    assert items.all_inner_texts()[1] == "…"
    assert page.locator(".candidate.lit").count() == 7
    assert page.locator(".bar-row .needle").count() == 0
    page.get_by_role("button", name="Next").click()
    assert page.get_by_role("button", name="Next").is_disabled()
    begun = page.evaluate(
        """() => {
          const button = (words) => [...document.querySelectorAll(".step-buttons button")]
            .find((one) => one.textContent.includes(words));
          button("Step by step").click();
          return [...document.querySelectorAll(".steps li")].map((item) => item.textContent);
        }"""
    )
    assert begun == ["…", "…"]
    explorer.until("document.querySelectorAll('.steps .later').length === 0")


def test_primes_can_be_chosen(explorer: Visit) -> None:
    page = explorer.page
    field = page.get_by_label("primes", exact=True)
    field.fill("7, 3 29")
    found = [card.get_attribute("data-prime") for card in page.locator(".circle").all()]
    assert found == ["3", "7", "29"]
    assert "23 is a prime factor of N without a circle" in explorer.text(".equation")
    for typed, problem in (
        ("9", "got 9; use depth for prime powers"),
        ("3,3", "got 3 twice"),
        (str(10**30), "Distinct primes are required, got"),
        (str(2**9689 - 1), "below 3.3·10²⁴ to be proven one"),
    ):
        field.fill(typed)
        assert problem in explorer.text("#circle-primes-problem")
    field.fill("")
    assert page.locator(".circle").count() == 4


def test_a_modulus_that_cannot_be_factored_still_works(explorer: Visit) -> None:
    page = explorer.page
    p, q = 10**30 + 57, 10**31 + 33
    page.locator("#circles input.number.n").fill(str(2 * p * q))
    assert explorer.text("#equation").endswith("= 26")
    page.get_by_text("could not be split").first.wait_for(timeout=60_000)


def test_the_address_keeps_the_task(explorer: Visit) -> None:
    page = explorer.page
    page.get_by_role("button", name="100 − 250 mod 360").click()
    page.get_by_label("primes of the basis").fill("2,3,5")
    page.get_by_label("depth", exact=True).select_option("4")
    explorer.until("location.hash.includes('depth=4')")
    page.get_by_role("link", name="Channels").click()
    assert page.evaluate("document.activeElement.id") == "channels-title"
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert explorer.text("#equation") == "(100 − 250) mod 360 = 210"
    assert page.get_by_label("primes of the basis").input_value() == "2, 3, 5"
    assert page.get_by_label("depth", exact=True).input_value() == "4"


def test_nonsense_in_the_address_is_ignored(explorer: Visit) -> None:
    explorer.load("#a=x&b=7&n=23&operation=constructor&primes=<i>&depth=-1&basis=4")
    assert explorer.text("#equation") == "(9 + 7) mod 23 = 16"
    assert "An integer such as" in explorer.text("#circle-primes-problem")
    for depth in ("-1", "0", "1.5", "65", "9e99"):
        explorer.page.evaluate(f"location.hash = 'a=8&depth={depth}'")
        assert explorer.page.get_by_label("depth", exact=True).input_value() == "6"


def test_the_answer_can_be_copied(explorer: Visit) -> None:
    page = explorer.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy answer").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == "3"


READ_PLANS = """
async (moduli) => {
  const field = document.querySelector("#channels input.number.n");
  const busy = () => document.querySelector(".reconstruction").getAttribute("aria-busy") === "true";
  const shown = [];
  for (const n of moduli) {
    field.value = n;
    field.dispatchEvent(new Event("input"));
    while (busy()) await new Promise((resolve) => setTimeout(resolve, 5));
    const text = (id) => document.getElementById(id).textContent;
    const { relevant, missing } = document.getElementById("relevant").dataset;
    shown.push({
      relevant, missing, factors: text("factors"), count: text("relevant"), sees: text("missing"),
      cells: [...document.querySelectorAll(".channel-table td.lit")].map((cell) => cell.title),
    });
  }
  return shown;
}
"""


def read_plans(opened: Visit, moduli: list[int]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = opened.page.evaluate(READ_PLANS, [str(n) for n in moduli])
    return found


def check_plan(n: int, basis: PrimeBasis, shown: dict[str, Any]) -> None:
    expected = plan(n, basis)
    written = [
        " ".join(f"{p}:{d}" for p, d in found) for found in (expected.relevant, expected.missing)
    ]
    assert [shown["relevant"], shown["missing"]] == written
    lines = expected.explain().split("\n")
    is_prime = expected.factors == ((n, 1),)
    assert shown["factors"] == (f"{n} is prime" if is_prime else lines[0])
    assert shown["sees"] == expected.explain_missing()
    assert len(shown["cells"]) == len(expected.relevant)


def test_30_moduli_have_the_plan_of_the_library(explorer: Visit) -> None:
    draw = random.Random(5)
    moduli = [2, 3, 21, 45, 231, 360, 59**6, 59**7, 2**64, 3**3 * 61]
    moduli += [draw.randrange(2, 10 ** draw.randrange(1, 14)) for _ in range(20)]
    for n, shown in zip(moduli, read_plans(explorer, moduli), strict=True):
        check_plan(n, PAPER_BASIS, shown)


def test_basis_and_depth_can_be_changed(explorer: Visit) -> None:
    page = explorer.page
    page.get_by_label("primes of the basis").fill("2, 3")
    page.get_by_label("depth", exact=True).select_option("2")
    for n, shown in zip([360, 12, 5], read_plans(explorer, [360, 12, 5]), strict=True):
        check_plan(n, PrimeBasis((2, 3), depth=2), shown)
    page.get_by_label("primes of the basis").fill("7")
    assert page.locator(".channel-table tbody tr").all_inner_texts() == ["p = 7\t7\t7²"]


def test_invalid_primes_are_explained(explorer: Visit) -> None:
    for typed, problem in {
        "4": "got 4; use depth",
        "3, 3": "got 3 twice",
        "": "such as 3, 5, 7",
        "x": "got “x”",
    }.items():
        explorer.page.get_by_label("primes of the basis").fill(typed)
        assert problem in explorer.text("#basis-primes-problem")
        assert explorer.page.locator(".channel-table tbody tr").count() == 16


def test_the_modulus_is_shared_with_the_circles_which_may_have_other_primes(
    explorer: Visit,
) -> None:
    (shown,) = read_plans(explorer, [97])
    check_plan(97, PAPER_BASIS, shown)
    assert explorer.text("#equation") == "(9 + 17) mod 97 = 26"
    assert explorer.page.locator("#circles input.number.n").input_value() == "97"
    part = explorer.page.locator("#channels .plan")
    words = "The number circles above are chosen for N, so they include its primes."
    assert words in part.inner_text()
    read_plans(explorer, [3**7])  # the basis lacks a depth, not a prime
    assert words not in part.inner_text()
