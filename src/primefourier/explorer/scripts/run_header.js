// The head of a report: which run this is, how far it is, and how it was made; and what failed.

import { h } from "./dom.js";
import { commandBox, commandText, commandsAgain, folderWord, quote } from "./command.js";
import { count } from "./scale.js";
import { verdictCounts } from "./verdict.js";

// Make the head of the page.
export function runHeader(run) {
  const { planned, measured, failed, waiting } = run.counts;
  const words = [`${measured} of ${count(planned, "model")} measured`];
  if (failed) words.push(`${failed} failed`);
  if (waiting) words.push(`${waiting} waiting`);
  return h(
    "section",
    { id: "run", class: "run", "aria-labelledby": "run-title" },
    h("p", { class: "label" }, "Prime Fourier Embeddings, results of a run"),
    h("h1", { id: "run-title" }, run.name),
    planned ? h("p", { class: "progress-words" }, words.join(", "), ".") : null,
    planned && measured < planned ? progressBar(run.counts) : null,
    planned ? null : nothingYet(run),
    measured ? verdicts(run) : null,
    planned && measured < planned ? goOn(run, failed) : null,
    planned ? howMade(run) : null,
  );
}

function progressBar({ planned, measured, failed }) {
  const part = (number, kind) => h("span", { class: kind, style: { width: `${(100 * number) / planned}%` } });
  const values = { "aria-valuemin": 0, "aria-valuemax": planned, "aria-valuenow": measured };
  return h(
    "div",
    { class: "progress", role: "progressbar", "aria-label": "Models measured", ...values },
    part(measured, "done"),
    part(failed, "failed"),
  );
}

function verdicts(run) {
  const link = h("a", { href: "#claims" }, "The paper’s claims:");
  return h("p", { class: "run-verdicts" }, link, verdictCounts(run.claims));
}

function nothingYet(run) {
  const words =
    "Nothing has been asked of this run yet. " +
    "This command trains a small part of the paper, in about a minute on two cores:";
  const command = `pfe reproduce --profile smoke --out ${quote(folderWord(run.folder))}`;
  const after = "Then write this page again. The circles and channels below work without any run.";
  return h(
    "div",
    { class: "next prose" },
    h("p", {}, words),
    commandBox(command, "Copy the command that begins this run"),
    h("p", { class: "muted small" }, after),
  );
}

function goOn(run, failed) {
  const boxes = commandsAgain(run).map((command) => commandBox(command, "Copy the command that continues this run"));
  if (!boxes.length) return null;
  const what = failed ? "Continue, and try the failed models again" : "Continue where it stopped";
  return h("div", { class: "next" }, h("p", { class: "label" }, `${what}:`), boxes);
}

function howMade(run) {
  const commit = run.commits.map((one) => `${one.slice(0, 12)}${one.length > 12 && one.endsWith("+") ? "+" : ""}`);
  const when = run.finished?.replace("T", " ").replace(/\+00:00$/, " UTC");
  const pairs = [
    ["Commands", run.commands.map(commandText)],
    ["Last record", when ? [h("time", { datetime: run.finished }, when)] : []],
    ["Time of all models", run.seconds ? [duration(run.seconds)] : []],
    [run.commits.length > 1 ? "Commits" : "Commit", commit.map((one) => h("code", {}, one))],
    ["Versions", Object.entries(run.versions).map(([name, found]) => `${name} ${found.join(", ")}`)],
    [run.machines.length > 1 ? "Machines" : "Machine", run.machines],
  ];
  const shown = pairs.filter(([, values]) => values.length);
  return h(
    "details",
    { class: "how-made" },
    h("summary", {}, "How this was made"),
    h(
      "dl",
      {},
      shown.map(([name, values]) => [h("dt", {}, name), values.map((value) => h("dd", {}, value))]),
    ),
  );
}

// Write a duration in the two largest units that matter.
function duration(seconds) {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

// Make the section of models that failed; null if none did.
export function failuresSection(run) {
  if (!run.failures.length) return null;
  const many = run.failures.length > 1 ? "them" : "it";
  const words = `${count(run.failures.length, "model")} failed. The same command tries ${many} again.`;
  return h(
    "section",
    { id: "failures", "aria-labelledby": "failures-title" },
    h("header", {}, h("h2", { id: "failures-title" }, "Failures"), h("p", { class: "prose muted" }, words)),
    commandsAgain(run).map((command) => commandBox(command, "Copy the command that tries again")),
    h("div", { class: "failures" }, run.failures.map(failure)),
  );
}

function failure({ model, error }) {
  const last = error.trim().split("\n").pop().slice(0, 200);
  return h(
    "details",
    { class: "card" },
    h("summary", {}, h("strong", {}, model), " ", h("span", { class: "muted" }, last)),
    h("pre", { class: "scroll", tabindex: "0", "aria-label": `Traceback of ${model}` }, error),
  );
}
