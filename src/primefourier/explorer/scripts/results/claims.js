// The paper's claims: what it says, what was measured, the verdict, and the evidence for each.

import { h, hiddenCaption, row, s, section, table } from "../page/dom.js";
import { openCell } from "./cell.js";

// Each verdict has its own sign and words; colour is never the only difference.
const SIGNS = {
  holds: ["good", "M4.5 8.5l2.5 2.5 4.5-5.5"],
  "holds in part": ["part", "M4.5 8h7"],
  "mostly fails": ["bad", "M10.8 5.2l-5.6 5.6"],
  "does not hold": ["bad", "M5.2 5.2l5.6 5.6M10.8 5.2l-5.6 5.6"],
  undecided: ["open", "M6 6.2a2 2 0 1 1 2.9 1.8C8.2 8.4 8 8.8 8 9.4M8 11.3v.4"],
  "not measured yet": ["open", ""],
};
const AGREES = new Map([
  [true, ["yes", "good"]],
  [false, ["no", "bad"]],
]);
const INTRODUCTION =
  "What the paper says and what this run measured. Only models with the paper’s settings count. " +
  "Open a claim for its rule and evidence.";
const MORE = "Models of other runs count, too; only configurations of this run can be opened.";
const INTERVALS =
  "This is how many configurations agree if each mean may be anywhere in its interval over seeds. " +
  "A configuration is not settled if its interval contains both answers.";
const HEADINGS = {
  claims: "The claims",
  statements: "Further statements in the text",
  earlier: "An earlier abstract of the same work",
};

// Show a verdict; `words` may say more than its name, such as a share.
function verdictMark(verdict, words = verdict) {
  const [kind, d] = SIGNS[verdict] ?? SIGNS.undecided;
  const box = { viewBox: "0 0 16 16", width: 18, height: 18, "aria-hidden": "true" };
  const sign = s("svg", box, s("circle", { cx: 8, cy: 8, r: 7 }), s("path", { d }));
  return h("span", { class: `verdict ${kind}` }, sign, h("span", {}, words));
}

// Return a mark for each verdict that occurs, with its number of claims: "8 hold". Further
// statements are not counted.
export function verdictCounts(all) {
  const claims = all.filter(({ section }) => section === "claims");
  const verdicts = new Set([...Object.keys(SIGNS), ...claims.map(({ verdict }) => verdict)]);
  return [...verdicts].flatMap((verdict) => {
    const found = claims.filter((claim) => claim.verdict === verdict);
    if (!found.length) return [];
    const several = verdict.replace("does not", "do not").replace("holds", "hold")
      .replace("fails", "fail");
    return [verdictMark(verdict, `${found.length} ${found.length === 1 ? verdict : several}`)];
  });
}

// Make the section; null if the run has no study of the paper.
export function claimsSection(run) {
  if (!run.claims.length) return null;
  const columns = ["Claim", "The paper says", "Measured", "Verdict", "Agree by means"];
  const verdicts = verdictCounts(run.claims).map((mark) => h("li", {}, mark));
  const parts = Object.entries(HEADINGS).flatMap(([name, heading]) => {
    const claims = run.claims.filter((claim) => claim.section === name);
    const bodies = claims.map((claim) => claimRows(claim, columns));
    const caption = hiddenCaption(`${heading}, with their verdicts`);
    return [h("h3", {}, heading), table({ class: "claims" }, caption, columns, bodies)];
  });
  return section(
    "claims",
    "Claims",
    run.more ? `${INTRODUCTION} ${MORE}` : INTRODUCTION,
    h("ul", { class: "verdicts", "aria-label": "Verdicts" }, verdicts),
    parts,
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
    verdictMark(claim.verdict, claim.words),
    claim.by_means || "—",
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
  if (claim.seed_by_seed) {
    about.push(paragraph("Agree with single seeds", `${claim.seed_by_seed}.`));
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
  const answer = settled === false ? `${words}, not settled` : words;
  const name = cell ? h("button", open, configuration) : configuration;
  return row(name, [value, h("td", { class: `agrees ${kind}` }, answer)]);
}
