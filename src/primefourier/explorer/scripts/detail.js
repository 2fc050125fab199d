// What is known of one cell: its numbers, profile and training curves, or how to measure it.

import { h } from "./dom.js";
import { closeCell, configurationOf } from "./cell.js";
import { cellCommand, commandBox } from "./command.js";
import { converged, trainingCurves } from "./curves.js";
import { stateWords } from "./heatmap.js";
import { accuracyOf, dropsOf, measureOf } from "./measures.js";
import { profile } from "./profile.js";
import { count, decimals, percent, withInterval } from "./scale.js";
import { openable, simpleTable } from "./table.js";

const P_VALUES =
  "Relevant rows are in bold. p: how likely so uneven a change would be if the row did not matter " +
  "(answers lost against answers gained), which can be tiny also below the noise floor.";
const LARGEST_SEED = 2n ** 63n - 1n;

// Make the panel of a cell. Its heading takes the focus.
export function detailPanel(run, { grid, cell }) {
  const heading = h("h3", { id: "detail-title", tabindex: "-1" }, `${grid.title}: ${configurationOf(grid, cell)}`);
  const close = h("button", { type: "button", class: "close", onclick: closeCell }, "Close");
  const element = h(
    "div",
    { class: "card detail", role: "region", "aria-labelledby": "detail-title" },
    h("div", { class: "part-head detail-head" }, heading, close),
    cell.state === "measured" ? [h("p", {}, inWords(grid, cell)), facts(grid, cell)] : unmeasured(run, grid, cell),
    cell.runs.length ? models(grid, cell) : null,
    cell.state === "measured" ? goFurther(run, grid, cell) : null,
  );
  element.addEventListener("keydown", (event) => event.key === "Escape" && closeCell());
  return { element, heading };
}

// Say in a sentence what the two drops mean.
function inWords(grid, cell) {
  const { on, off, floor } = cell;
  const exp2 = grid.experiment === "exp2";
  const left = cell.degenerate ? " No answer wraps around here, so this configuration is left out." : "";
  const own = exp2 ? "the row of a prime factor of N" : "the row of the task prime";
  if (!on || !off) {
    const rows = on ? "There is no other row" : "No row belongs to a prime factor of N";
    return `${rows}, so there is nothing to compare.${left}`;
  }
  const below = Math.abs(off.mean) < floor ? "less" : "more";
  return (
    `Zeroing ${own} ${change(on.mean)} of test accuracy; zeroing another row ${change(off.mean)}, ` +
    `${below} than the noise floor of ${decimals(floor)}.${left}`
  );
}

function change(drop) {
  return `${drop < 0 ? "gains" : "costs"} ${decimals(Math.abs(drop))}`;
}

function facts(grid, cell) {
  const pairs = [
    [`${grid.on_name} drop`, cell.on && withInterval(cell.on)],
    [`${grid.off_name} drop`, cell.off && withInterval(cell.off, 4)],
    ["ratio", measureOf("ratio").read(cell) && measureOf("ratio").tell(cell)],
    ["noise floor", decimals(cell.floor, 4)],
    ["test accuracy", cell.accuracy && withInterval(cell.accuracy, 4)],
    [`converged (above ${grid.threshold})`, cell.converged === null ? null : percent(cell.converged)],
    ["models", `${cell.models.measured} of ${cell.models.planned}`],
    [cell.seeds.length > 1 ? "seeds" : "seed", cell.seeds.join(", ")],
  ];
  const shown = pairs.map(([name, value]) =>
    h("div", {}, h("dt", {}, name), h("dd", { class: "number" }, value ?? "—")),
  );
  const note = cell.seeds.length > 1 ? h("p", { class: "small muted" }, "± is the 95 % interval over seeds.") : null;
  return [h("dl", { class: "facts" }, shown), note];
}

