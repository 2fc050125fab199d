// What all charts share: a frame with axes that is redrawn when its width changes, and marks.

import { h, s } from "../page/dom.js";
import { decimals } from "../page/writing.js";

const EPOCH_STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];
const MARGIN = { top: 12, right: 14, bottom: 42, left: 48 };

// Make a box that draws its content for its width, now and whenever the width changes.
export function responsive(draw) {
  const box = h("div", { class: "chart" });
  let width = 0;
  new ResizeObserver(([entry]) => {
    const now = Math.round(entry.contentRect.width);
    if (now === width || !now) return; // the width is 0 once the box is removed
    width = now;
    box.replaceChildren(draw(width));
  }).observe(box);
  return box;
}

// Make the frame of a chart. Axes are { place: value → 0 … 1, ticks: [[value, text], …], label }.
export function frame({ width, height, x, y, label }) {
  const start = MARGIN.left;
  const [right, bottom] = [width - MARGIN.right, height - MARGIN.bottom];
  const inner = { width: right - start, height: bottom - MARGIN.top };
  const left = (value) => start + x.place(value) * inner.width;
  const top = (value) => MARGIN.top + (1 - y.place(value)) * inner.height;
  const line = (kind, x1, x2, y1, y2) => s("line", { class: kind, x1, x2, y1, y2 });
  const text = (kind, place, words) => s("text", { class: kind, ...place }, words);
  const middle = { "text-anchor": "middle" };
  const beside = { x: start - 8, "text-anchor": "end", "dominant-baseline": "central" };
  const upright = `translate(12 ${(MARGIN.top + bottom) / 2}) rotate(-90)`;
  const plot = s("g", {});
  const svg = s(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label },
    y.ticks.map(([value, words]) => [
      line("grid-line", start, right, top(value), top(value)),
      text("tick", { ...beside, y: top(value) }, words),
    ]),
    x.ticks.map(([value, words]) => [
      line("tick-mark", left(value), left(value), bottom, bottom + 4),
      text("tick", { ...middle, x: left(value), y: bottom + 17 }, words),
    ]),
    line("axis", start, right, bottom, bottom),
    text("axis-name", { ...middle, x: (start + right) / 2, y: height - 6 }, x.label),
    text("axis-name", { ...middle, transform: upright }, y.label),
    plot,
  );
  const ticks = x.ticks.map(([value]) => value);
  return { svg, plot, left, top, right, bottom, inner, start, ticks };
}

// Make an axis in equal steps from low to high.
export function linearAxis(low, high, step, label, write = String) {
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9; i++) {
    ticks.push([i * step, write(i * step)]);
  }
  return { place: (value) => (value - low) / (high - low), ticks, label };
}

// Make an axis for shares and their differences: from 0 to 1, or as far as the intervals reach.
export function shareAxis(intervals, label, least = 0) {
  const low = Math.min(0, least, ...intervals.map(({ mean, low }) => low ?? mean));
  const high = Math.max(1, ...intervals.map(({ mean, high }) => high ?? mean));
  const [from, to] = [Math.floor(low * 20) / 20, Math.ceil(high * 20) / 20];
  return linearAxis(from, to, 0.2, label, (value) => decimals(value, 1));
}

// Make an axis of epochs, with ticks at the first epoch and at round numbers.
export function epochAxis(first, last) {
  const step = EPOCH_STEPS.find((one) => last / one <= 8) ?? last;
  const axis = linearAxis(first, Math.max(first + 1, last), step, "epoch");
  if (axis.ticks[0][0] !== first) axis.ticks.unshift([first, String(first)]);
  return axis;
}

// Make a logarithmic axis with ticks at the given values.
export function logAxis(low, high, ticks, label) {
  const [start, span] = [Math.log(low), Math.log(high / low) || 1];
  const place = (value) => (Math.log(value) - start) / span;
  return { place, ticks: ticks.map((value) => [value, String(value)]), label };
}

// Return the path of a line through points.
export function path(points) {
  const dot = points.length === 1 ? "h0.01" : ""; // round line ends make it a dot
  const steps = points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`);
  return steps.join("") + dot;
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

// Make the mark of a series. Series differ in both shape and colour.
export function marker(i, size = 4) {
  return s("path", { class: `marker ${seriesClass(i)}`, d: SHAPES[i % SHAPES.length](size) });
}

export function seriesClass(i) {
  return `series-${i % COLORS}`;
}
