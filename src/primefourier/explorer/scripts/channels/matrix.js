// The block-diagonal matrix: one block for each (p, d), coloured where it may be non-zero modulo N.

import { shorten, writePower } from "../numbers/integers.js";
import { s } from "../page/dom.js";

const MOST_NAMES = 24; // with more primes their names would overlap

// Draw the matrix of a basis for N, with rows and columns ordered by prime and then by depth.
export function drawMatrix(n, { primes, depth }, relevant) {
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
