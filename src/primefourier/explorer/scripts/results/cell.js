// Cells of the grids: which one is open or pointed at, what state it is in, and how it is named.
// In the state, a cell is "grid:row:column".

import { get, set } from "../page/state.js";
import { count } from "../page/writing.js";

let opener = null;

export function cellKey(grid, row, column) {
  return [grid, row, column].map((value) => encodeURIComponent(String(value))).join(":");
}

// Open a cell below the heatmaps. Closing it returns the focus to where it is now.
export function openCell(grid, row, column) {
  opener = document.activeElement;
  const key = cellKey(grid, row, column);
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
  const index = Number(key.split(":")[0]);
  const grid = run.grids[index];
  const cell = grid?.cells.find((one) => cellKey(index, one.row, one.column) === key);
  return cell ? { index, grid, cell } : null;
}

export function configurationOf(grid, cell) {
  const words = [];
  if (grid.row_label) words.push(`${grid.row_name} = ${cell.row}`);
  if (grid.column_label) words.push(`${grid.column_name} = ${cell.column}`);
  return words.join(", ") || "all models";
}

// Return whether a cell has one model per seed; otherwise its models have different names.
export function hasOneModel(grid) {
  return grid.model_name === "";
}

// Return how many models of a cell are measured, and how many of these diverged or failed.
export function modelWords({ models: { planned, measured, failed }, diverged }) {
  const words = [`${measured} of ${planned} measured`];
  if (diverged) words.push(`${diverged} diverged and left out`);
  if (failed) words.push(`${failed} failed`);
  return words.join(", ");
}

// Return what a cell without a value shows, and what that means.
export function stateWords(cell) {
  const { planned, measured } = cell.models;
  if (cell.degenerate) return ["✕", "no answer wraps around, so it is left out"];
  if (cell.state === "measured" && cell.relevant && cell.other) {
    return ["✕", "no ratio: the drop of relevant rows is not above the noise floor"];
  }
  if (cell.state === "measured") return ["✕", "there are no such rows, so it is left out"];
  if (cell.state === "diverged") return ["NaN", "all networks diverged"];
  if (cell.state === "partial") {
    const models = count(planned, "model");
    return [`${measured} of ${planned}`, `${measured} of ${models} measured so far`];
  }
  if (cell.state === "failed") return ["failed", "failed"];
  if (cell.state === "waiting") return ["waiting", "planned, not measured yet"];
  return ["·", "not planned"];
}
