// A table with a caption and named columns.

import { h } from "./dom.js";

// Make the table from its rows; each row is a tr.
export function simpleTable(attributes, caption, columns, rows) {
  return tableOfBodies(attributes, caption, columns, h("tbody", {}, rows));
}

// Make a table of which each body is a tbody.
export function tableOfBodies(attributes, caption, columns, bodies) {
  const head = columns.map((name) => h("th", { scope: "col" }, name));
  return h("table", attributes, caption, h("thead", {}, h("tr", {}, head)), bodies);
}

// Make a part that is opened by its title; what it shows is made when it is first opened.
export function openable(title, make, attributes = {}) {
  const place = h("div", { class: "scroll" });
  const details = h("details", attributes, h("summary", {}, title), place);
  details.addEventListener("toggle", () => {
    if (!place.childElementCount) place.append(make());
  });
  return details;
}
