// Make elements, and the sections, tables and openable parts built from them. Text is always inserted as
// text, never parsed as HTML, so data cannot become markup.

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

// Make a section with a heading and an introduction.
export function section(id, title, introduction, ...children) {
  const heading = h("h2", { id: `${id}-title` }, title);
  const header = h("header", {}, heading, h("p", { class: "prose muted" }, introduction));
  return h("section", { id, "aria-labelledby": `${id}-title` }, header, children);
}

// Make a table from tr or tbody elements. The caption is a text, an element, or null.
export function table(attributes, caption, columns, rows) {
  const head = columns.map((name) => h("th", { scope: "col" }, name));
  const inBodies = rows[0]?.tagName === "TBODY";
  return h(
    "table",
    attributes,
    typeof caption === "string" ? h("caption", {}, caption) : caption,
    h("thead", {}, h("tr", {}, head)),
    inBodies ? rows : h("tbody", {}, rows),
  );
}

// Make a caption that only screen readers announce.
export function hiddenCaption(text) {
  return h("caption", { class: "visually-hidden" }, text);
}

// Make a table row: a heading, and cells that are td elements or the contents of one.
export function row(heading, cells, attributes = {}) {
  const values = cells.map((cell) => (cell?.tagName === "TD" ? cell : h("td", {}, cell)));
  return h("tr", attributes, h("th", { scope: "row" }, heading), values);
}

// Make a list of names and values.
export function pairList(attributes, pairs) {
  return h("dl", attributes, pairs.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

// Make a part that opens when its title is clicked. Its content is made when it is first opened.
export function openable(title, make, attributes = {}) {
  const place = h("div", { class: "scroll" });
  const details = h("details", attributes, h("summary", {}, title), place);
  details.addEventListener("toggle", () => {
    if (!place.childElementCount) place.append(make());
  });
  return details;
}
