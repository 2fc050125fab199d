// Make elements. Text is always inserted as text, never parsed as HTML, so data cannot become markup.

const SVG = "http://www.w3.org/2000/svg";

// Make an HTML element: h("button", { class: "plain", onclick: f }, "Play", icon).
export function h(tag, attributes = {}, ...children) {
  return complete(document.createElement(tag), attributes, children);
}

// Make an SVG element.
export function s(tag, attributes = {}, ...children) {
  return complete(document.createElementNS(SVG, tag), attributes, children);
}

function complete(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") setStyle(element, value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  const shown = children.flat(Infinity).filter((child) => child !== null && child !== undefined);
  element.append(...shown);
  return element;
}

function setStyle(element, properties) {
  for (const [name, value] of Object.entries(properties)) element.style.setProperty(name, value);
}

// Let a screen reader say a text.
export function announce(text) {
  const region = document.getElementById("announcer");
  if (region) region.textContent = text;
}

// Make a button that copies what `text()` returns, and confirms it.
export function copyButton(text, label = "Copy") {
  const button = h("button", { type: "button", class: "copy" }, label);
  button.addEventListener("click", async () => {
    const words = (await copy(text())) ? "Copied" : "Select it and copy";
    button.textContent = words;
    announce(words);
    setTimeout(() => (button.textContent = label), 1500);
  });
  return button;
}

// Copy a text to the clipboard. Returns whether that worked.
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h("textarea", { value: text, "aria-hidden": "true", class: "visually-hidden" });
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy"); // for pages that may not use the clipboard API
    area.remove();
    return done;
  }
}
