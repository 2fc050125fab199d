// Primes: proof of primality, factorisation in small steps, and lists of primes.

import { gcd, mod, powerModulo, readInteger, shorten } from "./integers.js";

// The first 13 primes decide primality without doubt below this number (Sorenson and Webster, 2015).
const BASES = [2n, 3n, 5n, 7n, 11n, 13n, 17n, 19n, 23n, 29n, 31n, 37n, 41n];
const FIRST_DOUBTFUL = 3_317_044_064_679_887_385_961_981n;
const BATCH = 64;
const MOST_BATCHES = 1 << 14; // a million steps, as the library takes
const MOST_BITS = 1024;
const MOST_PRIMES = 64;

// Return whether n is prime: true, false, or null where that cannot be proven in short time.
export function isPrime(n) {
  if (n < 2n) return false;
  if (bits(n) > MOST_BITS) return null;
  for (const p of BASES) if (n % p === 0n) return n === p;
  let [odd, twos] = [n - 1n, 0];
  while (!(odd & 1n)) [odd, twos] = [odd >> 1n, twos + 1];
  if (!BASES.every((base) => passes(n, base, odd, twos))) return false;
  return n < FIRST_DOUBTFUL ? true : null;
}

function passes(n, base, odd, twos) {
  let x = powerModulo(base, odd, n);
  if (x === 1n || x === n - 1n) return true;
  for (let i = 1; i < twos; i++) {
    x = (x * x) % n;
    if (x === n - 1n) return true;
  }
  return false;
}

// Return the first `count` primes from `start` on that `skip` does not name.
function primesFrom(start, count, skip = []) {
  const found = [];
  for (let n = start < 2n ? 2n : start; found.length < count; n++) {
    if (!skip.includes(n) && isPrime(n) !== false) found.push(n);
  }
  return found;
}

// Factor n ≥ 1 as a generator that yields between small steps of work. Returns
// { factors: [[prime, exponent], …], rest }; rest is what could not be factored, mostly 1.
export function* factorise(n) {
  const found = new Map();
  let left = n;
  for (let p = 2n; p < 1000n && p * p <= left; p += p === 2n ? 1n : 2n) {
    while (left % p === 0n) {
      left /= p;
      found.set(p, (found.get(p) ?? 0) + 1);
    }
  }
  const pending = left > 1n ? [left] : [];
  let rest = 1n;
  while (pending.length) {
    const m = pending.pop();
    const prime = m < 1_000_000n ? true : isPrime(m);
    if (prime) {
      found.set(m, (found.get(m) ?? 0) + 1);
      continue;
    }
    const divisor = prime === false ? yield* findDivisor(m) : null;
    if (divisor === null) rest *= m;
    else pending.push(divisor, m / divisor);
  }
  const factors = [...found].sort(([p], [q]) => (p < q ? -1 : 1));
  return { factors, rest };
}

// Find a proper divisor of a composite: a square root, or Pollard's rho in batches; null if neither.
function* findDivisor(n) {
  const root = squareRoot(n);
  if (root * root === n) return root;
  let batches = 0;
  for (let c = 1n; batches < MOST_BATCHES; c++) {
    let [x, y, divisor] = [2n, 2n, 1n];
    const step = (value) => (value * value + c) % n;
    while (divisor === 1n && batches < MOST_BATCHES) {
      const before = [x, y];
      let product = 1n;
      for (let i = 0; i < BATCH; i++) {
        [x, y] = [step(x), step(step(y))];
        product = (product * mod(x - y, n)) % n;
      }
      divisor = gcd(product, n);
      if (divisor === n) {
        [x, y, divisor] = [...before, 1n]; // several factors in one batch: repeat it step by step
        while (divisor === 1n) {
          [x, y] = [step(x), step(step(y))];
          divisor = gcd(x - y, n);
        }
      }
      batches++;
      yield;
    }
    if (divisor !== 1n && divisor !== n) return divisor;
  }
  return null;
}

function bits(n) {
  return n.toString(2).length;
}

function squareRoot(n) {
  let x = 1n << BigInt((bits(n) + 1) >> 1);
  for (;;) {
    const next = (x + n / x) >> 1n;
    if (next >= x) return x;
    x = next;
  }
}

// Read primes with commas between them. Returns { primes } or { problem }.
export function readPrimes(text) {
  const primes = [];
  for (const word of text.split(/[\s,]+/).filter(Boolean)) {
    const { value, problem } = readInteger(word);
    if (problem) return { problem };
    if (isPrime(value) !== true) return { problem: notPrime(value) };
    if (primes.includes(value)) {
      return { problem: `Distinct primes are required, got ${shorten(value, 24)} twice.` };
    }
    primes.push(value);
  }
  if (!primes.length) {
    return { problem: "Primes with commas between them are required, such as 3, 5, 7." };
  }
  if (primes.length > MOST_PRIMES) {
    return { problem: `This page shows up to ${MOST_PRIMES} primes, got ${primes.length}.` };
  }
  return { primes: primes.sort((p, q) => (p < q ? -1 : 1)) };
}

// Explain why a number cannot have a circle.
function notPrime(value) {
  if (isPrime(value) === null) {
    return `A prime must be below 3.3·10²⁴ to be proven one, got a number of ${
      String(value).length
    } digits.`;
  }
  return `Distinct primes are required, got ${shorten(value, 24)}; use depth for prime powers.`;
}

// Choose circles for N: those of its prime factors, and some others to compare.
export function chooseCircles(factors) {
  const own = factors.map(([p]) => p);
  if (own.length === 1) return primesFrom(own[0], 4);
  const others = primesFrom(3n, Math.max(1, 4 - own.length), own);
  return [...own, ...others].sort((p, q) => (p < q ? -1 : 1));
}
