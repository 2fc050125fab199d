// Which other blocks are used, and can that be foreseen? What blocks cost, by how near they are to a harmonic of N.

import { h } from "./dom.js";
import { decimals } from "./scale.js";
import { simpleTable } from "./table.js";

const INTRODUCTION =
  "Modulo N a network needs circles that turn k times while a runs through N. A block of period T turns once in T. " +
  "If 1/T is near some k/N, the two stay together as long as inputs stay below r, and the block can stand in " +
  "although T does not divide N. How many turns they come apart, r · min |k/N − 1/T|, is known before any training. " +
  "Here are the blocks whose period does not divide N, of all probed models, each replaced by another pair’s.";

// Make the card; null if there are no such blocks.
export function aliasesCard(bins) {
  if (!bins.length) return null;
  const columns = ["Turns apart", "Blocks", "Mean drop", "Largest drop", "Drop above 0.1"];
  const caption = h("caption", { class: "visually-hidden" }, "Drops of irrelevant blocks by distance from a harmonic");
  return h(
    "div",
    { class: "card" },
    h("h3", {}, "Which other blocks are used, and can that be foreseen?"),
    h("p", { class: "small muted" }, INTRODUCTION),
    h("div", { class: "scroll" }, simpleTable({ class: "numbers aliases" }, caption, columns, bins.map(binRow))),
  );
}

function binRow({ low, high, blocks, mean, largest, used }) {
  const name = high === null ? `${low} or more` : `${low} to ${high}`;
  const values = [String(blocks), decimals(mean, 4), decimals(largest, 4), String(used)];
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, name),
    values.map((value) => h("td", {}, value)),
  );
}
