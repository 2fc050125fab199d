// The paper's claims: what it says, what was measured, the verdict, and the evidence behind each.

import { h } from "./dom.js";
import { openCell } from "./cell.js";
import { simpleTable, tableOfBodies } from "./table.js";
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
  "So many agree if each mean may be anywhere in its interval over seeds; a configuration whose interval " +
  "reaches both answers is not settled.";

// Make the section.
export function claimsSection(run) {
  const columns = ["Claim", "The paper says", "Measured", "Verdict", "Configurations"];
  const verdicts = verdictCounts(run.claims).map((mark) => h("li", {}, mark));
  return h(
    "section",
    { id: "claims", "aria-labelledby": "claims-title" },
    h("header", {}, h("h2", { id: "claims-title" }, "Claims"), h("p", { class: "prose muted" }, INTRODUCTION)),
    h("ul", { class: "verdicts", "aria-label": "Verdicts" }, verdicts),
    tableOfBodies(
      { class: "claims" },
      h("caption", { class: "visually-hidden" }, "The claims of the paper with their verdicts"),
      columns,
      run.claims.map((claim) => claimRows(claim, columns)),
    ),
  );
}

// A claim is a body of the table with two rows: the claim, and its evidence, made when opened.
function claimRows(claim, columns) {
  const id = `evidence-${claim.claim.replace(/\W/g, "-")}`;
  const place = h("td", { colspan: columns.length });
  const below = h("tr", { id, class: "evidence", hidden: true }, place);
  const button = h(
    "button",
    { type: "button", class: "plain opens", "aria-expanded": "false", "aria-controls": id },
    h("strong", {}, claim.claim),
    " ",
    h("span", {}, claim.statement),
  );
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
  const cells = columns.slice(1).map((name, i) => {
    const kind = name === "Verdict" ? "of-verdict" : null;
    return h("td", { class: kind, "data-label": name }, values[i]);
  });
  return h("tbody", { "data-claim": claim.claim }, h("tr", {}, h("th", { scope: "row" }, button), cells), below);
}

function evidence(claim) {
  const about = [h("p", {}, h("strong", {}, "Rule: "), `${claim.rule}.`)];
  if (!claim.evidence.length) return [...about, h("p", { class: "muted" }, "Nothing is measured yet.")];
  if (claim.within_intervals)
    about.push(h("p", {}, h("strong", {}, "Within 95 % intervals: "), `${claim.within_intervals}. ${INTERVALS}`));
  const caption = h("caption", { class: "visually-hidden" }, `Evidence for ${claim.claim}`);
  const columns = ["Configuration", "Measured", "Agrees"];
  const table = simpleTable({ class: "evidence-table" }, caption, columns, claim.evidence.map(evidenceRow));
  return [...about, h("div", { class: "scroll tall" }, table)];
}

// A configuration that is a cell of a heatmap can be opened there.
function evidenceRow({ configuration, value, agrees, settled, cell }) {
  const open = { type: "button", class: "plain link", onclick: () => openCell(...cell) };
  const [words, kind] = AGREES.get(agrees);
  const doubtful = agrees !== null && settled === false;
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, cell ? h("button", open, configuration) : configuration),
    h("td", {}, value),
    h("td", { class: `agrees ${kind}` }, doubtful ? `${words}, not settled` : words),
  );
}
