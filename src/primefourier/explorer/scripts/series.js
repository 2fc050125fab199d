// The lines of a chart, with what tells them apart: a name for each brings it out, and points tell their values.

import { s } from "./dom.js";
import { marker, path, responsive, seriesClass } from "./chart.js";
import { legend } from "./legend.js";
import { hideTooltip, showTooltip } from "./tooltip.js";

// Make a chart and its legend; `axes` makes a frame, and `under` and `over` what lies below and above the lines.
// Lines are { key, name, sample, tell: () => tooltip, draw: (frame, emphasise) => SVG parts }.
export function lineChart(label, lines, axes, { under = () => [], over = () => [] } = {}) {
  const groups = new Map();
  const emphasise = (key) => {
    const known = groups.has(key);
    for (const [other, group] of groups) group.setAttribute("class", known ? (other === key ? "strong" : "faded") : "");
  };
  const only = (key) => (on) => emphasise(on ? key : null);
  const chart = responsive((width) => {
    const drawn = axes(width);
    for (const { key, draw } of lines) groups.set(key, s("g", {}, draw(drawn, only(key))));
    drawn.plot.append(...under(drawn), ...groups.values(), ...over(drawn));
    return drawn.svg;
  });
  const entries = lines.map(({ key, name, sample, tell }) => ({ name, sample, tell, emphasise: only(key) }));
  return { chart, legend: legend(label, entries), emphasise };
}

// What stands for a line with marks in a legend.
export function sampleOf(i) {
  return [s("line", { class: `stroke ${seriesClass(i)}`, x1: -13, x2: 13 }), marker(i)];
}

// How far a line is moved aside, so that the marks and error bars of all stand side by side.
export function aside(i, lines, step = 2.5) {
  return (i - (lines - 1) / 2) * step;
}

// Draw a line with marks. Points are { x, y, ends: [y, y] of the error bar or null, hollow, tell: () => tooltip },
// and `pointed` may be called with true and false.
export function markedLine(i, points, dashed = false) {
  const d = path(points.map(({ x, y }) => [x, y]));
  return [
    s("path", { class: `stroke ${seriesClass(i)} ${dashed ? "dashed" : ""}`, d }),
    points.map((point) => [errorBar(i, point), mark(i, point)]),
  ];
}

function errorBar(i, { x, ends }) {
  return ends && s("line", { class: `stroke thin ${seriesClass(i)}`, x1: x, x2: x, y1: ends[0], y2: ends[1] });
}

function mark(i, { x, y, hollow, tell, pointed = () => {} }) {
  const look = { transform: `translate(${x} ${y})`, class: hollow ? "point hollow" : "point" };
  const element = s("g", look, marker(i), s("circle", { class: "hit", r: 11 }));
  element.addEventListener("pointerenter", () => {
    pointed(true);
    showTooltip(element, tell());
  });
  element.addEventListener("pointerleave", () => {
    pointed(false);
    hideTooltip(element);
  });
  return element;
}

// Tell about the nearest of some places along a chart, wherever on it one points.
export function readAlong({ svg, left, inner, start, top, bottom, right }, values, tell) {
  const line = s("line", { class: "threshold", y1: bottom - inner.height, y2: bottom, visibility: "hidden" });
  const area = { class: "hit", x: start, y: bottom - inner.height, width: right - start, height: inner.height };
  const element = s("rect", area);
  element.addEventListener("pointermove", (event) => {
    const edge = svg.getBoundingClientRect();
    const i = nearest(values.map(left), event.clientX - edge.left);
    const x = left(values[i]);
    for (const name of ["x1", "x2"]) line.setAttribute(name, x);
    line.setAttribute("visibility", "visible");
    showTooltip(element, tell(values[i]), new DOMRect(edge.left + x, edge.top + top(1), 0, inner.height / 2));
  });
  element.addEventListener("pointerleave", () => {
    line.setAttribute("visibility", "hidden");
    hideTooltip(element);
  });
  return [line, element];
}

// Return which of some places along an axis is nearest to another.
export function nearest(places, place) {
  const away = places.map((one) => Math.abs(one - place));
  return away.indexOf(Math.min(...away));
}
