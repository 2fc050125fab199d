// The training curves of a cell's models: test accuracy after each epoch.

import { epochAxis, linearAxis } from "../charts/chart.js";
import { lineChart } from "../charts/line_chart.js";
import { h, s } from "../page/dom.js";
import { tooltipLines } from "../page/tooltip.js";
import { count, decimals } from "../page/writing.js";
import { hasOneModel } from "./cell.js";
import { accuracyOf, converged } from "./measures.js";

const DASHES = ["", "dashed", "dotted"]; // for lines beyond the eight colours

// Make the chart of some models. Models with the same name share a colour, unless all do.
export function trainingCurves(models, grid) {
  const bySeed = hasOneModel(grid);
  const nameOf = (model) => (bySeed ? `seed ${model.seed}` : fullName(model, grid));
  const epochs = Math.max(...models.map((model) => model.curve.length));
  const lines = [...new Set(models.map(nameOf))].map((name, index) => {
    const dash = DASHES[Math.floor(index / 8) % 3];
    const parts = models.filter((model) => nameOf(model) === name)
      .map((model) => ({ model, dash, values: model.curve.map((_, i) => valueAt(model, i)) }));
    return { key: name, name, index, parts };
  });
  const good = models.filter((model) => converged(model, grid)).length;
  const { chart, legend } = lineChart({
    label: `Training curves of ${count(models.length, "model")}; ${good} converged`,
    legend: "Models",
    height: 300,
    x: () => epochAxis(1, epochs),
    y: linearAxis(0, 1, 0.2, "test accuracy", (value) => decimals(value, 1)),
    points: Array.from({ length: epochs }, (_, i) => ({ at: i + 1, name: `epoch ${i + 1}` })),
    lines,
    reading: "curves",
    over: (drawn) => threshold(grid, drawn),
    describe: (line, part, value) =>
      part
        ? describe(part.model, grid, value)
        : line.parts.flatMap(({ model }) => describe(model, grid)),
  });
  return h("div", { class: "curves" }, chart, legend);
}

function fullName(model, grid) {
  const symbol = grid.model_name || grid.row_name;
  return symbol.length === 1 ? `${symbol} = ${model.name}` : model.name;
}

function valueAt(model, i) {
  const mean = model.curve[i] / model.test;
  return { mean, high: null, text: decimals(mean, 4), epoch: i + 1 };
}

function threshold(grid, { top, start, right }) {
  const [y, words] = [top(grid.threshold), `converged above ${decimals(grid.threshold, 2)}`];
  return [
    s("line", { class: "threshold", x1: start, x2: right, y1: y, y2: y }),
    s("text", { class: "tick halo", x: right, y: y + 14, "text-anchor": "end" }, words),
  ];
}

function describe(model, grid, value = null) {
  const name = `${fullName(model, grid)}, seed ${model.seed}`;
  const first = model.curve.findIndex((correct) => correct / model.test > grid.threshold);
  return tooltipLines(name, [
    ...(value ? [[`after epoch ${value.epoch}`, value.text]] : []),
    ["after the last epoch", decimals(accuracyOf(model), 4)],
    ["converged", first < 0 ? "never" : `after epoch ${first + 1}`],
  ]);
}
