// Try your own: choose what to train, and copy the command.

import { readInteger } from "../numbers/integers.js";
import { isPrime, notPrime } from "../numbers/primes.js";
import { commandBox, commandLine, folderWord } from "../page/command.js";
import { choiceGroup, selectField, textField } from "../page/controls.js";
import { h, section } from "../page/dom.js";
import { get, watch } from "../page/state.js";

// The lists' names in messages, and their least and greatest values, as in the library.
const LISTS = {
  sizes: { noun: "sizes", least: 1n, most: null },
  moduli: { noun: "moduli", least: 2n, most: 10n ** 6n },
  ranges: { noun: "ranges", least: 2n, most: 2n ** 31n },
  seeds: { noun: "seeds", least: 0n, most: 2n ** 63n - 1n },
  primes: { noun: "primes", least: 2n, most: null },
};

// Return the paper's values, which replace empty fields.
function paperValues({ lists }) {
  const pairs = Object.entries(lists).map(([name, values]) => [name, values.map(BigInt)]);
  return Object.fromEntries(pairs);
}

// Read the typed texts. Returns { values, problems }, with a message for each wrong field.
function readSettings(experiment, typed) {
  const paper = paperValues(experiment);
  const [values, problems] = [{}, {}];
  for (const name of Object.keys(paper)) {
    if (!/[^\s,]/.test(typed[name] ?? "")) values[name] = paper[name];
    else {
      const found = readList(typed[name], LISTS[name]);
      if (found.problem) problems[name] = found.problem;
      else values[name] = found.value;
    }
  }
  const wrong = values.primes?.find((p) => isPrime(p) !== true);
  if (wrong !== undefined) problems.primes = notPrime(wrong);
  values.primes = values.primes?.toSorted((p, q) => (p < q ? -1 : 1));
  if (values.sizes && values.primes) {
    const own = typed.primes?.trim() && values.primes.length < paper.sizes.at(-1);
    if (own && !typed.sizes?.trim()) values.sizes = [BigInt(values.primes.length)]; // as pfe run does
    const large = values.sizes.find((size) => size > values.primes.length);
    if (large !== undefined) {
      problems.sizes =
        `At most the number of primes, ${values.primes.length}, got ${large}; name more primes.`;
    }
  }
  return { values, problems };
}

function readList(text, { noun, least, most }) {
  const found = [];
  for (const word of text.split(/[\s,]+/).filter(Boolean)) {
    const { value, problem } = readInteger(word);
    const got = word.trim().slice(0, 40);
    if (problem) {
      return { problem: `Integers with commas between them are required, got “${got}”.` };
    }
    if (value < least) return { problem: `At least ${least} is required, got ${value}.` };
    if (most !== null && value > most) {
      return { problem: `At most ${most} is possible, got ${value}.` };
    }
    if (found.includes(value)) {
      return { problem: `Distinct ${noun} are required, got ${value} twice.` };
    }
    found.push(value);
  }
  return { value: found };
}

// Return the number of models.
function countModels({ sizes, moduli, ranges, seeds }) {
  const rows = moduli ? BigInt(moduli.length) : sizes.reduce((sum, size) => sum + size, 0n);
  return rows * BigInt(ranges.length) * BigInt(seeds.length);
}

// Return the command, with only those options that differ from the paper.
function ownCommand(experiment, values, { operation, embedding, folder }) {
  const paper = paperValues(experiment);
  const words = ["pfe", "run", experiment.name];
  for (const name of Object.keys(paper)) {
    const text = values[name].join(",");
    const implied = name === "sizes" && values.primes.length < paper.sizes.at(-1) &&
      text === String(values.primes.length);
    if (text !== paper[name].join(",") && !implied) words.push(`--${name}`, text);
  }
  if (operation !== "add") words.push("--operation", operation);
  if (experiment.embeddings.length && embedding !== experiment.embeddings[0]) {
    words.push("--embedding", embedding);
  }
  return commandLine([...words, "--out", folderWord(folder)]);
}

// Warn of tasks that are not modular, and of prime factors without a row.
function remarks(values, operation) {
  const found = [];
  const most = values.sizes?.reduce((a, b) => (a > b ? a : b));
  const tasks = values.moduli ?? values.primes.slice(0, Number(most));
  const top = values.ranges.reduce((a, b) => (a < b ? a : b)) - 1n;
  const largest = { add: 2n * top, multiply: top * top }[operation];
  const flat = largest === undefined ? [] : tasks.filter((modulus) => largest < modulus);
  if (flat.length) {
    found.push(
      `Modulo ${list(flat)}, no answer wraps around at r = ${
        top + 1n
      }: the task is not modular there.`,
    );
  }
  const unseen = tasks.filter((modulus) => withoutFactors(modulus, values.primes) > 1n);
  if (unseen.length) {
    const have = unseen.length > 1 ? "have" : "has";
    found.push(
      `${list(unseen)} ${have} a prime factor without a row, which the network cannot see.`,
    );
  }
  return found;
}

function withoutFactors(modulus, primes) {
  return primes.reduce((left, prime) => {
    while (left % prime === 0n) left /= prime;
    return left;
  }, modulus);
}

function list(values) {
  return values.length > 5 ? `${values.slice(0, 5).join(", ")} and others` : values.join(", ");
}

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
