// The paper's claims: what it says, what was measured, the verdict, and the evidence for each.

import { h } from "../page/dom.js";
import { hiddenCaption, row, section, table } from "../page/layout.js";
import { openCell } from "./cell.js";
import { verdictCounts, verdictMark } from "./verdict.js";

const AGREES = new Map([
  [true, ["yes", "good"]],
  [false, ["no", "bad"]],
  [null, ["cannot be told", "open"]],
]);
const INTRODUCTION =
  "What the paper says and what this run measured. Only models with the paper’s settings count. " +
  "Open a claim for its rule and evidence.";
const INTERVALS =
  "This is how many configurations agree if each mean may be anywhere in its interval over seeds. " +
  "A configuration is not settled if its interval contains both answers.";

// Make the section; null if the run has no study of the paper.
export function claimsSection(run) {
  if (!run.claims.length) return null;
  const columns = ["Claim", "The paper says", "Measured", "Verdict", "Configurations"];
  const verdicts = verdictCounts(run.claims).map((mark) => h("li", {}, mark));
  const caption = hiddenCaption("The claims of the paper with their verdicts");
  const bodies = run.claims.map((claim) => claimRows(claim, columns));
  return section(
    "claims",
    "Claims",
    INTRODUCTION,
    h("ul", { class: "verdicts", "aria-label": "Verdicts" }, verdicts),
    table({ class: "claims" }, caption, columns, bodies),
  );
}

// Make two rows of the table: the claim, and its evidence, which is made when it is opened.
function claimRows(claim, columns) {
  const id = `evidence-${claim.claim.replace(/\W/g, "-")}`;
  const place = h("td", { colspan: columns.length });
  const below = h("tr", { id, class: "evidence", hidden: true }, place);
  const look = { type: "button", class: "plain opens" };
  const name = [h("strong", {}, claim.claim), " ", h("span", {}, claim.statement)];
  const button = h("button", { ...look, "aria-expanded": "false", "aria-controls": id }, name);
  button.addEventListener("click", () => {
    below.hidden = !below.hidden;
    button.setAttribute("aria-expanded", String(!below.hidden));
    if (!place.childElementCount) place.append(...evidence(claim));
  });
  const values = [
    claim.paper,
    claim.measured || "—",
    verdictMark(claim.verdict, claim.verdict_so_far),
    `${claim.configurations} of ${claim.configurations_asked}`,
  ];
  const cells = columns.slice(1).map((label, i) => {
    const kind = label === "Verdict" ? "of-verdict" : null;
    return h("td", { class: kind, "data-label": label }, values[i]);
  });
  return h("tbody", { "data-claim": claim.claim }, row(button, cells), below);
}

function evidence(claim) {
  const paragraph = (name, words) => h("p", {}, h("strong", {}, `${name}: `), words);
  const about = [paragraph("Rule", `${claim.rule}.`)];
  if (!claim.evidence.length) {
    return [...about, h("p", { class: "muted" }, "Nothing is measured yet.")];
  }
  if (claim.within_intervals) {
    about.push(paragraph("Within 95 % intervals", `${claim.within_intervals}. ${INTERVALS}`));
  }
  const caption = hiddenCaption(`Evidence for ${claim.claim}`);
  const columns = ["Configuration", "Measured", "Agrees"];
  const rows = claim.evidence.map(evidenceRow);
  const grid = table({ class: "evidence-table" }, caption, columns, rows);
  return [...about, h("div", { class: "scroll tall" }, grid)];
}

// Make the row of a configuration. It opens its cell if a heatmap has one.
function evidenceRow({ configuration, value, agrees, settled, cell }) {
  const open = { type: "button", class: "plain link", onclick: () => openCell(...cell) };
  const [words, kind] = AGREES.get(agrees);
  const doubtful = agrees !== null && settled === false;
  const answer = doubtful ? `${words}, not settled` : words;
  const name = cell ? h("button", open, configuration) : configuration;
  return row(name, [value, h("td", { class: `agrees ${kind}` }, answer)]);
}
