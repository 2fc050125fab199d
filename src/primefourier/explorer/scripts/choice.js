// A row of buttons of which one is chosen, as a radio group: Tab enters it, arrows choose.

import { h } from "./dom.js";
import { get, set, watch } from "./state.js";

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

// Make the group; options are [value, label] pairs. Returns { element, show(value) }.
export function choiceGroup(name, options, choose) {
  const buttons = options.map(([value, label]) =>
    h("button", { type: "button", role: "radio", onclick: () => choose(value) }, label),
  );
  const element = h("div", { class: "choice", role: "radiogroup", "aria-label": name }, buttons);
  element.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    const at = buttons.indexOf(document.activeElement);
    if (!step || at < 0) return;
    event.preventDefault();
    const next = (at + step + buttons.length) % buttons.length;
    choose(options[next][0]);
    buttons[next].focus();
  });
  const show = (chosen) =>
    options.forEach(([value], i) => {
      buttons[i].setAttribute("aria-checked", String(value === chosen));
      buttons[i].tabIndex = value === chosen ? 0 : -1;
    });
  return { element, show };
}

// Make the group for a value of the state: it shows that value and changes it.
export function stateChoice(label, name, options) {
  const choice = choiceGroup(label, options, (value) => set({ [name]: value }));
  watch([name], () => choice.show(get(name)));
  return choice.element;
}
