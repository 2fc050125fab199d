// What all parts of the page are built from: sections, tables, and parts that open.

import { h } from "./dom.js";

// Make a section with a heading and an introduction.
export function section(id, title, introduction, ...children) {
  const heading = h("h2", { id: `${id}-title` }, title);
  const header = h("header", {}, heading, h("p", { class: "prose muted" }, introduction));
  return h("section", { id, "aria-labelledby": `${id}-title` }, header, children);
}

// Make a table from tr or tbody elements. The caption is a text, an element, or null.
export function table(attributes, caption, columns, rows) {
  const head = columns.map((name) => h("th", { scope: "col" }, name));
  const inBodies = rows[0]?.tagName === "TBODY";
  return h(
    "table",
    attributes,
    typeof caption === "string" ? h("caption", {}, caption) : caption,
    h("thead", {}, h("tr", {}, head)),
    inBodies ? rows : h("tbody", {}, rows),
  );
}

// Make a caption that only screen readers announce.
export function hiddenCaption(text) {
  return h("caption", { class: "visually-hidden" }, text);
}

// Make a table row: a heading, and cells that are td elements or the contents of one.
export function row(heading, cells, attributes = {}) {
  const values = cells.map((cell) => (cell?.tagName === "TD" ? cell : h("td", {}, cell)));
  return h("tr", attributes, h("th", { scope: "row" }, heading), values);
}

// Make a list of names and values.
export function pairList(attributes, pairs) {
  return h("dl", attributes, pairs.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

// Make a part that opens when its title is clicked. Its content is made when it is first opened.
export function openable(title, make, attributes = {}) {
  const place = h("div", { class: "scroll" });
  const details = h("details", attributes, h("summary", {}, title), place);
  details.addEventListener("toggle", () => {
    if (!place.childElementCount) place.append(make());
  });
  return details;
}
