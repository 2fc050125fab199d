// Which channels matter: for N, the (p, d) whose period divides it, and what the basis lacks.

import { copyButton, h } from "./dom.js";
import { get, set, watch } from "./state.js";
import { shorten, writePower } from "./integers.js";
import { numberField } from "./number_field.js";
import { readPrimes } from "./prime_list.js";
import { explainMissing, notFactored, planChannels, relevantChannels, writeFactors } from "./plan.js";
import { drawMatrix } from "./matrix.js";

const DEPTHS = 16; // more only where the page begins with more

export function channelsSection() {
  const text = h("div", { class: "plan", "aria-live": "polite" });
  const table = h("div", { class: "scroll" });
  const matrix = h("figure", { class: "matrix-figure" });
  const code = h("code", {});
  watch(["n", "factors", "basisPrimes", "depth"], () => {
    const found = get("factors");
    const [n, basis] = [get("n"), { primes: get("basisPrimes"), depth: get("depth") }];
    const relevant = relevantChannels(n, basis);
    code.textContent = pythonLine(n, basis);
    if (found?.rest === 1n) text.replaceChildren(...explain(planChannels(n, found.factors, basis)));
    else text.replaceChildren(h("p", {}, found ? notFactored(found) : "Looking for the prime factors of N …"));
    table.replaceChildren(channelTable(n, basis, relevant));
    matrix.replaceChildren(
      drawMatrix(n, basis, relevant),
      h(
        "figcaption",
        { class: "small muted" },
        "A linear map that commutes with addition has one block for each (p, d) and nothing else. " +
          "If it leads to answers modulo N, only the lit blocks can be non-zero.",
      ),
    );
  });
  return h(
    "section",
    { id: "channels", "aria-labelledby": "channels-title" },
    h(
      "header",
      {},
      h("h2", { id: "channels-title" }, "Which channels matter"),
      h(
        "p",
        { class: "prose muted" },
        "Before any training: the channel (p, d) turns once in p^(d+1) steps, so its angle follows from a mod N " +
          "exactly if p^(d+1) divides N. A linear map that respects addition modulo N is zero on all others.",
      ),
    ),
    h(
      "div",
      { class: "card controls" },
      numberField("n", { label: "N", atLeast: 2n }),
      basisPrimesField(),
      depthField(),
    ),
    h(
      "div",
      { class: "channel-grid" },
      h(
        "div",
        { class: "channel-text" },
        text,
        table,
        h(
          "div",
          { class: "command" },
          code,
          copyButton(() => code.textContent),
        ),
      ),
      matrix,
    ),
  );
}

function basisPrimesField() {
  const problem = h("p", { class: "problem", id: "basis-primes-problem", role: "alert" });
  const input = h("input", {
    type: "text",
    id: "basis-primes",
    autocomplete: "off",
    spellcheck: "false",
    "aria-describedby": "basis-primes-problem",
    oninput: () => {
      const { primes, problem: text } = readPrimes(input.value);
      problem.textContent = text ?? "";
      input.setAttribute("aria-invalid", String(text !== undefined));
      if (primes) set({ basisPrimes: primes });
    },
  });
  watch(["basisPrimes"], () => {
    const typed = readPrimes(input.value).primes ?? [];
    if (typed.join() !== get("basisPrimes").join()) input.value = get("basisPrimes").join(", ");
  });
  return h(
    "div",
    { class: "field primes" },
    h("label", { for: "basis-primes" }, "primes of the basis"),
    input,
    problem,
  );
}

function depthField() {
  const most = Math.max(DEPTHS, get("depth"));
  const select = h(
    "select",
    { id: "basis-depth", onchange: () => set({ depth: Number(select.value) }) },
    Array.from({ length: most }, (_, i) => h("option", { value: i + 1 }, String(i + 1))),
  );
  watch(["depth"], () => (select.value = String(get("depth"))));
  return h("div", { class: "field" }, h("label", { for: "basis-depth" }, "depth"), select);
}

function explain(plan) {
  const { n, factors, basis, relevant, missing } = plan;
  const total = basis.primes.length * basis.depth;
  const count = relevant.length
    ? `Relevant: ${relevant.length} of the ${total} channels, those whose period divides ${shorten(n, 24)}.`
    : `Relevant: none of the ${total} channels; no period divides ${shorten(n, 24)}.`;
  return [
    h("p", { class: "factors number", id: "factors" }, writeFactors(n, factors)),
    h("p", { id: "relevant", "data-relevant": pairs(relevant), "data-missing": pairs(missing) }, count),
    h("p", { id: "missing", class: missing.length ? "warning" : "" }, explainMissing(plan)),
    relevant.some(([p, d]) => p === 2n && d === 0)
      ? h("p", { class: "small muted" }, "p = 2 at depth 0 is a sign alone: its sine is always 0.")
      : null,
  ].filter(Boolean);
}

function pairs(channels) {
  return channels.map(([p, d]) => `${p}:${d}`).join(" ");
}

function channelTable(n, basis, relevant) {
  const lit = new Set(relevant.map(([p, d]) => `${p}:${d}`));
  const depths = Array.from({ length: basis.depth }, (_, d) => d);
  const row = (p) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, `p = ${shorten(p, 10)}`),
      depths.map((d) => {
        const on = lit.has(`${p}:${d}`);
        const words = `period ${writePower(p, d + 1)} ${on ? "divides" : "does not divide"} ${shorten(n, 24)}`;
        return h(
          "td",
          { class: on ? "lit" : "", title: words },
          writePower(p, d + 1),
          on ? h("span", { class: "visually-hidden" }, " matters") : null,
        );
      }),
    );
  return h(
    "table",
    { class: "channel-table small" },
    h("caption", { class: "visually-hidden" }, "Periods of all channels; those that matter are lit"),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("td", {}),
        depths.map((d) => h("th", { scope: "col" }, `d = ${d}`)),
      ),
    ),
    h("tbody", {}, basis.primes.map(row)),
  );
}

function pythonLine(n, { primes, depth }) {
  const tuple = primes.length === 1 ? `(${primes[0]},)` : `(${primes.join(", ")})`;
  return `pf.plan(${n}, pf.PrimeBasis(${tuple}, depth=${depth}))`;
}
