// Try your own: choose what to train, and take the command with you.

import { announce, h } from "./dom.js";
import { choiceGroup } from "./choice.js";
import { commandBox, commandLine, folderWord } from "./command.js";
import { EMBEDDINGS, countModels, ownCommand, paperValues, readSettings, remarks } from "./own_settings.js";
import { get, watch } from "./state.js";

const EXPERIMENTS = [
  ["exp1", "Experiment 1"],
  ["control", "Control"],
  ["exp2", "Experiment 2"],
];
const FIELDS = [
  ["sizes", "Numbers of primes |P|"],
  ["moduli", "Moduli N"],
  ["ranges", "Input ranges r"],
  ["seeds", "Seeds"],
  ["primes", "Primes, one row each"],
];
const BEGIN = { sizes: "4", moduli: "45, 175", ranges: "100, 1000", seeds: "42, 43, 44" };

const INTRODUCTION =
  "Other moduli, ranges, seeds, primes or operations: choose, copy the command, run it. " +
  "An empty field is as in the paper.";

// Make the section; it needs no run.
export function ownSection(data) {
  const folder = data.run?.folder ?? "results/mine";
  return h(
    "section",
    { id: "own", "aria-labelledby": "own-title" },
    h("header", {}, h("h2", { id: "own-title" }, "Try your own"), h("p", { class: "prose muted" }, INTRODUCTION)),
    h("div", { class: "own" }, form(folder), asShown()),
  );
}

function form(folder) {
  const chosen = { experiment: "exp1" };
  const output = h("div", { class: "own-command", "aria-live": "polite" });
  const fields = Object.fromEntries(FIELDS.map(([name, label]) => [name, textField(name, label, () => update())]));
  const operation = selectField("operation", "Operation", ["add", "subtract", "multiply"], () => update());
  const embedding = selectField("embedding", "What is shuffled", EMBEDDINGS, () => update());
  const choice = choiceGroup("Experiment", EXPERIMENTS, (experiment) => {
    chosen.experiment = experiment;
    update();
  });
  const update = () => {
    const { experiment } = chosen;
    const paper = paperValues(experiment);
    choice.show(experiment);
    embedding.element.hidden = experiment !== "control";
    for (const [name, field] of Object.entries(fields)) {
      field.element.hidden = !(name in paper);
      if (name in paper) field.input.placeholder = paper[name].join(", ");
    }
    const typed = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.input.value]));
    const { values, problems } = readSettings(experiment, typed);
    for (const [name, field] of Object.entries(fields)) field.complain(problems[name] ?? "");
    if (Object.keys(problems).length) {
      output.replaceChildren(h("p", { class: "muted" }, "The command appears when every field is right."));
      return;
    }
    const settings = { operation: operation.input.value, embedding: embedding.input.value, folder };
    output.replaceChildren(...result(experiment, values, settings));
  };
  const element = h(
    "form",
    { class: "card own-form", "aria-label": "Your own experiment", onsubmit: (event) => event.preventDefault() },
    choice.element,
    h(
      "div",
      { class: "own-fields" },
      [...Object.values(fields), operation, embedding].map((field) => field.element),
    ),
    output,
  );
  update();
  return element;
}

function result(experiment, values, settings) {
  const models = countModels(values);
  const command = ownCommand(experiment, values, settings);
  const report = commandLine(["pfe", "report", folderWord(settings.folder), "--open"]);
  const written = `${models.toString().replace(/\B(?=(\d{3})+$)/g, " ")} ${models === 1n ? "model" : "models"}`;
  return [
    h("p", {}, "This trains ", h("strong", {}, written), "; what is measured already is not trained again."),
    ...remarks(values, settings.operation).map((text) => h("p", { class: "small remark" }, text)),
    commandBox(command, "Copy the command that trains"),
    h("p", { class: "label" }, "First see how long it will take:"),
    commandBox(`${command} --plan`, "Copy the command that plans"),
    h("p", { class: "label" }, "Afterwards, write this page again:"),
    commandBox(report, "Copy the command that reports"),
  ];
}

function textField(name, label, update) {
  const [id, problemId] = [`own-${name}`, `own-${name}-problem`];
  const manners = { inputmode: "numeric", autocomplete: "off", spellcheck: "false", "aria-describedby": problemId };
  const input = h("input", { type: "text", id, value: BEGIN[name] ?? "", oninput: update, ...manners });
  const problem = h("p", { class: "problem", id: problemId });
  const complain = (text) => {
    if (text && text !== problem.textContent) announce(text);
    problem.textContent = text;
    input.setAttribute("aria-invalid", String(Boolean(text)));
  };
  return { element: h("div", { class: "field" }, h("label", { for: id }, label), input, problem), input, complain };
}

function selectField(name, label, options, update) {
  const id = `own-${name}`;
  const input = h(
    "select",
    { id, onchange: update },
    options.map((option) => h("option", { value: option }, option)),
  );
  return { element: h("div", { class: "field" }, h("label", { for: id }, label), input), input };
}

// The commands for what the circles and channels above show now.
function asShown() {
  const place = h("div", { class: "own-command" });
  const card = h("div", { class: "card" }, h("h3", {}, "What the page shows now"), place);
  watch(["a", "b", "n", "operation", "factors"], () => {
    const [a, b, n] = [get("a"), get("b"), get("n")];
    card.hidden = get("factors")?.rest !== 1n; // both commands need the factors of N
    if (card.hidden) return;
    const circles = commandLine(["pfe", "circles", a, b, "--modulus", n, "--out", "circles.png"]);
    const sums = get("operation") === "add"; // which alone it draws
    place.replaceChildren(
      ...(sums ? [h("p", { class: "label" }, "The circles as a picture:")] : []),
      ...(sums ? [commandBox(circles, "Copy the command for the circles")] : []),
      h("p", { class: "label" }, "Which channels matter modulo N:"),
      commandBox(commandLine(["pfe", "plan", n]), "Copy the command for the channels"),
    );
  });
  return card;
}
