// What a page lacks for people with a screen reader, poor sight, or both. Tests evaluate this file
// on a page and then call findProblems().

globalThis.findProblems = () => ({
  "controls without a name": controlsWithoutName(),
  "pictures without a text": picturesWithoutText(),
  "ids used twice": idsUsedTwice(),
  "texts with poor contrast": textsWithPoorContrast(),
});

function controlsWithoutName() {
  const controls = document.querySelectorAll("button, input, select, a[href], summary");
  return [...controls].filter((element) => {
    const label = element.labels?.[0]?.textContent ?? "";
    const other = document.getElementById(element.getAttribute("aria-labelledby"))?.textContent;
    return !(element.getAttribute("aria-label") ?? (other || label || element.textContent)).trim();
  }).map((element) => element.outerHTML.slice(0, 200));
}

function picturesWithoutText() {
  const described = (svg) =>
    ["img", "group"].includes(svg.getAttribute("role")) && svg.getAttribute("aria-label");
  return [...document.querySelectorAll("svg")]
    .filter((svg) => !svg.closest("[aria-hidden=true]") && !described(svg))
    .map((svg) => svg.outerHTML.slice(0, 200));
}

function idsUsedTwice() {
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  return ids.filter((id, i) => ids.indexOf(id) !== i);
}

// The least contrast that WCAG 2 allows is 4.5, or 3 for large text.
function textsWithPoorContrast() {
  const poor = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const [text, element] = [walker.currentNode.textContent, walker.currentNode.parentElement];
    const exempt = "script, noscript, .skip, svg, :disabled, .visually-hidden, option";
    if (!text.trim() || element.closest(exempt) || !element.checkVisibility()) continue;
    const { color, fontSize, fontWeight } = getComputedStyle(element);
    const back = backgroundOf(element);
    const both = [luminance(back), luminance(blend(readColor(color), back))];
    const ratio = (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
    const size = parseFloat(fontSize);
    const large = size >= 24 || (size >= 18.66 && fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) {
      poor.push([ratio.toFixed(2), text.slice(0, 40), element.className]);
    }
  }
  return poor;
}

const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });

// Return a colour as [red, green, blue, opacity], as the browser draws it.
function readColor(color) {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = color;
  canvas.fillRect(0, 0, 1, 1);
  const [red, green, blue, opacity] = canvas.getImageData(0, 0, 1, 1).data;
  return [red, green, blue, opacity / 255];
}

function blend([red, green, blue, opacity], back) {
  return [...[red, green, blue].map((c, i) => c * opacity + back[i] * (1 - opacity)), 1];
}

function backgroundOf(element) {
  if (!element) return [255, 255, 255, 1];
  const own = readColor(getComputedStyle(element).backgroundColor);
  return own[3] === 1 ? own : blend(own, backgroundOf(element.parentElement));
}

function luminance(color) {
  return color.slice(0, 3).map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
}
