// One small box that explains what the pointer or the focus is on. Escape closes it.

import { h, pairList } from "./dom.js";

const GAP = 10;
const box = h("div", { class: "tooltip", id: "tooltip", role: "tooltip", hidden: true });
let owner = null;
let follows = false;

// Show a tooltip for an element while the pointer or the focus is on it.
export function explain(element, content) {
  const show = () => showTooltip(element, content());
  element.addEventListener("pointerenter", (event) => event.pointerType !== "touch" && show());
  element.addEventListener("focus", () => element.matches(":focus-visible") && show());
  element.addEventListener("pointerleave", () => hideTooltip(element));
  element.addEventListener("blur", () => hideTooltip(element));
}

// Show the tooltip of an element, beside it or beside another rectangle on the screen.
export function showTooltip(element, content, around = null) {
  if (!box.isConnected) {
    document.body.append(box);
    document.addEventListener("keydown", (event) => event.key === "Escape" && hideTooltip(owner));
    addEventListener("scroll", followScroll, { passive: true });
  }
  owner?.removeAttribute("aria-describedby");
  owner = element;
  box.replaceChildren(...[content].flat());
  box.hidden = false;
  element.setAttribute("aria-describedby", box.id);
  follows = around === null;
  place(around ?? element.getBoundingClientRect());
}

// After scrolling, stay beside an element that still has the pointer or the focus; else hide.
function followScroll() {
  if (owner && follows && owner.matches(":hover, :focus-visible")) {
    place(owner.getBoundingClientRect());
  } else hideTooltip(owner);
}

export function hideTooltip(element) {
  if (element === null || owner !== element) return;
  element.removeAttribute("aria-describedby");
  owner = null;
  box.hidden = true;
}

// Put the box above a rectangle, or below it where there is no room.
function place(around) {
  const { width, height } = box.getBoundingClientRect();
  const middle = around.left + around.width / 2;
  const left = Math.min(innerWidth - width - GAP, Math.max(GAP, middle - width / 2));
  const above = around.top - height - GAP;
  box.style.setProperty("left", `${left}px`);
  box.style.setProperty("top", `${above < GAP ? around.bottom + GAP : above}px`);
}

// Make the content of a tooltip: a title, names with values, and perhaps a note.
export function tooltipLines(title, pairs, note = "") {
  return [h("strong", {}, title), pairList({}, pairs), ...(note ? [h("p", {}, note)] : [])];
}
