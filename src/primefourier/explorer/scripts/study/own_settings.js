// The settings of your own experiment: reading and checking them, and the command for them.

import { commandLine, folderWord } from "../page/command.js";
import { readInteger } from "../numbers/integers.js";
import { isPrime, notPrime } from "../numbers/primes.js";

// The lists' names in messages, and their least and greatest values, as in the library.
const LISTS = {
  sizes: { noun: "sizes", least: 1n, most: null },
  moduli: { noun: "moduli", least: 2n, most: 10n ** 6n },
  ranges: { noun: "ranges", least: 2n, most: 2n ** 31n },
  seeds: { noun: "seeds", least: 0n, most: 2n ** 63n - 1n },
  primes: { noun: "primes", least: 2n, most: null },
};

// Return the paper's values, which replace empty fields.
function paperValues({ lists }) {
  const pairs = Object.entries(lists).map(([name, values]) => [name, values.map(BigInt)]);
  return Object.fromEntries(pairs);
}

// Read the typed texts. Returns { values, problems }, with a message for each wrong field.
export function readSettings(experiment, typed) {
  const paper = paperValues(experiment);
  const [values, problems] = [{}, {}];
  for (const name of Object.keys(paper)) {
    if (!/[^\s,]/.test(typed[name] ?? "")) values[name] = paper[name];
    else {
      const found = readList(typed[name], LISTS[name]);
      if (found.problem) problems[name] = found.problem;
      else values[name] = found.value;
    }
  }
  const wrong = values.primes?.find((p) => isPrime(p) !== true);
  if (wrong !== undefined) problems.primes = notPrime(wrong);
  values.primes = values.primes?.toSorted((p, q) => (p < q ? -1 : 1));
  if (values.sizes && values.primes) {
    const own = typed.primes?.trim() && values.primes.length < paper.sizes.at(-1);
    if (own && !typed.sizes?.trim()) values.sizes = [BigInt(values.primes.length)]; // as pfe run does
    const large = values.sizes.find((size) => size > values.primes.length);
    if (large !== undefined) {
      problems.sizes =
        `At most the number of primes, ${values.primes.length}, got ${large}; name more primes.`;
    }
  }
  return { values, problems };
}

function readList(text, { noun, least, most }) {
  const found = [];
  for (const word of text.split(/[\s,]+/).filter(Boolean)) {
    const { value, problem } = readInteger(word);
    const got = word.trim().slice(0, 40);
    if (problem) {
      return { problem: `Integers with commas between them are required, got “${got}”.` };
    }
    if (value < least) return { problem: `At least ${least} is required, got ${value}.` };
    if (most !== null && value > most) {
      return { problem: `At most ${most} is possible, got ${value}.` };
    }
    if (found.includes(value)) {
      return { problem: `Distinct ${noun} are required, got ${value} twice.` };
    }
    found.push(value);
  }
  return { value: found };
}

// Return the number of models.
export function countModels({ sizes, moduli, ranges, seeds }) {
  const rows = moduli ? BigInt(moduli.length) : sizes.reduce((sum, size) => sum + size, 0n);
  return rows * BigInt(ranges.length) * BigInt(seeds.length);
}

// Return the command, with only those options that differ from the paper.
export function ownCommand(experiment, values, { operation, embedding, folder }) {
  const paper = paperValues(experiment);
  const words = ["pfe", "run", experiment.name];
  for (const name of Object.keys(paper)) {
    const text = values[name].join(",");
    const implied = name === "sizes" && values.primes.length < paper.sizes.at(-1) &&
      text === String(values.primes.length);
    if (text !== paper[name].join(",") && !implied) words.push(`--${name}`, text);
  }
  if (operation !== "add") words.push("--operation", operation);
  if (experiment.embeddings.length && embedding !== experiment.embeddings[0]) {
    words.push("--embedding", embedding);
  }
  return commandLine([...words, "--out", folderWord(folder)]);
}

// Warn of tasks that are not modular, and of prime factors without a row.
export function remarks(values, operation) {
  const found = [];
  const most = values.sizes?.reduce((a, b) => (a > b ? a : b));
  const tasks = values.moduli ?? values.primes.slice(0, Number(most));
  const top = values.ranges.reduce((a, b) => (a < b ? a : b)) - 1n;
  const largest = { add: 2n * top, multiply: top * top }[operation];
  const flat = largest === undefined ? [] : tasks.filter((modulus) => largest < modulus);
  if (flat.length) {
    found.push(
      `Modulo ${list(flat)}, no answer wraps around at r = ${
        top + 1n
      }: the task is not modular there.`,
    );
  }
  const unseen = tasks.filter((modulus) => withoutFactors(modulus, values.primes) > 1n);
  if (unseen.length) {
    const have = unseen.length > 1 ? "have" : "has";
    found.push(
      `${list(unseen)} ${have} a prime factor without a row, which the network cannot see.`,
    );
  }
  return found;
}

function withoutFactors(modulus, primes) {
  return primes.reduce((left, prime) => {
    while (left % prime === 0n) left /= prime;
    return left;
  }, modulus);
}

function list(values) {
  return values.length > 5 ? `${values.slice(0, 5).join(", ")} and others` : values.join(", ");
}
