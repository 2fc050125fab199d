// Beyond the paper: questions that it leaves open, answered by probes of the networks.

import { h } from "./dom.js";
import { aliasesCard } from "./aliases.js";
import { stateChoice } from "./choice.js";
import { depthLines } from "./depth_lines.js";
import { epochLines } from "./epoch_lines.js";
import { KINDS, kindsCard } from "./kinds.js";
import { lineCard } from "./line_card.js";
import { capital } from "./scale.js";
import { get, set } from "./state.js";

const INTRODUCTION =
  "Questions that the paper leaves open. They were asked of this run’s networks while they were trained " +
  "and afterwards; only models with the paper’s settings count.";
const SHOWN_FIRST = "Experiment 1, |P| = 8"; // it has the primes of experiment 2

// Make the section; null if no network was probed.
export function questionsSection({ questions }) {
  if (!questions) return null;
  const { claims, depths, aliases, alias_pairs, equivariance } = questions;
  const first = firstGroup(depths);
  set({ depthGroup: first, ablation: "mean", epochGroup: first, epochMeasure: equivariance[0].measure });
  return h(
    "section",
    { id: "questions", "aria-labelledby": "questions-title" },
    h(
      "header",
      {},
      h("h2", { id: "questions-title" }, "Beyond the paper"),
      h("p", { class: "prose muted" }, INTRODUCTION),
    ),
    kindsCard(claims),
    depthCard(depths),
    aliasesCard(aliases, alias_pairs),
    epochCard(equivariance),
  );
}

function firstGroup(depths) {
  const names = depths.filter(({ experiment }) => experiment === "exp1").map(({ group }) => group);
  return names.includes(SHOWN_FIRST) ? SHOWN_FIRST : (names.at(-1) ?? depths[0].group);
}

function depthCard(depths) {
  const kinds = KINDS.map(({ key, name }) => [key, name]);
  const choices = [groupChoice("depthGroup", depths), stateChoice("Replaced by", "ablation", kinds)];
  return lineCard("Which depths carry the answer?", choices, ["depthGroup", "ablation"], () => {
    const [group, ablation] = [get("depthGroup"), get("ablation")];
    const ranges = depths.filter((found) => found.group === group && found.ablation === ablation);
    return depthLines(group, ablation, ranges);
  }).element;
}

function epochCard(curves) {
  const titles = [...new Map(curves.map(({ measure, title }) => [measure, capital(title)]))];
  const choices = [groupChoice("epochGroup", curves), stateChoice("Measure of equivariance", "epochMeasure", titles)];
  return lineCard("Does training make the network equivariant?", choices, ["epochGroup", "epochMeasure"], () =>
    epochLines(curves.filter(({ group, measure }) => group === get("epochGroup") && measure === get("epochMeasure"))),
  ).element;
}

// Choose one of the groups of models, if there are several.
function groupChoice(name, found) {
  const groups = [...new Set(found.map(({ group }) => group))];
  if (groups.length === 1) return null;
  return stateChoice(
    "Models",
    name,
    groups.map((group) => [group, group.replace("Experiment", "Exp.")]),
  );
}
