// Does it matter what stands in for an ablated row? The claims about drops, judged for each kind of ablation.

import { h } from "./dom.js";
import { count } from "./scale.js";
import { tableOfBodies } from "./table.js";
import { verdictMark } from "./verdict.js";

// What can stand in for a row or a block.
export const KINDS = [
  { key: "zero", name: "Zeros", words: "zeros" },
  { key: "mean", name: "Its mean", words: "its mean over the test pairs" },
  { key: "permute", name: "Another pair’s", words: "that of another test pair" },
];

const INTRODUCTION =
  "The paper puts zeros in place of a row. No row of the data is zero, so a network may fail on zeros for that " +
  "alone. Here the same networks are judged by the paper’s claims again, with the row’s mean over the test pairs " +
  "in its place, and with the row of another test pair.";

// Make the card.
export function kindsCard(claims) {
  const heads = KINDS.map(({ key, name }) => (key === "zero" ? `${name} (the paper)` : name));
  return h(
    "div",
    { class: "card kinds-part" },
    h("h3", {}, "Does it matter what stands in for an ablated row?"),
    h("p", { class: "small muted" }, INTRODUCTION),
    h("p", {}, inWords(claims)),
    tableOfBodies(
      { class: "claims kinds" },
      h("caption", { class: "visually-hidden" }, "The claims about drops, by what stands in for an ablated row"),
      ["Claim", ...heads],
      claims.map((claim) => claimRow(claim, heads)),
    ),
  );
}

// Each claim is a body of the table, as among the claims: on a phone, a card.
function claimRow(claim, heads) {
  const cells = KINDS.map(({ key }, i) => {
    const { verdict, verdict_so_far: words, measured } = claim[key];
    const mark = verdictMark(verdict, words);
    return h(
      "td",
      { "data-label": heads[i], "data-kind": key },
      h("div", {}, mark, measured ? h("p", {}, measured) : null),
    );
  });
  const name = h("th", { scope: "row" }, h("strong", {}, claim.claim), " ", claim.statement);
  return h("tbody", { "data-about": claim.claim }, h("tr", {}, name, cells));
}

// Say for which claims the verdict depends on the kind.
function inWords(claims) {
  const verdicts = (claim) => new Set(KINDS.map(({ key }) => claim[key].verdict));
  const judged = claims.filter((claim) => KINDS.some(({ key }) => claim[key].verdict !== "not measured yet"));
  const changed = judged.filter((claim) => verdicts(claim).size > 1).map((claim) => claim.claim);
  if (!judged.length) return "No claim can be judged yet.";
  if (!changed.length) return `So far, no: ${count(judged.length, "claim")}, each with the same verdict three times.`;
  const same = judged.length - changed.length;
  const names = changed.join(", ").replace(/, ([^,]*)$/, " and $1");
  return `The verdict on ${names} depends on it; that on ${count(same, "other claim")} does not.`;
}
