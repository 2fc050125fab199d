// One prime's card: its circle, what it says, and its depths, which can be opened.

import { h, s } from "./dom.js";
import { get, set } from "./state.js";
import { mod, nearestResidue, OPERATIONS, power, shorten, writePower } from "./integers.js";
import { drawDial } from "./dial.js";
import { depthLevels, depthTable, drawRings } from "./rings.js";

// Make the card of a prime: { root, table, update }; update() draws both anew for the state as it is.
export function circleCard(prime) {
  const svg = s("svg", { viewBox: "-150 -150 300 300", role: "img", class: "dial" });
  const title = h("h3", {});
  const words = h("p", { class: "number small" });
  const badge = h("p", { class: "badge small" });
  const table = h("div", { class: "depths", hidden: true });
  const opener = h("button", { type: "button", class: "plain small", "aria-expanded": "false" }, "Depths");
  const root = h(
    "article",
    { class: "circle", "data-prime": prime },
    h("header", {}, title, opener),
    svg,
    words,
    badge,
  );
  const card = { root, table, update: () => update(card), prime, svg, title, words, badge, exponent: 1 };
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
  const m = periodOf(card);
  const { sign, apply } = OPERATIONS[operation];
  const result = apply(a, b);
  const values = { a: mod(a, m), b: mod(b, m), result: mod(result, m) };
  Object.assign(card.root.dataset, { period: m, a: values.a, b: values.b, result: values.result });
  card.root.classList.toggle("active", exponent > 0);
  const period = exponent > 1 ? `, period ${writePower(card.prime, exponent)}` : "";
  card.title.textContent = `p = ${shorten(card.prime, 14)}${period}`;
  const [x, y, z] = [values.a, values.b, values.result].map((value) => shorten(value, 9));
  card.words.textContent = `${x} ${sign} ${y} ≡ ${z} (mod ${shorten(m, 9)})`;
  card.badge.textContent = exponent
    ? `active: ${writePower(card.prime, exponent)} divides N`
    : "says nothing about mod N";
  if (card.table.hidden) {
    const says = `a at ${values.a}, b is ${values.b}, the answer at ${values.result}.`;
    card.svg.setAttribute("aria-label", `Circle of p = ${card.prime}, period ${m}: ${says}`);
    drawDial(card.svg, { period: m, values, operation, ahead: get("ahead") });
  } else {
    const levels = depthLevels({ prime: card.prime, depth: get("depth"), n, a, b, result });
    drawRings(card.svg, card.prime, levels);
    const periods = levels
      .slice(0, 3)
      .map(({ d }) => writePower(card.prime, d + 1))
      .join(", ");
    card.words.textContent = levels.length > 3 ? `rings from inside: ${periods}, …` : `rings from inside: ${periods}`;
    card.table.replaceChildren(depthTable(card.prime, levels));
  }
}

// Let the ends of both arcs be dragged; the number changes by the shortest way round.
function dragHands(card) {
  let grip = null;
  const { svg } = card;
  const stay = (event) => event.target.closest("[data-grip]") && event.preventDefault();
  svg.addEventListener("touchstart", stay, { passive: false }); // else a finger would scroll the page
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

// Of knobs that lie over each other, take the one whose middle is nearer.
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
  const [x, y] = [event.clientX - box.left - box.width / 2, event.clientY - box.top - box.height / 2];
  const m = periodOf(card);
  const at = nearestResidue(Math.atan2(x, -y) / (2 * Math.PI), m);
  const [a, b, operation] = ["a", "b", "operation"].map(get);
  const target = grip === "a" ? at : { add: at - a, subtract: a - at, multiply: at }[operation];
  const now = grip === "a" ? a : b;
  let by = mod(target - now, m);
  if (2n * by > m) by -= m;
  if (by) set({ [grip]: now + by });
}
