// What the page shows now, in one place, and the part of it that the page's address keeps.

import { OPERATIONS, readInteger } from "../numbers/integers.js";
import { readPrimes } from "../numbers/primes.js";

const MOST_DEPTHS = 64;
const PAUSE = 300; // milliseconds without a change before the address is written
const IN_ADDRESS = {
  a: "a",
  b: "b",
  n: "n",
  operation: "operation",
  primes: "primesText",
  basis: "basisPrimes",
  depth: "depth",
};

const values = {};
const watchers = [];

// Return the value of a name.
export function get(name) {
  return values[name];
}

// Change values, and notify everyone who watches a value that changed.
export function set(changes) {
  const changed = Object.keys(changes).filter((name) => !same(values[name], changes[name]));
  Object.assign(values, changes);
  for (const { names, react } of watchers) {
    if (names.some((name) => changed.includes(name))) react();
  }
}

// Call a function now, and whenever one of the named values changes.
export function watch(names, react) {
  watchers.push({ names, react });
  react();
}

function same(one, other) {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, i) => item === other[i]);
  }
  return one === other;
}

// Set the state to what the address says; ignore what makes no sense.
export function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const changes = {};
  for (const name of ["a", "b", "n"]) {
    const { value } = readInteger(given.get(name) ?? "", { atLeast: name === "n" ? 2n : null });
    if (value !== undefined) changes[name] = value;
  }
  const operation = given.get("operation");
  if (Object.hasOwn(OPERATIONS, operation)) changes.operation = operation;
  if ("n" in changes) changes.primesText = given.get("primes") ?? "";
  const basis = readPrimes(given.get("basis") ?? "");
  if (basis.primes) changes.basisPrimes = basis.primes;
  const depth = Number(given.get("depth"));
  if (Number.isInteger(depth) && depth > 0 && depth <= MOST_DEPTHS) changes.depth = depth;
  set(changes);
}

// Follow the address, and write it after changes. Some browsers forbid that for pages from a file.
export function keepAddress() {
  let timer = null;
  let first = true;
  addEventListener("hashchange", readAddress);
  watch(Object.values(IN_ADDRESS), () => {
    if (first) return void (first = false);
    clearTimeout(timer);
    timer = setTimeout(() => {
      const pairs = Object.entries(IN_ADDRESS).map(([name, value]) => [name, get(value)]);
      try {
        history.replaceState(null, "", `#${new URLSearchParams(pairs)}`);
      } catch {
        // forbidden: the address stays as it is
      }
    }, PAUSE);
  });
}
