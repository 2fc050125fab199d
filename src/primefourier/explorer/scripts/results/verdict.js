// The five verdicts on a claim. Each has its own sign and words; colour is never the only difference.

import { h, s } from "../page/dom.js";

const SIGNS = {
  holds: ["good", "M4.5 8.5l2.5 2.5 4.5-5.5"],
  "holds in part": ["part", "M4.5 8h7"],
  "does not hold": ["bad", "M5.2 5.2l5.6 5.6M10.8 5.2l-5.6 5.6"],
  "cannot be told": ["open", "M6 6.2a2 2 0 1 1 2.9 1.8C8.2 8.4 8 8.8 8 9.4M8 11.3v.4"],
  "not measured yet": ["open", ""],
};
const PLURAL = {
  holds: "hold",
  "holds in part": "hold in part",
  "does not hold": "do not hold",
  "cannot be told": "cannot be told",
  "not measured yet": "not measured yet",
};

// Show a verdict; `words` may say more than its name, such as "holds so far".
export function verdictMark(verdict, words = verdict) {
  const [kind, d] = SIGNS[verdict];
  const box = { viewBox: "0 0 16 16", width: 18, height: 18, "aria-hidden": "true" };
  const sign = s("svg", box, s("circle", { cx: 8, cy: 8, r: 7 }), s("path", { d }));
  return h("span", { class: `verdict ${kind}` }, sign, h("span", {}, words));
}

// Return a mark for each verdict that occurs, with its number of claims: "8 hold".
export function verdictCounts(claims) {
  const number = (verdict) => claims.filter((claim) => claim.verdict === verdict).length;
  const some = Object.keys(SIGNS)
    .map((verdict) => [verdict, number(verdict)])
    .filter(([, found]) => found > 0);
  const unfinished = (verdict) =>
    verdict !== "not measured yet" &&
    claims.some((claim) => claim.verdict === verdict && !claim.complete);
  return some.map(([verdict, found]) => {
    const words = `${found} ${found === 1 ? verdict : PLURAL[verdict]}`;
    return verdictMark(verdict, unfinished(verdict) ? `${words} so far` : words);
  });
}
