// Keep what is played with in the page's address, so that a link shows the same.

import { get, set, watch } from "./state.js";
import { OPERATIONS, readInteger } from "./integers.js";
import { readPrimes } from "./prime_list.js";

const MOST_DEPTHS = 64;
const PAUSE = 300; // milliseconds without change before the address is written

// Take over what the address says, if it says something that makes sense.
export function readAddress() {
  const said = new URLSearchParams(location.hash.slice(1));
  const changes = {};
  for (const name of ["a", "b", "n"]) {
    const { value } = readInteger(said.get(name) ?? "", { atLeast: name === "n" ? 2n : null });
    if (value !== undefined) changes[name] = value;
  }
  if (Object.hasOwn(OPERATIONS, said.get("operation"))) changes.operation = said.get("operation");
  if ("n" in changes) changes.primesText = said.get("primes") ?? "";
  const basis = readPrimes(said.get("basis") ?? "");
  if (basis.primes) changes.basisPrimes = basis.primes;
  const depth = Number(said.get("depth"));
  if (Number.isInteger(depth) && depth > 0 && depth <= MOST_DEPTHS) changes.depth = depth;
  set(changes);
}

// Follow the address, and write it after changes. Some browsers forbid that for files; then it stays as it is.
export function keepAddress() {
  let timer = null;
  let first = true;
  addEventListener("hashchange", readAddress);
  watch(["a", "b", "n", "operation", "primesText", "basisPrimes", "depth"], () => {
    if (first) return void (first = false);
    clearTimeout(timer);
    timer = setTimeout(() => {
      const names = {
        a: "a",
        b: "b",
        n: "n",
        operation: "operation",
        primes: "primesText",
        basis: "basisPrimes",
        depth: "depth",
      };
      const said = new URLSearchParams(Object.entries(names).map(([name, value]) => [name, get(value)]));
      try {
        history.replaceState(null, "", `#${said}`);
      } catch {
        // as above
      }
    }, PAUSE);
  });
}
