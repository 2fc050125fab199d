// Does training make the network equivariant? One measure before training and after each epoch, a line for each r.

import { h, s } from "./dom.js";
import { epochAxis, frame, marker, path, seriesClass, shareAxis } from "./chart.js";
import { spread, withInterval } from "./scale.js";
import { lineChart, readAlong, sampleOf } from "./series.js";
import { simpleTable } from "./table.js";
import { tooltipLines } from "./tooltip.js";

const HEIGHT = 380;
const TOLD = [0, 1, 2, 5, 10, 25]; // epochs that a name in the legend tells, besides the last
const EQUIVARIANT =
  "Put a + s in place of the first number a: the right answer moves by s. An equivariant network moves all its " +
  "outputs by s, whatever a and b are.";
const MEANINGS = {
  share_apart: "Shown is the share of test pairs whose answer does not move by s",
  shift_error: "Shown is how far the network’s outputs are from having moved by s",
  off_block_energy:
    "Then, says Theorem 3.1, the second moment of the gradient couples no two (p, d) blocks. " +
    "Shown is the share of it that does so nevertheless",
  relevant_share: "Shown is the share of the gradient’s square on the channels whose period divides N",
};

// Say what a card of lines shows of one measure of one group of models, by range.
export function epochLines(ranges) {
  const epochs = Array.from({ length: Math.max(...ranges.map(({ by_epoch }) => by_epoch.length)) }, (_, i) => i);
  const names = ranges.map(({ range }) => `r = ${range}`);
  const tell = (epoch) =>
    tooltipLines(
      nameOf(epoch),
      ranges.map((found, i) => [names[i], valueAt(found, epoch)]),
    );
  const lines = ranges.map((found, i) => ({
    key: found.range,
    name: names[i],
    sample: sampleOf(i),
    tell: () => {
      const last = found.by_epoch.length - 1;
      const told = [...TOLD.filter((epoch) => epoch < last), last];
      return tooltipLines(
        names[i],
        told.map((epoch) => [nameOf(epoch), valueAt(found, epoch)]),
      );
    },
    draw: (drawn) => oneLine(found, i, drawn),
  }));
  return {
    text: explanation(ranges),
    drawing: lineChart("Lines by epoch", lines, (width) => axes(ranges, epochs, width), {
      over: (drawn) => readAlong(drawn, epochs, tell),
    }),
    table: () => {
      const rows = epochs.map((epoch) => {
        const values = ranges.map((found) => h("td", {}, valueAt(found, epoch)));
        return h("tr", {}, h("th", { scope: "row" }, nameOf(epoch)), values);
      });
      const caption = h("caption", {}, `${ranges[0].group}: ${ranges[0].title}`);
      return simpleTable({ class: "numbers" }, caption, ["after", ...names], rows);
    },
  };
}

function explanation(ranges) {
  const { group, measure, title, meaning } = ranges[0];
  const several = ranges.some(({ seeds }) => seeds.length > 1) ? " Bands are 95 % intervals over seeds." : "";
  const [first, last] = [0, -1].map((at) =>
    spread(
      ranges.map(({ by_epoch }) => by_epoch.at(at).mean),
      2,
      " to ",
    ),
  );
  return [
    `${EQUIVARIANT} ${MEANINGS[measure] ?? `Shown: ${title}`}: ${meaning}.`,
    `${group}, means over its models. Epoch 0 is the untrained network.${several}`,
    h("strong", {}, `Before training ${first}, after the last epoch ${last}.`),
  ];
}

function axes(ranges, epochs, width) {
  const means = ranges.flatMap(({ by_epoch }) => by_epoch.map(({ mean }) => ({ mean, low: mean, high: mean })));
  const y = shareAxis(means, ranges[0].title);
  const { group, title } = ranges[0];
  const label = `${group}: ${title} against the epoch, a line for each input range; the numbers are in the table below`;
  const drawn = frame({ width, height: HEIGHT, x: epochAxis(0, epochs.at(-1)), y, label });
  return { ...drawn, ticks: epochAxis(0, epochs.at(-1)).ticks.map(([epoch]) => epoch) };
}

// A line, its band, and marks where the axis has ticks.
function oneLine({ by_epoch: values }, i, { left, top, bottom, inner, ticks }) {
  const within = (y) => Math.min(bottom, Math.max(bottom - inner.height, y)); // intervals of few seeds are wide
  const places = values.map(({ mean }, epoch) => [left(epoch), top(mean)]);
  const edge = (name) => values.map((value, epoch) => [left(epoch), within(top(value[name]))]);
  const sure = values.every(({ high }) => high !== null);
  return [
    sure && s("path", { class: `area ${seriesClass(i)}`, d: `${path([...edge("high"), ...edge("low").reverse()])}Z` }),
    s("path", { class: `stroke ${seriesClass(i)}`, d: path(places) }),
    places
      .filter((_, epoch) => ticks.includes(epoch))
      .map(([x, y]) => s("g", { class: "point", transform: `translate(${x} ${y})` }, marker(i))),
  ].filter(Boolean);
}

function nameOf(epoch) {
  return epoch ? `epoch ${epoch}` : "untrained";
}

function valueAt({ by_epoch: values }, epoch) {
  return epoch < values.length ? withInterval(values[epoch], 4) : "—";
}
