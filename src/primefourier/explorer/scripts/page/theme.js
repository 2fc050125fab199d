// The colours: light, dark, or as the system has them.

import { announce, h } from "./dom.js";

const NEXT = { auto: "light", light: "dark", dark: "auto" };
const LABELS = { auto: "◐ Auto", light: "☀ Light", dark: "☾ Dark" };
const KEY = "primefourier-theme";

// Make a button that cycles through the three; the choice is stored where the browser allows it.
export function themeButton() {
  let theme = readTheme();
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
      localStorage.setItem(KEY, theme);
    } catch {
      // no storage for a page from a file: the choice ends with the page
    }
  });
  show();
  return button;
}

function readTheme() {
  try {
    const stored = localStorage.getItem(KEY);
    return stored in NEXT ? stored : "auto";
  } catch {
    return "auto";
  }
}
