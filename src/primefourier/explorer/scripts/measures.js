// What a heatmap can show of each configuration: how it is called, read, coloured and written.

import { count, decimals, linearScale, logScale, percent, withInterval } from "./scale.js";

const DROP = "test accuracy that is lost when one row is zeroed in the trained network";

// The colours of the drops end where the paper's figures end.
export const MEASURES = [
  {
    key: "on",
    label: "Diagonal / factor drop",
    name: (grid) => `${grid.on_name} drop`,
    meaning:
      `The ${DROP}, for the rows that should matter: the task prime (diagonal), ` +
      "the primes that divide N (factor).",
    scale: linearScale(0, 1),
    ends: ["0", "1"],
    read: (cell) => cell.on,
    write: (cell) => decimals(cell.on.mean),
    tell: (cell) => withInterval(cell.on),
  },
  {
    key: "off",
    label: "Off-diagonal / nonfactor drop",
    name: (grid) => `${grid.off_name} drop`,
    meaning: `The ${DROP}, for the rows that should not matter: all other primes (off-diagonal, nonfactor).`,
    scale: linearScale(0, 0.5),
    ends: ["0", "0.5 or more"],
    read: (cell) => cell.off,
    write: (cell) => decimals(cell.off.mean),
    tell: (cell) => withInterval(cell.off, 4),
  },
  {
    key: "ratio",
    label: "Ratio",
    name: () => "specialisation ratio",
    meaning:
      "How many times larger the first drop is than the second. " +
      "Where the second is below the noise floor, only a lower bound is known: “> 71”.",
    scale: logScale(1, 1000),
    ends: ["1 or less", "1000 or more"],
    read: (cell) => (hasRatio(cell) ? { mean: cell.ratio.value, low: null, high: null } : null),
    write: (cell) => cell.ratio.text.replace("-", "−"),
    tell: (cell) => cell.ratio.text.replace("-", "−"),
  },
  {
    key: "converged",
    label: "Convergence",
    name: () => "share of models that converged",
    meaning: "The share of models whose test accuracy exceeds the threshold of their experiment after some epoch.",
    scale: linearScale(0, 1),
    ends: ["none", "all"],
    read: (cell) => (cell.converged === null ? null : { mean: cell.converged, low: null, high: null }),
    write: (cell) => percent(cell.converged),
    tell: (cell) => percent(cell.converged),
  },
  {
    key: "accuracy",
    label: "Accuracy",
    name: () => "test accuracy",
    meaning: "The share of right answers on test pairs, after the last epoch.",
    scale: linearScale(0, 1),
    ends: ["0", "1"],
    read: (cell) => cell.accuracy,
    write: (cell) => decimals(cell.accuracy.mean),
    tell: (cell) => withInterval(cell.accuracy, 4),
  },
];

// A bound below 1 says nothing: then the first drop itself is below the noise floor.
function hasRatio({ ratio }) {
  return ratio !== null && !(ratio.bound && ratio.value < 1);
}

export function measureOf(key) {
  return MEASURES.find((measure) => measure.key === key);
}

// Tell whether a cell is drawn in colour: the paper leaves out those where no sum wraps around.
export function isShown(cell, measure) {
  return cell.state === "measured" && !cell.degenerate && Boolean(measure.read(cell));
}

// Say why nothing of a grid can be compared: not measured, not whole, left out, or no rows of one kind.
export function nothingShown(grid) {
  const models = grid.cells.reduce((sum, cell) => sum + cell.models.measured, 0);
  const measured = grid.cells.filter((cell) => cell.state === "measured");
  if (!models) return "Nothing measured yet.";
  if (!measured.length) return `${count(models, "model")} measured; no configuration is whole yet.`;
  if (measured.every((cell) => cell.degenerate))
    return "All that is measured is left out: no answer wraps around there.";
  return "There is nothing to compare: no configuration has rows that should matter as well as others.";
}

// Return what a model lost by zeroing each of its rows.
export function dropsOf(model) {
  return model.primes.map((_, i) => (model.lost[i] - model.gained[i]) / model.test);
}

export function accuracyOf(model) {
  return model.correct / model.test;
}

export function meanOf(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
