// Which channels a modulus needs: (p, d) matters exactly if p^(d+1) divides N.

import { write, writePower } from "./integers.js";

// Judge a basis { primes, depth } for N with the given factors [[prime, exponent], …].
export function planChannels(n, factors, basis) {
  const relevant = [];
  const missing = [];
  for (const [p, exponent] of factors) {
    for (let d = 0; d < exponent; d++) {
      const has = basis.primes.includes(p) && d < basis.depth;
      (has ? relevant : missing).push([p, d]);
    }
  }
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
    `The basis cannot see the factor ${invisible}: it tells ${seen}. ` +
    `To see all of ${n}, ${advice.join(" and ")}.`
  );
}

// Write N as people do: as a product of prime powers, or that it is prime.
export function writeFactors(n, factors) {
  if (factors.length === 1 && factors[0][1] === 1) return `${write(n)} is prime`;
  return `${write(n)} = ` + factors.map(([p, e]) => writePower(p, e)).join(" · ");
}
