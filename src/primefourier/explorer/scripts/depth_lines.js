// Which depths carry the answer? The drop when one (p, d) block is replaced by itself, a line for each r.

import { h } from "./dom.js";
import { frame, shareAxis } from "./chart.js";
import { KINDS } from "./kinds.js";
import { count, decimals, spread, withInterval } from "./scale.js";
import { aside, lineChart, markedLine, sampleOf } from "./series.js";
import { simpleTable } from "./table.js";
import { tooltipLines } from "./tooltip.js";

const HEIGHT = 380;
const MOST_ASIDE = 14; // between the marks of two lines at one depth
const ROWS = [
  { key: "relevant", name: "primes that divide N", short: "p divides N" },
  { key: "other", name: "other primes", short: "other p" },
];

// Say what a card of lines shows of the drops of one group of models under one kind of ablation, by range.
export function depthLines(group, ablation, ranges) {
  const { words } = KINDS.find(({ key }) => key === ablation);
  const depths = ranges[0].relevant.map((_, depth) => depth);
  const lines = ranges.map((found, i) => ({
    key: found.range,
    name: `r = ${found.range}`,
    sample: sampleOf(i),
    tell: () => tooltipLines(`r = ${found.range}`, valuesOf(found), "Primes that divide N / other primes."),
    draw: (drawn) => ROWS.toReversed().map((row) => oneLine(found, row, i, ranges.length, drawn)),
  }));
  return {
    text: explanation(group, ablation, words, ranges),
    drawing: lineChart("Lines by depth", lines, (width) => axes(group, words, ranges, depths, width)),
    table: () => {
      const caption = h("caption", {}, `${group}: mean drop when a block is replaced by ${words}`);
      const rows = ranges.flatMap((found) =>
        ROWS.map(({ key, short }) => {
          const values = found[key].map((interval) => h("td", {}, withInterval(interval)));
          return h("tr", {}, h("th", { scope: "row" }, `r = ${found.range}, ${short}`), values);
        }),
      );
      return simpleTable({ class: "numbers" }, caption, ["blocks", ...depths.map((d) => `d = ${d}`)], rows);
    },
  };
}

function explanation(group, ablation, words, ranges) {
  const several = ranges.some(({ seeds }) => seeds.length > 1) ? " Bars are 95 % intervals over seeds." : "";
  const zeros = ablation === "zero" ? " No block of the data is zero, so zeros may also cost what is not needed." : "";
  return [
    "A row has a block for each depth d: the place on a circle with period p^(d+1). In theory a block is needed only " +
      "if its period divides N, and no N here is divisible by a square: d = 0 alone should matter.",
    `${group}: the drop of test accuracy when one block alone is replaced by ${words}, mean over blocks and models. ` +
      `Solid: primes that divide N. Dashed: other primes.${several}${zeros}`,
    h("strong", {}, inWords(ranges)),
  ];
}

// Say what is seen: what the first depth costs, and the most that anything else does.
function inWords(ranges) {
  const first = ranges.map(({ relevant }) => relevant[0].mean);
  const all = ranges.flatMap((found) =>
    ROWS.flatMap(({ key, name }) => found[key].map(({ mean }, d) => ({ mean, d, key, name, range: found.range }))),
  );
  const others = all.filter(({ d, key }) => d > 0 || key === "other");
  const { mean, d, name, range } = others.reduce((one, other) => (other.mean > one.mean ? other : one));
  const most = `at most ${decimals(mean, 2)} (d = ${d} at r = ${range}, ${name})`;
  const rest = mean < 0.005 ? "less than 0.01" : most;
  return `d = 0 of primes that divide N costs ${spread(first, 2, " to ")}, all else ${rest}.`;
}

function axes(group, words, ranges, depths, width) {
  const x = {
    place: (depth) => (depth + 0.5) / depths.length,
    ticks: depths.map((depth) => [depth, String(depth)]),
    label: "depth d, period p^(d+1)",
  };
  const y = shareAxis(
    ranges.flatMap(({ relevant, other }) => [...relevant, ...other]),
    "drop of accuracy",
  );
  const label =
    `${group}: drop of test accuracy against depth when a block is replaced by ${words}, ` +
    "a line for each input range; the numbers are in the table below";
  return frame({ width, height: HEIGHT, x, y, label });
}

function oneLine(found, { key, name }, i, lines, { left, top }) {
  const other = key === "other";
  const moved = aside(i, lines, Math.min(MOST_ASIDE, (left(1) - left(0)) / (2 * lines)));
  const points = found[key].map((interval, depth) => ({
    x: left(depth) + moved,
    y: top(interval.mean),
    ends: interval.high === null ? null : [top(interval.low), top(interval.high)],
    hollow: other,
    tell: () => tooltipLines(`r = ${found.range}, d = ${depth}`, pairsOf(found, name, interval)),
  }));
  return markedLine(i, points, other);
}

function pairsOf({ seeds, models }, name, interval) {
  return [
    ["blocks", name],
    ["drop", withInterval(interval, 4)],
    ["mean over", `${count(models, "model")}, ${count(seeds.length, "seed")}`],
  ];
}

function valuesOf({ relevant, other }) {
  return relevant.map((interval, d) => [`d = ${d}`, `${withInterval(interval)} / ${withInterval(other[d])}`]);
}
