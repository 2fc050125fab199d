// Which other blocks are used, and can that be foreseen? What blocks cost, by how near they are to a harmonic of N.

import { h } from "./dom.js";
import { decimals } from "./scale.js";
import { simpleTable } from "./table.js";

const INTRODUCTION =
  "Modulo N a network needs circles that turn k times while a runs through N. A block of period T turns once in T. " +
  "If 1/T is near some k/N, the two stay together as long as inputs stay below r, and the block can stand in " +
  "although T does not divide N. How many turns they come apart, r · min |k/N − 1/T|, is known before any training. " +
  "Here are the blocks whose period does not divide N, of all probed models, each replaced by another pair’s.";

const PAIRS =
  "Two blocks can do it together: products of their coordinates turn with 1/T ± 1/U. Here are those of these blocks " +
  "that are 2 turns or more from every harmonic by themselves, by how near they come with the best other block.";

// Make the card; null if there are no such blocks.
export function aliasesCard(bins, pairs) {
  if (!bins.length) return null;
  return h(
    "div",
    { class: "card" },
    h("h3", {}, "Which other blocks are used, and can that be foreseen?"),
    h("p", { class: "small muted" }, INTRODUCTION),
    binTable("aliases", "Drops of irrelevant blocks by distance from a harmonic", bins),
    pairs.length ? h("p", { class: "small muted" }, PAIRS) : null,
    pairs.length ? binTable("alias-pairs", "Drops of far blocks by distance together with another", pairs) : null,
  );
}

function binTable(name, title, bins) {
  const columns = ["Turns apart", "Blocks", "Mean drop", "Largest drop", "Drop above 0.1"];
  const caption = h("caption", { class: "visually-hidden" }, title);
  return h("div", { class: "scroll" }, simpleTable({ class: `numbers ${name}` }, caption, columns, bins.map(binRow)));
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
