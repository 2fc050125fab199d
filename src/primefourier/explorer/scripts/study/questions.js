// Beyond the paper: questions that it leaves open, answered by probes of the networks.

import { lineCard } from "../charts/line_card.js";
import { stateChoice } from "../page/controls.js";
import { section } from "../page/layout.js";
import { get, set } from "../page/state.js";
import { capital } from "../page/writing.js";
import { aliasesCard } from "./aliases.js";
import { depthLines } from "./depth_lines.js";
import { epochLines } from "./epoch_lines.js";
import { KINDS, replacementsCard } from "./replacements.js";

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
