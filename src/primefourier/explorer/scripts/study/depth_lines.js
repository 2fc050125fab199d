// Which depths carry the answer? The drop when a single (p, d) block is replaced, by depth and r.

import { shareAxis } from "../charts/chart.js";
import { h } from "../page/dom.js";
import { count, decimals, spread, withInterval } from "../page/writing.js";
import { KINDS } from "./replacements.js";

const MOST_APART = 14; // pixels between the marks of two lines at one depth
const PARTS = [
  { key: "relevant", name: "p divides N" },
  { key: "other", name: "other p" },
];
const THEORY =
  "A row has a block for each depth d: the position on a circle with period p^(d+1). In theory a " +
  "block is needed only if its period divides N, and no N here is divisible by a square: only " +
  "d = 0 should matter.";

// Describe the chart (line_card.js) of one group of models and one replacement, by range.
export function depthLines(group, ablation, ranges) {
  const { words } = KINDS.find(({ key }) => key === ablation);
  const depths = ranges[0].relevant.map((_, depth) => depth);
  const lines = ranges.map((found, index) => {
    const mean = `${count(found.models, "model")}, ${count(found.seeds.length, "seed")}`;
    const valueOf = (interval) => {
      return { ...interval, text: withInterval(interval, 4), more: [["mean over", mean]] };
    };
    const parts = PARTS.map(({ key, name }) => {
      return { name, values: found[key].map(valueOf), dash: key === "other" ? "dashed" : "" };
    });
    return { key: found.range, name: `r = ${found.range}`, index, parts };
  });
  return {
    text: explanation(group, ablation, words, ranges),
    legend: "Lines by depth",
    label: `${group}: drop of test accuracy against depth when a block is replaced by ${words}, ` +
      "a line for each input range; the numbers are in the table below",
    caption: `${group}: mean drop when a block is replaced by ${words}`,
    head: "blocks",
    note: "p divides N / other p.",
    height: 380,
    x: () => ({
      place: (depth) => (depth + 0.5) / depths.length,
      ticks: depths.map((depth) => [depth, String(depth)]),
      label: "depth d, period p^(d+1)",
    }),
    y: shareAxis(
      ranges.flatMap((found) => [...found.relevant, ...found.other]),
      "drop of accuracy",
    ),
    points: depths.map((depth) => ({ at: depth, name: `d = ${depth}` })),
    lines,
    reading: "marks",
    apart: ({ left }) => Math.min(MOST_APART, (left(1) - left(0)) / (2 * ranges.length)),
  };
}

function explanation(group, ablation, words, ranges) {
  const several = ranges.some(({ seeds }) => seeds.length > 1);
  return [
    THEORY,
    `${group}: the drop of test accuracy when a single block is replaced by ${words}, mean over ` +
    "blocks and models. Solid: primes that divide N. Dashed: other primes." +
    (several ? " Bars are 95 % intervals over seeds." : "") +
    (ablation === "zero"
      ? " No block of the data is zero, so zeros may cost accuracy anyway."
      : ""),
    h("strong", {}, summary(ranges)),
  ];
}

// State what d = 0 of relevant rows costs, and the largest drop of all other blocks.
function summary(ranges) {
  const first = ranges.map(({ relevant }) => relevant[0].mean);
  const all = ranges.flatMap((found) =>
    PARTS.flatMap(({ key, name }) =>
      found[key].map(({ mean }, d) => ({ mean, d, key, name, range: found.range }))
    )
  );
  const others = all.filter(({ d, key }) => d > 0 || key === "other");
  const most = others.reduce((one, other) => (other.mean > one.mean ? other : one));
  const where = `d = ${most.d} at r = ${most.range}, ${most.name}`;
  const rest = most.mean < 0.005
    ? "less than 0.01"
    : `at most ${decimals(most.mean, 2)} (${where})`;
  return `d = 0 of primes that divide N costs ${spread(first, 2, " to ")}, all else ${rest}.`;
}
