// Make elements. Text is always text: nothing here reads HTML, so no data can become markup.

const SVG = "http://www.w3.org/2000/svg";

// Make an HTML element: h("button", { class: "plain", onclick: f }, "Play", icon).
export function h(tag, attributes = {}, ...children) {
  return furnish(document.createElement(tag), attributes, children);
}

// Make an SVG element.
export function s(tag, attributes = {}, ...children) {
  return furnish(document.createElementNS(SVG, tag), attributes, children);
}

function furnish(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") Object.entries(value).forEach(([k, v]) => element.style.setProperty(k, v));
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

// Say something to people who use a screen reader.
export function announce(text) {
  const region = document.getElementById("announcer");
  if (region) region.textContent = text;
}

// A button that copies what `text()` returns, and says so.
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

// Copy, and tell whether that worked.
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h("textarea", { value: text, "aria-hidden": "true", class: "visually-hidden" });
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy"); // the old way, for pages that may not use the clipboard
    area.remove();
    return done;
  }
}