// Say why there is no value, and give the command that would make one.
function unmeasured(run, grid, cell) {
  const { planned, measured, failed } = cell.models;
  const name = configurationOf(grid, cell);
  const all = count(planned, "model");
  const some = `${measured} of the ${all} of ${name} ${measured === 1 ? "is" : "are"} measured`;
  const sentences = {
    missing: `${name} has not been asked for. This command measures it and adds it to this run:`,
    waiting: `${name} is asked for, but none of its ${all} is measured yet. This command measures it:`,
    partial:
      `${some}${failed ? `, ${failed} failed` : ""}. A value needs all models of a seed. ` +
      "This command measures the rest:",
    failed: `${name} failed: ${failed} of ${all}. This command tries again:`,
  };
  const why = failed ? h("p", {}, h("a", { href: "#failures" }, "See what went wrong"), ".") : null;
  const wrap = cell.degenerate ? h("p", {}, `Note: ${stateWords(cell)[1]} of the heatmaps.`) : null;
  return [h("p", {}, sentences[cell.state]), commandBox(cellCommand(run, grid, cell)), why, wrap];
}

// The models: profile, curves and raw numbers, of all seeds or of one.
function models(grid, cell) {
  const seeds = [...new Set(cell.runs.map((model) => model.seed))];
  const place = h("div", { class: "detail-charts" });
  const show = (chosen) => {
    const shown = chosen === "all" ? cell.runs : cell.runs.filter((model) => String(model.seed) === chosen);
    place.replaceChildren(
      h("div", {}, h("h4", {}, "Ablation profile"), profile(shown, grid, cell)),
      h("div", {}, h("h4", {}, "Training curves"), trainingCurves(shown, grid)),
    );
  };
  show("all");
  const options = [["all", `all ${seeds.length}`], ...seeds.map((seed) => [String(seed), String(seed)])];
  const select = h(
    "select",
    { onchange: (event) => show(event.target.value) },
    options.map(([value, text]) => h("option", { value }, text)),
  );
  const picker = h("label", {}, "Seeds shown ", select);
  return [seeds.length > 1 ? picker : null, place, rawNumbers(grid, cell)];
}

// Every model's own numbers at full precision.
function rawNumbers(grid, cell) {
  const whose = cell.runs.length === 1 ? "its model" : `all ${cell.runs.length} models`;
  return openable(`The numbers of ${whose}`, () => rawTable(grid, cell), { class: "raw" });
}

function rawTable(grid, cell) {
  const primes = cell.runs[0].primes;
  const lines = cell.runs.map((model) => {
    const marks = { "data-modulus": model.modulus, "data-seed": model.seed };
    const accuracy = accuracyOf(model);
    const drops = dropsOf(model);
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, String(model.modulus)),
      [model.seed, model.test, model.correct].map((value) => h("td", {}, String(value))),
      h("td", { ...marks, "data-measure": "accuracy", "data-value": accuracy }, decimals(accuracy, 4)),
      h("td", {}, converged(model, grid) ? "yes" : "no"),
      h("td", {}, decimals(model.seconds, 1)),
      primes.map((prime, i) => {
        const kind = model.relevant.includes(prime) ? "relevant" : null;
        const [drop, p] = [decimals(drops[i], 4), model.p_values[i]];
        const sure = h("small", { class: "muted", "data-p": p }, ` p ${writeP(p)}`);
        return h("td", { ...marks, class: kind, "data-prime": prime, "data-value": drops[i] }, drop, sure);
      }),
    );
  });
  const names = ["modulus", "seed", "test pairs", "correct", "accuracy", "converged", "seconds"];
  const columns = [...names, ...primes.map((prime) => `drop of ${prime}`)];
  return simpleTable({ class: "numbers" }, h("caption", {}, P_VALUES), columns, lines);
}

function writeP(p) {
  if (p === 0) return "< 1e−300"; // smaller than a float can be
  return p >= 0.001 ? decimals(p) : p.toExponential(0).replace("-", "−");
}

// Offer the models that are missing, or else more seeds.
function goFurther(run, grid, cell) {
  const { planned, measured } = cell.models;
  if (measured < planned) {
    const text =
      `${measured} of ${count(planned, "model")} are measured; seeds that are not whole do not count. ` +
      "This command measures the rest:";
    return [h("p", { class: "small" }, text), commandBox(cellCommand(run, grid, cell))];
  }
  const first = BigInt(cell.seeds[0]);
  if (cell.seeds.length > 1 || first + 2n > LARGEST_SEED) return null;
  const seeds = [first, first + 1n, first + 2n].map(String);
  return h(
    "details",
    {},
    h("summary", {}, "With error bars"),
    h("p", { class: "small" }, "Two more seeds give this configuration a 95 % interval:"),
    commandBox(cellCommand(run, grid, cell, seeds)),
  );
}
