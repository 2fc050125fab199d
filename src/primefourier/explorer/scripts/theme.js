// Light, dark, or as the system has it.

import { announce, h } from "./dom.js";

const NEXT = { auto: "light", light: "dark", dark: "auto" };
const LABELS = { auto: "◐ Auto", light: "☀ Light", dark: "☾ Dark" };

// A button that goes through the three; the choice is kept where the browser allows it.
export function themeButton() {
  let theme = recall();
  const button = h("button", { type: "button", class: "plain theme" });
  const show = () => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = LABELS[theme];
    button.setAttribute("aria-label", `Colours: ${theme}. Change to ${NEXT[theme]}.`);
  };
  button.addEventListener("click", () => {
    theme = NEXT[theme];
    show();
    announce(`Colours: ${theme}`);
    try {
      localStorage.setItem("primefourier-theme", theme);
    } catch {
      // a page from a file may have no storage; the choice then lasts as long as the page
    }
  });
  show();
  return button;
}

function recall() {
  try {
    const kept = localStorage.getItem("primefourier-theme");
    return kept in NEXT ? kept : "auto";
  } catch {
    return "auto";
  }
}
