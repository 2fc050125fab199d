// The results of a run: linked heatmaps, and the details of each cell.

import { choiceGroup } from "../page/controls.js";
import { h, pairList, section } from "../page/dom.js";
import { get, set, watch } from "../page/state.js";
import { count, decimals, spread } from "../page/writing.js";
import { findCell } from "./cell.js";
import { detailPanel } from "./detail.js";
import { heatmap } from "./heatmap.js";
import { isShown, meanOf, measureOf, MEASURES, nothingShown } from "./measures.js";

const STATES = [
  ["partial", "2 of 4", "some models measured"],
  ["waiting", "waiting", "planned, not measured yet"],
  ["failed", "failed", "its models failed"],
  ["diverged", "NaN", "all networks diverged, so there is no accuracy and no drop"],
  ["missing", "·", "not planned"],
  ["left-out", "✕", "left out: no answer wraps around, no such rows, or no ratio"],
];
const MANY = 8; // a heatmap with more columns gets the full width of the page
const INTRODUCTION =
  "Each network is trained; then one row of its input is zeroed. In the paper’s experiments a row is " +
  "all circles of one prime, and it is relevant if its prime divides N. A cell is one " +
  "configuration; open it for its ablation profile and training curves.";
const CHEATING =
  "A network that is right on its test set and wrong on the next integers, from r to 2r, cheats: " +
  "it reads its input in a way that works below r alone. Right means at least 99 % of the answers.";

// Make the section; null if nothing is planned.
export function resultsSection(run) {
  if (!run.grids.length) return null;
  const predicted = run.grids.some((grid) => grid.cells.some((cell) => cell.relevant));
  const measured = run.grids.some((grid) => grid.cells.some((cell) => cell.accuracy));
  const measure = predicted || !measured ? "relevant" : "accuracy";
  set({ measure, cell: null, pointed: null });
  const maps = run.grids.map(heatmap);
  const measures = MEASURES.map(({ key, label }) => [key, label]);
  const choice = choiceGroup("Measure", measures, (measure) => set({ measure }));
  const meaning = h("p", { class: "small muted", "aria-live": "polite" });
  const figures = run.grids.map((grid, i) => gridFigure(grid, maps[i].element));
  const place = h("div", { id: "detail" });
  const element = section(
    "results",
    "Results",
    INTRODUCTION,
    h("div", { class: "measure-switch" }, choice.element, meaning),
    h("div", { class: "figures" }, figures),
    statesLegend(run),
    place,
    beyondPart(run),
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
  if (!cells.length) {
    return h("div", { class: "glance" }, expected, h("p", { class: "small" }, nothingShown(grid)));
  }
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

// Show the open cell below the heatmaps.
function showDetail(run, maps, place) {
  const found = findCell(run, get("cell"));
  for (const map of maps) map.open(get("cell"));
  place.replaceChildren();
  if (!found) return;
  const { element, heading } = detailPanel(found);
  place.append(element);
  heading.focus({ preventScroll: true });
  element.scrollIntoView({ block: "nearest" });
}

// Say how many networks of each grid are right beyond the input range; null without such tests.
function beyondPart({ grids }) {
  const tested = grids.filter(({ beyond }) => beyond);
  if (!tested.length) return null;
  const pairs = tested.map(({ title, beyond }) => [title, beyondWords(beyond)]);
  return h(
    "div",
    { class: "card beyond", id: "beyond" },
    h("h3", {}, "Beyond the input range"),
    h("p", { class: "small muted" }, CHEATING),
    pairList({ class: "small" }, pairs),
  );
}

function beyondWords({ tested, right, next, far, all }) {
  const inRange = `Right in range: ${right} of ${count(tested, "network")}.`;
  if (!right) return inRange;
  const nearby = next === null ? "" : ` Right on the next integers: ${next} of these.`;
  const sets = far ? `every test set up to ${far}` : "every test set beyond it";
  return `${inRange}${nearby} Right on ${sets}: ${all} of these.`;
}

// Explain the signs of cells without a value, as far as this run has them.
function statesLegend(run) {
  const kindOf = ({ degenerate, state, relevant, other }) =>
    degenerate || (state === "measured" && !(relevant && other)) ? "left-out" : state;
  const kinds = new Set(run.grids.flatMap((grid) => grid.cells.map(kindOf)));
  const items = STATES.filter(([kind]) => kinds.has(kind)).map(([kind, face, words]) =>
    h("li", {}, h("span", { class: `none ${kind}`, "aria-hidden": "true" }, face), words)
  );
  if (!items.length) return null;
  return h("ul", { class: "states small muted", "aria-label": "Cells without a value" }, items);
}
