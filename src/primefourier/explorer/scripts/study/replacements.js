// Does it matter what replaces an ablated row? The claims about drops, judged for each replacement.

import { h } from "../page/dom.js";
import { hiddenCaption, row, table } from "../page/layout.js";
import { count } from "../page/writing.js";
import { verdictMark } from "../results/verdict.js";

// What can replace a row or a block.
export const KINDS = [
  { key: "zero", name: "Zeros", words: "zeros" },
  { key: "mean", name: "Its mean", words: "its mean over the test pairs" },
  { key: "permute", name: "Another pair’s", words: "that of another test pair" },
];
const TITLE = "Does it matter what replaces an ablated row?";
const INTRODUCTION =
  "The paper replaces a row by zeros. No row of the data is zero, so a network may fail on zeros " +
  "for that reason alone. Here the paper’s claims are judged again for the same networks, with " +
  "the row replaced by its mean over the test pairs, and by the row of another test pair.";

export function replacementsCard(claims) {
  const heads = KINDS.map(({ key, name }) => (key === "zero" ? `${name} (the paper)` : name));
  const caption = hiddenCaption("The claims about drops, by what replaces an ablated row");
  const bodies = claims.map((claim) => claimRow(claim, heads));
  return h(
    "div",
    { class: "card kinds-part" },
    h("h3", {}, TITLE),
    h("p", { class: "small muted" }, INTRODUCTION),
    h("p", {}, summary(claims)),
    table({ class: "claims kinds" }, caption, ["Claim", ...heads], bodies),
  );
}

// Make the body of one claim, which is a card on a phone.
function claimRow(claim, heads) {
  const cells = KINDS.map(({ key }, i) => {
    const { verdict, verdict_so_far: words, measured } = claim[key];
    const content = [verdictMark(verdict, words), measured ? h("p", {}, measured) : null];
    return h("td", { "data-label": heads[i], "data-kind": key }, h("div", {}, content));
  });
  const name = [h("strong", {}, claim.claim), " ", claim.statement];
  return h("tbody", { "data-about": claim.claim }, row(name, cells));
}

// Name the claims whose verdict depends on the replacement.
function summary(claims) {
  const verdicts = (claim) => new Set(KINDS.map(({ key }) => claim[key].verdict));
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
