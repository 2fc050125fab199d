// The head of a report: which run it shows, its progress, and how it was made; and its failures.

import { h, section } from "../page/dom.js";
import { count, writeDuration } from "../page/writing.js";
import { verdictCounts } from "./claims.js";

const CONTINUE = "To measure the others, run the same command again.";

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
    h("p", { class: "label" }, `Prime Fourier Embeddings, results of the run ${run.name}`),
    h("h1", { id: "run-title" }, run.title),
    h("p", {}, planned ? `${words.join(", ")}.` : "No models are planned in this run yet."),
    unfinished ? progressBar(run.counts) : null,
    measured && run.claims.length ? verdicts(run) : null,
    beyondTheRange(run),
    unfinished ? h("p", { class: "small muted" }, CONTINUE) : null,
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

// Say how many networks that are right in range are right on the next integers, if that was tested.
function beyondTheRange({ grids }) {
  const tested = grids.map(({ beyond }) => beyond).filter((beyond) => beyond?.right);
  if (!tested.length || tested.some(({ next }) => next === null)) return null;
  const [right, next] = ["right", "next"].map((key) => tested.reduce((sum, x) => sum + x[key], 0));
  const link = h("a", { href: "#beyond" }, "Beyond the range:");
  const cheats = next < right ? " The others cheat." : "";
  const some = `${next} of ${right} networks that are right in range`;
  return h("p", {}, link, ` ${some} are right on the next integers.${cheats}`);
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
  const list = h("div", { class: "failures" }, run.failures.map(failure));
  return section("failures", "Failures", `${count(run.failures.length, "model")} failed.`, list);
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
