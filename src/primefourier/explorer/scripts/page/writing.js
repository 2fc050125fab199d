// How numbers and small texts are written.

// Write a number with some decimals, a real minus sign, and no minus before zero.
export function decimals(value, digits = 3) {
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

// Write a mean, with half the width of its 95 % interval if there are several seeds.
export function withInterval(interval, digits = 3) {
  const mean = decimals(interval.mean, digits);
  return interval.high === null
    ? mean
    : `${mean} ± ${decimals(interval.high - interval.mean, digits)}`;
}

// Write the smallest and the largest value, or one value if both are written the same.
export function spread(values, digits = 3, between = "–") {
  const ends = [Math.min(...values), Math.max(...values)].map((value) => decimals(value, digits));
  return ends[0] === ends[1] ? ends[0] : ends.join(between);
}

export function percent(share) {
  return `${decimals(100 * share, 0)} %`;
}

// Write a number with its noun: "1 model", "4 models".
export function count(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

// Write a text with a capital first letter.
export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// Write a p-value.
export function writeP(p) {
  if (p === 0) return "< 1e−300"; // too small for a float
  return p >= 0.001 ? decimals(p) : p.toExponential(0).replace("-", "−");
}

// Write a duration in its two largest units.
export function writeDuration(seconds) {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
