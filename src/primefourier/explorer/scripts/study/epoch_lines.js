// Does training make the network equivariant? One measure before training and after each epoch.

import { epochAxis, shareAxis } from "../charts/chart.js";
import { h } from "../page/dom.js";
import { count, spread, withInterval } from "../page/writing.js";

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

// Describe the chart (line_card.js) of one measure of one group of models, by range.
export function epochLines(ranges) {
  const { group, title } = ranges[0];
  const last = Math.max(...ranges.map(({ by_epoch }) => by_epoch.length)) - 1;
  const lines = ranges.map(({ range, by_epoch }, index) => {
    const values = by_epoch.map((value) => value && { ...value, text: withInterval(value, 4) });
    return { key: range, name: `r = ${range}`, index, parts: [{ name: "", values }] };
  });
  const known = ranges.flatMap(({ by_epoch }) => by_epoch.filter(Boolean));
  return {
    text: explanation(ranges),
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

function explanation(ranges) {
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
