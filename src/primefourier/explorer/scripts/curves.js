// The training curves of a cell's models: test accuracy after each epoch, a line for each model.

import { h, s } from "./dom.js";
import { epochAxis, frame, linearAxis, path, seriesClass } from "./chart.js";
import { accuracyOf } from "./measures.js";
import { count, decimals } from "./scale.js";
import { lineChart, nearest } from "./series.js";
import { hideTooltip, showTooltip, tooltipLines } from "./tooltip.js";

const HEIGHT = 300;

// Make the chart of some models; lines of one task prime share a colour, seeds stand side by side.
export function trainingCurves(models, grid) {
  const bySeed = grid.experiment === "exp2"; // where all models have the same modulus
  const nameOf = (model) => (bySeed ? `seed ${model.seed}` : `p = ${model.modulus}`);
  const lines = [...new Set(models.map(nameOf))].map((name, i) => {
    const named = models.filter((model) => nameOf(model) === name);
    return {
      key: name,
      name,
      sample: s("line", { class: `stroke ${seriesClass(i)} ${dash(i)}`, x1: -13, x2: 13 }),
      tell: () => named.flatMap((model) => tell(model, grid)),
      draw: (drawn, emphasise) => named.map((model) => curve(model, i, drawn, grid, emphasise)),
    };
  });
  const over = (drawn) => threshold(grid, drawn);
  const drawing = lineChart("Models", lines, (width) => axes(models, grid, width), { over });
  return h("div", { class: "curves" }, drawing.chart, drawing.legend);
}

function threshold(grid, { top, start, right }) {
  const [y, words] = [top(grid.threshold), `converged above ${decimals(grid.threshold, 2)}`];
  return [
    s("line", { class: "threshold", x1: start, x2: right, y1: y, y2: y }),
    s("text", { class: "tick halo", x: right, y: y + 14, "text-anchor": "end" }, words),
  ];
}

function axes(models, grid, width) {
  const x = epochAxis(1, Math.max(...models.map((model) => model.curve.length)));
  const y = linearAxis(0, 1, 0.2, "test accuracy", (value) => decimals(value, 1));
  const good = models.filter((model) => converged(model, grid)).length;
  const label = `Training curves of ${count(models.length, "model")}, of which ${good} converged`;
  return frame({ width, height: HEIGHT, x, y, label });
}

function curve(model, i, { left, top, svg }, grid, emphasise) {
  const places = model.curve.map((correct, epoch) => [left(epoch + 1), top(correct / model.test)]);
  const d = path(places);
  const drawn = s("path", { class: `stroke ${seriesClass(i)} ${dash(i)}`, d });
  const line = s("g", {}, drawn, s("path", { class: "hit-line", d }));
  line.addEventListener("pointermove", (event) => {
    const { left: edge, top: above } = svg.getBoundingClientRect();
    const across = places.map(([x]) => x);
    const epoch = nearest(across, event.clientX - edge);
    emphasise(true);
    const around = new DOMRect(edge + places[epoch][0], above + places[epoch][1], 0, 0);
    showTooltip(line, tell(model, grid, epoch), around);
  });
  line.addEventListener("pointerleave", () => {
    emphasise(false);
    hideTooltip(line);
  });
  return line;
}

function tell(model, grid, epoch = null) {
  const name = `${grid.experiment === "exp2" ? "N" : "p"} = ${model.modulus}, seed ${model.seed}`;
  const first = model.curve.findIndex((correct) => correct / model.test > grid.threshold);
  const pairs = [
    ["after the last epoch", decimals(accuracyOf(model), 4)],
    ["converged", first < 0 ? "never" : `after epoch ${first + 1}`],
  ];
  if (epoch !== null) pairs.unshift([`after epoch ${epoch + 1}`, decimals(model.curve[epoch] / model.test, 4)]);
  return tooltipLines(name, pairs);
}

// Tell whether a model's accuracy ever exceeded the threshold.
export function converged(model, grid) {
  return Math.max(...model.curve) / model.test > grid.threshold;
}

function dash(i) {
  return ["", "dashed", "dotted"][Math.floor(i / 8) % 3];
}
