// Try your own: choose what to train, and copy the command.

import { commandBox, commandLine, folderWord } from "../page/command.js";
import { choiceGroup, selectField, textField } from "../page/controls.js";
import { h } from "../page/dom.js";
import { section } from "../page/layout.js";
import { get, watch } from "../page/state.js";
import { countModels, ownCommand, readSettings, remarks } from "./own_settings.js";

const FIELDS = {
  sizes: ["Numbers of primes |P|", "4"],
  moduli: ["Moduli N", "45, 175"],
  ranges: ["Input ranges r", "100, 1000"],
  seeds: ["Seeds", "42, 43, 44"],
  primes: ["Primes, one row each", ""],
};
const INTRODUCTION =
  "Choose other moduli, ranges, seeds, primes or operations, then copy and run the command. " +
  "An empty field means the paper’s values.";

// Make the section. It needs no run.
export function ownSection(data) {
  const own = data.own.length ? form(data.own) : null;
  const parts = h("div", { class: "own" }, own, currentCommands());
  return section("own", "Try your own", INTRODUCTION, parts);
}

// Make the form; Python describes the experiments and their settings.
function form(experiments) {
  let [experiment] = experiments;
  const folder = "results/mine";
  const output = h("div", { class: "own-command", "aria-live": "polite" });
  const fields = Object.fromEntries(
    Object.entries(FIELDS).map(([name, [label, value]]) => [
      name,
      textField(`own-${name}`, label, { value, inputmode: "numeric", oninput: () => update() }),
    ]),
  );
  const operations = ["add", "subtract", "multiply"];
  const operation = selectField("own-operation", "Operation", operations, () => update());
  const shuffles = experiments.flatMap(({ embeddings }) => embeddings);
  const embedding = selectField("own-embedding", "What is shuffled", shuffles, () => update());
  const titles = experiments.map(({ name, title }) => [name, title]);
  const choice = choiceGroup("Experiment", titles, (chosen) => {
    experiment = experiments.find(({ name }) => name === chosen);
    update();
  });
  const update = () => {
    const paper = experiment.lists;
    const typed = {};
    choice.show(experiment.name);
    embedding.element.hidden = !experiment.embeddings.length;
    for (const [name, { element, input }] of Object.entries(fields)) {
      element.hidden = !(name in paper);
      if (name in paper) input.placeholder = paper[name].join(", ");
      typed[name] = input.value;
    }
    const { values, problems } = readSettings(experiment, typed);
    for (const [name, { complain }] of Object.entries(fields)) complain(problems[name] ?? "");
    const settings = { operation: operation.input.value, embedding: embedding.input.value, folder };
    const wrong = h("p", { class: "muted" }, "The command appears when every field is right.");
    const parts = Object.keys(problems).length ? [wrong] : result(experiment, values, settings);
    output.replaceChildren(...parts);
  };
  const elements = [...Object.values(fields), operation, embedding].map(({ element }) => element);
  const onsubmit = (event) => event.preventDefault();
  update();
  return h(
    "form",
    { class: "card own-form", "aria-label": "Your own experiment", onsubmit },
    choice.element,
    h("div", { class: "own-fields" }, elements),
    output,
  );
}

function result(experiment, values, settings) {
  const models = countModels(values);
  const command = ownCommand(experiment, values, settings);
  const report = commandLine(["pfe", "report", folderWord(settings.folder), "--open"]);
  const grouped = models.toString().replace(/\B(?=(\d{3})+$)/g, " ");
  const written = h("strong", {}, `${grouped} ${models === 1n ? "model" : "models"}`);
  const notes = remarks(values, settings.operation);
  return [
    h(
      "p",
      {},
      "This trains ",
      written,
      "; models that are measured already are not trained again.",
    ),
    ...notes.map((text) => h("p", { class: "small remark" }, text)),
    commandBox(command, "Copy the command that trains"),
    h("p", { class: "label" }, "To see first how long it will take:"),
    commandBox(`${command} --plan`, "Copy the command that plans"),
    h("p", { class: "label" }, "To write this page again afterwards:"),
    commandBox(report, "Copy the command that reports"),
  ];
}

// Make the card with the commands for what the circles and channels show now.
function currentCommands() {
  const place = h("div", { class: "own-command" });
  const card = h("div", { class: "card" }, h("h3", {}, "What the page shows now"), place);
  const label = (text) => h("p", { class: "label" }, text);
  watch(["a", "b", "n", "operation", "factors"], () => {
    const [a, b, n] = [get("a"), get("b"), get("n")];
    card.hidden = get("factors")?.rest !== 1n; // both commands need the factors of N
    if (card.hidden) return;
    const picture = commandLine(["pfe", "circles", a, b, "--modulus", n, "--out", "circles.png"]);
    const box = commandBox(picture, "Copy the command for the circles");
    const isSum = get("operation") === "add"; // pfe circles draws sums only
    place.replaceChildren(
      ...(isSum ? [label("The circles as a picture:"), box] : []),
      label("Which channels are relevant modulo N:"),
      commandBox(commandLine(["pfe", "plan", n]), "Copy the command for the channels"),
    );
  });
  return card;
}
