// The head of a report: which run it shows, its progress, and how it was made; and its failures.

import {
  commandBox,
  commandLine,
  commandsAgain,
  commandText,
  folderWord,
} from "../page/command.js";
import { h, section } from "../page/dom.js";
import { count, writeDuration } from "../page/writing.js";
import { verdictCounts } from "./claims.js";

const NOTHING_YET =
  "No models are planned in this run yet. This command trains a small part of the paper, in about " +
  "a minute on two cores:";

export function runHeader(run) {
  const { planned, measured, failed, waiting } = run.counts;
  const words = [`${measured} of ${count(planned, "model")} measured`];
  if (run.diverged) words.push(`${run.diverged} diverged and left out of means`);
  if (failed) words.push(`${failed} failed`);
  if (waiting) words.push(`${waiting} waiting`);
  const unfinished = measured < planned;
  return h(
    "section",
    { id: "run", class: "run", "aria-labelledby": "run-title" },
    h("p", { class: "label" }, "Prime Fourier Embeddings, results of a run"),
    h("h1", { id: "run-title" }, run.name),
    planned ? h("p", { class: "progress-words" }, `${words.join(", ")}.`) : nothingYet(run),
    unfinished ? progressBar(run.counts) : null,
    measured && run.claims.length ? verdicts(run) : null,
    unfinished ? continuation(run, failed) : null,
    planned ? howMade(run) : null,
  );
}

function progressBar({ planned, measured, failed }) {
  const part = (number, kind) =>
    h("span", { class: kind, style: { width: `${(100 * number) / planned}%` } });
  const values = { "aria-valuemin": 0, "aria-valuemax": planned, "aria-valuenow": measured };
  const attributes = { class: "progress", role: "progressbar", "aria-label": "Models measured" };
  return h("div", { ...attributes, ...values }, part(measured, "done"), part(failed, "failed"));
}

function verdicts(run) {
  const link = h("a", { href: "#claims" }, "The paper’s claims:");
  return h("p", { class: "run-verdicts" }, link, verdictCounts(run.claims));
}

function nothingYet(run) {
  const out = folderWord(run.folder);
  const command = commandLine(["pfe", "reproduce", "--profile", "smoke", "--out", out]);
  const after = "Then write this page again. The circles and channels below need no run.";
  return h(
    "div",
    { class: "next prose" },
    h("p", {}, NOTHING_YET),
    commandBox(command, "Copy the command that starts this run"),
    h("p", { class: "muted small" }, after),
  );
}

function continuation(run, failed) {
  const name = "Copy the command that continues this run";
  const boxes = commandsAgain(run).map((command) => commandBox(command, name));
  if (!boxes.length) return null;
  const what = failed ? "Continue, and try the failed models again" : "Continue where it stopped";
  return h("div", { class: "next" }, h("p", { class: "label" }, `${what}:`), boxes);
}

function howMade(run) {
  const { commits, machines, finished } = run;
  const plural = (values, noun) => (values.length > 1 ? `${noun}s` : noun);
  const short = (commit) => {
    return `${commit.slice(0, 12)}${commit.length > 12 && commit.endsWith("+") ? "+" : ""}`;
  };
  const when = finished?.replace("T", " ").replace(/\+00:00$/, " UTC");
  const versions = Object.entries(run.versions);
  const pairs = [
    ["Commands", run.commands.map(commandText)],
    ["Last record", when ? [h("time", { datetime: finished }, when)] : []],
    ["Time of all models", run.seconds ? [writeDuration(run.seconds)] : []],
    [plural(commits, "Commit"), commits.map((commit) => h("code", {}, short(commit)))],
    ["Versions", versions.map(([name, found]) => `${name} ${found.join(", ")}`)],
    [plural(machines, "Machine"), machines],
  ];
  const shown = pairs.filter(([, values]) => values.length)
    .map(([name, values]) => [h("dt", {}, name), values.map((value) => h("dd", {}, value))]);
  const title = h("summary", {}, "How this was made");
  return h("details", { class: "how-made" }, title, h("dl", {}, shown));
}

// Make the section of failed models; null if none failed.
export function failuresSection(run) {
  if (!run.failures.length) return null;
  const them = run.failures.length > 1 ? "them" : "it";
  const again = commandsAgain(run);
  const retry = again.length ? ` This command tries ${them} again:` : "";
  const words = `${count(run.failures.length, "model")} failed.${retry}`;
  const boxes = again.map((command) => commandBox(command, "Copy the command that tries again"));
  const list = h("div", { class: "failures" }, run.failures.map(failure));
  return section("failures", "Failures", words, boxes, list);
}

function failure({ model, error }) {
  const last = error.trim().split("\n").pop().slice(0, 200);
  const attributes = { class: "scroll", tabindex: "0", "aria-label": `Traceback of ${model}` };
  return h(
    "details",
    { class: "card" },
    h("summary", {}, h("strong", {}, model), " ", h("span", { class: "muted" }, last)),
    h("pre", attributes, error),
  );
}
