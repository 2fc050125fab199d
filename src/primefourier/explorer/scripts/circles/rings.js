// The depths of one prime as nested rings: period p inside, then p², p³ …

import { mod, power, shorten, turn, writePower } from "../numbers/integers.js";
import { h, row, s, table } from "../page/dom.js";
import { decimals } from "../page/writing.js";
import { arc, place } from "./dial.js";

const INNERMOST = 26;
const OUTERMOST = 140;

// Return the residues of a, b and the answer at each depth of a prime.
export function depthLevels({ prime, depth, n, a, b, result }) {
  return Array.from({ length: depth }, (_, d) => {
    const period = power(prime, d + 1);
    return {
      d,
      period,
      divides: n % period === 0n,
      a: mod(a, period),
      b: mod(b, period),
      result: mod(result, period),
    };
  });
}

// Draw the rings, each filled up to the answer, with dots at a and b.
export function drawRings(svg, prime, levels) {
  const width = (OUTERMOST - INNERMOST) / levels.length;
  const rings = levels.flatMap(({ d, period, divides, a, b, result }) => {
    const radius = INNERMOST + (d + 0.5) * width;
    const end = turn(result, period);
    const dot = (value, kind) => {
      const [cx, cy] = place(turn(value, period), radius);
      return s("circle", { cx, cy, r: Math.min(4.5, width / 3), class: `dot ${kind}` });
    };
    const track = s("circle", {
      r: radius,
      class: `track${divides ? " active" : ""}`,
      "stroke-width": width - 2,
    });
    const swept = {
      d: arc(0, end, radius, { open: true }),
      class: "swept",
      "stroke-width": Math.max(2, width - 6),
    };
    return [track, end > 0 ? s("path", swept) : null, dot(a, "a"), dot(b, "b")];
  });
  const texts = levels.map(({ period, result }) =>
    `mod ${shorten(period)} the answer is ${shorten(result)}`
  );
  svg.setAttribute("aria-label", `Nested rings of p = ${prime}: ${texts.join("; ")}`);
  svg.replaceChildren(...rings.filter(Boolean));
}

// Make a table of the same residues, with the code (cos, sin) of the answer.
export function depthTable(prime, levels) {
  const columns = ["depth d", "period", "a", "b", "answer", "cos", "sin"];
  const number = (text, title) => h("td", { class: "number", title }, text);
  const rows = levels.map(({ d, period, divides, a, b, result }) => {
    const angle = 2 * Math.PI * turn(result, period);
    const tag = divides ? h("span", { class: "tag" }, "divides N") : null;
    const cells = [
      h("td", { title: period }, writePower(prime, d + 1), tag),
      ...[a, b, result].map((value) => number(shorten(value, 9), value)),
      ...[Math.cos(angle), Math.sin(angle)].map((x) => number(decimals(x))),
    ];
    const attributes = { class: divides ? "active" : "", "data-depth": d, "data-result": result };
    return row(String(d), cells, attributes);
  });
  const title = `Depths of p = ${shorten(prime, 14)}`;
  const grid = table({ class: "small" }, title, columns, rows);
  return h("div", { class: "scroll depth-table" }, grid);
}
