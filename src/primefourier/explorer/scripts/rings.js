// The depths of one prime as nested rings: p inside, then p², p³ …, each finer than the last.

import { h, s } from "./dom.js";
import { mod, power, shorten, turn, writePower } from "./integers.js";
import { arc, place } from "./dial.js";

const INNERMOST = 26;
const OUTERMOST = 140;

// Return what each depth of a prime says about a, b and the answer.
export function depthLevels({ prime, depth, n, a, b, result }) {
  return Array.from({ length: depth }, (_, d) => {
    const period = power(prime, d + 1);
    return { d, period, divides: n % period === 0n, a: mod(a, period), b: mod(b, period), result: mod(result, period) };
  });
}

// Fill `svg` with the rings: each swept up to the answer, with dots at a and b.
export function drawRings(svg, prime, levels) {
  const width = (OUTERMOST - INNERMOST) / levels.length;
  const rings = levels.flatMap(({ d, period, divides, a, b, result }) => {
    const radius = INNERMOST + (d + 0.5) * width;
    const end = turn(result, period);
    const dot = (value, kind) => {
      const [cx, cy] = place(turn(value, period), radius);
      return s("circle", { cx, cy, r: Math.min(4.5, width / 3), class: `dot ${kind}` });
    };
    const track = s("circle", { r: radius, class: `track${divides ? " active" : ""}`, "stroke-width": width - 2 });
    const swept = { d: arc(0, end, radius, { open: true }), class: "swept", "stroke-width": Math.max(2, width - 6) };
    return [track, end > 0 ? s("path", swept) : null, dot(a, "a"), dot(b, "b")];
  });
  const told = levels.map(({ period, result }) => `mod ${shorten(period)} the answer is ${shorten(result)}`);
  svg.setAttribute("aria-label", `Nested rings of p = ${prime}: ${told.join("; ")}`);
  svg.replaceChildren(...rings.filter(Boolean));
}

// A table of the same, with the code (cos, sin) of the answer.
export function depthTable(prime, levels) {
  const head = ["depth d", "period", "a", "b", "answer", "cos", "sin"];
  const rows = levels.map(({ d, period, divides, a, b, result }) => {
    const angle = 2 * Math.PI * turn(result, period);
    const cells = [a, b, result].map((value) => h("td", { class: "number", title: value }, shorten(value, 9)));
    const code = [Math.cos(angle), Math.sin(angle)].map((x) => h("td", { class: "number" }, writeCode(x)));
    return h(
      "tr",
      { class: divides ? "active" : "", "data-depth": d, "data-result": result },
      h("th", { scope: "row" }, String(d)),
      h("td", { title: period }, writePower(prime, d + 1), divides ? h("span", { class: "tag" }, "divides N") : null),
      cells,
      code,
    );
  });
  return h(
    "div",
    { class: "scroll depth-table" },
    h(
      "table",
      { class: "small" },
      h("caption", {}, `Depths of p = ${shorten(prime, 14)}`),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          head.map((word) => h("th", { scope: "col" }, word)),
        ),
      ),
      h("tbody", {}, rows),
    ),
  );
}

function writeCode(x) {
  const text = x.toFixed(3);
  return (Number(text) === 0 ? "0.000" : text).replace("-", "−");
}
