// From residues back to one number, as bars of length N: candidates thin out until one is left.

import { h, s } from "./dom.js";
import { mod, shorten, turn, write } from "./integers.js";

const WIDTH = 1000;
const MOST_MARKS = 250n; // more candidates than this are counted, not drawn

// Draw the bars. `steps` come from joinResidues; `step` says how many of them to show.
export function drawBars({ n, a, b, answer, operation, steps, step }) {
  const whole = [
    row("a", numberText(a, n), [stretch(0, turn(mod(a, n), n), "a")]),
    row("b", numberText(b, n), [stretch(0, turn(mod(b, n), n), "b")]),
  ];
  if (steps.length === 1 && operation === "add") whole.push(laidEndToEnd(a, b, n));
  const joined = steps.length > 1 ? steps.map((_, i) => stepRow(steps, i, step, n, answer)) : [];
  const done = step >= steps.length;
  const value = done ? shorten(answer, 24) : "?";
  const last = row("answer", value, done ? [stretch(0, turn(answer, n), "sum"), needle(answer, n)] : []);
  return h("div", { class: "bars" }, whole, joined, last);
}

// Put a step into words: what the residue leaves of the candidates.
export function explainStep(steps, i, n) {
  const { modulus, residue, value, known } = steps[i];
  const left = n / known;
  const first = [0n, 1n, 2n, 3n].filter((k) => k < left).map((k) => shorten(value + k * known, 16));
  const list = `${first.join(", ")}${left > 4n ? ", …" : ""}`;
  const candidates = left === 1n ? `one number is left: ${first[0]}` : `${shorten(left, 16)} numbers are left: ${list}`;
  return `mod ${shorten(modulus, 16)} the answer is ${shorten(residue, 16)}; ${candidates}`;
}

function stepRow(steps, i, step, n, answer) {
  const { modulus, residue } = steps[i];
  const name = `mod ${shorten(modulus, 10)}`;
  if (i >= step) return row(name, "", [], "later");
  const done = step >= steps.length;
  const count = answer / modulus;
  const sum = count ? `${shorten(count, 8)}·${shorten(modulus, 8)} + ${shorten(residue, 8)}` : shorten(residue, 12);
  if (done) return row(name, sum, [stretch(0, turn(answer, n), "sum"), ...grid(modulus, n), needle(answer, n)]);
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

function grid(modulus, n) {
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
    ? write(x).length > 14
      ? shorten(x, 14)
      : write(x)
    : `${shorten(x, 10)} ≡ ${shorten(mod(x, n), 10)}`;
}
