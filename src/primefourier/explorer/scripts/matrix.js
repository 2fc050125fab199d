// The block-diagonal matrix: one block for each (p, d), lit where a map to the logits may be non-zero.

import { s } from "./dom.js";
import { shorten, writePower } from "./integers.js";

const MOST_NAMES = 24;

// Draw the matrix of a basis for N, rows and columns ordered by prime and then by depth.
export function drawMatrix(n, basis, relevant) {
  const { primes, depth } = basis;
  const size = primes.length * depth;
  const lit = (p, d) => relevant.some(([q, e]) => q === p && e === d);
  const lens = s("g", {});
  const look = (i) => lens.replaceChildren(...drawLens(primes[i], i, depth, size, lit));
  const squares = primes.map((p, i) =>
    s("g", { onpointerenter: () => look(i) }, drawSquare(p, i, depth, size, lit, primes.length)),
  );
  const words =
    `A matrix of ${primes.length} by ${primes.length} squares, one for each prime, ` +
    `each of ${depth} by ${depth} blocks, ` +
    `one for each depth. Only blocks on the diagonal can be non-zero; lit for N = ${n} are ` +
    (relevant.length ? relevant.map(([p, d]) => `p = ${p}, d = ${d}`).join("; ") : "none");
  if (primes.length > 3)
    look(
      Math.max(
        0,
        primes.findIndex((p) => lit(p, 0)),
      ),
    );
  const edge = size * 0.005;
  return s(
    "svg",
    {
      viewBox: `${-edge} ${-edge} ${size + 2 * edge} ${size + 2 * edge}`,
      role: "img",
      "aria-label": words,
      class: "block-matrix",
    },
    s("rect", { x: 0, y: 0, width: size, height: size, class: "frame" }),
    primes.length > 1
      ? s("text", { x: size * 0.8, y: size * 0.22, "font-size": size * 0.16, class: "nothing" }, "0")
      : null,
    lens,
    squares,
  );
}

function drawSquare(p, i, depth, size, lit, count) {
  const kind = lit(p, 0) ? " lit" : "";
  const blocks = Array.from({ length: depth }, (_, d) => {
    const at = i * depth + d;
    const says = lit(p, d) ? "divides N" : "does not divide N, so it is zero";
    return s(
      "rect",
      { x: at + 0.08, y: at + 0.08, width: 0.84, height: 0.84, class: lit(p, d) ? "block lit" : "block" },
      s("title", {}, `p = ${p}, d = ${d}, period ${writePower(p, d + 1)}: ${says}`),
    );
  });
  const square = s("rect", { x: i * depth, y: i * depth, width: depth, height: depth, class: `prime-square${kind}` });
  const before = i > count - 3; // there is no room behind the last ones
  const name = s(
    "text",
    {
      x: before ? i * depth - size * 0.01 : (i + 1) * depth + size * 0.01,
      y: (i + 0.5) * depth,
      "font-size": Math.min(depth * 0.55, size * 0.028),
      "text-anchor": before ? "end" : "start",
      class: `prime-name${kind}`,
    },
    `p = ${shorten(p, 8)}`,
  );
  return [square, ...blocks, count > MOST_NAMES ? null : name];
}

// Show one prime's square enlarged, in the empty corner below the diagonal.
function drawLens(p, i, depth, size, lit) {
  const [x, y, width] = [size * 0.03, size * 0.57, size * 0.4];
  const unit = width / depth;
  const corner = (i + 1) * depth;
  const blocks = Array.from({ length: depth }).flatMap((_, d) => {
    const [left, top] = [x + d * unit, y + d * unit];
    const on = lit(p, d);
    const text = writePower(p, d + 1);
    return [
      s("rect", {
        x: left + unit * 0.04,
        y: top + unit * 0.04,
        width: unit * 0.92,
        height: unit * 0.92,
        class: on ? "block lit" : "block",
      }),
      s(
        "text",
        {
          x: left + unit / 2,
          y: top + unit / 2,
          "font-size": (unit * 0.8) / Math.max(2, text.length),
          class: `lens-text${on ? " lit" : ""}`,
        },
        text,
      ),
    ];
  });
  return [
    s("line", { x1: i * depth, y1: corner, x2: x, y2: y, class: "lens-line" }),
    s("line", { x1: corner, y1: corner, x2: x + width, y2: y, class: "lens-line" }),
    s("rect", { x, y, width, height: width, class: "lens" }),
    ...blocks,
    s(
      "text",
      { x: x + width * 0.97, y: y + width * 0.08, "font-size": size * 0.03, "text-anchor": "end", class: "prime-name" },
      `p = ${shorten(p, 8)}`,
    ),
  ];
}
