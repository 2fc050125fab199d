// A field for an integer of any size: type it, step it with keys or buttons, or drag its name.

import { textField } from "../page/controls.js";
import { h } from "../page/dom.js";
import { get, set, watch } from "../page/state.js";
import { readInteger, write } from "./integers.js";

const PIXELS_PER_STEP = 6;

// Make the field for the state's value `name`; `section` makes its id unique.
export function numberField(section, name, { label, atLeast = null }) {
  const id = `${section}-${name}`;
  const handle = h(
    "label",
    { for: id, class: `handle ${name}`, title: "Drag left or right to change it" },
    label,
    h("span", { "aria-hidden": "true" }, " ↔"),
  );
  const step = (by) => {
    const next = get(name) + by;
    set({ [name]: atLeast !== null && next < atLeast ? atLeast : next });
  };
  const { element, input, complain } = textField(id, handle, {
    class: `number ${name}`,
    inputmode: "numeric",
    oninput: () => {
      const { value, problem } = readInteger(input.value, { atLeast });
      complain(problem ?? "");
      if (value !== undefined) set({ [name]: value });
    },
    onkeydown: (event) => {
      const by = { ArrowUp: 1n, ArrowDown: -1n, PageUp: 10n, PageDown: -10n }[event.key];
      if (by === undefined) return;
      event.preventDefault();
      step(event.shiftKey ? by * 10n : by);
    },
  });
  const button = (text, by, verb) =>
    h(
      "button",
      { type: "button", "aria-label": `${verb} ${label}`, onclick: () => step(by) },
      text,
    );
  const stepper = h("div", { class: "stepper" });
  input.replaceWith(stepper);
  stepper.append(button("−", -1n, "Decrease"), input, button("+", 1n, "Increase"));
  element.classList.add("number-field");
  dragToChange(handle, step);
  watch([name], () => {
    if (readInteger(input.value).value !== get(name)) {
      input.value = write(get(name)).replace("−", "-");
    }
    complain("");
  });
  return element;
}

// Let a horizontal drag count up and down, by tens while Shift is held.
function dragToChange(handle, step) {
  let from = null;
  handle.addEventListener("pointerdown", (event) => {
    from = event.clientX;
    handle.setPointerCapture(event.pointerId);
  });
  handle.addEventListener("pointermove", (event) => {
    if (from === null) return;
    const steps = Math.trunc((event.clientX - from) / PIXELS_PER_STEP);
    if (steps === 0) return;
    from += steps * PIXELS_PER_STEP;
    step(BigInt(steps) * (event.shiftKey ? 10n : 1n));
  });
  const end = () => (from = null);
  handle.addEventListener("pointerup", end);
  handle.addEventListener("pointercancel", end);
}
