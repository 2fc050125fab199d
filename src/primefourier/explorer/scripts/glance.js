// An experiment at a glance: both drops, averaged over all its configurations, as two bars.

import { h } from "./dom.js";
import { isShown, measureOf, meanOf, nothingShown } from "./measures.js";
import { count, decimals, spread } from "./scale.js";

const QUESTIONS = {
  exp1: "Trained modulo a prime p. Only the row of p should matter.",
  control: "The same features, shuffled between the rows. Now no row should stand out.",
  exp2: "Trained modulo N. Only the rows of its prime factors should matter.",
};

// Make the lines above a heatmap: what was asked, and the answer so far.
export function glance(grid) {
  const cells = grid.cells.filter((cell) => isShown(cell, measureOf("on")) && cell.off);
  const question = h("p", { class: "small muted" }, QUESTIONS[grid.experiment]);
  if (!cells.length) {
    return h("div", { class: "glance" }, question, h("p", { class: "small nothing" }, nothingShown(grid)));
  }
  const floors = spread(cells.map((cell) => cell.floor));
  const words = `Means over ${count(cells.length, "configuration")}; noise floor ${floors}.`;
  return h(
    "div",
    { class: "glance" },
    question,
    h(
      "dl",
      { class: "two-bars" },
      bar(`${grid.on_name} drop`, meanOf(cells.map((cell) => cell.on.mean)), "on"),
      bar(`${grid.off_name} drop`, meanOf(cells.map((cell) => cell.off.mean)), "off"),
    ),
    h("p", { class: "small muted" }, words),
  );
}

function bar(name, value, kind) {
  const width = `${100 * Math.min(1, Math.max(0, value))}%`;
  const fill = h("span", { class: `fill ${kind}`, style: { width } });
  const track = h("span", { class: "track", "aria-hidden": "true" }, fill);
  return [h("dt", {}, name), h("dd", {}, track, h("strong", { class: "number" }, decimals(value)))];
}
