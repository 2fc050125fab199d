// Count a up automatically. `ahead` is the fraction of the next step that has passed.

import { announce, h } from "../page/dom.js";
import { get, set, watch } from "../page/state.js";

const SPEEDS = { "1 per second": 1, "3 per second": 3, "10 per second": 10, "30 per second": 30 };

// Make a button that starts and stops, and a choice of speed.
export function countingControls() {
  let [before, speed, waiting] = [null, 3, null];
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const button = h("button", { type: "button", "aria-pressed": "false" }, "▶ Count a up");
  const choice = h(
    "select",
    {
      "aria-label": "Speed of counting",
      onchange: (event) => (speed = Number(event.target.value)),
    },
    Object.entries(SPEEDS).map(([words, value]) =>
      h("option", { value, selected: value === speed }, words)
    ),
  );
  const frame = (now) => {
    if (!get("counting")) return;
    const [whole, part] = split(get("ahead") + ((now - (before ?? now)) / 1000) * speed);
    before = now;
    progress(whole, part, still.matches);
    waiting = requestAnimationFrame(frame);
  };
  let hidden = 0; // replaces `ahead` for people who prefer reduced motion
  const progress = (whole, part, jump) => {
    if (!jump) return set({ a: get("a") + BigInt(whole), ahead: part });
    const [more, rest] = split(hidden + whole + part);
    hidden = rest;
    set({ a: get("a") + BigInt(more), ahead: 0 });
  };
  button.addEventListener("click", () => set({ counting: !get("counting") }));
  watch(["counting"], () => {
    const on = get("counting");
    button.setAttribute("aria-pressed", String(on));
    button.textContent = on ? "❚❚ Stop counting" : "▶ Count a up";
    before = null;
    cancelAnimationFrame(waiting);
    if (on) waiting = requestAnimationFrame(frame);
    else set({ ahead: 0 });
    announce(on ? "Counting up" : "");
  });
  return h("div", { class: "counting" }, button, choice);
}

function split(x) {
  return [Math.floor(x), x - Math.floor(x)];
}
