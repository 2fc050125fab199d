// What the line and bar charts share: a frame with axes, drawn anew when its width changes.

import { h, s } from "./dom.js";
import { decimals } from "./scale.js";

const EPOCH_STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];
const MARGIN = { top: 12, right: 14, bottom: 42, left: 48 };

// Make a box that draws itself for its width, now and whenever that changes.
export function responsive(draw) {
  const box = h("div", { class: "chart" });
  let width = 0;
  new ResizeObserver(([entry]) => {
    const now = Math.round(entry.contentRect.width);
    if (now === width || !now) return; // it has no width once it is taken away
    width = now;
    box.replaceChildren(draw(width));
  }).observe(box);
  return box;
}

// Make the frame of a chart. Axes are { place: value → 0 … 1, ticks: [[value, text], …], label }.
export function frame({ width, height, x, y, label }) {
  const inner = { width: width - MARGIN.left - MARGIN.right, height: height - MARGIN.top - MARGIN.bottom };
  const left = (value) => MARGIN.left + x.place(value) * inner.width;
  const top = (value) => MARGIN.top + (1 - y.place(value)) * inner.height;
  const [right, bottom] = [MARGIN.left + inner.width, MARGIN.top + inner.height];
  const beside = { class: "tick", x: MARGIN.left - 8, "text-anchor": "end", "dominant-baseline": "central" };
  const upright = `translate(12 ${(MARGIN.top + bottom) / 2}) rotate(-90)`;
  const plot = s("g", {});
  const svg = s(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label },
    y.ticks.map(([value, text]) => [
      s("line", { class: "grid-line", x1: MARGIN.left, x2: right, y1: top(value), y2: top(value) }),
      s("text", { ...beside, y: top(value) }, text),
    ]),
    x.ticks.map(([value, text]) => [
      s("line", { class: "tick-mark", x1: left(value), x2: left(value), y1: bottom, y2: bottom + 4 }),
      s("text", { class: "tick", x: left(value), y: bottom + 17, "text-anchor": "middle" }, text),
    ]),
    s("line", { class: "axis", x1: MARGIN.left, x2: right, y1: bottom, y2: bottom }),
    s("text", { class: "axis-name", x: (MARGIN.left + right) / 2, y: height - 6, "text-anchor": "middle" }, x.label),
    s("text", { class: "axis-name", transform: upright, "text-anchor": "middle" }, y.label),
    plot,
  );
  return { svg, plot, left, top, right, bottom, inner, start: MARGIN.left };
}

// An axis in equal steps from low to high.
export function linearAxis(low, high, step, label, write = String) {
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9; i++) ticks.push([i * step, write(i * step)]);
  return { place: (value) => (value - low) / (high - low), ticks, label };
}

// An axis for shares of all answers and their differences: from 0 to 1, or as far as intervals reach.
export function shareAxis(intervals, label, least = 0) {
  const low = Math.min(0, least, ...intervals.map(({ mean, low }) => low ?? mean));
  const high = Math.max(1, ...intervals.map(({ mean, high }) => high ?? mean));
  const write = (value) => decimals(value, 1);
  return linearAxis(Math.floor(low * 20) / 20, Math.ceil(high * 20) / 20, 0.2, label, write);
}

// An axis of epochs, with a tick at the first and at round numbers.
export function epochAxis(first, last) {
  const step = EPOCH_STEPS.find((one) => last / one <= 8) ?? last;
  const axis = linearAxis(first, Math.max(first + 1, last), step, "epoch");
  if (axis.ticks[0][0] !== first) axis.ticks.unshift([first, String(first)]);
  return axis;
}

// An axis in equal factors, with ticks where they are wanted.
export function logAxis(low, high, ticks, label) {
  const [start, span] = [Math.log(low), Math.log(high / low) || 1];
  const place = (value) => (Math.log(value) - start) / span;
  return { place, ticks: ticks.map((value) => [value, String(value)]), label };
}

// Return the path of a line through points.
export function path(points) {
  const dot = points.length === 1 ? "h0.01" : ""; // with round ends, a point
  return points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("") + dot;
}

const SHAPES = [
  (r) => `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`,
  (r) => `M${-r} ${-r}H${r}V${r}H${-r}Z`,
  (r) => `M0 ${-1.3 * r}L${1.2 * r} ${r}H${-1.2 * r}Z`,
  (r) => `M0 ${-1.4 * r}L${1.4 * r} 0L0 ${1.4 * r}L${-1.4 * r} 0Z`,
  (r) => `M0 ${1.3 * r}L${1.2 * r} ${-r}H${-1.2 * r}Z`,
  (r) => plus(0.85 * r),
  (r) => `M${-1.4 * r} ${-0.6 * r}H${1.4 * r}V${0.6 * r}H${-1.4 * r}Z`,
];
const COLORS = 8;

function plus(r) {
  return `M${-r / 2} ${-1.5 * r}h${r}v${r}h${r}v${r}h${-r}v${r}h${-r}v${-r}h${-r}v${-r}h${r}Z`;
}

// The mark of a series: its shape and colour differ from those of the others, whichever one can see.
export function marker(i, size = 4) {
  return s("path", { class: `marker series-${i % COLORS}`, d: SHAPES[i % SHAPES.length](size) });
}

export function seriesClass(i) {
  return `series-${i % COLORS}`;
}
