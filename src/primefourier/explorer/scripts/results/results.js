// The results of a run: linked heatmaps, lines over r, and the details of each cell.

import { choiceGroup } from "../page/controls.js";
import { h, section } from "../page/dom.js";
import { get, set, watch } from "../page/state.js";
import { count, decimals, spread } from "../page/writing.js";
import { findCell } from "./cell.js";
import { detailPanel } from "./detail.js";
import { heatmap } from "./heatmap.js";
import { linesPart } from "./lines.js";
import { isShown, meanOf, measureOf, MEASURES, nothingShown } from "./measures.js";

const STATES = [
  ["partial", "2 of 4", "some models measured"],
  ["waiting", "waiting", "planned, not measured yet"],
  ["failed", "failed", "its models failed"],
  ["diverged", "NaN", "all networks diverged, so there is no accuracy and no drop"],
  ["missing", "+", "not planned: open it for the command"],
  ["unplanned", "·", "not planned"],
  ["left-out", "✕", "left out: no answer wraps around, no such rows, or no ratio"],
];
const MANY = 8; // a heatmap with more columns gets the full width of the page
const INTRODUCTION =
  "Each network is trained; then one row of its input is zeroed. In the paper’s experiments a row is " +
  "all circles of one prime, and it is relevant if its prime divides N. A cell is one " +
  "configuration; open it for its ablation profile and training curves.";

export function resultsSection(run) {
  const predicted = run.grids.some((grid) => grid.cells.some((cell) => cell.relevant));
  const measured = run.grids.some((grid) => grid.cells.some((cell) => cell.accuracy));
  const measure = predicted || !measured ? "relevant" : "accuracy";
  set({ measure, cell: null, pointed: null, linesGrid: firstWithResults(run) });
  const maps = run.grids.map(heatmap);
  const measures = MEASURES.map(({ key, label }) => [key, label]);
  const choice = choiceGroup("Measure", measures, (measure) => set({ measure }));
  const meaning = h("p", { class: "small muted", "aria-live": "polite" });
  const figures = run.grids.map((grid, i) => gridFigure(grid, maps[i].element));
  const planned = run.grids.map((grid) => grid.cells.some((cell) => cell.state !== "missing"));
  const shown = planned.some(Boolean) ? planned : planned.map(() => true);
  const place = h("div", { id: "detail" });
  const element = section(
    "results",
    "Results",
    INTRODUCTION,
    h("div", { class: "measure-switch" }, choice.element, meaning),
    h("div", { class: "figures" }, figures.filter((_, i) => shown[i])),
    folded(figures.filter((_, i) => !shown[i])),
    statesLegend(run),
    place,
    linesPart(run, shown),
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
  return element;
}

function gridFigure(grid, map) {
  const look = grid.columns.length > MANY ? "card wide" : "card";
  const title = h("h3", {}, grid.title);
  return h("figure", { class: look, "aria-label": grid.title }, title, glance(grid), map);
}

// Make the lines above a heatmap: what is expected, and both drops averaged over all cells.
function glance(grid) {
  const cells = grid.cells.filter((cell) => isShown(cell, measureOf("relevant")) && cell.other);
  const expected = h("p", { class: "small muted" }, grid.expectation);
  const nothing = () => h("p", { class: "small nothing" }, nothingShown(grid));
  if (!cells.length) return h("div", { class: "glance" }, expected, nothing());
  const floors = spread(cells.map((cell) => cell.floor));
  const words = `Means over ${count(cells.length, "configuration")}; noise floor ${floors}.`;
  const bars = ["relevant", "other"].map((key) => {
    return bar(measureOf(key).label, meanOf(cells.map((cell) => cell[key].mean)), key);
  });
  const note = h("p", { class: "small muted" }, words);
  return h("div", { class: "glance" }, expected, h("dl", { class: "two-bars" }, bars), note);
}

function bar(name, value, kind) {
  const width = `${100 * Math.min(1, Math.max(0, value))}%`;
  const fill = h("span", { class: `fill ${kind}`, style: { width } });
  const track = h("span", { class: "track", "aria-hidden": "true" }, fill);
  return [h("dt", {}, name), h("dd", {}, track, h("strong", { class: "number" }, decimals(value)))];
}

// Fold away the paper's experiments that this run does not contain.
function folded(figures) {
  if (!figures.length) return null;
  const title = h("summary", {}, "The paper’s experiments that this run does not contain");
  return h("details", { class: "not-planned" }, title, h("div", { class: "figures" }, figures));
}

function showDetail(run, maps, place) {
  const found = findCell(run, get("cell"));
  for (const map of maps) map.open(get("cell"));
  place.replaceChildren();
  if (!found) return;
  const { element, heading } = detailPanel(run, found);
  place.append(element);
  heading.focus({ preventScroll: true });
  element.scrollIntoView({ block: "nearest" });
}

// Return the first grid with a line, or else with a point.
function firstWithResults(run) {
  const most = run.grids.map((grid) => {
    const shown = grid.cells.filter((cell) => isShown(cell, measureOf("relevant")));
    return Math.max(...grid.rows.map((row) => shown.filter((cell) => cell.row === row).length));
  });
  const line = most.findIndex((number) => number > 1);
  return Math.max(0, line < 0 ? most.findIndex((number) => number > 0) : line);
}

// Explain the signs of cells without a value, as far as this run has them.
function statesLegend(run) {
  const leftOut = ({ degenerate, state, relevant, other }) =>
    degenerate || (state === "measured" && !(relevant && other));
  const kindOf = ({ command }, cell) => {
    if (leftOut(cell)) return "left-out";
    return cell.state === "missing" && !command.length ? "unplanned" : cell.state;
  };
  const kinds = new Set(
    run.grids.flatMap((grid) => grid.cells.map((cell) => kindOf(grid, cell))),
  );
  const items = STATES.filter(([kind]) => kinds.has(kind)).map(([kind, face, words]) =>
    h("li", {}, h("span", { class: `none ${kind}`, "aria-hidden": "true" }, face), words)
  );
  if (!items.length) return null;
  return h("ul", { class: "states small muted", "aria-label": "Cells without a value" }, items);
}
