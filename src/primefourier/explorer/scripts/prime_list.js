// Which primes have a circle or a row: read from text, or chosen for N.

import { isPrime, primesFrom } from "./primes.js";
import { readInteger, shorten } from "./integers.js";

const MOST = 64;

// Read primes with commas between them. Returns { primes } or { problem }.
export function readPrimes(text) {
  const primes = [];
  for (const word of text.split(/[\s,]+/).filter(Boolean)) {
    const { value, problem } = readInteger(word);
    if (problem) return { problem };
    if (isPrime(value) !== true) return { problem: notPrime(value) };
    if (primes.includes(value)) return { problem: `Distinct primes are required, got ${shorten(value, 24)} twice.` };
    primes.push(value);
  }
  if (!primes.length) return { problem: "Primes with commas between them are required, such as 3, 5, 7." };
  if (primes.length > MOST) return { problem: `This page shows up to ${MOST} primes, got ${primes.length}.` };
  return { primes: primes.sort((p, q) => (p < q ? -1 : 1)) };
}

// Say why a number cannot have a circle or a row.
export function notPrime(value) {
  if (isPrime(value) === null) {
    return `A prime must be below 3.3·10²⁴ to be proven one, got a number of ${String(value).length} digits.`;
  }
  return `Distinct primes are required, got ${shorten(value, 24)}; use depth for prime powers.`;
}

// Choose circles for N: those of its primes, and enough others to compare.
export function chooseCircles(factors) {
  const own = factors.map(([p]) => p);
  if (own.length === 1) return primesFrom(own[0], 4);
  const others = primesFrom(3n, Math.max(1, 4 - own.length), own);
  return [...own, ...others].sort((p, q) => (p < q ? -1 : 1));
}
