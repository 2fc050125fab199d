// The ablation profile of a cell: the drop when each row is zeroed.

import { frame, linearAxis, responsive } from "../charts/chart.js";
import { css, inkOn } from "../charts/colors.js";
import { h, row, s, table } from "../page/dom.js";
import { count, decimals } from "../page/writing.js";
import { hasOneModel } from "./cell.js";
import { dropsOf, meanOf, measureOf } from "./measures.js";

const HEIGHT = 300;

// Make the profile of some models: bars where there is one per seed, else a matrix.
export function profile(models, grid, cell) {
  return hasOneModel(grid) ? bars(models, cell) : matrix(models, cell);
}

// Make the matrix of model × zeroed row, as means over seeds, with relevant rows framed.
function matrix(models, cell) {
  const names = models[0].rows;
  const { scale } = measureOf("relevant");
  const rows = [...new Set(models.map((model) => model.name))].map((task) => {
    const same = models.filter((model) => model.name === task);
    const drops = same.map(dropsOf);
    const cells = names.map((name, i) => {
      const kind = same[0].relevant.includes(name) ? "framed" : "";
      const drop = meanOf(drops.map((one) => one[i]));
      const color = scale.color(drop);
      const style = { "background-color": css(color), color: inkOn(color) };
      return h("td", { class: kind, style }, decimals(drop, 2));
    });
    return row(task, cells);
  });
  const seeds = new Set(models.map((model) => model.seed)).size;
  const mean = seeds > 1 ? `, mean of ${count(seeds, "seed")}` : "";
  const words = `Drop of test accuracy when one row is zeroed, for each model${mean}. ` +
    `Relevant rows are framed; noise floor ${decimals(cell.floor)}.`;
  const look = names.length > 10 ? "profile-matrix many" : "profile-matrix";
  const attributes = { class: look, "aria-labelledby": "profile-words" };
  const grid = table(attributes, null, ["task \\ row", ...names], rows);
  const scroll = {
    class: "scroll",
    tabindex: "0",
    role: "group",
    "aria-label": "Ablation profile",
  };
  const text = h("p", { class: "small muted", id: "profile-words" }, words);
  return h("div", {}, text, h("div", scroll, grid));
}

// Make a bar for each row, with a dot for each seed.
function bars(models, cell) {
  const { rows: names, relevant } = models[0];
  const drops = models.map(dropsOf);
  const rows = names.map((name, i) => {
    const seeds = drops.map((one) => one[i]);
    return { name, seeds, mean: meanOf(seeds), relevant: relevant.includes(name) };
  });
  const filled = relevant.length
    ? `Filled bars: relevant rows (${relevant.join(", ")}).`
    : "No row is relevant.";
  const dots = models.length > 1
    ? ` Bars are means over ${count(models.length, "seed")}, dots the seeds.`
    : "";
  const words = "Drop of test accuracy when one row is zeroed. " +
    `${filled}${dots} Grey band: noise floor.`;
  const chart = responsive((width) => drawBars(rows, cell.floor, width));
  return h("div", {}, h("p", { class: "small muted" }, words), chart);
}

function drawBars(rows, floor, width) {
  const all = rows.flatMap((one) => one.seeds);
  const low = Math.floor(Math.min(0, -floor, ...all) * 20) / 20;
  const high = Math.ceil(Math.max(0.2, ...all) * 10) / 10 + 0.06; // room for the numbers
  const x = { place: (i) => (i + 0.5) / rows.length, ticks: [], label: "zeroed row" };
  const y = linearAxis(low, high, 0.2, "drop of accuracy", (value) => decimals(value, 1));
  const texts = rows.map(({ name, mean, relevant }) => {
    return `${name}: ${decimals(mean)}${relevant ? " (relevant)" : ""}`;
  });
  const label = `Drop of test accuracy when a row is zeroed, by row: ${texts.join(", ")}`;
  const drawn = frame({ width, height: HEIGHT, x, y, label });
  const { plot, top, start, right, inner } = drawn;
  const band = { x: start, width: right - start, y: top(floor), height: top(-floor) - top(floor) };
  const wide = Math.min(56, (0.66 * inner.width) / rows.length);
  plot.append(
    s("rect", { class: "floor-band", ...band }),
    s("line", { class: "axis", x1: start, x2: right, y1: top(0), y2: top(0) }),
    ...rows.flatMap((one, i) => drawBar(one, i, wide, drawn)),
  );
  return drawn.svg;
}

function drawBar({ name, seeds, mean, relevant }, i, wide, { left, top, bottom }) {
  const [middle, from, to] = [left(i), top(Math.max(0, mean)), top(Math.min(0, mean))];
  const box = { x: middle - wide / 2, width: wide, y: from, height: Math.max(1, to - from) };
  const text = { x: middle, "text-anchor": "middle" };
  const kind = relevant ? " relevant" : "";
  const above = top(Math.max(0, ...seeds)) - 8;
  const dots = seeds.length > 1 ? seeds : [];
  return [
    s("rect", { class: `bar${kind}`, ...box }),
    s("text", { class: `tick${kind}`, ...text, y: bottom + 17 }, name),
    s("text", { class: "tick", ...text, y: above }, decimals(mean, wide < 30 ? 2 : 3)),
    ...dots.map((drop) => s("circle", { class: "seed-point", cx: middle, cy: top(drop), r: 2.6 })),
  ];
}
