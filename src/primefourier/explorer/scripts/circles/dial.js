// One number circle: the arcs of a and b, knobs at their ends, and a hand at the answer.

import { turn } from "../numbers/integers.js";
import { s } from "../page/dom.js";

const RADIUS = 100;
const LANE = { a: 108, b: 116 }; // the paths of a and b run outside the face
const MOST_TICKS = 60; // more would merge into a grey ring
const LARGEST_LABELLED = 9999n;
const LABELS_APART = 0.055; // of a turn; closer labels would overlap

// Return the point at a fraction of a turn, clockwise from the top.
export function place(fraction, radius) {
  const angle = 2 * Math.PI * fraction;
  return [radius * Math.sin(angle), -radius * Math.cos(angle)];
}

// Return the path of a sector, or of an arc if `open`.
export function arc(from, to, radius, { open = false } = {}) {
  const span = Math.min(to - from, 0.99999); // the arc of a full turn would be empty
  const [x0, y0] = place(from, radius);
  const [x1, y1] = place(from + span, radius);
  const curve = `A ${radius} ${radius} 0 ${span > 0.5 ? 1 : 0} 1 ${x1} ${y1}`;
  return open ? `M ${x0} ${y0} ${curve}` : `M 0 0 L ${x0} ${y0} ${curve} Z`;
}

// Draw the circle. `values` are residues { a, b, result }; `ahead` turns a by a fraction of a step,
// for a smooth animation while counting.
export function drawDial(svg, { period, values, operation, ahead = 0 }) {
  const step = 1 / Number(period);
  const [a, b] = [turn(values.a, period) + ahead * step, turn(values.b, period)];
  const result = turn(values.result, period) + ahead * (operation === "multiply" ? b : step);
  svg.replaceChildren(
    s("circle", { r: RADIUS, class: "face" }),
    ...sectors(a, b, result, operation),
    ...ticks(period),
    s("circle", { r: RADIUS, class: "rim" }),
    ...lanes(a, b, operation),
    s("line", { x1: 0, y1: 0, x2: place(result, 96)[0], y2: place(result, 96)[1], class: "hand" }),
    s("circle", { r: 5, class: "hub" }),
    ...labels(period, values, [result, 0, a]),
    handle("a", a),
    handle("b", endOfB(a, b, operation)),
  );
}

// Return where the path of b ends: it starts at a, forwards or backwards, or at 0 in a product.
function endOfB(a, b, operation) {
  return { add: a + b, subtract: a - b, multiply: b }[operation];
}

function sectors(a, b, result, operation) {
  const sector = (from, to, kind) =>
    to > from ? s("path", { d: arc(from, to, RADIUS), class: `sector ${kind}` }) : null;
  if (operation !== "add") return [sector(0, result - Math.floor(result), "sum")].filter(Boolean);
  const end = a + b;
  return [
    sector(0, Math.min(a, 1), "a"),
    sector(a, Math.min(end, 1), "b"),
    end > 1 ? sector(0, end - 1, "sum") : null, // the overlap is what exceeds a full turn
  ].filter(Boolean);
}

function lanes(a, b, operation) {
  const end = endOfB(a, b, operation);
  const [from, to] = operation === "multiply" ? [0, b] : [Math.min(a, end), Math.max(a, end)];
  const lane = (kind, start, stop) =>
    stop > start
      ? s("path", { d: arc(start, stop, LANE[kind], { open: true }), class: `lane ${kind}` })
      : null;
  return [lane("a", 0, a), lane("b", from, to)].filter(Boolean);
}

function ticks(period) {
  if (period > BigInt(MOST_TICKS)) return [];
  return Array.from({ length: Number(period) }, (_, k) => {
    const [x1, y1] = place(k / Number(period), k === 0 ? 86 : 93);
    const [x2, y2] = place(k / Number(period), RADIUS);
    return s("line", { x1, y1, x2, y2, class: "tick" });
  });
}

function labels(period, values, turns) {
  if (period > LARGEST_LABELLED) return [];
  const shown = [];
  return [values.result, 0n, values.a].flatMap((value, i) => {
    const at = turns[i];
    const apart = shown.map((other) => Math.abs(at - other - Math.round(at - other)));
    if (apart.some((distance) => distance < LABELS_APART)) return [];
    shown.push(at);
    const [x, y] = place(at, 136);
    return [s("text", { x, y, class: i === 0 ? "mark answer" : "mark" }, String(value))];
  });
}

function handle(kind, at) {
  const [cx, cy] = place(at, LANE[kind]);
  return s(
    "g",
    { class: `grip ${kind}`, "data-grip": kind },
    s("circle", { cx, cy, r: 24, class: "reach" }),
    s("circle", { cx, cy, r: 7, class: "knob" }),
  );
}
