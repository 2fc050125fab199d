// One small box that says more about what is pointed at or has the focus. Escape closes it.

import { h } from "./dom.js";

const GAP = 10;
const box = h("div", { class: "tooltip", id: "tooltip", role: "tooltip", hidden: true });
let owner = null;
let follows = false;

// Show a tooltip for an element while it is pointed at or has the focus.
export function explain(element, content) {
  const show = () => showTooltip(element, content());
  element.addEventListener("pointerenter", (event) => event.pointerType !== "touch" && show());
  element.addEventListener("focus", () => element.matches(":focus-visible") && show());
  element.addEventListener("pointerleave", () => hideTooltip(element));
  element.addEventListener("blur", () => hideTooltip(element));
}

// Show it for an element, beside the element itself or another place on the screen.
export function showTooltip(element, content, around = null) {
  if (!box.isConnected) {
    document.body.append(box);
    document.addEventListener("keydown", (event) => event.key === "Escape" && hideTooltip(owner));
    window.addEventListener("scroll", scrolled, { passive: true });
  }
  owner?.removeAttribute("aria-describedby");
  owner = element;
  box.replaceChildren(...[content].flat());
  box.hidden = false;
  element.setAttribute("aria-describedby", box.id);
  follows = around === null;
  place(around ?? element.getBoundingClientRect());
}

// Stay beside an element that is still pointed at or has the focus; leave any other.
function scrolled() {
  if (owner && follows && owner.matches(":hover, :focus-visible")) place(owner.getBoundingClientRect());
  else hideTooltip(owner);
}

export function hideTooltip(element) {
  if (element === null || owner !== element) return;
  element.removeAttribute("aria-describedby");
  owner = null;
  box.hidden = true;
}

// Put the box above the element, or below where there is no room.
function place(around) {
  const { width, height } = box.getBoundingClientRect();
  const left = Math.min(innerWidth - width - GAP, Math.max(GAP, around.left + around.width / 2 - width / 2));
  const above = around.top - height - GAP;
  box.style.setProperty("left", `${left}px`);
  box.style.setProperty("top", `${above < GAP ? around.bottom + GAP : above}px`);
}

// Make the lines of a tooltip: a title, and names with values.
export function tooltipLines(title, pairs, note = "") {
  return [
    h("strong", {}, title),
    h(
      "dl",
      {},
      pairs.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
    ),
    note ? h("p", {}, note) : null,
  ].filter(Boolean);
}
