// The names of the lines of a chart, as buttons: point at one or focus it to see its line alone.

import { h, s } from "./dom.js";
import { explain } from "./tooltip.js";

// Make the list; entries are { name, sample: SVG parts, tell: () => tooltip, emphasise: (on) => … }.
export function legend(label, entries) {
  return h(
    "ul",
    { class: "legend", "aria-label": label },
    entries.map(({ name, sample, tell, emphasise }) => {
      const drawn = s("svg", { viewBox: "-14 -7 28 14", width: 28, height: 14, "aria-hidden": "true" }, sample);
      const button = h("button", { type: "button", class: "plain" }, drawn, name);
      for (const event of ["pointerenter", "focus"]) button.addEventListener(event, () => emphasise(true));
      for (const event of ["pointerleave", "blur"]) button.addEventListener(event, () => emphasise(false));
      explain(button, tell);
      return h("li", {}, button);
    }),
  );
}
