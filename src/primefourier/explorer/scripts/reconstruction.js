// The answer from the circles: the Chinese Remainder Theorem, one prime power at a time.

import { announce, h } from "./dom.js";
import { get, set, watch } from "./state.js";
import { mod, OPERATIONS, power } from "./integers.js";
import { joinResidues } from "./crt.js";
import { drawBars, explainStep } from "./bars.js";

const PAUSE = 1400; // milliseconds for a step that plays by itself

export function reconstruction() {
  const title = h("h3", {});
  const bars = h("div", {});
  const list = h("ol", { class: "steps small" });
  const back = h("button", { type: "button", onclick: () => go(get("step") - 1) }, "◀ Back");
  const next = h("button", { type: "button", onclick: () => go(get("step") + 1) }, "Next ▶");
  const play = h("button", { type: "button", onclick: () => playAll() }, "▶ Step by step");
  const buttons = h("div", { class: "step-buttons" }, back, next, play);
  let timer = null;

  const go = (step) => {
    clearTimeout(timer);
    set({ step });
    announce(list.querySelector("[aria-current]")?.textContent ?? "");
  };
  const playAll = () => {
    go(0);
    const proceed = () => {
      go(get("step") + 1);
      if (get("step") < stepsOf().length) timer = setTimeout(proceed, PAUSE);
    };
    timer = setTimeout(proceed, PAUSE / 2);
  };

  watch(["n", "factors"], () => {
    clearTimeout(timer);
    set({ step: stepsOf().length }); // all of them, until somebody goes back
  });
  watch(["a", "b", "n", "operation", "factors", "step"], () => {
    const [a, b, n, operation] = ["a", "b", "n", "operation"].map(get);
    const answer = mod(OPERATIONS[operation].apply(a, b), n);
    const steps = stepsOf();
    const step = Math.min(get("step"), steps.length);
    title.textContent = steps.length > 1 ? "Put together: the Chinese Remainder Theorem" : "The answer";
    bars.replaceChildren(drawBars({ n, a, b, answer, operation, steps, step }));
    list.replaceChildren(...(steps.length > 1 ? steps.map((found, i) => stepItem(steps, found, i, step, n)) : []));
    buttons.hidden = steps.length < 2;
    back.disabled = step === 0;
    next.disabled = step === steps.length;
  });
  const card = h(
    "div",
    { class: "card reconstruction" },
    h("div", { class: "row-between" }, title, buttons),
    bars,
    list,
  );
  watch(["factors"], () => card.setAttribute("aria-busy", String(get("factors") === null)));
  return card;
}

// The residues of the prime powers of N, joined one after the other; none while N is not factored.
function stepsOf() {
  const found = get("factors");
  const [a, b, n, operation] = ["a", "b", "n", "operation"].map(get);
  if (!found || found.n !== n || found.rest !== 1n) return [];
  const moduli = found.factors.map(([p, e]) => power(p, e));
  const answer = OPERATIONS[operation].apply(a, b);
  return joinResidues(
    moduli.map((m) => mod(answer, m)),
    moduli,
  );
}

function stepItem(steps, { modulus, value, known }, i, step, n) {
  const attributes = { "data-modulus": modulus, "data-value": value, "data-known": known };
  if (i >= step) return h("li", { class: "later", ...attributes }, "…");
  return h("li", { ...attributes, "aria-current": i === step - 1 ? "step" : null }, explainStep(steps, i, n));
}
