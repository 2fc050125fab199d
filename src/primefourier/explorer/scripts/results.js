// The results of a run: linked heatmaps, the lines over r, and what is known of each cell.

import { h } from "./dom.js";
import { findCell } from "./cell.js";
import { choiceGroup } from "./choice.js";
import { detailPanel } from "./detail.js";
import { glance } from "./glance.js";
import { heatmap } from "./heatmap.js";
import { linesPart } from "./lines.js";
import { MEASURES, isShown, measureOf } from "./measures.js";
import { get, set, watch } from "./state.js";

const STATES = [
  ["partial", "2 of 4", "some models measured"],
  ["waiting", "waiting", "asked for, not measured yet"],
  ["failed", "failed", "its models failed"],
  ["missing", "+", "not asked for: open it for the command"],
  ["left-out", "✕", "left out: no answer wraps around, there are no such rows, or no ratio"],
];

const MANY = 8; // more columns need the width of the page
const INTRODUCTION =
  "Each network learns arithmetic modulo N, then one prime’s row of its input is zeroed. " +
  "A cell is one configuration; open it for its profile and training curves.";

// Make the section.
export function resultsSection(run) {
  set({ measure: "on", cell: null, pointed: null, linesGrid: firstWithResults(run) });
  const maps = run.grids.map(heatmap);
  const choice = choiceGroup(
    "Measure",
    MEASURES.map(({ key, label }) => [key, label]),
    (measure) => set({ measure }),
  );
  const meaning = h("p", { class: "small muted", "aria-live": "polite" });
  const figures = run.grids.map((grid, i) =>
    h(
      "figure",
      { class: grid.ranges.length > MANY ? "card wide" : "card", "aria-label": grid.title },
      h("h3", {}, grid.title),
      glance(grid),
      maps[i].element,
    ),
  );
  const asked = run.grids.map((grid) => grid.cells.some((cell) => cell.state !== "missing"));
  const open = asked.some(Boolean) ? asked : asked.map(() => true);
  const place = h("div", { id: "detail" });
  const section = h(
    "section",
    { id: "results", "aria-labelledby": "results-title" },
    h("header", {}, h("h2", { id: "results-title" }, "Results"), h("p", { class: "prose muted" }, INTRODUCTION)),
    h("div", { class: "measure-switch" }, choice.element, meaning),
    h(
      "div",
      { class: "figures" },
      figures.filter((_, i) => open[i]),
    ),
    folded(figures.filter((_, i) => !open[i])),
    statesLegend(run),
    place,
    linesPart(run, open),
  );
  watch(["measure"], () => {
    const measure = measureOf(get("measure"));
    choice.show(measure.key);
    meaning.textContent = measure.meaning;
    for (const map of maps) map.show(measure);
  });
  watch(["pointed"], () => {
    const found = findCell(run, get("pointed"));
    for (const map of maps) map.point(found);
  });
  watch(["cell"], () => showDetail(run, maps, place));
  return section;
}

// Keep the paper's experiments that this run does not have out of the way.
function folded(figures) {
  if (!figures.length) return null;
  const words = "The paper’s experiments that this run does not have";
  return h("details", { class: "not-asked" }, h("summary", {}, words), h("div", { class: "figures" }, figures));
}

function showDetail(run, maps, place) {
  const found = findCell(run, get("cell"));
  for (const map of maps) map.open(get("cell"));
  if (!found) {
    place.replaceChildren();
    return;
  }
  const { element, heading } = detailPanel(run, found);
  place.replaceChildren(element);
  heading.focus({ preventScroll: true });
  element.scrollIntoView({ block: "nearest" });
}

// Begin with an experiment that has a line, or at least a point.
function firstWithResults(run) {
  const points = (grid, row) => grid.cells.filter((cell) => cell.row === row && isShown(cell, measureOf("on"))).length;
  const most = run.grids.map((grid) => Math.max(...grid.rows.map((row) => points(grid, row))));
  const line = most.findIndex((number) => number > 1);
  return line >= 0
    ? line
    : Math.max(
        0,
        most.findIndex((number) => number > 0),
      );
}

// Explain the marks of cells without a value, as far as this run has them.
function statesLegend(run) {
  const cells = run.grids.flatMap((grid) => grid.cells);
  const leftOut = (cell) => cell.degenerate || (cell.state === "measured" && !(cell.on && cell.off));
  const kinds = new Set(cells.map((cell) => (leftOut(cell) ? "left-out" : cell.state)));
  const shown = STATES.filter(([kind]) => kinds.has(kind));
  if (!shown.length) return null;
  const items = shown.map(([kind, face, words]) =>
    h("li", {}, h("span", { class: `none ${kind}`, "aria-hidden": "true" }, face), words),
  );
  return h("ul", { class: "states small muted", "aria-label": "Cells without a value" }, items);
}
