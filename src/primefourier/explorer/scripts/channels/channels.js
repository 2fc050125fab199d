// Which channels matter for N: those whose period divides it, and what the basis lacks.

import { shorten, writePower } from "../numbers/integers.js";
import { numberField } from "../numbers/number_field.js";
import {
  explainMissing,
  notFactored,
  planChannels,
  relevantChannels,
  writeFactors,
} from "../numbers/plan.js";
import { readPrimes } from "../numbers/primes.js";
import { selectField, textField } from "../page/controls.js";
import { h, hiddenCaption, row, section, table } from "../page/dom.js";
import { get, set, watch } from "../page/state.js";

const DEPTHS = 16; // offered depths, or more if the page starts with more
const INTRODUCTION =
  "Before any training: the channel (p, d) turns once in p^(d+1) steps, so its angle follows from " +
  "a mod N exactly if p^(d+1) divides N. A linear map that respects addition modulo N is zero on " +
  "all other channels.";
const NOT_IN_BASIS = "The number circles above are chosen for N, so they include its primes. " +
  "The basis here is what a network is given.";

export function channelsSection() {
  const text = h("div", { class: "plan", "aria-live": "polite" });
  const periods = h("div", { class: "scroll" });
  watch(["n", "factors", "basisPrimes", "depth"], () => {
    const found = get("factors");
    const [n, basis] = [get("n"), { primes: get("basisPrimes"), depth: get("depth") }];
    const relevant = relevantChannels(n, basis);
    if (found?.rest === 1n) {
      text.replaceChildren(...explain(planChannels(n, found.factors, basis)));
    } else {
      const words = found ? notFactored(found) : "Looking for the prime factors of N …";
      text.replaceChildren(h("p", {}, words));
    }
    periods.replaceChildren(periodTable(n, basis, relevant));
  });
  const modulus = numberField("channels", "n", { label: "N", atLeast: 2n });
  return section(
    "channels",
    "Which channels matter",
    INTRODUCTION,
    h("div", { class: "card controls" }, modulus, basisPrimesField(), depthField()),
    text,
    periods,
  );
}

function basisPrimesField() {
  const { element, input, complain } = textField("basis-primes", "primes of the basis", {
    oninput: () => {
      const { primes, problem } = readPrimes(input.value);
      complain(problem ?? "");
      if (primes) set({ basisPrimes: primes });
    },
  });
  element.classList.add("primes");
  watch(["basisPrimes"], () => {
    const typed = readPrimes(input.value).primes ?? [];
    if (typed.join() !== get("basisPrimes").join()) input.value = get("basisPrimes").join(", ");
  });
  return element;
}

function depthField() {
  const most = Math.max(DEPTHS, get("depth"));
  const options = Array.from({ length: most }, (_, i) => String(i + 1));
  const { element, input } = selectField("basis-depth", "depth", options, () => {
    set({ depth: Number(input.value) });
  });
  watch(["depth"], () => (input.value = String(get("depth"))));
  return element;
}

function explain(plan) {
  const { n, factors, basis, relevant, missing } = plan;
  const total = basis.primes.length * basis.depth;
  const count = relevant.length
    ? `Relevant: ${relevant.length} of the ${total} channels, those whose period divides `
    : `Relevant: none of the ${total} channels; no period divides `;
  const data = { "data-relevant": pairs(relevant), "data-missing": pairs(missing) };
  const notes = [];
  if (missing.some(([p]) => !basis.primes.includes(p))) notes.push(NOT_IN_BASIS);
  if (relevant.some(([p, d]) => p === 2n && d === 0)) {
    notes.push("p = 2 at depth 0 is only a sign: its sine is always 0.");
  }
  return [
    h("p", { class: "factors number", id: "factors" }, writeFactors(n, factors)),
    h("p", { id: "relevant", ...data }, `${count}${shorten(n, 24)}.`),
    h("p", { id: "missing", class: missing.length ? "warning" : "" }, explainMissing(plan)),
    ...notes.map((text) => h("p", { class: "small muted" }, text)),
  ];
}

function pairs(channels) {
  return channels.map(([p, d]) => `${p}:${d}`).join(" ");
}

// Make the table of all periods, with those of relevant channels coloured.
function periodTable(n, { primes, depth }, relevant) {
  const lit = new Set(relevant.map(([p, d]) => `${p}:${d}`));
  const depths = Array.from({ length: depth }, (_, d) => d);
  const cell = (p, d) => {
    const [period, matters] = [writePower(p, d + 1), lit.has(`${p}:${d}`)];
    const divides = matters ? "divides" : "does not divide";
    const title = `period ${period} ${divides} ${shorten(n, 24)}`;
    const hidden = matters ? h("span", { class: "visually-hidden" }, " relevant") : null;
    return h("td", { class: matters ? "lit" : "", title }, period, hidden);
  };
  const rows = primes.map((p) => row(`p = ${shorten(p, 10)}`, depths.map((d) => cell(p, d))));
  const caption = hiddenCaption("Periods of all channels, with the relevant ones coloured");
  const columns = ["prime", ...depths.map((d) => `d = ${d}`)];
  return table({ class: "channel-table small" }, caption, columns, rows);
}
