// A field for an integer of any size: type it, step it with keys or buttons, or drag its name.

import { h } from "./dom.js";
import { get, set, watch } from "./state.js";
import { readInteger, write } from "./integers.js";

const PIXELS_A_STEP = 6;

// Make the field for the state's value `name`.
export function numberField(name, { label, atLeast = null, kind = name }) {
  const id = `field-${name}-${Math.random().toString(36).slice(2, 8)}`;
  const problem = h("p", { class: "problem", id: `${id}-problem`, role: "alert" });
  const input = h("input", {
    type: "text",
    id,
    class: `number ${kind}`,
    inputmode: "numeric",
    autocomplete: "off",
    spellcheck: "false",
    "aria-describedby": `${id}-problem`,
  });
  const handle = h(
    "label",
    { for: id, class: `handle ${kind}`, title: "Drag left or right to change it" },
    label,
    h("span", { "aria-hidden": "true" }, " ↔"),
  );
  const step = (by) => {
    const next = get(name) + by;
    set({ [name]: atLeast !== null && next < atLeast ? atLeast : next });
  };
  input.addEventListener("input", () => {
    const { value, problem: text } = readInteger(input.value, { atLeast });
    problem.textContent = text ?? "";
    input.setAttribute("aria-invalid", String(text !== undefined));
    if (value !== undefined) set({ [name]: value });
  });
  input.addEventListener("keydown", (event) => {
    const by = { ArrowUp: 1n, ArrowDown: -1n, PageUp: 10n, PageDown: -10n }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    step(event.shiftKey ? by * 10n : by);
  });
  dragToChange(handle, step);
  watch([name], () => {
    const typed = readInteger(input.value).value;
    if (typed !== get(name)) input.value = write(get(name)).replace("−", "-");
    problem.textContent = "";
    input.setAttribute("aria-invalid", "false");
  });
  const button = (text, by, words) =>
    h("button", { type: "button", "aria-label": `${words} ${label}`, onclick: () => step(by) }, text);
  return h(
    "div",
    { class: "field number-field" },
    handle,
    h("div", { class: "stepper" }, button("−", -1n, "Decrease"), input, button("+", 1n, "Increase")),
    problem,
  );
}

// Let a horizontal drag count up and down; with Shift ten at a time.
function dragToChange(handle, step) {
  let from = null;
  handle.addEventListener("pointerdown", (event) => {
    from = event.clientX;
    handle.setPointerCapture(event.pointerId);
  });
  handle.addEventListener("pointermove", (event) => {
    if (from === null) return;
    const steps = Math.trunc((event.clientX - from) / PIXELS_A_STEP);
    if (steps === 0) return;
    from += steps * PIXELS_A_STEP;
    step(BigInt(steps) * (event.shiftKey ? 10n : 1n));
  });
  const end = () => (from = null);
  handle.addEventListener("pointerup", end);
  handle.addEventListener("pointercancel", end);
}
