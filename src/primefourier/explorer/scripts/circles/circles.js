// The number circles: choose a, b, an operation and N, and see each prime's circle turn.

import { mod, OPERATIONS, shorten, write } from "../numbers/integers.js";
import { numberField } from "../numbers/number_field.js";
import { notFactored } from "../numbers/plan.js";
import { chooseCircles, readPrimes } from "../numbers/primes.js";
import { textField } from "../page/controls.js";
import { copyButton, h, pairList, section } from "../page/dom.js";
import { get, set, watch } from "../page/state.js";
import { circleCard } from "./circle_card.js";
import { countingControls } from "./counting.js";
import { reconstruction } from "./reconstruction.js";

const MOST_DIGITS = 44; // longer numbers are shortened; all their digits can be opened
const EXAMPLES = {
  "9 + 17 mod 23": { a: 9n, b: 17n, n: 23n, operation: "add" },
  "13 + 15 mod 21": { a: 13n, b: 15n, n: 21n, operation: "add" },
  "100 − 250 mod 360": { a: 100n, b: 250n, n: 360n, operation: "subtract" },
  "26 digits × 26 digits": {
    a: 31415926535897932384626433n,
    b: 27182818284590452353602874n,
    n: 200560490130n,
    operation: "multiply",
  },
};
const INTRODUCTION =
  "Each prime has a circle, and an integer is a position on it. Addition is a turn: first by a, " +
  "then by b. A circle whose period divides N gives the answer modulo that period; together they " +
  "give it modulo N. Drag a coloured knob on any circle, or the name of a number.";

export function circlesSection() {
  const parts = [controls(), equation(), circles(), reconstruction()];
  return section("circles", "Number circles", INTRODUCTION, parts);
}

function controls() {
  const buttons = Object.entries(OPERATIONS).map(([operation, { sign, name }]) => {
    const onclick = () => set({ operation });
    const button = h("button", { type: "button", "aria-label": name, onclick }, sign);
    watch(["operation"], () => {
      button.setAttribute("aria-pressed", String(get("operation") === operation));
    });
    return button;
  });
  const choice = h("div", { class: "choice", role: "group", "aria-label": "Operation" }, buttons);
  const examples = Object.entries(EXAMPLES).map(([name, values]) => {
    const onclick = () => set({ ...values, primesText: "" });
    return h("button", { type: "button", class: "small", onclick }, name);
  });
  return h(
    "div",
    { class: "card controls" },
    numberField("circles", "a", { label: "a" }),
    h("div", { class: "field" }, h("span", { class: "label" }, "operation"), choice),
    numberField("circles", "b", { label: "b" }),
    numberField("circles", "n", { label: "N", atLeast: 2n }),
    primesField(),
    countingControls(),
    h("div", { class: "examples" }, h("span", { class: "label" }, "Examples"), examples),
  );
}

function primesField() {
  const { element, input, complain } = textField("circle-primes", "primes", {
    oninput: () => set({ primesText: input.value.trim() }),
  });
  element.classList.add("primes");
  watch(["primesText", "factors"], () => {
    if (input.value.trim() !== get("primesText")) input.value = get("primesText");
    const chosen = chosenPrimes("").primes.map((p) => shorten(p));
    input.placeholder = `chosen for N: ${chosen.join(", ")}`;
    complain(chosenPrimes(get("primesText")).problem ?? "");
  });
  return element;
}

// Return the primes that have a circle: as typed, or chosen for the known factors of N.
function chosenPrimes(text) {
  const chosen = () => chooseCircles(get("factors")?.factors ?? []);
  if (!text) return { primes: chosen() };
  const { primes, problem } = readPrimes(text);
  return { primes: primes ?? chosen(), problem };
}

function equation() {
  const names = { a: "a", b: "b", n: "N", answer: "answer" };
  const [a, b, n, answer] = Object.keys(names).map((name) =>
    h("span", { class: `number ${name}` })
  );
  const parts = { a, b, n, answer };
  const sign = h("span", {});
  const note = h("p", { class: "small muted", role: "status" });
  const digits = h("div", {});
  const allDigits = h("details", { class: "all-digits" }, h("summary", {}, "All digits"), digits);
  watch(["a", "b", "n", "operation"], () => {
    const operation = OPERATIONS[get("operation")];
    const values = { a: get("a"), b: get("b"), n: get("n") };
    values.answer = mod(operation.apply(values.a, values.b), values.n);
    for (const [name, value] of Object.entries(values)) {
      const text = shorten(value, MOST_DIGITS);
      parts[name].textContent = value < 0n ? `(${text})` : text;
    }
    answer.dataset.value = values.answer;
    sign.textContent = operation.sign;
    allDigits.hidden = Object.values(values).every((value) => write(value).length <= MOST_DIGITS);
    const pairs = Object.entries(values).map(([name, value]) => [names[name], write(value)]);
    digits.replaceChildren(pairList({ class: "small number" }, pairs));
  });
  watch(["n", "factors", "primesText"], () => (note.textContent = whatIsMissing()));
  return h(
    "div",
    { class: "equation" },
    h("p", { id: "equation" }, "(", a, " ", sign, " ", b, ") mod ", n, " = ", answer),
    copyButton(() => answer.dataset.value, "Copy answer"),
    allDigits,
    note,
  );
}

// Explain what the circles cannot show of N.
function whatIsMissing() {
  const found = get("factors");
  if (found === null) return "Looking for the prime factors of N …";
  if (found.rest !== 1n) return `${notFactored(found)} It has no circle here.`;
  const { primes } = chosenPrimes(get("primesText"));
  const without = found.factors.map(([p]) => p).filter((p) => !primes.includes(p));
  if (!without.length) return "";
  const are = without.length > 1 ? "are prime factors" : "is a prime factor";
  const names = without.map((p) => shorten(p)).join(", ");
  return `${names} ${are} of N without a circle, so the circles do not give the whole answer.`;
}

function circles() {
  const cards = new Map();
  const container = h("div", { class: "circles" });
  const tables = h("div", { class: "depth-tables" });
  watch(["a", "b", "n", "operation", "factors", "primesText", "depth", "ahead"], () => {
    const { primes } = chosenPrimes(get("primesText"));
    if (container.dataset.primes !== primes.join()) {
      for (const [p, card] of cards) { // cards with open depths are kept
        if (!primes.includes(p) && card.table.hidden) cards.delete(p);
      }
      for (const p of primes) if (!cards.has(p)) cards.set(p, circleCard(p));
      container.replaceChildren(...primes.map((p) => cards.get(p).root));
      tables.replaceChildren(...primes.map((p) => cards.get(p).table));
      container.dataset.primes = primes.join();
    }
    primes.forEach((p) => cards.get(p).update());
  });
  const entry = (kind, words) => h("li", {}, h("span", { class: `swatch ${kind}` }), words);
  const legend = h(
    "ul",
    { class: "circle-key small" },
    entry("a", "a"),
    entry("b", "b"),
    entry("sum", "answer; for a sum, where a and b overlap"),
    entry("frame", "relevant: the period divides N"),
  );
  return h("figure", {}, container, legend, tables);
}
