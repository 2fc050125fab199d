// What a modulus N needs: its factors, the channels that are relevant for it, and what a basis lacks.

import { get, set, watch } from "../page/state.js";
import { power, write, writePower } from "./integers.js";
import { factorise, isPrime } from "./primes.js";

const FIRST_SLICE = 8; // milliseconds: enough for most numbers, too short to notice
const SLICE = 12;

// Set `factors` to { n, factors, rest } whenever `n` changes, and to null during a long search.
export function keepFactors() {
  watch(["n"], () => {
    const n = get("n");
    const work = factorise(n);
    const proceed = (milliseconds) => {
      if (get("n") !== n) return; // N has changed
      const until = performance.now() + milliseconds;
      do {
        const { done, value } = work.next();
        if (done) return set({ factors: { n, ...value } });
      } while (performance.now() < until);
      if (milliseconds === FIRST_SLICE) set({ factors: null });
      setTimeout(() => proceed(SLICE));
    };
    proceed(FIRST_SLICE);
  });
}

// Return the channels (p, d) of a basis { primes, depth } whose period divides N.
export function relevantChannels(n, { primes, depth }) {
  const depths = Array.from({ length: depth }, (_, d) => d);
  return primes.flatMap((p) => depths.filter((d) => n % power(p, d + 1) === 0n).map((d) => [p, d]));
}

// Plan a basis for N, given its factors [[prime, exponent], …].
export function planChannels(n, factors, basis) {
  const relevant = relevantChannels(n, basis);
  const needed = factors.flatMap(([p, exponent]) =>
    Array.from({ length: exponent }, (_, d) => [p, d])
  );
  const missing = needed.filter(([p, d]) => !basis.primes.includes(p) || d >= basis.depth);
  const visible = relevant.reduce((product, [p]) => product * p, 1n);
  return { n, factors, basis, relevant, missing, visible, invisible: n / visible };
}

// Explain what the basis cannot see of N, and what to add.
export function explainMissing(plan) {
  const { n, factors, basis, missing, visible, invisible } = plan;
  if (!missing.length) return `The basis sees all of ${write(n)}.`;
  const primes = factors.map(([p]) => p).filter((p) => !basis.primes.includes(p));
  const depth = Math.max(basis.depth, ...factors.map(([, exponent]) => exponent));
  const advice = [];
  if (primes.length) {
    advice.push(`add the prime${primes.length > 1 ? "s" : ""} ${primes.join(", ")}`);
  }
  if (depth > basis.depth) advice.push(`raise the depth from ${basis.depth} to ${depth}`);
  const seen = visible > 1n ? `only a mod ${visible}` : `nothing about a mod ${n}`;
  return (
    `The basis cannot see the factor ${invisible}: it determines ${seen}. ` +
    `To see all of ${n}, ${advice.join(" and ")}.`
  );
}

// Explain which factor of N could not be found. The library gives up after as many steps.
export function notFactored({ rest }) {
  const digits = String(rest).length;
  return isPrime(rest) === null
    ? `N has a factor of ${digits} digits that may be prime, which neither this page nor the library can prove.`
    : `N has a factor of ${digits} digits that could not be split: its primes are too large.`;
}

// Write N as a product of prime powers, or that it is prime.
export function writeFactors(n, factors) {
  if (factors.length === 1 && factors[0][1] === 1) return `${write(n)} is prime`;
  return `${write(n)} = ` + factors.map(([p, e]) => writePower(p, e)).join(" · ");
}
