// A chart of lines with a legend, and a card with such a chart and its numbers as a table. Pointing at a
// line, a mark or a name shows values in a tooltip.

import { h, openable, row, s, table } from "../page/dom.js";
import { watch } from "../page/state.js";
import { explain, hideTooltip, showTooltip, tooltipLines } from "../page/tooltip.js";
import { frame, marker, path, responsive, seriesClass } from "./chart.js";

// Make a chart of
// - label and legend: what screen readers say about the chart and its legend;
// - height, x (a function of the width) and y: its axes, as in chart.js;
// - points: the positions on the x axis, { at, name, listed };
// - lines: { key, name, index, parts }, where index chooses the colour and the mark, and a part is
//   { name, values, dash }, with one value per point: null or { mean, low, high, text, hollow };
// - reading: "marks" (marks with error bars), "epochs" (bands, and one tooltip for all lines at an
//   epoch) or "curves" (lines without marks).
// Optional are apart (pixels between the marks of two lines at one point), under and over (what to
// draw below and above the lines), describe (the tooltip of a line, or of one of its values), note
// (of tooltips) and onPoint (called with a line and a point, or with null).
export function lineChart(spec) {
  const groups = new Map();
  const emphasise = (key) => {
    for (const [other, group] of groups) {
      const look = other === key ? "strong" : "faded";
      group.setAttribute("class", groups.has(key) ? look : "");
    }
  };
  const chart = responsive((width) => {
    const { height, y, label } = spec;
    const drawn = frame({ width, height, x: spec.x(width), y, label });
    spec.lines.forEach((line, i) => {
      const moved = (i - (spec.lines.length - 1) / 2) * (spec.apart?.(drawn) ?? 0);
      const parts = line.parts.toReversed().map((part) =>
        drawPart(spec, line, part, drawn, moved, emphasise)
      );
      groups.set(line.key, s("g", {}, parts));
    });
    const above = spec.reading === "epochs" ? readEpochs(spec, drawn) : [];
    drawn.plot.append(...(spec.under?.(drawn) ?? []), ...groups.values());
    drawn.plot.append(...(spec.over?.(drawn) ?? []), ...above);
    return drawn.svg;
  });
  const names = spec.lines.map((line) => h("li", {}, legendButton(spec, line, emphasise)));
  const legend = h("ul", { class: "legend", "aria-label": spec.legend }, names);
  return { chart, legend, emphasise };
}

// Make the legend's entry of a line. It shows that line alone while it is pointed at or focused.
function legendButton(spec, line, emphasise) {
  const { index, key, name, parts } = line;
  const look = `stroke ${seriesClass(index)} ${spec.reading === "curves" ? parts[0].dash : ""}`;
  const sample = s(
    "svg",
    { viewBox: "-14 -7 28 14", width: 28, height: 14, "aria-hidden": "true" },
    s("line", { class: look, x1: -13, x2: 13 }),
    spec.reading === "curves" ? null : marker(index),
  );
  const button = h("button", { type: "button", class: "plain" }, sample, name);
  for (
    const [events, chosen] of [[["pointerenter", "focus"], key], [["pointerleave", "blur"], null]]
  ) {
    for (const event of events) button.addEventListener(event, () => emphasise(chosen));
  }
  explain(
    button,
    () => spec.describe?.(line) ?? tooltipLines(name, valuesOf(spec, line), spec.note),
  );
  return button;
}

function valuesOf({ points }, { parts }) {
  const written = (i) => parts.map(({ values }) => values[i]?.text ?? "—").join(" / ");
  const pairs = points.map((point, i) => [point.name, written(i), point.listed ?? true]);
  return pairs.filter(([, , listed]) => listed);
}

// Draw one part of a line: its path, and what its reading shows besides.
function drawPart(spec, line, part, drawn, moved, emphasise) {
  const color = seriesClass(line.index);
  const places = spec.points
    .map((point, i) => ({ point, value: part.values[i] }))
    .filter(({ value }) => value)
    .map((place) => {
      const [x, y] = [drawn.left(place.point.at) + moved, drawn.top(place.value.mean)];
      return { ...place, x, y };
    });
  const d = path(places.map(({ x, y }) => [x, y]));
  const stroke = s("path", { class: `stroke ${color} ${part.dash ?? ""}`, d });
  if (spec.reading === "curves") {
    const describe = (place) => spec.describe(line, part, place.value);
    return followCurve(s("g", {}, stroke, s("path", { class: "hit-line", d })), places, drawn, {
      describe,
      emphasise: (on) => emphasise(on ? line.key : null),
    });
  }
  if (spec.reading === "epochs") {
    const marked = places.filter(({ point }) => drawn.ticks.includes(point.at));
    return [band(places, drawn, color), stroke, marked.map((place) => mark(line, part, place))];
  }
  return [stroke, places.map((place) => readMark(spec, line, part, place, drawn, color))];
}

function mark(line, part, { x, y, value }, ...children) {
  const look = part.dash || value.hollow ? "point hollow" : "point";
  const at = { class: look, transform: `translate(${x} ${y})` };
  return s("g", at, marker(line.index), children);
}

