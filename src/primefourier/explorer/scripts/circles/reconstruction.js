// The answer from the residues: the Chinese Remainder Theorem, one prime power at a time, with
// bars of length N on which fewer and fewer candidates remain.

import { joinResidues, mod, OPERATIONS, power, shorten, turn, write } from "../numbers/integers.js";
import { announce, h, s } from "../page/dom.js";
import { get, set, watch } from "../page/state.js";

const WIDTH = 1000;
const MOST_MARKS = 250n; // more candidates are counted, not drawn
const PAUSE = 1400; // milliseconds between steps that play automatically

export function reconstruction() {
  const title = h("h3", {});
  const bars = h("div", {});
  const list = h("ol", { class: "steps small" });
  const back = h("button", { type: "button", onclick: () => go(get("step") - 1) }, "◀ Back");
  const next = h("button", { type: "button", onclick: () => go(get("step") + 1) }, "Next ▶");
  const play = h("button", { type: "button", onclick: () => playAll() }, "▶ Step by step");
  const buttons = h("div", { class: "step-buttons" }, back, next, play);
  let timer = null;

  const go = (step) => {
    clearTimeout(timer);
    set({ step });
    announce(list.querySelector("[aria-current]")?.textContent ?? "");
  };
  const playAll = () => {
    go(0);
    const proceed = () => {
      go(get("step") + 1);
      if (get("step") < stepsOf().length) timer = setTimeout(proceed, PAUSE);
    };
    timer = setTimeout(proceed, PAUSE / 2);
  };

  watch(["n", "factors"], () => {
    clearTimeout(timer);
    set({ step: stepsOf().length }); // all of them at first
  });
  watch(["a", "b", "n", "operation", "factors", "step"], () => {
    const [a, b, n, operation] = ["a", "b", "n", "operation"].map(get);
    const answer = mod(OPERATIONS[operation].apply(a, b), n);
    const steps = stepsOf();
    const step = Math.min(get("step"), steps.length);
    title.textContent = steps.length > 1
      ? "Put together: the Chinese Remainder Theorem"
      : "The answer";
    bars.replaceChildren(drawBars({ n, a, b, answer, operation, steps, step }));
    list.replaceChildren(
      ...(steps.length > 1 ? steps.map((found, i) => stepItem(steps, found, i, step, n)) : []),
    );
    buttons.hidden = steps.length < 2;
    back.disabled = step === 0;
    next.disabled = step === steps.length;
  });
  const card = h(
    "div",
    { class: "card reconstruction" },
    h("div", { class: "row-between" }, title, buttons),
    bars,
    list,
  );
  watch(["factors"], () => card.setAttribute("aria-busy", String(get("factors") === null)));
  return card;
}

// Join the residues of N's prime powers, one after the other; none while N is not factored.
function stepsOf() {
  const found = get("factors");
  const [a, b, n, operation] = ["a", "b", "n", "operation"].map(get);
  if (!found || found.n !== n || found.rest !== 1n) return [];
  const moduli = found.factors.map(([p, e]) => power(p, e));
  const answer = OPERATIONS[operation].apply(a, b);
  return joinResidues(
    moduli.map((m) => mod(answer, m)),
    moduli,
  );
}

function stepItem(steps, { modulus, value, known }, i, step, n) {
  const attributes = { "data-modulus": modulus, "data-value": value, "data-known": known };
  if (i >= step) return h("li", { class: "later", ...attributes }, "…");
  return h(
    "li",
    { ...attributes, "aria-current": i === step - 1 ? "step" : null },
    explainStep(steps, i, n),
  );
}

// Draw the bars. `steps` come from joinResidues; the first `step` of them are shown.
function drawBars({ n, a, b, answer, operation, steps, step }) {
  const whole = [
    row("a", numberText(a, n), [stretch(0, turn(mod(a, n), n), "a")]),
    row("b", numberText(b, n), [stretch(0, turn(mod(b, n), n), "b")]),
  ];
  if (steps.length === 1 && operation === "add") whole.push(laidEndToEnd(a, b, n));
  const joined = steps.length > 1 ? steps.map((_, i) => stepRow(steps, i, step, n, answer)) : [];
  const done = step >= steps.length;
  const value = done ? shorten(answer, 24) : "?";
  const last = row(
    "answer",
    value,
    done ? [stretch(0, turn(answer, n), "sum"), needle(answer, n)] : [],
  );
  return h("div", { class: "bars" }, whole, joined, last);
}

