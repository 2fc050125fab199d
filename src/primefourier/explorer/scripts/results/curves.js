// The training curves of a cell's models: test accuracy after each epoch. Pointing at a curve or at
// a name brings it forward and shows its numbers.

import { frame, linearAxis, responsive } from "../charts/chart.js";
import { h, s } from "../page/dom.js";
import { explain, hideTooltip, showTooltip, tooltipLines } from "../page/tooltip.js";
import { count, decimals } from "../page/writing.js";
import { hasOneModel } from "./cell.js";
import { accuracyOf, converged } from "./measures.js";

const HEIGHT = 300;
const COLORS = 8;
const DASHES = ["", "dashed", "dotted"]; // for names beyond the eight colours
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]; // epochs between ticks

// Make the chart of some models. Models with the same name share a colour, unless all do.
export function trainingCurves(models, grid) {
  const bySeed = hasOneModel(grid);
  const nameOf = (model) => (bySeed ? `seed ${model.seed}` : fullName(model, grid));
  const lines = [...new Set(models.map(nameOf))].map((name, i) => ({
    name,
    look: `stroke series-${i % COLORS} ${DASHES[Math.floor(i / COLORS) % DASHES.length]}`,
    models: models.filter((model) => nameOf(model) === name),
    group: null, // what is drawn of it now
  }));
  const emphasise = (chosen) => {
    const lookOf = (line) => (chosen === null ? "" : line === chosen ? "strong" : "faded");
    for (const line of lines) line.group?.setAttribute("class", lookOf(line));
  };
  const good = models.filter((model) => converged(model, grid)).length;
  const label = `Training curves of ${count(models.length, "model")}; ${good} converged`;
  const x = epochAxis(Math.max(...models.map((model) => model.curve.length)));
  const y = linearAxis(0, 1, 0.2, "test accuracy", (value) => decimals(value, 1));
  const chart = responsive((width) => {
    const drawn = frame({ width, height: HEIGHT, x, y, label });
    for (const line of lines) {
      const curves = line.models.map((model) => drawCurve(model, line, grid, drawn, emphasise));
      line.group = s("g", {}, curves);
    }
    drawn.plot.append(...lines.map(({ group }) => group), ...threshold(grid, drawn));
    return drawn.svg;
  });
  const names = lines.map((line) => h("li", {}, legendButton(line, grid, emphasise)));
  const legend = h("ul", { class: "legend", "aria-label": "Models" }, names);
  return h("div", { class: "curves" }, chart, legend);
}

function fullName(model, grid) {
  const symbol = grid.model_name || grid.row_name;
  return symbol.length === 1 ? `${symbol} = ${model.name}` : model.name;
}

// Make an axis of epochs, with ticks at the first epoch and at round numbers.
function epochAxis(last) {
  const step = STEPS.find((one) => last / one <= 8) ?? last;
  const axis = linearAxis(1, Math.max(2, last), step, "epoch");
  if (axis.ticks[0][0] !== 1) axis.ticks.unshift([1, "1"]);
  return axis;
}

// Draw the curve of one model, with a wide invisible one above it that the pointer finds.
function drawCurve(model, line, grid, { svg, left, top }, emphasise) {
  const places = model.curve.map((correct, i) => [left(i + 1), top(correct / model.test)]);
  const steps = places.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`);
  const d = steps.join("") + (places.length === 1 ? "h0.01" : ""); // round line ends make it a dot
  const reach = s("path", { class: "hit-line", d });
  reach.addEventListener("pointermove", (event) => {
    const edge = svg.getBoundingClientRect();
    const distances = places.map(([x]) => Math.abs(edge.left + x - event.clientX));
    const epoch = distances.indexOf(Math.min(...distances));
    const [x, y] = places[epoch];
    emphasise(line);
    const around = new DOMRect(edge.left + x, edge.top + y, 0, 0);
    showTooltip(reach, describe(model, grid, epoch), around);
  });
  reach.addEventListener("pointerleave", () => {
    emphasise(null);
    hideTooltip(reach);
  });
  return [s("path", { class: line.look, d }), reach];
}

function threshold(grid, { top, start, right }) {
  const [y, words] = [top(grid.threshold), `converged above ${decimals(grid.threshold, 2)}`];
  return [
    s("line", { class: "threshold", x1: start, x2: right, y1: y, y2: y }),
    s("text", { class: "tick halo", x: right, y: y + 14, "text-anchor": "end" }, words),
  ];
}

function legendButton(line, grid, emphasise) {
  const box = { viewBox: "-14 -7 28 14", width: 28, height: 14, "aria-hidden": "true" };
  const sample = s("svg", box, s("line", { class: line.look, x1: -13, x2: 13 }));
  const button = h("button", { type: "button", class: "plain" }, sample, line.name);
  for (const event of ["pointerenter", "focus"]) {
    button.addEventListener(event, () => emphasise(line));
  }
  for (const event of ["pointerleave", "blur"]) {
    button.addEventListener(event, () => emphasise(null));
  }
  explain(button, () => line.models.flatMap((model) => describe(model, grid)));
  return button;
}

// Describe a model in a tooltip, and perhaps its accuracy after one epoch.
function describe(model, grid, epoch = null) {
  const first = model.curve.findIndex((correct) => correct / model.test > grid.threshold);
  const here = epoch === null ? null : decimals(model.curve[epoch] / model.test, 4);
  return tooltipLines(`${fullName(model, grid)}, seed ${model.seed}`, [
    ...(here ? [[`after epoch ${epoch + 1}`, here]] : []),
    ["after the last epoch", decimals(accuracyOf(model), 4)],
    ["converged", first < 0 ? "never" : `after epoch ${first + 1}`],
  ]);
}
