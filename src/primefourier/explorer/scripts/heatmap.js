// One grid of results as a table: a row for each |P| or N, a column for each r, a button in each cell.

import { h } from "./dom.js";
import { cellKey, configurationOf, openCell } from "./cell.js";
import { isShown } from "./measures.js";
import { capital, count, css, decimals, gradient, inkOn } from "./scale.js";
import { set } from "./state.js";
import { explain, hideTooltip, tooltipLines } from "./tooltip.js";

const STEPS = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };

// Make the heatmap. Returns { element, show(measure), point(found), open(key) }.
export function heatmap(grid, index) {
  let measure = null;
  const buttons = grid.cells.map((cell) => makeButton(grid, index, cell, () => measure));
  const columns = grid.ranges.map((range) => h("th", { scope: "col" }, String(range)));
  const at = (row, column) => buttons[row * grid.ranges.length + column];
  const body = grid.rows.map((row, i) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, String(row)),
      grid.ranges.map((_, j) => h("td", {}, at(i, j))),
    ),
  );
  const caption = h("caption", {});
  const corner = h("th", { scope: "col" }, grid.row_name, h("span", { class: "muted" }, " \\ r"));
  const head = h("thead", {}, h("tr", {}, corner, columns));
  const table = h("table", { role: "grid" }, caption, head, h("tbody", {}, body));
  moveWithArrows(table, grid, buttons);
  const bar = colorBar();
  const style = { "--rows": grid.rows.length, "--columns": grid.ranges.length };
  let marked = [];

  return {
    element: h("div", { class: "heatmap", style }, h("div", { class: "scroll" }, table), bar.element),
    show(chosen) {
      measure = chosen;
      caption.textContent = `${capital(measure.name(grid))}, ${grid.row_label} × input range r`;
      grid.cells.forEach((cell, i) => paint(buttons[i], grid, cell, measure));
      bar.show(measure);
    },
    // Light up the configuration that is pointed at in another grid, and its r.
    point(found) {
      for (const element of marked) element.classList.remove("same", "same-range");
      marked = [];
      const column = found ? grid.ranges.indexOf(found.cell.range) : -1;
      if (column < 0) return;
      const row = found.grid.row_name === grid.row_name ? grid.rows.indexOf(found.cell.row) : -1;
      marked = [columns[column], ...grid.rows.map((_, i) => at(i, column))];
      marked.forEach((element, i) => element.classList.add(i === row + 1 && row >= 0 ? "same" : "same-range"));
    },
    open(key) {
      grid.cells.forEach((cell, i) => {
        const open = key === cellKey(index, cell.row, cell.range);
        buttons[i].setAttribute("aria-expanded", String(open));
      });
    },
  };
}

function makeButton(grid, index, cell, measure) {
  const button = h("button", { type: "button", tabindex: "-1", "data-row": cell.row, "data-range": cell.range });
  const point = () => set({ pointed: cellKey(index, cell.row, cell.range) });
  const leave = () => set({ pointed: null });
  button.addEventListener("pointerenter", point);
  button.addEventListener("focus", point);
  button.addEventListener("pointerleave", leave);
  button.addEventListener("blur", leave);
  button.addEventListener("click", () => {
    hideTooltip(button);
    openCell(index, cell.row, cell.range);
  });
  explain(button, () => describe(grid, cell, measure()));
  return button;
}

function paint(button, grid, cell, measure) {
  const shown = isShown(cell, measure);
  const [face, words] = shown ? [measure.write(cell), ""] : stateWords(cell);
  const color = shown ? measure.scale.color(measure.read(cell).mean) : null;
  button.className = shown ? "value" : `none ${cell.degenerate || cell.state === "measured" ? "left-out" : cell.state}`;
  button.style.setProperty("background-color", color ? css(color) : "");
  button.style.setProperty("color", color ? inkOn(color) : "");
  button.textContent = face;
  const value = shown ? `${measure.name(grid)} ${measure.tell(cell)}` : words;
  button.setAttribute("aria-label", `${configurationOf(grid, cell)}: ${value}`);
}

// Return what stands in a cell that has no value, and what that means.
export function stateWords(cell) {
  const { planned, measured } = cell.models;
  if (cell.degenerate) return ["✕", "no answer wraps around, so it is left out"];
  if (cell.state === "measured" && cell.on && cell.off)
    return ["✕", "no ratio: the first drop is not above the noise floor"];
  if (cell.state === "measured") return ["✕", "there are no such rows, so it is left out"];
  if (cell.state === "partial") {
    return [`${measured} of ${planned}`, `${measured} of ${count(planned, "model")} measured so far`];
  }
  if (cell.state === "failed") return ["failed", "failed"];
  if (cell.state === "waiting") return ["waiting", "asked for, not measured yet"];
  return ["+", "not asked for; open it for the command"];
}

// Say in a tooltip what a cell holds.
function describe(grid, cell, measure) {
  const shown = isShown(cell, measure);
  const pairs = [];
  if (shown) pairs.push([measure.name(grid), measure.tell(cell)]);
  else pairs.push(["state", stateWords(cell)[1]]);
  if (shown && measure.key !== "off" && cell.off) pairs.push([`${grid.off_name} drop`, decimals(cell.off.mean, 4)]);
  if (shown && measure.key === "off" && cell.on) pairs.push([`${grid.on_name} drop`, decimals(cell.on.mean)]);
  pairs.push(["noise floor", decimals(cell.floor, 4)]);
  const { planned, measured, failed } = cell.models;
  if (cell.seeds.length) pairs.push([cell.seeds.length > 1 ? "seeds" : "seed", cell.seeds.join(", ")]);
  if (planned) pairs.push(["models", `${measured} of ${planned} measured${failed ? `, ${failed} failed` : ""}`]);
  const several = shown && measure.read(cell).high !== null ? "± is the 95 % interval over seeds." : "";
  return tooltipLines(configurationOf(grid, cell), pairs, several);
}

// Only one cell of a grid is reached with Tab; arrows, Home and End move from there.
function moveWithArrows(table, grid, buttons) {
  const width = grid.ranges.length;
  const reach = (i) => buttons.forEach((button, j) => (button.tabIndex = i === j ? 0 : -1));
  reach(0);
  table.addEventListener("focusin", (event) => reach(buttons.indexOf(event.target)));
  table.addEventListener("keydown", (event) => {
    const here = buttons.indexOf(event.target);
    if (here < 0) return;
    let [row, column] = [Math.floor(here / width), here % width];
    if (event.key === "Home") column = 0;
    else if (event.key === "End") column = width - 1;
    else if (STEPS[event.key]) [row, column] = [row + STEPS[event.key][0], column + STEPS[event.key][1]];
    else return;
    event.preventDefault();
    if (row >= 0 && row < grid.rows.length && column >= 0 && column < width) buttons[row * width + column].focus();
  });
}

// What the colours mean.
function colorBar() {
  const [low, high] = [h("span", {}), h("span", {})];
  const band = h("span", { class: "band", style: { background: gradient() } });
  const element = h("div", { class: "color-bar", role: "img" }, low, band, high);
  return {
    element,
    show(measure) {
      [low.textContent, high.textContent] = measure.ends;
      const words = `Colours run from ${measure.ends[0]} (dark violet) to ${measure.ends[1]} (yellow)`;
      element.setAttribute("aria-label", words);
    },
  };
}
