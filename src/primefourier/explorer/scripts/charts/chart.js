// What charts share: a frame with axes that is redrawn when its width changes.

import { h, s } from "../page/dom.js";

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
  return { svg, plot, left, top, right, bottom, inner, start };
}

// Make an axis in equal steps from low to high.
export function linearAxis(low, high, step, label, write = String) {
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9; i++) {
    ticks.push([i * step, write(i * step)]);
  }
  return { place: (value) => (value - low) / (high - low), ticks, label };
}
