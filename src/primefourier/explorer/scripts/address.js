// Keep what is played with in the page's address, so that a link shows the same.

import { get, set, watch } from "./state.js";
import { OPERATIONS, readInteger } from "./integers.js";

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
  if (said.has("primes")) changes.primesText = said.get("primes");
  set(changes);
}

// Follow the address, and write it after changes. Some browsers forbid that for files; then it stays as it is.
export function keepAddress() {
  let timer = null;
  let first = true;
  addEventListener("hashchange", readAddress);
  watch(["a", "b", "n", "operation", "primesText"], () => {
    if (first) return void (first = false);
    clearTimeout(timer);
    timer = setTimeout(() => {
      const said = new URLSearchParams({ a: get("a"), b: get("b"), n: get("n"), operation: get("operation") });
      if (get("primesText")) said.set("primes", get("primesText"));
      try {
        history.replaceState(null, "", `#${said}`);
      } catch {
        // as above
      }
    }, PAUSE);
  });
}
