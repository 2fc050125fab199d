// A card with a line chart: choices above it, and the same numbers as a table below it.

import { h } from "../page/dom.js";
import { openable, row, table } from "../page/layout.js";
import { watch } from "../page/state.js";
import { lineChart } from "./line_chart.js";

// Make the card. `show` is called now and when one of the watched values changes. It returns the
// description of a chart (line_chart.js) with text (paragraphs), nothing (the text without lines),
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
