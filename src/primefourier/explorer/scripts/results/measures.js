// What a heatmap can show of each cell: the name of a measure, its value, colours and texts.

import { linearScale, logScale } from "../charts/colors.js";
import { count, decimals, percent, withInterval } from "../page/writing.js";

const DROP = "The test accuracy that is lost when one row is zeroed in the trained network, for";

// The colour scales of the drops end where those of the paper's figures end. A measure has a short
// and a long text for each cell.
export const MEASURES = [
  {
    key: "relevant",
    label: "Drop of relevant rows",
    name: "drop of relevant rows",
    meaning: `${DROP} the relevant rows: those whose prime divides N.`,
    scale: linearScale(0, 1),
    ends: ["0", "1"],
    read: (cell) => cell.relevant,
    short: (cell) => decimals(cell.relevant.mean),
    long: (cell) => withInterval(cell.relevant),
  },
  {
    key: "other",
    label: "Drop of other rows",
    name: "drop of other rows",
    meaning: `${DROP} the other rows: those whose prime does not divide N.`,
    scale: linearScale(0, 0.5),
    ends: ["0", "0.5 or more"],
    read: (cell) => cell.other,
    short: (cell) => decimals(cell.other.mean),
    long: (cell) => withInterval(cell.other, 4),
  },
  {
    key: "ratio",
    label: "Ratio",
    name: "specialisation ratio",
    meaning:
      "How many times larger the drop of relevant rows is than that of other rows. Where the " +
      "latter is below the noise floor, only a lower bound is known: “> 71”.",
    scale: logScale(1, 1000),
    ends: ["1 or less", "1000 or more"],
    read: (cell) => (hasRatio(cell) ? { mean: cell.ratio.value, low: null, high: null } : null),
    short: (cell) => cell.ratio.text.replace("-", "−"),
    long: (cell) => cell.ratio.text.replace("-", "−"),
  },
  {
    key: "converged",
    label: "Convergence",
    name: "share of models that converged",
    meaning: "The share of models whose test accuracy exceeds the threshold after some epoch.",
    scale: linearScale(0, 1),
    ends: ["none", "all"],
    read: ({ converged }) => converged === null ? null : { mean: converged, low: null, high: null },
    short: (cell) => percent(cell.converged),
    long: (cell) => percent(cell.converged),
  },
  {
    key: "accuracy",
    label: "Accuracy",
    name: "test accuracy",
    meaning: "The share of right answers on test pairs, after the last epoch.",
    scale: linearScale(0, 1),
    ends: ["0", "1"],
    read: (cell) => cell.accuracy,
    short: (cell) => decimals(cell.accuracy.mean),
    long: (cell) => withInterval(cell.accuracy, 4),
  },
];

// A bound below 1 says nothing: the drop of relevant rows is itself below the noise floor.
function hasRatio({ ratio }) {
  return ratio !== null && !(ratio.bound && ratio.value < 1);
}

export function measureOf(key) {
  return MEASURES.find((measure) => measure.key === key);
}

// Return whether a cell has a colour. Like the paper, leave out cells where no answer wraps around.
export function isShown(cell, measure) {
  return cell.state === "measured" && !cell.degenerate && Boolean(measure.read(cell));
}

// Explain why a grid has nothing to compare.
export function nothingShown(grid) {
  const models = grid.cells.reduce((sum, cell) => sum + cell.models.measured, 0);
  const measured = grid.cells.filter((cell) => cell.state === "measured");
  if (!models) return "Nothing measured yet.";
  if (!measured.length) return `${count(models, "model")} measured; no cell is complete yet.`;
  if (measured.every((cell) => cell.degenerate)) {
    return "Every measured cell is left out: no answer wraps around there.";
  }
  return "There is nothing to compare: no cell has both relevant and other rows.";
}

// Return the drop of each row of a model.
export function dropsOf(model) {
  return model.rows.map((_, i) => (model.lost[i] - model.gained[i]) / model.test);
}

export function accuracyOf(model) {
  return model.correct / model.test;
}

// Return whether a model's accuracy ever exceeded the threshold.
export function converged(model, grid) {
  return Math.max(...model.curve) / model.test > grid.threshold;
}

export function meanOf(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
