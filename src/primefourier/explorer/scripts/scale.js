// Which colour a value has, which text is legible on it, and how numbers are written.

// The colour map viridis at every sixteenth: legible to the colour-blind, and in shades of grey.
const VIRIDIS = [
  0x440154, 0x48186a, 0x472d7b, 0x424086, 0x3b528b, 0x33638d, 0x2c728e, 0x26828e, 0x21918c, 0x1fa088, 0x28ae80,
  0x3fbc73, 0x5ec962, 0x84d44b, 0xaddc30, 0xd8e219, 0xfde725,
].map((color) => [color >> 16, (color >> 8) & 255, color & 255]);
const [BLACK, WHITE] = [
  [0, 0, 0],
  [255, 255, 255],
];

// A scale from value to colour; what lies outside has the colour of the nearer end.
export function linearScale(low, high) {
  return makeScale(low, high, (value) => (value - low) / (high - low));
}

// The same, in equal steps for equal factors.
export function logScale(low, high) {
  return makeScale(low, high, (value) => (value > 0 ? Math.log(value / low) / Math.log(high / low) : 0));
}

function makeScale(low, high, place) {
  return { low, high, place, color: (value) => viridis(place(value)) };
}

// Return the colour at a place from 0 to 1, as [red, green, blue].
function viridis(place) {
  const along = Math.min(1, Math.max(0, place)) * (VIRIDIS.length - 1);
  const step = Math.min(VIRIDIS.length - 2, Math.floor(along));
  return VIRIDIS[step].map((part, i) => Math.round(part + (along - step) * (VIRIDIS[step + 1][i] - part)));
}

export function css([red, green, blue]) {
  return `rgb(${red} ${green} ${blue})`;
}

// The colours of a scale from end to end, for a bar that explains it.
export function gradient() {
  return `linear-gradient(to right, ${VIRIDIS.map(css).join(", ")})`;
}

// Return black or white, whichever stands out more: at least 4.58 : 1 on any colour.
export function inkOn(color) {
  return contrast(color, BLACK) >= contrast(color, WHITE) ? css(BLACK) : css(WHITE);
}

// The contrast of two colours as the accessibility guidelines (WCAG 2) define it.
function contrast(one, other) {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color) {
  const [red, green, blue] = color.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

// Write a number with some decimals, a real minus sign, and no minus before nothing.
export function decimals(value, digits = 3) {
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

// Write a mean, with the half width of its 95 % interval if there are several seeds.
export function withInterval(interval, digits = 3) {
  const mean = decimals(interval.mean, digits);
  return interval.high === null ? mean : `${mean} ± ${decimals(interval.high - interval.mean, digits)}`;
}

// Write from where to where some values lie, or their value if that is written alike.
export function spread(values, digits = 3, between = "–") {
  const ends = [Math.min(...values), Math.max(...values)].map((value) => decimals(value, digits));
  return ends[0] === ends[1] ? ends[0] : ends.join(between);
}

export function percent(share) {
  return `${decimals(100 * share, 0)} %`;
}

// Write how many there are of something: "1 model", "4 models".
export function count(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

// Write a text with a capital letter at its beginning.
export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