// Describe a step: which candidates the residue leaves.
function explainStep(steps, i, n) {
  const { modulus, residue, value, known } = steps[i];
  const left = n / known;
  const first = [0n, 1n, 2n, 3n].filter((k) => k < left).map((k) => shorten(value + k * known, 16));
  const list = `${first.join(", ")}${left > 4n ? ", …" : ""}`;
  const candidates = left === 1n
    ? `one number is left: ${first[0]}`
    : `${shorten(left, 16)} numbers are left: ${list}`;
  return `mod ${shorten(modulus, 16)} the answer is ${shorten(residue, 16)}; ${candidates}`;
}

function stepRow(steps, i, step, n, answer) {
  const { modulus, residue } = steps[i];
  const name = `mod ${shorten(modulus, 10)}`;
  if (i >= step) return row(name, "", [], "later");
  const done = step >= steps.length;
  const count = answer / modulus;
  const sum = count
    ? `${shorten(count, 8)}·${shorten(modulus, 8)} + ${shorten(residue, 8)}`
    : shorten(residue, 12);
  if (done) {
    return row(name, sum, [
      stretch(0, turn(answer, n), "sum"),
      ...joints(modulus, n),
      needle(answer, n),
    ]);
  }
  const { value, known } = steps[step - 1];
  const candidates = marks(residue, modulus, n, (x) => (mod(x, known) === value ? "lit" : "dim"));
  return row(name, `≡ ${shorten(residue, 12)}`, candidates);
}

function laidEndToEnd(a, b, n) {
  const [first, end] = [turn(mod(a, n), n), turn(mod(a, n), n) + turn(mod(b, n), n)];
  const parts = [stretch(0, first, "a"), stretch(first, Math.min(end, 1), "b")];
  if (end > 1) parts.push(stretch(0, end - 1, "sum"));
  return row("a, then b", end > 1 ? "beyond N" : "", parts);
}

function row(name, value, parts, kind = "") {
  const picture = s(
    "svg",
    { viewBox: `0 0 ${WIDTH} 40`, preserveAspectRatio: "none", "aria-hidden": "true" },
    parts.filter(Boolean),
  );
  return h(
    "div",
    { class: `bar-row ${kind}` },
    h("div", { class: "bar-name" }, h("span", {}, name), h("span", { class: "number" }, value)),
    h("div", { class: "bar-body" }, picture),
  );
}

function stretch(from, to, kind) {
  return s("rect", {
    x: from * WIDTH,
    y: 0,
    width: Math.max(0, to - from) * WIDTH,
    height: 40,
    class: `stretch ${kind}`,
  });
}

function upright(fraction, kind) {
  const x = fraction * WIDTH;
  return s("line", { x1: x, x2: x, y1: 0, y2: 40, class: kind });
}

function needle(answer, n) {
  return upright(turn(answer, n), "needle");
}

function joints(modulus, n) {
  if (n / modulus > MOST_MARKS) return [];
  return multiples(modulus, n, 0n).map((x) => upright(turn(x, n), "joint"));
}

function marks(residue, modulus, n, kindOf) {
  if (n / modulus > MOST_MARKS) return [];
  return multiples(modulus, n, residue).map((x) => upright(turn(x, n), `candidate ${kindOf(x)}`));
}

function multiples(step, n, from) {
  return Array.from({ length: Number(n / step) }, (_, k) => from + BigInt(k) * step);
}

function numberText(x, n) {
  return x >= 0n && x < n
    ? write(x).length > 14 ? shorten(x, 14) : write(x)
    : `${shorten(x, 10)} ≡ ${shorten(mod(x, n), 10)}`;
}