// Draw a mark with its error bar and its tooltip.
function readMark(spec, line, part, place, { top }, color) {
  const { point, value, x } = place;
  const element = mark(line, part, place, s("circle", { class: "hit", r: 11 }));
  element.addEventListener("pointerenter", () => {
    spec.onPoint?.(line, point);
    const pairs = [[part.name, value.text], ...(value.more ?? [])];
    showTooltip(element, tooltipLines(`${line.name}, ${point.name}`, pairs));
  });
  element.addEventListener("pointerleave", () => {
    spec.onPoint?.(null);
    hideTooltip(element);
  });
  if (value.high === null) return element;
  const ends = { x1: x, x2: x, y1: top(value.low), y2: top(value.high) };
  return [s("line", { class: `stroke thin ${color}`, ...ends }), element];
}

// Draw the band of the intervals, cut off at the edges of the chart.
function band(places, { top, bottom, inner }, color) {
  if (!places.length || places.some(({ value }) => value.high === null)) return null;
  const inside = (y) => Math.min(bottom, Math.max(bottom - inner.height, y));
  const edge = (name) => places.map(({ x, value }) => [x, inside(top(value[name]))]);
  const d = `${path([...edge("high"), ...edge("low").reverse()])}Z`;
  return s("path", { class: `area ${color}`, d });
}

// Let the pointer read a curve at its nearest point.
function followCurve(element, places, { svg }, { describe, emphasise }) {
  element.addEventListener("pointermove", (event) => {
    const { left, top } = svg.getBoundingClientRect();
    const place = nearest(places, event.clientX - left);
    emphasise(true);
    showTooltip(element, describe(place), new DOMRect(left + place.x, top + place.y, 0, 0));
  });
  element.addEventListener("pointerleave", () => {
    emphasise(false);
    hideTooltip(element);
  });
  return element;
}

// Let the pointer read all lines at the epoch nearest to it, anywhere on the chart.
function readEpochs({ points, lines }, { svg, left, inner, start, top, bottom, right }) {
  const [y1, y2] = [bottom - inner.height, bottom];
  const cursor = s("line", { class: "threshold", y1, y2, visibility: "hidden" });
  const size = { width: right - start, height: inner.height };
  const area = s("rect", { class: "hit", x: start, y: y1, ...size });
  const places = points.map((point, i) => ({ point, i, x: left(point.at) }));
  area.addEventListener("pointermove", (event) => {
    const edge = svg.getBoundingClientRect();
    const { point, i, x } = nearest(places, event.clientX - edge.left);
    for (const name of ["x1", "x2"]) cursor.setAttribute(name, x);
    cursor.setAttribute("visibility", "visible");
    const pairs = lines.map(({ name, parts }) => [name, parts[0].values[i]?.text ?? "—"]);
    const around = new DOMRect(edge.left + x, edge.top + top(1), 0, inner.height / 2);
    showTooltip(area, tooltipLines(point.name, pairs), around);
  });
  area.addEventListener("pointerleave", () => {
    cursor.setAttribute("visibility", "hidden");
    hideTooltip(area);
  });
  return [cursor, area];
}

function nearest(places, x) {
  const distances = places.map((place) => Math.abs(place.x - x));
  return places[distances.indexOf(Math.min(...distances))];
}

// Make the card. `show` is called now and when one of the watched values changes. It returns the
// description of a chart with text (paragraphs), nothing (the text without lines),
// caption and head (of the table; head is its first column's name) and upright (one row per point).
export function lineCard(title, choices, watched, show) {
  const text = h("div", { class: "words" });
  const place = h("div", { class: "lines" });
  const numbers = h("div", {});
  let drawing = null;
  watch(watched, () => {
    const spec = show();
    const open = Boolean(numbers.querySelector("details")?.open);
    drawing = spec.lines.length ? lineChart(spec) : null;
    const nothing = h("p", { class: "nothing" }, spec.nothing);
    const details = () => openable("The numbers of these lines", () => numberTable(spec), { open });
    text.replaceChildren(...spec.text.map((words) => h("p", { class: "small muted" }, words)));
    place.replaceChildren(...(drawing ? [drawing.chart, drawing.legend] : [nothing]));
    numbers.replaceChildren(...(drawing ? [details()] : []));
  });
  const head = h("div", { class: "part-head" }, h("h3", {}, title), choices);
  const element = h("div", { class: "card lines-part" }, head, text, place, numbers);
  return { element, emphasise: (key) => drawing?.emphasise(key) };
}

function numberTable({ caption, head, points, lines, upright }) {
  const parts = lines.flatMap(({ name, parts }) =>
    parts.map((part) => ({ ...part, title: part.name ? `${name}, ${part.name}` : name }))
  );
  const written = (part, i) => part.values[i]?.text ?? "—";
  const titles = parts.map(({ title }) => title);
  const names = points.map(({ name }) => name);
  const rows = upright
    ? names.map((name, i) => row(name, parts.map((part) => written(part, i))))
    : parts.map((part) => row(part.title, names.map((_, i) => written(part, i))));
  return table({ class: "numbers" }, caption, [head, ...(upright ? titles : names)], rows);
}
