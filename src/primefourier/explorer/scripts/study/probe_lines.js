// The charts of probes: the drop of single blocks by depth, and equivariance by epoch.

import { epochAxis, shareAxis } from "../charts/chart.js";
import { h } from "../page/dom.js";
import { count, decimals, spread, withInterval } from "../page/writing.js";

// What can replace a row or a block.
export const KINDS = [
  { key: "zero", name: "Zeros", words: "zeros" },
  { key: "mean", name: "Its mean", words: "its mean over the test pairs" },
  { key: "permute", name: "Another pair’s", words: "that of another test pair" },
];
const MOST_APART = 14; // pixels between the marks of two lines at one depth
const PARTS = [
  { key: "relevant", name: "p divides N" },
  { key: "other", name: "other p" },
];
const THEORY =
  "A row has a block for each depth d: the position on a circle with period p^(d+1). In theory a " +
  "block is needed only if its period divides N, and no N here is divisible by a square: only " +
  "d = 0 should matter.";

// Describe the chart (line_chart.js) of one group of models and one replacement, by range.
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
    text: depthText(group, ablation, words, ranges),
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

function depthText(group, ablation, words, ranges) {
  const several = ranges.some(({ seeds }) => seeds.length > 1);
  return [
    THEORY,
    `${group}: the drop of test accuracy when a single block is replaced by ${words}, mean over ` +
    "blocks and models. Solid: primes that divide N. Dashed: other primes." +
    (several ? " Bars are 95 % intervals over seeds." : "") +
    (ablation === "zero"
      ? " No block of the data is zero, so zeros may cost accuracy anyway."
      : ""),
    h("strong", {}, depthSummary(ranges)),
  ];
}

// State what d = 0 of relevant rows costs, and the largest drop of all other blocks.
function depthSummary(ranges) {
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

const LISTED = [0, 1, 2, 5, 10, 25]; // epochs in the tooltip of a line, besides the last
const EQUIVARIANT =
  "Replace the first number a by a + s: the right answer moves by s. An equivariant network moves " +
  "all its outputs by s, whatever a and b are.";
const MEANINGS = {
  share_apart: "Shown is the share of test pairs whose answer does not move by s",
  shift_error: "Shown is how far the network’s outputs are from having moved by s",
  off_block_energy: "Then, by Theorem 3.1, the second moment of the gradient couples no two " +
    "(p, d) blocks. Shown is the share of it that couples blocks",
  relevant_share: "Shown is the share of the gradient’s square on channels whose period divides N",
};

// Describe the chart (line_chart.js) of one measure of one group of models, by range.
export function epochLines(ranges) {
  const { group, title } = ranges[0];
  const last = Math.max(...ranges.map(({ by_epoch }) => by_epoch.length)) - 1;
  const lines = ranges.map(({ range, by_epoch }, index) => {
    const values = by_epoch.map((value) => value && { ...value, text: withInterval(value, 4) });
    return { key: range, name: `r = ${range}`, index, parts: [{ name: "", values }] };
  });
  const known = ranges.flatMap(({ by_epoch }) => by_epoch.filter(Boolean));
  return {
    text: epochText(ranges),
    legend: "Lines by epoch",
    label: `${group}: ${title} against the epoch, a line for each input range; ` +
      "the numbers are in the table below",
    caption: `${group}: ${title}`,
    head: "after",
    upright: true,
    height: 380,
    x: () => epochAxis(0, last),
    y: shareAxis(known.map(({ mean }) => ({ mean, low: mean, high: mean })), title),
    points: Array.from({ length: last + 1 }, (_, epoch) => ({
      at: epoch,
      name: epoch ? `epoch ${epoch}` : "untrained",
      listed: epoch === last || LISTED.includes(epoch),
    })),
    lines,
    reading: "epochs",
  };
}

function epochText(ranges) {
  const { group, measure, title, meaning } = ranges[0];
  const several = ranges.some(({ seeds }) => seeds.length > 1);
  const skipped = ranges.reduce((sum, found) => sum + found.skipped, 0);
  const [first, last] = [0, -1].map((at) => {
    const known = ranges.map(({ by_epoch }) => by_epoch.at(at)).filter(Boolean);
    return known.length ? spread(known.map(({ mean }) => mean), 2, " to ") : "—";
  });
  return [
    `${EQUIVARIANT} ${MEANINGS[measure] ?? `Shown: ${title}`}: ${meaning}.`,
    `${group}, means over its models.` +
    (skipped ? ` Diverged models are skipped: ${count(skipped, "model")}.` : "") +
    " Epoch 0 is the untrained network." +
    (several ? " Bands are 95 % intervals over seeds." : ""),
    h("strong", {}, `Before training ${first}, after the last epoch ${last}.`),
  ];
}
