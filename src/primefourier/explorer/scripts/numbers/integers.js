// Integers of any size, always exact: reading, reducing, joining residues, and writing.

const MOST_DIGITS = 5000; // more would make typing slow; the library has no such limit

// Read an integer; underscores may separate digits. Returns { value } or { problem }.
export function readInteger(text, { atLeast = null } = {}) {
  const plain = text.trim().replace(/^−/, "-");
  if (!/^[-+]?\d(_?\d)*$/.test(plain)) {
    return { problem: `An integer such as 9 or −17 is required, got “${clip(text.trim())}”.` };
  }
  const digits = plain.replace(/_/g, "").replace(/^\+/, "");
  if (digits.length > MOST_DIGITS) {
    return {
      problem:
        `This page takes up to ${MOST_DIGITS} digits, got ${digits.length}; the library takes any.`,
    };
  }
  const value = BigInt(digits);
  if (atLeast !== null && value < atLeast) {
    return { problem: `At least ${atLeast} is required, got ${write(value)}.` };
  }
  return { value };
}

function clip(text) {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

// Reduce an integer, negative or not, to 0 … m - 1.
export function mod(a, m) {
  const rest = a % m;
  return rest < 0n ? rest + m : rest;
}

export const OPERATIONS = {
  add: { sign: "+", name: "Add", apply: (a, b) => a + b },
  subtract: { sign: "−", name: "Subtract", apply: (a, b) => a - b },
  multiply: { sign: "×", name: "Multiply", apply: (a, b) => a * b },
};

// Return residue / period as a fraction of a turn. This float comes last, after exact reduction.
export function turn(residue, period) {
  if (period < 1n << 53n) return Number(residue) / Number(period);
  return Number((residue << 53n) / period) / 2 ** 53;
}

// Return the residue nearest to a fraction of a turn.
export function nearestResidue(fraction, period) {
  const scaled = BigInt(Math.round((fraction - Math.floor(fraction)) * 2 ** 52));
  return mod((scaled * period + (1n << 51n)) >> 52n, period);
}

export function power(base, exponent) {
  return base ** BigInt(exponent);
}

export function gcd(a, b) {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (y) [x, y] = [y, x % y];
  return x;
}

export function powerModulo(base, exponent, m) {
  let [result, square, rest] = [1n, mod(base, m), exponent];
  while (rest > 0n) {
    if (rest & 1n) result = (result * square) % m;
    square = (square * square) % m;
    rest >>= 1n;
  }
  return result;
}

// Return the inverse of a modulo m, which must be coprime.
function inverse(a, m) {
  let [r0, r1, t0, t1] = [m, mod(a, m), 0n, 1n];
  while (r1) {
    const quotient = r0 / r1;
    [r0, r1, t0, t1] = [r1, r0 - quotient * r1, t1, t0 - quotient * t1];
  }
  return mod(t0, m);
}

// Join residues by the Chinese Remainder Theorem, one modulus after the other. Returns what is
// known after each step: { modulus, residue, value, known }, where the answer ≡ value (mod known).
export function joinResidues(residues, moduli) {
  let [value, known] = [0n, 1n];
  return moduli.map((modulus, i) => {
    const residue = mod(residues[i], modulus);
    value += known * mod((residue - value) * inverse(known, modulus), modulus);
    known *= modulus;
    return { modulus, residue, value, known };
  });
}

// Write an integer in full, with a real minus sign.
export function write(n) {
  return String(n).replace("-", "−");
}

// Write an integer, and leave out its middle if it is long.
export function shorten(n, digits = 12) {
  const text = write(n);
  if (text.length <= digits) return text;
  const kept = Math.max(2, Math.floor((digits - 1) / 2));
  return `${text.slice(0, kept + 1)}…${text.slice(-kept)}`;
}

function superscript(exponent) {
  return String(exponent).replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]);
}

// Write p^e with a superscript, or p alone for e = 1.
export function writePower(prime, exponent) {
  return `${shorten(prime, 16)}${exponent > 1 ? superscript(exponent) : ""}`;
}
