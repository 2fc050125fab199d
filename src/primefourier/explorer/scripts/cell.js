// Which cell of which grid is open, or pointed at; named "grid:row:range" in the state.

import { get, set } from "./state.js";

let opener = null;

export function cellKey(grid, row, range) {
  return `${grid}:${row}:${range}`;
}

// Open a cell below the heatmaps; what has the focus now gets it back when the cell is closed.
export function openCell(grid, row, range) {
  opener = document.activeElement;
  const key = cellKey(grid, row, range);
  if (get("cell") === key) set({ cell: null }); // so that asking again brings the reader there again
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

// Write a configuration as the paper does.
export function configurationOf(grid, cell) {
  return `${grid.row_name} = ${cell.row}, r = ${cell.range}`;
}
