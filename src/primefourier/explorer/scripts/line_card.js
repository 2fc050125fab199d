// A card of lines: what it shows is chosen above; below are the chart, its legend, and the same numbers as a table.

import { h } from "./dom.js";
import { watch } from "./state.js";
import { openable } from "./table.js";

// Make the card. `show` is called now and when one of the watched values changes, and returns
// { text: paragraphs, drawing: a lineChart or null, nothing: words instead of it, table: () => table }.
export function lineCard(title, choices, watched, show) {
  const [text, place, numbers] = [h("div", { class: "words" }), h("div", { class: "lines" }), h("div", {})];
  let drawing = null;
  watch(watched, () => {
    const shown = show();
    const open = Boolean(numbers.querySelector("details")?.open);
    drawing = shown.drawing;
    text.replaceChildren(...shown.text.map((words) => h("p", { class: "small muted" }, words)));
    place.replaceChildren(
      ...(drawing ? [drawing.chart, drawing.legend] : [h("p", { class: "nothing" }, shown.nothing)]),
    );
    numbers.replaceChildren(...(drawing ? [openable("The numbers of these lines", shown.table, { open })] : []));
  });
  const element = h(
    "div",
    { class: "card lines-part" },
    h("div", { class: "part-head" }, h("h3", {}, title), choices),
    text,
    place,
    numbers,
  );
  return { element, emphasise: (key) => drawing?.emphasise(key) };
}
