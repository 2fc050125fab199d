// Which channels a modulus needs: (p, d) matters exactly if p^(d+1) divides N.

import { isPrime } from "./primes.js";
import { power, write, writePower } from "./integers.js";

// Return the channels (p, d) of a basis { primes, depth } whose period divides N.
export function relevantChannels(n, { primes, depth }) {
  const depths = Array.from({ length: depth }, (_, d) => d);
  return primes.flatMap((p) => depths.filter((d) => n % power(p, d + 1) === 0n).map((d) => [p, d]));
}

// Judge a basis for N with the given factors [[prime, exponent], …].
export function planChannels(n, factors, basis) {
  const relevant = relevantChannels(n, basis);
  const needed = factors.flatMap(([p, exponent]) => Array.from({ length: exponent }, (_, d) => [p, d]));
  const missing = needed.filter(([p, d]) => !basis.primes.includes(p) || d >= basis.depth);
  const visible = relevant.reduce((product, [p]) => product * p, 1n);
  return { n, factors, basis, relevant, missing, visible, invisible: n / visible };
}

// Say in one sentence what the basis cannot see of N, and what to add.
export function explainMissing(plan) {
  const { n, factors, basis, missing, visible, invisible } = plan;
  if (!missing.length) return `The basis sees all of ${write(n)}.`;
  const primes = factors.map(([p]) => p).filter((p) => !basis.primes.includes(p));
  const depth = Math.max(basis.depth, ...factors.map(([, exponent]) => exponent));
  const advice = [];
  if (primes.length) advice.push(`add the prime${primes.length > 1 ? "s" : ""} ${primes.join(", ")}`);
  if (depth > basis.depth) advice.push(`raise the depth from ${basis.depth} to ${depth}`);
  const seen = visible > 1n ? `only a mod ${visible}` : `nothing about a mod ${n}`;
  return (
    `The basis cannot see the factor ${invisible}: it tells ${seen}. ` + `To see all of ${n}, ${advice.join(" and ")}.`
  );
}

// Say what could not be found out about N; the library takes as many steps, and stops there too.
export function notFactored({ rest }) {
  const digits = String(rest).length;
  return isPrime(rest) === null
    ? `N has a factor of ${digits} digits that may be prime, which neither this page nor the library can prove.`
    : `N has a factor of ${digits} digits that could not be split: its primes are too large.`;
}

// Write N as people do: as a product of prime powers, or that it is prime.
export function writeFactors(n, factors) {
  if (factors.length === 1 && factors[0][1] === 1) return `${write(n)} is prime`;
  return `${write(n)} = ` + factors.map(([p, e]) => writePower(p, e)).join(" · ");
}
