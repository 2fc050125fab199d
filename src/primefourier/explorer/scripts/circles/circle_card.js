// The card of one prime: its circle, its residues in words, and its depths.

import {
  mod,
  nearestResidue,
  OPERATIONS,
  power,
  shorten,
  writePower,
} from "../numbers/integers.js";
import { h, s } from "../page/dom.js";
import { get, set } from "../page/state.js";
import { drawDial } from "./dial.js";
import { depthLevels, depthTable, drawRings } from "./rings.js";

// Make the card of a prime: { root, table, update }; update() redraws both for the current state.
export function circleCard(prime) {
  const svg = s("svg", { viewBox: "-150 -150 300 300", role: "img", class: "dial" });
  const title = h("h3", {});
  const words = h("p", { class: "number small" });
  const badge = h("p", { class: "badge small" });
  const table = h("div", { class: "depths", hidden: true });
  const opener = h(
    "button",
    { type: "button", class: "plain small", "aria-expanded": "false" },
    "Depths",
  );
  const root = h(
    "article",
    { class: "circle", "data-prime": prime },
    h("header", {}, title, opener),
    svg,
    words,
    badge,
  );
  const card = {
    root,
    table,
    update: () => update(card),
    prime,
    svg,
    title,
    words,
    badge,
    exponent: 1,
  };
  opener.setAttribute("aria-label", `Depths of p = ${prime}`);
  opener.addEventListener("click", () => {
    table.hidden = !table.hidden;
    opener.setAttribute("aria-expanded", String(!table.hidden));
    opener.textContent = table.hidden ? "Depths" : "Circle";
    card.update();
  });
  dragHands(card);
  return card;
}

function periodOf(card) {
  return power(card.prime, card.exponent);
}

function update(card) {
  const [a, b, n, operation] = ["a", "b", "n", "operation"].map(get);
  let exponent = 0;
  for (let rest = n; rest % card.prime === 0n; rest /= card.prime) exponent++;
  card.exponent = Math.max(1, exponent);
  const period = periodOf(card);
  const written = writePower(card.prime, card.exponent);
  const result = OPERATIONS[operation].apply(a, b);
  const values = { a: mod(a, period), b: mod(b, period), result: mod(result, period) };
  Object.assign(card.root.dataset, { period, ...values });
  card.root.classList.toggle("active", exponent > 0);
  const name = exponent > 1 ? `, period ${written}` : "";
  card.title.textContent = `p = ${shorten(card.prime, 14)}${name}`;
  card.badge.textContent = exponent ? `relevant: ${written} divides N` : "not relevant modulo N";
  if (card.table.hidden) showCircle(card, period, values, operation);
  else showDepths(card, depthLevels({ prime: card.prime, depth: get("depth"), n, a, b, result }));
}

function showCircle({ prime, svg, words }, period, values, operation) {
  const [x, y, z, m] = [values.a, values.b, values.result, period].map((n) => shorten(n, 9));
  words.textContent = `${x} ${OPERATIONS[operation].sign} ${y} ≡ ${z} (mod ${m})`;
  const residues = `a at ${values.a}, b is ${values.b}, the answer at ${values.result}.`;
  svg.setAttribute("aria-label", `Circle of p = ${prime}, period ${period}: ${residues}`);
  drawDial(svg, { period, values, operation, ahead: get("ahead") });
}

function showDepths({ prime, svg, words, table }, levels) {
  const periods = levels.slice(0, 3).map(({ d }) => writePower(prime, d + 1)).join(", ");
  words.textContent = `rings from inside: ${periods}${levels.length > 3 ? ", …" : ""}`;
  drawRings(svg, prime, levels);
  table.replaceChildren(depthTable(prime, levels));
}

// Let the ends of both arcs be dragged. The number changes by the shorter way around the circle.
function dragHands(card) {
  let grip = null;
  const { svg } = card;
  const stay = (event) => event.target.closest("[data-grip]") && event.preventDefault();
  svg.addEventListener("touchstart", stay, { passive: false }); // a finger must not scroll the page
  svg.addEventListener("pointerdown", (event) => {
    grip = event.target.closest("[data-grip]") && nearestGrip(svg, event);
    if (grip === null) return;
    event.preventDefault();
    svg.setPointerCapture(event.pointerId);
    svg.classList.add("dragging");
    set({ counting: false });
  });
  svg.addEventListener("pointermove", (event) => {
    if (grip !== null) moveTo(card, grip, event);
  });
  const end = () => {
    grip = null;
    svg.classList.remove("dragging");
  };
  svg.addEventListener("pointerup", end);
  svg.addEventListener("pointercancel", end);
}

// Return the knob whose centre is nearest to the pointer, in case knobs overlap.
function nearestGrip(svg, event) {
  const grips = [...svg.querySelectorAll("[data-grip]")].map((grip) => {
    const box = grip.querySelector(".knob").getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    return { name: grip.dataset.grip, far: Math.hypot(event.clientX - x, event.clientY - y) };
  });
  return grips.reduce((one, other) => (other.far < one.far ? other : one)).name;
}

function moveTo(card, grip, event) {
  const box = card.svg.getBoundingClientRect();
  const [x, y] = [
    event.clientX - box.left - box.width / 2,
    event.clientY - box.top - box.height / 2,
  ];
  const m = periodOf(card);
  const at = nearestResidue(Math.atan2(x, -y) / (2 * Math.PI), m);
  const [a, b, operation] = ["a", "b", "operation"].map(get);
  const target = grip === "a" ? at : { add: at - a, subtract: a - at, multiply: at }[operation];
  const now = grip === "a" ? a : b;
  let by = mod(target - now, m);
  if (2n * by > m) by -= m;
  if (by) set({ [grip]: now + by });
}
