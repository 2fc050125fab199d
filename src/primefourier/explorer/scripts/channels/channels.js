// Which channels matter for N: those whose period divides it, and what the basis lacks; and the
// block-diagonal matrix with one block for each (p, d).

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
import { copyButton, h, hiddenCaption, row, s, section, table } from "../page/dom.js";
import { get, set, watch } from "../page/state.js";

const DEPTHS = 16; // offered depths, or more if the page starts with more
const INTRODUCTION =
  "Before any training: the channel (p, d) turns once in p^(d+1) steps, so its angle follows from " +
  "a mod N exactly if p^(d+1) divides N. A linear map that respects addition modulo N is zero on " +
  "all other channels.";
const MATRIX =
  "A linear map that commutes with addition has one block for each (p, d) and nothing else. " +
  "If it leads to answers modulo N, only the coloured blocks can be non-zero.";
const NOT_IN_BASIS = "The number circles above are chosen for N, so they include its primes. " +
  "The basis here is what a network is given.";

export function channelsSection() {
  const text = h("div", { class: "plan", "aria-live": "polite" });
  const periods = h("div", { class: "scroll" });
  const matrix = h("figure", { class: "matrix-figure" });
  const code = h("code", {});
  watch(["n", "factors", "basisPrimes", "depth"], () => {
    const found = get("factors");
    const [n, basis] = [get("n"), { primes: get("basisPrimes"), depth: get("depth") }];
    const relevant = relevantChannels(n, basis);
    const caption = h("figcaption", { class: "small muted" }, MATRIX);
    code.textContent = pythonLine(n, basis);
    if (found?.rest === 1n) {
      text.replaceChildren(...explain(planChannels(n, found.factors, basis)));
    } else {
      const words = found ? notFactored(found) : "Looking for the prime factors of N …";
      text.replaceChildren(h("p", {}, words));
    }
    periods.replaceChildren(periodTable(n, basis, relevant));
    matrix.replaceChildren(drawMatrix(n, basis, relevant), caption);
  });
  const modulus = numberField("channels", "n", { label: "N", atLeast: 2n });
  const command = h("div", { class: "command" }, code, copyButton(() => code.textContent));
  return section(
    "channels",
    "Which channels matter",
    INTRODUCTION,
    h("div", { class: "card controls" }, modulus, basisPrimesField(), depthField()),
    h(
      "div",
      { class: "channel-grid" },
      h("div", { class: "channel-text" }, text, periods, command),
      matrix,
    ),
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

function pythonLine(n, { primes, depth }) {
  const tuple = primes.length === 1 ? `(${primes[0]},)` : `(${primes.join(", ")})`;
  return `pf.plan(${n}, pf.PrimeBasis(${tuple}, depth=${depth}))`;
}

const MOST_NAMES = 24; // with more primes their names would overlap

// Draw the matrix of a basis for N, with rows and columns ordered by prime and then by depth.
function drawMatrix(n, { primes, depth }, relevant) {
  const size = primes.length * depth;
  const lit = (p, d) => relevant.some(([q, e]) => q === p && e === d);
  const lens = s("g", {});
  const look = (i) => lens.replaceChildren(...drawLens(primes[i], i, depth, size, lit));
  const squares = primes.map((p, i) => {
    const parts = drawSquare(p, i, depth, size, lit, primes.length);
    return s("g", { onpointerenter: () => look(i) }, parts);
  });
  if (primes.length > 3) look(Math.max(0, primes.findIndex((p) => lit(p, 0))));
  const zero = { x: size * 0.8, y: size * 0.22, "font-size": size * 0.16, class: "nothing" };
  const edge = size * 0.005;
  const label =
    `A matrix of ${primes.length} by ${primes.length} squares, one for each prime, each of ` +
    `${depth} by ${depth} blocks, one for each depth. Only blocks on the diagonal can be ` +
    `non-zero; relevant for N = ${n} are ` +
    (relevant.map(([p, d]) => `p = ${p}, d = ${d}`).join("; ") || "none");
  const viewBox = `${-edge} ${-edge} ${size + 2 * edge} ${size + 2 * edge}`;
  return s(
    "svg",
    { viewBox, role: "img", "aria-label": label, class: "block-matrix" },
    s("rect", { x: 0, y: 0, width: size, height: size, class: "frame" }),
    primes.length > 1 ? s("text", zero, "0") : null,
    lens,
    squares,
  );
}

// Draw the square of one prime with its blocks, and its name beside it.
function drawSquare(p, i, depth, size, lit, count) {
  const kind = lit(p, 0) ? " lit" : "";
  const [start, end] = [i * depth, (i + 1) * depth];
  const blocks = Array.from({ length: depth }, (_, d) => {
    const divides = lit(p, d) ? "divides N" : "does not divide N, so the block is zero";
    const title = `p = ${p}, d = ${d}, period ${writePower(p, d + 1)}: ${divides}`;
    return drawBlock(start + d, start + d, 1, lit(p, d), s("title", {}, title));
  });
  const class_ = `prime-square${kind}`;
  const square = s("rect", { x: start, y: start, width: depth, height: depth, class: class_ });
  const before = i > count - 3; // the last squares have no room behind them
  const place = {
    x: before ? start - size * 0.01 : end + size * 0.01,
    y: (start + end) / 2,
    "font-size": Math.min(depth * 0.55, size * 0.028),
    "text-anchor": before ? "end" : "start",
  };
  const name = s("text", { ...place, class: `prime-name${kind}` }, `p = ${shorten(p, 8)}`);
  return [square, ...blocks, count > MOST_NAMES ? null : name];
}

function drawBlock(x, y, unit, lit, ...children) {
  const gap = unit * 0.06;
  const size = { width: unit - 2 * gap, height: unit - 2 * gap };
  return s(
    "rect",
    { x: x + gap, y: y + gap, ...size, class: lit ? "block lit" : "block" },
    children,
  );
}

// Draw one prime's square enlarged, in the empty corner below the diagonal.
function drawLens(p, i, depth, size, lit) {
  const [x, y, width] = [size * 0.03, size * 0.57, size * 0.4];
  const unit = width / depth;
  const corner = (i + 1) * depth;
  const blocks = Array.from({ length: depth }).flatMap((_, d) => {
    const [left, top, text] = [x + d * unit, y + d * unit, writePower(p, d + 1)];
    const place = { x: left + unit / 2, y: top + unit / 2 };
    const look = { class: `lens-text${lit(p, d) ? " lit" : ""}` };
    look["font-size"] = (unit * 0.8) / Math.max(2, text.length);
    return [drawBlock(left, top, unit, lit(p, d)), s("text", { ...place, ...look }, text)];
  });
  const name = { x: x + width * 0.97, y: y + width * 0.08, "font-size": size * 0.03 };
  return [
    s("line", { x1: i * depth, y1: corner, x2: x, y2: y, class: "lens-line" }),
    s("line", { x1: corner, y1: corner, x2: x + width, y2: y, class: "lens-line" }),
    s("rect", { x, y, width, height: width, class: "lens" }),
    ...blocks,
    s("text", { ...name, "text-anchor": "end", class: "prime-name" }, `p = ${shorten(p, 8)}`),
  ];
}
