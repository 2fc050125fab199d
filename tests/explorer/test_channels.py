"""The page names the same channels as ``pf.plan``."""

import random
from typing import Any

from primefourier.encoding import PAPER_BASIS, PrimeBasis, plan
from visits import Visit

READ = """
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


def read(opened: Visit, moduli: list[int]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = opened.page.evaluate(READ, [str(n) for n in moduli])
    return found


def check(n: int, basis: PrimeBasis, shown: dict[str, Any]) -> None:
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


def test_70_moduli_have_the_plan_of_the_library(explorer: Visit) -> None:
    draw = random.Random(5)
    moduli = [2, 3, 21, 45, 231, 360, 59**6, 59**7, 2**64, 3**3 * 61]
    moduli += [draw.randrange(2, 10 ** draw.randrange(1, 14)) for _ in range(60)]
    for n, shown in zip(moduli, read(explorer, moduli), strict=True):
        check(n, PAPER_BASIS, shown)


def test_basis_and_depth_can_be_changed(explorer: Visit) -> None:
    page = explorer.page
    page.get_by_label("primes of the basis").fill("2, 3")
    page.get_by_label("depth", exact=True).select_option("2")
    for n, shown in zip([360, 12, 5], read(explorer, [360, 12, 5]), strict=True):
        check(n, PrimeBasis((2, 3), depth=2), shown)
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
    (shown,) = read(explorer, [97])
    check(97, PAPER_BASIS, shown)
    assert explorer.text("#equation") == "(9 + 17) mod 97 = 26"
    assert explorer.page.locator("#circles input.number.n").input_value() == "97"
    part = explorer.page.locator("#channels .plan")
    words = "The number circles above are chosen for N, so they include its primes."
    assert words in part.inner_text()
    read(explorer, [3**7])  # the basis lacks a depth, not a prime
    assert words not in part.inner_text()
