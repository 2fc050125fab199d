// Cells of the grids: which one is open or pointed at, what state it is in, and how it is named.
// In the state, a cell is "grid:row:range".

import { get, set } from "../page/state.js";
import { count } from "../page/writing.js";

let opener = null;

export function cellKey(grid, row, range) {
  return `${grid}:${row}:${range}`;
}

// Open a cell below the heatmaps. Closing it returns the focus to where it is now.
export function openCell(grid, row, range) {
  opener = document.activeElement;
  const key = cellKey(grid, row, range);
  if (get("cell") === key) set({ cell: null }); // so that a second request scrolls there again
  set({ cell: key });
}

export function closeCell() {
  set({ cell: null });
  if (opener?.isConnected) opener.focus();
}

// Find what a key names: { index, grid, cell }, or null.
export function findCell(run, key) {
  if (!key) return null;
  const [index, row, range] = key.split(":").map(Number);
  const grid = run.grids[index];
  const cell = grid?.cells.find((one) => one.row === row && one.range === range);
  return cell ? { index, grid, cell } : null;
}

export function configurationOf(grid, cell) {
  return `${grid.row_name} = ${cell.row}, r = ${cell.range}`;
}

// Return whether all models of a cell have the same modulus, as in grids over N.
export function hasOneModulus(grid) {
  return grid.row_name === "N";
}

// Return what a cell without a value shows, and what that means.
export function stateWords(cell) {
  const { planned, measured } = cell.models;
  if (cell.degenerate) return ["✕", "no answer wraps around, so it is left out"];
  if (cell.state === "measured" && cell.relevant && cell.other) {
    return ["✕", "no ratio: the drop of relevant rows is not above the noise floor"];
  }
  if (cell.state === "measured") return ["✕", "there are no such rows, so it is left out"];
  if (cell.state === "partial") {
    const models = count(planned, "model");
    return [`${measured} of ${planned}`, `${measured} of ${models} measured so far`];
  }
  if (cell.state === "failed") return ["failed", "failed"];
  if (cell.state === "waiting") return ["waiting", "planned, not measured yet"];
  return ["+", "not planned; open it for the command"];
}
