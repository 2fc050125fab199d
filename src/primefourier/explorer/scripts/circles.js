// The number circles: choose a, b, an operation and N, and see each prime turn.

import { copyButton, h } from "./dom.js";
import { get, set, watch } from "./state.js";
import { mod, OPERATIONS, shorten, write } from "./integers.js";
import { numberField } from "./number_field.js";
import { countingControls } from "./counting.js";
import { chooseCircles, readPrimes } from "./prime_list.js";
import { circleCard } from "./circle_card.js";
import { notFactored } from "./plan.js";
import { reconstruction } from "./reconstruction.js";

const MOST_DIGITS = 44; // longer numbers are shortened; all their digits can be opened
const EXAMPLES = [
  ["9 + 17 mod 23", { a: 9n, b: 17n, n: 23n, operation: "add" }],
  ["13 + 15 mod 21", { a: 13n, b: 15n, n: 21n, operation: "add" }],
  ["100 − 250 mod 360", { a: 100n, b: 250n, n: 360n, operation: "subtract" }],
  [
    "26 digits × 26 digits",
    {
      a: 31415926535897932384626433n,
      b: 27182818284590452353602874n,
      n: 200560490130n,
      operation: "multiply",
    },
  ],
];

export function circlesSection() {
  return h(
    "section",
    { id: "circles", "aria-labelledby": "circles-title" },
    h(
      "header",
      {},
      h("h2", { id: "circles-title" }, "Number circles"),
      h(
        "p",
        { class: "prose muted" },
        "Each prime is a circle, and an integer is a place on it. To add is to turn: first by a, then by b. " +
          "Circles whose period divides N know the answer modulo that period; together they know it modulo N. " +
          "Drag a coloured knob on any circle, or the name of a number.",
      ),
    ),
    controls(),
    equation(),
    circles(),
    reconstruction(),
  );
}

function controls() {
  const operation = h(
    "div",
    { class: "choice", role: "group", "aria-label": "Operation" },
    Object.entries(OPERATIONS).map(([name, { sign, name: words }]) => {
      const button = h(
        "button",
        { type: "button", "aria-label": words, onclick: () => set({ operation: name }) },
        sign,
      );
      watch(["operation"], () => button.setAttribute("aria-pressed", String(get("operation") === name)));
      return button;
    }),
  );
  const examples = EXAMPLES.map(([words, values]) =>
    h("button", { type: "button", class: "small", onclick: () => set({ ...values, primesText: "" }) }, words),
  );
  return h(
    "div",
    { class: "card controls" },
    numberField("a", { label: "a" }),
    h("div", { class: "field" }, h("span", { class: "label" }, "operation"), operation),
    numberField("b", { label: "b" }),
    numberField("n", { label: "N", atLeast: 2n }),
    primesField(),
    countingControls(),
    h("div", { class: "examples" }, h("span", { class: "label" }, "Examples"), examples),
  );
}

function primesField() {
  const problem = h("p", { class: "problem", id: "circle-primes-problem", role: "alert" });
  const input = h("input", {
    type: "text",
    id: "circle-primes",
    autocomplete: "off",
    spellcheck: "false",
    "aria-describedby": "circle-primes-problem",
    oninput: () => set({ primesText: input.value.trim() }),
  });
  watch(["primesText", "factors"], () => {
    if (input.value.trim() !== get("primesText")) input.value = get("primesText");
    input.placeholder = `chosen for N: ${chosenPrimes("")
      .primes.map((p) => shorten(p))
      .join(", ")}`;
    problem.textContent = chosenPrimes(get("primesText")).problem ?? "";
    input.setAttribute("aria-invalid", String(problem.textContent !== ""));
  });
  return h("div", { class: "field primes" }, h("label", { for: "circle-primes" }, "primes"), input, problem);
}

// The primes that have a circle: as typed, or chosen for N as far as its factors are known.
function chosenPrimes(text) {
  const chosen = () => chooseCircles(get("factors")?.factors ?? []);
  if (!text) return { primes: chosen() };
  const { primes, problem } = readPrimes(text);
  return { primes: primes ?? chosen(), problem };
}

function equation() {
  const parts = Object.fromEntries(
    ["a", "b", "n", "answer"].map((name) => [name, h("span", { class: `number ${name}` })]),
  );
  const sign = h("span", {});
  const note = h("p", { class: "small muted", role: "status" });
  const digits = h("dl", { class: "small number" });
  const allDigits = h("details", { class: "all-digits" }, h("summary", {}, "All digits"), digits);
  watch(["a", "b", "n", "operation"], () => {
    const [a, b, n, operation] = ["a", "b", "n", "operation"].map(get);
    const values = { a, b, n, answer: mod(OPERATIONS[operation].apply(a, b), n) };
    for (const [name, value] of Object.entries(values)) {
      const text = shorten(value, MOST_DIGITS);
      parts[name].textContent = value < 0n ? `(${text})` : text;
    }
    parts.answer.dataset.value = values.answer;
    sign.textContent = OPERATIONS[operation].sign;
    allDigits.hidden = Object.values(values).every((value) => write(value).length <= MOST_DIGITS);
    const names = { a: "a", b: "b", n: "N", answer: "answer" };
    digits.replaceChildren(
      ...Object.entries(values).flatMap(([name, value]) => [h("dt", {}, names[name]), h("dd", {}, write(value))]),
    );
  });
  watch(["n", "factors", "primesText"], () => (note.textContent = whatIsMissing()));
  return h(
    "div",
    { class: "equation" },
    h("p", { id: "equation" }, "(", parts.a, " ", sign, " ", parts.b, ") mod ", parts.n, " = ", parts.answer),
    copyButton(() => parts.answer.dataset.value, "Copy answer"),
    allDigits,
    note,
  );
}

// Say what the circles cannot show of N.
function whatIsMissing() {
  const found = get("factors");
  if (found === null) return "Looking for the prime factors of N …";
  if (found.rest !== 1n) return `${notFactored(found)} It has no circle here.`;
  const { primes } = chosenPrimes(get("primesText"));
  const without = found.factors.map(([p]) => p).filter((p) => !primes.includes(p));
  if (!without.length) return "";
  const words =
    without.length > 1 ? "are prime factors of N without a circle" : "is a prime factor of N without a circle";
  return `${without.map((p) => shorten(p)).join(", ")} ${words}, so the circles shown do not know the whole answer.`;
}

function circles() {
  const cards = new Map();
  const container = h("div", { class: "circles" });
  const tables = h("div", { class: "depth-tables" });
  watch(["a", "b", "n", "operation", "factors", "primesText", "depth", "ahead"], () => {
    const { primes } = chosenPrimes(get("primesText"));
    const key = primes.join();
    if (container.dataset.primes !== key) {
      for (const [p, card] of cards) if (!primes.includes(p) && card.table.hidden) cards.delete(p); // opened ones stay
      for (const p of primes) if (!cards.has(p)) cards.set(p, circleCard(p));
      container.replaceChildren(...primes.map((p) => cards.get(p).root));
      tables.replaceChildren(...primes.map((p) => cards.get(p).table));
      container.dataset.primes = key;
    }
    primes.forEach((p) => cards.get(p).update());
  });
  const keyOf = (kind, words) => h("li", {}, h("span", { class: `swatch ${kind}` }), words);
  const legend = h(
    "ul",
    { class: "circle-key small" },
    keyOf("a", "a"),
    keyOf("b", "b"),
    keyOf("sum", "answer; for a sum, where a and b overlap"),
    keyOf("frame", "active: the period divides N"),
  );
  return h("figure", {}, container, legend, tables);
}
