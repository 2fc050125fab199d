// One grid of results as a table with a row and a column for each value of its two axes, and a
// button in each cell.

import { css, gradient, inkOn } from "../charts/colors.js";
import { h, row, table } from "../page/dom.js";
import { set } from "../page/state.js";
import { explain, hideTooltip, tooltipLines } from "../page/tooltip.js";
import { capital, decimals } from "../page/writing.js";
import { cellKey, configurationOf, modelWords, openCell, stateWords } from "./cell.js";
import { isShown } from "./measures.js";

const STEPS = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };

// Make the heatmap. Returns { element, show(measure), point(found), open(key) }.
export function heatmap(grid, index) {
  let measure = null;
  let marked = [];
  const buttons = grid.cells.map((cell) => makeButton(grid, index, cell, () => measure));
  const at = (i, j) => buttons[i * grid.columns.length + j];
  const caption = h("caption", {});
  const corner = [grid.row_name, h("span", { class: "muted" }, ` \\ ${grid.column_name}`)];
  const rows = grid.rows.map((name, i) => row(String(name), grid.columns.map((_, j) => at(i, j))));
  const map = table({ role: "grid" }, caption, [corner, ...grid.columns.map(String)], rows);
  const columns = [...map.querySelectorAll("thead th")].slice(1);
  const bar = colorBar();
  const style = { "--rows": grid.rows.length, "--columns": grid.columns.length };
  moveWithArrows(map, grid, buttons);
  return {
    element: h("div", { class: "heatmap", style }, h("div", { class: "scroll" }, map), bar.element),
    show(chosen) {
      measure = chosen;
      const axes = [grid.row_label, grid.column_label].filter(Boolean).join(" and ");
      caption.textContent = capital(measure.name) + (axes && ` by ${axes}`);
      grid.cells.forEach((cell, i) => paint(buttons[i], grid, cell, measure));
      bar.show(measure);
    },
    // Mark the cell that is pointed at in another grid, and its r.
    point(found) {
      for (const element of marked) element.classList.remove("same", "same-column");
      marked = [];
      const column = found ? grid.columns.indexOf(found.cell.column) : -1;
      if (column < 0) return;
      const line = found.grid.row_name === grid.row_name ? grid.rows.indexOf(found.cell.row) : -1;
      marked = [columns[column], ...grid.rows.map((_, i) => at(i, column))];
      marked.forEach((element, i) => {
        element.classList.add(line >= 0 && i === line + 1 ? "same" : "same-column");
      });
    },
    open(key) {
      grid.cells.forEach((cell, i) => {
        const open = key === cellKey(index, cell.row, cell.column);
        buttons[i].setAttribute("aria-expanded", String(open));
      });
    },
  };
}

function makeButton(grid, index, cell, measure) {
  const point = () => set({ pointed: cellKey(index, cell.row, cell.column) });
  const leave = () => set({ pointed: null });
  const button = h("button", {
    type: "button",
    tabindex: "-1",
    "data-row": cell.row,
    "data-column": cell.column,
    onpointerenter: point,
    onfocus: point,
    onpointerleave: leave,
    onblur: leave,
    onclick: () => {
      hideTooltip(button);
      openCell(index, cell.row, cell.column);
    },
  });
  explain(button, () => describe(grid, cell, measure()));
  return button;
}

function paint(button, grid, cell, measure) {
  const shown = isShown(cell, measure);
  const [face, words] = shown ? [measure.short(cell), ""] : stateWords(cell);
  const color = shown ? measure.scale.color(measure.read(cell).mean) : null;
  const state = cell.degenerate || cell.state === "measured" ? "left-out" : cell.state;
  button.className = shown ? "value" : `none ${state}`;
  button.style.setProperty("background-color", color ? css(color) : "");
  button.style.setProperty("color", color ? inkOn(color) : "");
  button.textContent = face;
  const value = shown ? `${measure.name} ${measure.long(cell)}` : words;
  button.setAttribute("aria-label", `${configurationOf(grid, cell)}: ${value}`);
}

// Describe a cell in its tooltip.
function describe(grid, cell, measure) {
  const { relevant, other, floor, seeds } = cell;
  const shown = isShown(cell, measure);
  const pairs = [shown ? [measure.name, measure.long(cell)] : ["state", stateWords(cell)[1]]];
  if (shown && measure.key !== "other" && other) {
    pairs.push(["drop of other rows", decimals(other.mean, 4)]);
  }
  if (shown && measure.key === "other" && relevant) {
    pairs.push(["drop of relevant rows", decimals(relevant.mean)]);
  }
  pairs.push(["noise floor", decimals(floor, 4)]);
  if (seeds.length) pairs.push([seeds.length > 1 ? "seeds" : "seed", seeds.join(", ")]);
  if (cell.models.planned) pairs.push(["models", modelWords(cell)]);
  const several = shown && measure.read(cell).high !== null;
  const note = several ? "± is the 95 % interval over seeds." : "";
  return tooltipLines(configurationOf(grid, cell), pairs, note);
}

// Tab reaches one cell of the grid; arrow keys, Home and End move from there.
function moveWithArrows(map, grid, buttons) {
  const width = grid.columns.length;
  const reach = (i) => buttons.forEach((button, j) => (button.tabIndex = i === j ? 0 : -1));
  reach(0);
  map.addEventListener("focusin", (event) => reach(buttons.indexOf(event.target)));
  map.addEventListener("keydown", (event) => {
    const here = buttons.indexOf(event.target);
    if (here < 0) return;
    let [line, column] = [Math.floor(here / width), here % width];
    const step = STEPS[event.key];
    if (event.key === "Home") column = 0;
    else if (event.key === "End") column = width - 1;
    else if (step) [line, column] = [line + step[0], column + step[1]];
    else return;
    event.preventDefault();
    const inside = line >= 0 && line < grid.rows.length && column >= 0 && column < width;
    if (inside) buttons[line * width + column].focus();
  });
}

// Make the legend of the colours.
function colorBar() {
  const [low, high] = [h("span", {}), h("span", {})];
  const band = h("span", { class: "band", style: { background: gradient() } });
  const element = h("div", { class: "color-bar", role: "img" }, low, band, high);
  const show = ({ ends }) => {
    [low.textContent, high.textContent] = ends;
    const words = `Colours run from ${ends[0]} (dark violet) to ${ends[1]} (yellow)`;
    element.setAttribute("aria-label", words);
  };
  return { element, show };
}
