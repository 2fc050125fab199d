// The ablation profile of a cell: what zeroing each prime's row costs.

import { h, s } from "./dom.js";
import { frame, linearAxis, responsive } from "./chart.js";
import { dropsOf, meanOf, measureOf } from "./measures.js";
import { count, css, decimals, inkOn } from "./scale.js";
import { simpleTable } from "./table.js";

const HEIGHT = 300;

// Make the profile of some models: a matrix where there is a model for each task prime, else bars.
export function profile(models, grid, cell) {
  return grid.experiment === "exp2" ? bars(models, cell) : matrix(models, grid, cell);
}

// Task prime × zeroed row, means over seeds; the row of the task prime itself is framed.
function matrix(models, grid, cell) {
  const primes = models[0].primes;
  const { scale } = measureOf("on");
  const lines = primes.map((task) => {
    const drops = models.filter((model) => model.modulus === task).map(dropsOf);
    const values = primes.map((prime, i) => {
      const own = prime === task ? "diagonal" : "";
      if (!drops.length) return h("td", { class: `none ${own}`, "aria-label": "not measured" }, "–");
      const drop = meanOf(drops.map((one) => one[i]));
      const color = scale.color(drop);
      return h("td", { class: own, style: { "background-color": css(color), color: inkOn(color) } }, decimals(drop, 2));
    });
    return h("tr", {}, h("th", { scope: "row" }, String(task)), values);
  });
  const seeds = new Set(models.map((model) => model.seed)).size;
  const mean = seeds > 1 ? `, mean of ${count(seeds, "seed")}` : "";
  const words =
    `Drop of test accuracy when the row of one prime is zeroed, for each task prime${mean}. ` +
    `The ${grid.on_name} is framed; noise floor ${decimals(cell.floor)}.`;
  const look = {
    class: primes.length > 10 ? "profile-matrix many" : "profile-matrix",
    "aria-labelledby": "profile-words",
  };
  const table = simpleTable(look, null, ["task \\ row", ...primes.map(String)], lines);
  return h(
    "div",
    {},
    h("p", { class: "small muted", id: "profile-words" }, words),
    h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Ablation profile" }, table),
  );
}

// A bar for each row, a point for each seed.
function bars(models, cell) {
  const { primes, relevant } = models[0];
  const drops = models.map(dropsOf);
  const rows = primes.map((prime, i) => {
    const seeds = drops.map((one) => one[i]);
    return { prime, seeds, mean: meanOf(seeds), factor: relevant.includes(prime) };
  });
  const factors = relevant.length
    ? `Filled bars: the prime factors of N that have a row (${relevant.join(", ")}).`
    : "No row belongs to a prime factor of N.";
  const seeds = models.length > 1 ? ` Bars are means over ${count(models.length, "seed")}, points the seeds.` : "";
  const words = `Drop of test accuracy when the row of one prime is zeroed. ${factors}${seeds} Grey band: noise floor.`;
  const chart = responsive((width) => drawBars(rows, cell.floor, width));
  return h("div", {}, h("p", { class: "small muted" }, words), chart);
}

function drawBars(rows, floor, width) {
  const all = rows.flatMap((row) => row.seeds);
  const [least, most] = [Math.min(0, -floor, ...all), Math.max(0.2, ...all)];
  const [low, high] = [Math.floor(least * 20) / 20, Math.ceil(most * 10) / 10 + 0.06]; // room for the numbers
  const x = { place: (i) => (i + 0.5) / rows.length, ticks: [], label: "zeroed row (prime)" };
  const y = linearAxis(low, high, 0.2, "drop of accuracy", (value) => decimals(value, 1));
  const told = rows.map(({ prime, mean, factor }) => `${prime}: ${decimals(mean)}${factor ? " (factor)" : ""}`);
  const label = `Drop of test accuracy when a row is zeroed, by prime: ${told.join(", ")}`;
  const drawn = frame({ width, height: HEIGHT, x, y, label });
  const { plot, top, start, right, inner } = drawn;
  const band = { x: start, width: right - start, y: top(floor), height: top(-floor) - top(floor) };
  plot.append(
    s("rect", { class: "floor-band", ...band }),
    s("line", { class: "axis", x1: start, x2: right, y1: top(0), y2: top(0) }),
    ...rows.flatMap((row, i) => oneBar(row, i, Math.min(56, (0.66 * inner.width) / rows.length), drawn)),
  );
  return drawn.svg;
}

function oneBar({ prime, seeds, mean, factor }, i, wide, { left, top, bottom }) {
  const [middle, from, to] = [left(i), top(Math.max(0, mean)), top(Math.min(0, mean))];
  const box = { x: middle - wide / 2, width: wide, y: from, height: Math.max(1, to - from) };
  const text = { x: middle, "text-anchor": "middle" };
  const points = seeds.length > 1 ? seeds : [];
  return [
    s("rect", { class: factor ? "bar factor" : "bar", ...box }),
    s("text", { class: factor ? "tick factor" : "tick", ...text, y: bottom + 17 }, String(prime)),
    s("text", { class: "tick", ...text, y: top(Math.max(0, ...seeds)) - 8 }, decimals(mean, wide < 30 ? 2 : 3)),
    ...points.map((drop) => s("circle", { class: "seed-point", cx: middle, cy: top(drop), r: 2.6 })),
  ];
}
