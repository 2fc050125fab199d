// The colours of values, and the colour of text that is legible on them.

// The colour map viridis in 16 steps, which colour-blind people and grey prints distinguish.
const VIRIDIS = (
  "440154 48186a 472d7b 424086 3b528b 33638d 2c728e 26828e 21918c " +
  "1fa088 28ae80 3fbc73 5ec962 84d44b addc30 d8e219 fde725"
).split(" ").map((color) => [0, 2, 4].map((i) => parseInt(color.slice(i, i + 2), 16)));
const [BLACK, WHITE] = [[0, 0, 0], [255, 255, 255]];

// Make a scale from values to colours. Values outside have the colour of the nearer end.
export function linearScale(low, high) {
  return { color: (value) => viridis((value - low) / (high - low)) };
}

// Make the same with equal steps for equal factors.
export function logScale(low, high) {
  const position = (value) => (value > 0 ? Math.log(value / low) / Math.log(high / low) : 0);
  return { color: (value) => viridis(position(value)) };
}

// Return the colour at a position from 0 to 1, as [red, green, blue].
function viridis(place) {
  const along = Math.min(1, Math.max(0, place)) * (VIRIDIS.length - 1);
  const step = Math.min(VIRIDIS.length - 2, Math.floor(along));
  return VIRIDIS[step].map((part, i) =>
    Math.round(part + (along - step) * (VIRIDIS[step + 1][i] - part))
  );
}

export function css([red, green, blue]) {
  return `rgb(${red} ${green} ${blue})`;
}

// Return the colours of a scale from end to end, for its legend.
export function gradient() {
  return `linear-gradient(to right, ${VIRIDIS.map(css).join(", ")})`;
}

// Return black or white, whichever has more contrast: at least 4.58 : 1 on any colour.
export function inkOn(color) {
  return contrast(color, BLACK) >= contrast(color, WHITE) ? css(BLACK) : css(WHITE);
}

// Return the contrast of two colours as the accessibility guidelines (WCAG 2) define it.
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
