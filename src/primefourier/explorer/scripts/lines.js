// The lines over r: how a measure, or both drops, change with the input range, a line for each row.

import { h, s } from "./dom.js";
import { cellKey, configurationOf, findCell } from "./cell.js";
import { frame, logAxis, path, shareAxis } from "./chart.js";
import { stateChoice } from "./choice.js";
import { lineCard } from "./line_card.js";
import { isShown, measureOf, nothingShown } from "./measures.js";
import { decimals } from "./scale.js";
import { aside, lineChart, markedLine, sampleOf } from "./series.js";
import { get, set, watch } from "./state.js";
import { simpleTable } from "./table.js";
import { tooltipLines } from "./tooltip.js";

const HEIGHT = 380;
const LEAST_BETWEEN_TICKS = 36;

// Make the part that shows the lines of one grid, chosen by its title; `shown` tells which there are.
export function linesPart(run, shown) {
  const titles = run.grids.map((grid, i) => [i, grid.title]).filter(([i]) => shown[i]);
  const choice = stateChoice("Lines of", "linesGrid", titles);
  const card = lineCard("The lines over r", [choice], ["linesGrid", "measure"], () => {
    const grid = run.grids[get("linesGrid")];
    const keys = get("measure") === "on" || get("measure") === "off" ? ["on", "off"] : [get("measure")];
    const measures = keys.map(measureOf);
    return {
      text: [explanation(grid, measures)],
      drawing: grid.cells.some((cell) => hasAny(cell, measures)) ? drawLines(grid, measures) : null,
      nothing: nothingShown(grid),
      table: () => numbersOf(grid, measures),
    };
  });
  watch(["pointed"], () => {
    const found = findCell(run, get("pointed"));
    const same = found && found.grid.row_name === run.grids[get("linesGrid")].row_name;
    card.emphasise(same ? found.cell.row : null);
  });
  return card.element;
}

function hasAny(cell, measures) {
  return measures.some((measure) => isShown(cell, measure));
}

function explanation(grid, measures) {
  if (measures.length > 1) {
    return (
      `Solid: ${grid.on_name} drop. Dashed: ${grid.off_name} drop. ` +
      "The grey band is the paper’s noise floor, below which it calls a drop indistinguishable from zero."
    );
  }
  const bounds = measures[0].key === "ratio" ? " Hollow marks are lower bounds." : "";
  return `${measures[0].meaning}${bounds}`;
}

function drawLines(grid, measures) {
  const shown = grid.rows.filter((row) => grid.cells.some((cell) => cell.row === row && hasAny(cell, measures)));
  const lines = shown.map((row, place) => {
    const i = grid.rows.indexOf(row);
    const name = `${grid.row_name} = ${row}`;
    return {
      key: row,
      name,
      sample: sampleOf(i),
      tell: () => tooltipLines(name, valuesOf(grid, row, measures)),
      draw: (drawn) =>
        measures.map((measure, j) => oneLine(grid, row, i, measure, j === 1, drawn, aside(place, shown.length))),
    };
  });
  const under = (drawn) => (measures.length > 1 ? [floorBand(grid, drawn)] : []);
  return lineChart("Lines", lines, (width) => axes(grid, measures, width), { under });
}

function axes(grid, measures, width) {
  const cells = grid.cells.filter((cell) => hasAny(cell, measures));
  const values = cells.flatMap((cell) => measures.map((measure) => measure.read(cell)).filter(Boolean));
  const [first, last] = [Math.min(...grid.ranges) / 1.12, Math.max(...grid.ranges) * 1.12];
  const x = logAxis(first, last, [], "input range r");
  let before = -Infinity;
  for (const range of grid.ranges) {
    const here = x.place(range) * (width - 62);
    if (here - before < LEAST_BETWEEN_TICKS) continue;
    x.ticks.push([range, String(range)]);
    before = here;
  }
  let y;
  if (measures[0].key === "ratio") {
    const top = Math.max(1000, ...values.map((value) => value.mean));
    const axis = logAxis(1, top, [1, 10, 100, 1000].concat(top > 5000 ? [Math.round(top)] : []), "ratio");
    y = { ...axis, place: (value) => axis.place(Math.max(1, value)) };
  } else {
    const floors = measures.length > 1 ? cells.map((cell) => -cell.floor) : [];
    const name = measures.length > 1 ? "drop of accuracy" : measures[0].label.toLowerCase();
    y = shareAxis(values, name, Math.min(0, ...floors));
  }
  const what = measures.map((measure) => measure.name(grid)).join(" and ");
  const label =
    `${grid.title}: ${what} against input range, a line for each ${grid.row_label}; ` +
    "the numbers are in the table below";
  return frame({ width, height: HEIGHT, x, y, label });
}

function floorBand(grid, { left, top }) {
  const floors = grid.ranges.map((range) => [range, grid.cells.find((cell) => cell.range === range).floor]);
  const [first, last] = [floors[0], floors[floors.length - 1]];
  const wide = [[first[0] / 1.12, first[1]], ...floors, [last[0] * 1.12, last[1]]];
  const upper = wide.map(([range, floor]) => [left(range), top(floor)]);
  const lower = wide.map(([range, floor]) => [left(range), top(-floor)]).reverse();
  return s("path", { class: "floor-band", d: `${path([...upper, ...lower])}Z` });
}

function oneLine(grid, row, i, measure, dashed, { left, top }, moved) {
  const found = grid.cells.filter((cell) => cell.row === row && isShown(cell, measure));
  const several = found.some((cell) => measure.read(cell).high !== null);
  const points = found.map((cell) => {
    const { mean, low, high } = measure.read(cell);
    return {
      x: left(cell.range) + (several ? moved : 0),
      y: top(mean),
      ends: high === null ? null : [top(low), top(high)],
      hollow: dashed || (measure.key === "ratio" && cell.ratio.bound),
      tell: () => tellPoint(grid, cell, measure),
      pointed: (on) => set({ pointed: on ? cellKey(get("linesGrid"), cell.row, cell.range) : null }),
    };
  });
  return markedLine(i, points, dashed);
}

function tellPoint(grid, cell, measure) {
  const pairs = [
    [measure.name(grid), measure.tell(cell)],
    ["noise floor", decimals(cell.floor, 4)],
  ];
  return tooltipLines(configurationOf(grid, cell), pairs);
}

function valuesOf(grid, row, measures) {
  const tell = (cell) => measures.map((measure) => (isShown(cell, measure) ? measure.tell(cell) : "—")).join("  /  ");
  return grid.cells.filter((cell) => cell.row === row).map((cell) => [`r = ${cell.range}`, tell(cell)]);
}

// The same numbers as a table.
function numbersOf(grid, measures) {
  const rows = grid.rows.flatMap((row) =>
    measures.map((measure) => {
      const cells = grid.cells.filter((cell) => cell.row === row);
      const values = cells.map((cell) => h("td", {}, isShown(cell, measure) ? measure.tell(cell) : "—"));
      return h("tr", {}, h("th", { scope: "row" }, `${grid.row_name} = ${row}, ${measure.name(grid)}`), values);
    }),
  );
  const columns = ["configuration", ...grid.ranges.map((range) => `r = ${range}`)];
  return simpleTable({ class: "numbers" }, h("caption", {}, grid.title), columns, rows);
}
