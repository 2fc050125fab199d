// The details of one cell: its numbers, ablation profile and training curves, or why it has none.

import { h, openable, row, table } from "../page/dom.js";
import { count, decimals, writeP } from "../page/writing.js";
import { closeCell, configurationOf, stateWords } from "./cell.js";
import { trainingCurves } from "./curves.js";
import { accuracyOf, converged, dropsOf, measureOf } from "./measures.js";
import { profile } from "./profile.js";

const P_VALUES =
  "Relevant rows are in bold. p is the probability of a change at least as uneven (answers lost " +
  "against answers gained) if the row did not matter; it can be tiny even below the noise floor.";

// Make the panel of a cell. Returns { element, heading }; the heading can take the focus.
export function detailPanel({ grid, cell }) {
  const title = `${grid.title}: ${configurationOf(grid, cell)}`;
  const heading = h("h3", { id: "detail-title", tabindex: "-1" }, title);
  const close = h("button", { type: "button", class: "close", onclick: closeCell }, "Close");
  const measured = cell.state === "measured";
  const element = h(
    "div",
    { class: "card detail", role: "region", "aria-labelledby": "detail-title" },
    h("div", { class: "part-head detail-head" }, heading, close),
    measured ? [h("p", {}, summary(cell)), facts(grid, cell)] : unmeasured(grid, cell),
    cell.runs.length ? models(grid, cell) : null,
  );
  element.addEventListener("keydown", (event) => event.key === "Escape" && closeCell());
  return { element, heading };
}

// Describe both drops in a sentence.
function summary({ relevant, other, floor, degenerate }) {
  const left = degenerate ? " No answer wraps around here, so this cell is left out." : "";
  if (!relevant || !other) {
    const rows = relevant ? "There is no other row" : "No row is relevant";
    return `${rows}, so there is nothing to compare.${left}`;
  }
  const compared = Math.abs(other.mean) < floor ? "less" : "more";
  return `Zeroing a relevant row ${change(relevant.mean)} of test accuracy; zeroing another row ` +
    `${change(other.mean)}, ${compared} than the noise floor of ${decimals(floor)}.${left}`;
}

function change(drop) {
  return `${drop < 0 ? "gains" : "costs"} ${decimals(Math.abs(drop))}`;
}

function facts(grid, cell) {
  const values = (key) => measureOf(key).read(cell) && measureOf(key).long(cell);
  const pairs = [
    ["drop of relevant rows", values("relevant")],
    ["drop of other rows", values("other")],
    ["ratio", values("ratio")],
    ["noise floor", decimals(cell.floor, 4)],
    ["test accuracy", values("accuracy")],
    [`converged (above ${grid.threshold})`, values("converged")],
    ...cell.beyond.map(([where, accuracy]) => [`accuracy${where}`, decimals(accuracy, 4)]),
    ["models", `${cell.models.measured} of ${cell.models.planned}`],
    ...(cell.diverged ? [["diverged and left out", cell.diverged]] : []),
    [cell.seeds.length > 1 ? "seeds" : "seed", cell.seeds.join(", ")],
  ];
  const shown = pairs.map(([name, value]) =>
    h("div", {}, h("dt", {}, name), h("dd", { class: "number" }, value ?? "—"))
  );
  const note = h("p", { class: "small muted" }, "± is the 95 % interval over seeds.");
  return [h("dl", { class: "facts" }, shown), cell.seeds.length > 1 ? note : null];
}

// Explain why there is no value.
function unmeasured(grid, cell) {
  const { planned, measured, failed } = cell.models;
  const name = configurationOf(grid, cell);
  const all = count(planned, "model");
  const some = `${measured} of the ${all} of ${name} ${measured === 1 ? "is" : "are"} measured`;
  const sentences = {
    missing: `${name} is not planned.`,
    waiting: `${name} is planned, but none of its ${all} is measured yet.`,
    partial: `${some}${failed ? `, ${failed} failed` : ""}. A value needs all models of a seed.`,
    failed: `${name} failed: ${failed} of ${all}.`,
    diverged: `All networks of ${name} diverged: their logits are NaN.`,
  };
  const why = h("p", {}, h("a", { href: "#failures" }, "See the errors"), ".");
  const note = h("p", {}, `Note: ${stateWords(cell)[1]} of the heatmaps.`);
  return [
    h("p", {}, sentences[cell.state]),
    failed ? why : null,
    cell.degenerate ? note : null,
  ];
}

// Show the models of all seeds or of one: profile, curves and raw numbers.
function models(grid, cell) {
  const seeds = [...new Set(cell.runs.map((model) => model.seed))];
  const place = h("div", { class: "detail-charts" });
  const show = (seed) => {
    const shown = cell.runs.filter((model) => seed === "all" || String(model.seed) === seed);
    place.replaceChildren(
      h("div", {}, h("h4", {}, "Ablation profile"), profile(shown, grid, cell)),
      h("div", {}, h("h4", {}, "Training curves"), trainingCurves(shown, grid)),
    );
  };
  show("all");
  const options = [["all", `all ${seeds.length}`], ...seeds.map((seed) => [seed, String(seed)])];
  const select = h(
    "select",
    { onchange: (event) => show(event.target.value) },
    options.map(([value, text]) => h("option", { value }, text)),
  );
  const whose = cell.runs.length === 1 ? "its model" : `all ${cell.runs.length} models`;
  return [
    seeds.length > 1 ? h("label", {}, "Seeds shown ", select) : null,
    place,
    openable(`The numbers of ${whose}`, () => rawTable(grid, cell), { class: "raw" }),
  ];
}

// Make the table of every model's numbers, at full precision in its data attributes.
function rawTable(grid, cell) {
  const names = ["model", "seed", "test pairs", "correct", "accuracy", "converged", "seconds"];
  const columns = [...names, ...cell.runs[0].rows.map((name) => `drop of ${name}`)];
  const rows = cell.runs.map((model) => {
    const data = { "data-model": model.name, "data-seed": model.seed };
    const accuracy = accuracyOf(model);
    const measured = { ...data, "data-measure": "accuracy", "data-value": accuracy };
    const drops = dropsOf(model).map((drop, i) => {
      const [name, p] = [model.rows[i], model.p_values[i]];
      const kind = model.relevant.includes(name) ? "relevant" : null;
      const note = h("small", { class: "muted", "data-p": p }, ` p ${writeP(p)}`);
      const attributes = { ...data, class: kind, "data-row": name, "data-value": drop };
      return h("td", attributes, decimals(drop, 4), note);
    });
    return row(model.name, [
      ...[model.seed, model.test, model.correct].map(String),
      h("td", measured, decimals(accuracy, 4)),
      converged(model, grid) ? "yes" : "no",
      decimals(model.seconds, 1),
      ...drops,
    ]);
  });
  return table({ class: "numbers" }, P_VALUES, columns, rows);
}
