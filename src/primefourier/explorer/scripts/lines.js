// The lines over r: how a measure, or both drops, change with the input range, a line for each row.

import { h, s } from "./dom.js";
import { cellKey, configurationOf, findCell } from "./cell.js";
import { frame, linearAxis, logAxis, marker, path, responsive, seriesClass } from "./chart.js";
import { choiceGroup } from "./choice.js";
import { legend } from "./legend.js";
import { isShown, measureOf, nothingShown } from "./measures.js";
import { decimals } from "./scale.js";
import { get, set, watch } from "./state.js";
import { openable, simpleTable } from "./table.js";
import { hideTooltip, showTooltip, tooltipLines } from "./tooltip.js";

const HEIGHT = 380;
const LEAST_BETWEEN_TICKS = 36;

// Make the part that shows the lines of one grid, chosen by its title; `shown` tells which there are.
export function linesPart(run, shown) {
  const titles = run.grids.map((grid, i) => [i, grid.title]).filter(([i]) => shown[i]);
  const choice = choiceGroup("Lines of", titles, (linesGrid) => set({ linesGrid }));
  const [text, place, numbers] = [h("p", { class: "small muted" }), h("div", { class: "lines" }), h("div", {})];
  let drawing = null;
  watch(["linesGrid", "measure"], () => {
    const grid = run.grids[get("linesGrid")];
    const keys = get("measure") === "on" || get("measure") === "off" ? ["on", "off"] : [get("measure")];
    const measures = keys.map(measureOf);
    choice.show(get("linesGrid"));
    text.textContent = explanation(grid, measures);
    drawing = grid.cells.some((cell) => hasAny(cell, measures)) ? drawLines(grid, measures) : null;
    const nothing = h("p", { class: "nothing" }, nothingShown(grid));
    place.replaceChildren(...(drawing ? [drawing.chart, drawing.legend] : [nothing]));
    numbers.replaceChildren(...(drawing ? [numbersOf(grid, measures)] : []));
  });
  watch(["pointed"], () => {
    const found = findCell(run, get("pointed"));
    const same = found && found.grid.row_name === run.grids[get("linesGrid")].row_name;
    drawing?.emphasise(same ? found.cell.row : null);
  });
  return h(
    "div",
    { class: "card lines-part" },
    h("div", { class: "part-head" }, h("h3", {}, "The lines over r"), choice.element),
    text,
    place,
    numbers,
  );
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
  const groups = new Map();
  const emphasise = (row) => {
    const known = groups.has(row);
    for (const [other, parts] of groups) parts.setAttribute("class", known ? (other === row ? "strong" : "faded") : "");
  };
  const chart = responsive((width) => {
    groups.clear();
    const drawn = axes(grid, measures, width);
    if (measures.length > 1) drawn.plot.append(floorBand(grid, drawn));
    shown.forEach((row, place) => {
      const aside = (place - (shown.length - 1) / 2) * 2.5; // so that error bars stand side by side
      const i = grid.rows.indexOf(row);
      const parts = s(
        "g",
        {},
        measures.map((measure, j) => oneLine(grid, row, i, measure, j === 1, drawn, aside)),
      );
      groups.set(row, parts);
      drawn.plot.append(parts);
    });
    return drawn.svg;
  });
  const entries = shown
    .map((row) => [row, grid.rows.indexOf(row)])
    .map(([row, i]) => ({
      name: `${grid.row_name} = ${row}`,
      sample: [s("line", { class: `stroke ${seriesClass(i)}`, x1: -13, x2: 13 }), marker(i)],
      tell: () => tooltipLines(`${grid.row_name} = ${row}`, valuesOf(grid, row, measures)),
      emphasise: (on) => emphasise(on ? row : null),
    }));
  return { chart, legend: legend("Lines", entries), emphasise };
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
    const least = Math.min(0, ...floors, ...values.map((value) => value.low ?? value.mean));
    const most = Math.max(1, ...values.map((value) => value.high ?? value.mean));
    const name = measures.length > 1 ? "drop of accuracy" : measures[0].label.toLowerCase();
    const write = (value) => decimals(value, 1);
    y = linearAxis(Math.floor(least * 20) / 20, Math.ceil(most * 20) / 20, 0.2, name, write);
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

function oneLine(grid, row, i, measure, dashed, { left, top }, aside) {
  const found = grid.cells.filter((cell) => cell.row === row && isShown(cell, measure));
  const several = found.some((cell) => measure.read(cell).high !== null);
  const at = (cell) => [left(cell.range) + (several ? aside : 0), top(measure.read(cell).mean)];
  return [
    s("path", { class: `stroke ${seriesClass(i)} ${dashed ? "dashed" : ""}`, d: path(found.map(at)) }),
    found.map((cell) => {
      const [x, y] = at(cell);
      const { low, high } = measure.read(cell);
      const bound = measure.key === "ratio" && cell.ratio.bound;
      const look = { transform: `translate(${x} ${y})`, class: dashed || bound ? "point hollow" : "point" };
      const mark = s("g", look, marker(i), s("circle", { class: "hit", r: 11 }));
      listen(mark, grid, cell, measure);
      if (high === null) return mark;
      const ends = { x1: x, x2: x, y1: top(low), y2: top(high) };
      return [s("line", { class: `stroke thin ${seriesClass(i)}`, ...ends }), mark];
    }),
  ];
}

function listen(mark, grid, cell, measure) {
  mark.addEventListener("pointerenter", () => {
    set({ pointed: cellKey(get("linesGrid"), cell.row, cell.range) });
    const pairs = [
      [measure.name(grid), measure.tell(cell)],
      ["noise floor", decimals(cell.floor, 4)],
    ];
    showTooltip(mark, tooltipLines(configurationOf(grid, cell), pairs));
  });
  mark.addEventListener("pointerleave", () => {
    set({ pointed: null });
    hideTooltip(mark);
  });
}

function valuesOf(grid, row, measures) {
  const tell = (cell) => measures.map((measure) => (isShown(cell, measure) ? measure.tell(cell) : "—")).join("  /  ");
  return grid.cells.filter((cell) => cell.row === row).map((cell) => [`r = ${cell.range}`, tell(cell)]);
}

// The same numbers as a table.
function numbersOf(grid, measures) {
  return openable("The numbers of these lines", () => {
    const rows = grid.rows.flatMap((row) =>
      measures.map((measure) => {
        const cells = grid.cells.filter((cell) => cell.row === row);
        const values = cells.map((cell) => h("td", {}, isShown(cell, measure) ? measure.tell(cell) : "—"));
        return h("tr", {}, h("th", { scope: "row" }, `${grid.row_name} = ${row}, ${measure.name(grid)}`), values);
      }),
    );
    const columns = ["configuration", ...grid.ranges.map((range) => `r = ${range}`)];
    return simpleTable({ class: "numbers" }, h("caption", {}, grid.title), columns, rows);
  });
}
