// Controls that several parts of the page use: radio groups, text fields and selections.

import { h } from "./dom.js";

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

// Make a radio group of buttons from [value, label] pairs: Tab enters it, arrow keys choose.
// Returns { element, show(value) }.
export function choiceGroup(name, options, choose) {
  const buttons = options.map(([value, label]) =>
    h("button", { type: "button", role: "radio", onclick: () => choose(value) }, label)
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

// Make a text field with a place for the problem with its text.
// Returns { element, input, complain(text) }; complain("") removes the problem.
export function textField(id, label, attributes) {
  const problem = h("p", { class: "problem", id: `${id}-problem`, role: "alert" });
  const input = h("input", {
    type: "text",
    id,
    autocomplete: "off",
    spellcheck: "false",
    "aria-describedby": `${id}-problem`,
    ...attributes,
  });
  const complain = (text) => {
    problem.textContent = text;
    input.setAttribute("aria-invalid", String(text !== ""));
  };
  const named = typeof label === "string" ? h("label", { for: id }, label) : label;
  return { element: h("div", { class: "field" }, named, input, problem), input, complain };
}

// Make a selection. Returns { element, input }.
export function selectField(id, label, options, onchange) {
  const input = h(
    "select",
    { id, onchange },
    options.map((value) => h("option", { value }, value)),
  );
  return { element: h("div", { class: "field" }, h("label", { for: id }, label), input), input };
}
