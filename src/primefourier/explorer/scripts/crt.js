// The Chinese Remainder Theorem, step by step: residues of prime powers become one number.

import { inverse, mod } from "./integers.js";

// Return, for each modulus in turn, what is known once it is joined to those before it:
// [{ modulus, residue, value, known }], where the answer ≡ value (mod known).
export function joinResidues(residues, moduli) {
  let [value, known] = [0n, 1n];
  return moduli.map((modulus, i) => {
    const residue = mod(residues[i], modulus);
    value += known * mod((residue - value) * inverse(known, modulus), modulus);
    known *= modulus;
    return { modulus, residue, value, known };
  });
}
