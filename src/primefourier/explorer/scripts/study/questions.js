// Beyond the paper: questions that it leaves open, answered by probes of the networks.

import { lineCard } from "../charts/line_chart.js";
import { stateChoice } from "../page/controls.js";
import { h, hiddenCaption, row, section, table } from "../page/dom.js";
import { get, set } from "../page/state.js";
import { capital, count, decimals } from "../page/writing.js";
import { verdictMark } from "../results/claims.js";
import { depthLines, epochLines, KINDS } from "./probe_lines.js";

const INTRODUCTION =
  "Questions that the paper leaves open, answered by measurements of this run’s networks during " +
  "and after training. Only models with the paper’s settings count.";
const SHOWN_ROW = 8; // |P|: these are the primes of the experiment with composite moduli

// Make the section; null if no network was probed.
export function questionsSection({ questions }) {
  if (!questions) return null;
  const { claims, depths, aliases, alias_pairs, equivariance } = questions;
  const first = firstGroup(depths);
  const { measure } = equivariance[0];
  set({ depthGroup: first, ablation: "mean", epochGroup: first, epochMeasure: measure });
  return section(
    "questions",
    "Beyond the paper",
    INTRODUCTION,
    replacementsCard(claims),
    depthCard(depths),
    aliasesCard(aliases, alias_pairs),
    epochCard(equivariance),
  );
}

function firstGroup(depths) {
  const single = depths.filter(({ row }) => row !== null);
  const shown = single.find(({ row }) => row === SHOWN_ROW) ?? single.at(-1) ?? depths[0];
  return shown.group;
}

function depthCard(depths) {
  const kinds = KINDS.map(({ key, name }) => [key, name]);
  const choices = [
    groupChoice("depthGroup", depths),
    stateChoice("Replaced by", "ablation", kinds),
  ];
  return lineCard("Which depths carry the answer?", choices, ["depthGroup", "ablation"], () => {
    const [group, ablation] = [get("depthGroup"), get("ablation")];
    const ranges = depths.filter((one) => one.group === group && one.ablation === ablation);
    return depthLines(group, ablation, ranges);
  }).element;
}

function epochCard(curves) {
  const titles = [...new Map(curves.map(({ measure, title }) => [measure, capital(title)]))];
  const choices = [
    groupChoice("epochGroup", curves),
    stateChoice("Measure of equivariance", "epochMeasure", titles),
  ];
  const title = "Does training make the network equivariant?";
  return lineCard(title, choices, ["epochGroup", "epochMeasure"], () => {
    const [group, measure] = [get("epochGroup"), get("epochMeasure")];
    return epochLines(curves.filter((one) => one.group === group && one.measure === measure));
  }).element;
}

// Make the choice between groups of models; null if there is only one.
function groupChoice(name, found) {
  const groups = [...new Set(found.map(({ group }) => group))];
  const options = groups.map((group) => [group, group.replace("Experiment", "Exp.")]);
  return groups.length > 1 ? stateChoice("Models", name, options) : null;
}

const TITLE = "Does it matter what replaces an ablated row?";
const REPLACED =
  "The paper replaces a row by zeros. No row of the data is zero, so a network may fail on zeros " +
  "for that reason alone. Here the paper’s claims are judged again for the same networks, with " +
  "the row replaced by its mean over the test pairs, and by the row of another test pair.";

function replacementsCard(claims) {
  const heads = KINDS.map(({ key, name }) => (key === "zero" ? `${name} (the paper)` : name));
  const caption = hiddenCaption("The claims about drops, by what replaces an ablated row");
  const bodies = claims.map((claim) => claimRow(claim, heads));
  return h(
    "div",
    { class: "card kinds-part" },
    h("h3", {}, TITLE),
    h("p", { class: "small muted" }, REPLACED),
    h("p", {}, summary(claims)),
    table({ class: "claims kinds" }, caption, ["Claim", ...heads], bodies),
  );
}

// Make the body of one claim, which is a card on a phone.
function claimRow(claim, heads) {
  const cells = KINDS.map(({ key }, i) => {
    const { verdict, words, measured } = claim[key];
    const content = [verdictMark(verdict, words), measured ? h("p", {}, measured) : null];
    return h("td", { "data-label": heads[i], "data-kind": key }, h("div", {}, content));
  });
  const name = [h("strong", {}, claim.claim), " ", claim.statement];
  return h("tbody", { "data-about": claim.claim }, row(name, cells));
}

// Name the claims whose verdict depends on the replacement.
function summary(claims) {
  const verdicts = (claim) => new Set(KINDS.map(({ key }) => claim[key].so_far));
  const judged = claims.filter((claim) => {
    return KINDS.some(({ key }) => claim[key].verdict !== "not measured yet");
  });
  const changed = judged.filter((claim) => verdicts(claim).size > 1).map(({ claim }) => claim);
  if (!judged.length) return "No claim can be judged yet.";
  if (!changed.length) {
    return `So far, no: ${count(judged.length, "claim")}, each with the same verdict three times.`;
  }
  const names = changed.join(", ").replace(/, ([^,]*)$/, " and $1");
  const same = count(judged.length - changed.length, "other claim");
  return `The verdict on ${names} depends on it; the verdict on ${same} does not.`;
}

const DRIFT =
  "Modulo N a network needs circles that turn k times while a runs through N. A block of period T " +
  "turns once in T. If 1/T is near some k/N, the two stay together for inputs below r, and the " +
  "block can replace the circle although T does not divide N. Their phase drift in turns over " +
  "inputs below r, r · min |k/N − 1/T|, is known before any training. The table shows the blocks " +
  "of all probed models whose period does not divide N, each replaced by that of another pair.";
const PAIRS =
  "Two blocks together can do the same: products of their coordinates turn with 1/T ± 1/U. This " +
  "table shows those blocks that alone drift by 2 turns or more from every harmonic, by their " +
  "drift together with the best other block.";

// Make the card; null if there are no such blocks.
function aliasesCard(bins, pairs) {
  if (!bins.length) return null;
  const explanation = (text) => h("p", { class: "small muted" }, text);
  const second = () => [
    explanation(PAIRS),
    binTable("alias-pairs", "Drops of far blocks by their drift together with another", pairs),
  ];
  return h(
    "div",
    { class: "card lines-part" },
    h("h3", {}, "Which other blocks are used, and can that be predicted?"),
    explanation(DRIFT),
    binTable("aliases", "Drops of other blocks by their drift from a harmonic", bins),
    pairs.length ? second() : null,
  );
}

function binTable(name, title, bins) {
  const columns = ["Drift in turns", "Blocks", "Mean drop", "Largest drop", "Drop above 0.1"];
  const rows = bins.map(({ low, high, blocks, mean, largest, used }) => {
    const range = high === null ? `${low} or more` : `${low} to ${high}`;
    return row(range, [String(blocks), decimals(mean, 4), decimals(largest, 4), String(used)]);
  });
  const attributes = { class: `numbers ${name}` };
  return h("div", { class: "scroll" }, table(attributes, hiddenCaption(title), columns, rows));
}
