// Lines over the columns of a grid: how a measure, or both drops, change with r, for instance.

import { logAxis, path, shareAxis } from "../charts/chart.js";
import { lineCard } from "../charts/line_chart.js";
import { stateChoice } from "../page/controls.js";
import { s } from "../page/dom.js";
import { get, set, watch } from "../page/state.js";
import { decimals } from "../page/writing.js";
import { cellKey, findCell } from "./cell.js";
import { isShown, measureOf, nothingShown } from "./measures.js";

const HEIGHT = 380;
const LEAST_BETWEEN_TICKS = 36;
const MARGIN = 1.12; // the axis continues by this factor beyond the smallest and largest r
const DROPS =
  "Solid: drop of relevant rows. Dashed: drop of other rows. The grey band is the paper’s noise " +
  "floor, below which it calls a drop indistinguishable from zero.";

// Make the card with the lines of one grid, chosen by its title; `shown` says which can be chosen.
export function linesPart(run, shown) {
  const titles = run.grids.map((grid, i) => [i, grid.title]).filter(([i]) => shown[i]);
  const choice = stateChoice("Lines of", "linesGrid", titles);
  const card = lineCard("Lines over the columns", [choice], ["linesGrid", "measure"], () => {
    const isDrop = ["relevant", "other"].includes(get("measure"));
    const keys = isDrop ? ["relevant", "other"] : [get("measure")];
    return columnLines(run.grids[get("linesGrid")], keys.map(measureOf));
  });
  watch(["pointed"], () => {
    const found = findCell(run, get("pointed"));
    const same = found && found.grid.row_name === run.grids[get("linesGrid")].row_name;
    card.emphasise(same ? found.cell.row : null);
  });
  return card.element;
}

function columnLines(grid, measures) {
  const isRatio = measures[0].key === "ratio";
  const valueOf = (cell, measure) =>
    isShown(cell, measure) && {
      ...measure.read(cell),
      text: measure.long(cell),
      hollow: isRatio && cell.ratio.bound,
      more: [["noise floor", decimals(cell.floor, 4)]],
    };
  const lines = grid.rows.map((row, index) => {
    const cells = grid.cells.filter((cell) => cell.row === row);
    const parts = measures.map((measure, i) => ({
      name: measure.name,
      values: cells.map((cell) => valueOf(cell, measure) || null),
      dash: i ? "dashed" : "",
    }));
    const name = grid.row_label ? `${grid.row_name} = ${row}` : "all models";
    return { key: row, name, index, parts };
  }).filter(({ parts }) => parts.some(({ values }) => values.some(Boolean)));
  const values = lines.flatMap(({ parts }) => parts.flatMap((part) => part.values.filter(Boolean)));
  const bounds = isRatio ? " Hollow marks are lower bounds." : "";
  const both = measures.length > 1;
  return {
    text: [both ? DROPS : `${measures[0].meaning}${bounds}`],
    nothing: nothingShown(grid),
    legend: "Lines",
    label: [
      `${grid.title}: ${measures.map(({ name }) => name).join(" and ")}`,
      grid.column_label && ` against ${grid.column_label}`,
      grid.row_label && `, a line for each ${grid.row_label}`,
      "; the numbers are in the table below",
    ].join(""),
    caption: grid.title,
    head: "configuration",
    height: HEIGHT,
    x: (width) => columnAxis(grid, width),
    y: isRatio ? ratioAxis(values) : measureAxis(grid, measures, values),
    points: grid.columns.map((column, i) => ({
      at: positionOf(grid, i),
      name: grid.column_label ? `${grid.column_name} = ${column}` : "all models",
      column,
    })),
    lines,
    reading: "marks",
    apart: () => (values.some(({ high }) => high !== null) ? 2.5 : 0),
    under: (drawn) => (both ? [floorBand(grid, drawn)] : []),
    onPoint: (line, point) =>
      set({ pointed: line && cellKey(get("linesGrid"), line.key, point.column) }),
  };
}

// Positive numbers have a logarithmic axis; other columns follow each other.
function positionOf({ columns }, i) {
  const numbers = columns.every((column) => typeof column === "number" && column > 0);
  return numbers ? columns[i] : 2 ** i;
}

function columnAxis(grid, width) {
  const places = grid.columns.map((_, i) => positionOf(grid, i));
  const [first, last] = [Math.min(...places) / MARGIN, Math.max(...places) * MARGIN];
  const axis = logAxis(first, last, [], grid.column_label);
  let before = -Infinity;
  for (const [i, column] of grid.columns.entries()) {
    const here = axis.place(places[i]) * (width - 62);
    if (here - before < LEAST_BETWEEN_TICKS) continue;
    axis.ticks.push([places[i], String(column)]);
    before = here;
  }
  return axis;
}

function ratioAxis(values) {
  const top = Math.max(1000, ...values.map(({ mean }) => mean));
  const ticks = [1, 10, 100, 1000, ...(top > 5000 ? [Math.round(top)] : [])];
  const axis = logAxis(1, top, ticks, "ratio");
  return { ...axis, place: (value) => axis.place(Math.max(1, value)) };
}

function measureAxis(grid, measures, values) {
  if (measures.length === 1) return shareAxis(values, measures[0].label.toLowerCase());
  return shareAxis(values, "drop of accuracy", -Math.max(...grid.cells.map(({ floor }) => floor)));
}

function floorBand(grid, { left, top }) {
  const floors = grid.columns.map((column, i) => {
    return [positionOf(grid, i), grid.cells.find((cell) => cell.column === column).floor];
  });
  const [first, last] = [floors[0], floors.at(-1)];
  const wide = [[first[0] / MARGIN, first[1]], ...floors, [last[0] * MARGIN, last[1]]];
  const upper = wide.map(([place, floor]) => [left(place), top(floor)]);
  const lower = wide.map(([place, floor]) => [left(place), top(-floor)]).reverse();
  return s("path", { class: "floor-band", d: `${path([...upper, ...lower])}Z` });
}
