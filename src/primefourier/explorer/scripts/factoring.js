// Keep the factors of N up to date in the state, in small pieces of work between frames.

import { get, set, watch } from "./state.js";
import { factorise } from "./primes.js";

const FIRST_SLICE = 8; // milliseconds: enough for all but hard numbers, too short to be felt
const SLICE = 12;

// Set `factors` to { n, factors, rest } whenever `n` changes; to null while it is being worked on.
export function keepFactors() {
  watch(["n"], () => {
    const n = get("n");
    const work = factorise(n);
    const proceed = (milliseconds) => {
      if (get("n") !== n) return; // another number came meanwhile
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
