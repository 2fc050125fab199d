// Which other blocks do networks use? The drops of blocks, by their distance from a harmonic of N.

import { h } from "../page/dom.js";
import { hiddenCaption, row, table } from "../page/layout.js";
import { decimals } from "../page/writing.js";

const INTRODUCTION =
  "Modulo N a network needs circles that turn k times while a runs through N. A block of period T " +
  "turns once in T. If 1/T is near some k/N, the two stay together for inputs below r, and the " +
  "block can replace the circle although T does not divide N. Their phase drift in turns over " +
  "inputs below r, r · min |k/N − 1/T|, is known before any training. The table shows the blocks " +
  "of all probed models whose period does not divide N, each replaced by that of another pair.";
const PAIRS =
  "Two blocks together can do the same: products of their coordinates turn with 1/T ± 1/U. This " +
  "table shows those blocks that alone drift by 2 turns or more from every harmonic, by their " +
  "drift together with the best other block.";

// Make the card; null if there are no such blocks.
export function aliasesCard(bins, pairs) {
  if (!bins.length) return null;
  const explanation = (text) => h("p", { class: "small muted" }, text);
  const second = () => [
    explanation(PAIRS),
    binTable("alias-pairs", "Drops of far blocks by their drift together with another", pairs),
  ];
  return h(
    "div",
    { class: "card lines-part" },
    h("h3", {}, "Which other blocks are used, and can that be predicted?"),
    explanation(INTRODUCTION),
    binTable("aliases", "Drops of other blocks by their drift from a harmonic", bins),
    pairs.length ? second() : null,
  );
}

function binTable(name, title, bins) {
  const columns = ["Drift in turns", "Blocks", "Mean drop", "Largest drop", "Drop above 0.1"];
  const rows = bins.map(({ low, high, blocks, mean, largest, used }) => {
    const range = high === null ? `${low} or more` : `${low} to ${high}`;
    return row(range, [String(blocks), decimals(mean, 4), decimals(largest, 4), String(used)]);
  });
  const attributes = { class: `numbers ${name}` };
  return h("div", { class: "scroll" }, table(attributes, hiddenCaption(title), columns, rows));
}
