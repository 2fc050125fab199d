// The page: what it starts with, and its parts in order.

import { h } from "./dom.js";
import { set } from "./state.js";
import { keepAddress, readAddress } from "./address.js";
import { keepFactors } from "./factoring.js";
import { themeButton } from "./theme.js";
import { circlesSection } from "./circles.js";
import { channelsSection } from "./channels.js";
import { failuresSection, runHeader } from "./run_header.js";
import { resultsSection } from "./results.js";
import { claimsSection } from "./claims.js";
import { questionsSection } from "./questions.js";
import { ownSection } from "./own.js";

const NAMES = {
  circles: "Circles",
  channels: "Channels",
  results: "Results",
  claims: "Claims",
  questions: "Beyond the paper",
  failures: "Failures",
  own: "Try your own",
};

const data = JSON.parse(document.getElementById("data").textContent);
const { start, basis, run } = data;

set({
  a: BigInt(start.a),
  b: BigInt(start.b),
  n: BigInt(start.n),
  operation: start.operation,
  primesText: (start.primes ?? []).join(", "),
  basisPrimes: basis.primes.map(BigInt),
  depth: basis.depth,
  factors: null,
  step: 0,
  ahead: 0,
  counting: false,
});
readAddress();
keepFactors();

const sections = [
  circlesSection(),
  channelsSection(),
  run && resultsSection(run),
  run && claimsSection(run),
  run && questionsSection(run),
  run && failuresSection(run),
  ownSection(data),
].filter(Boolean);

document
  .getElementById("app")
  .replaceChildren(
    h(
      "header",
      { class: "bar" },
      h("a", { class: "brand", href: "#top" }, "primefourier"),
      navigation(),
      themeButton(),
    ),
    h("main", { id: "main" }, run ? runHeader(run) : introduction(), ...sections),
    h(
      "footer",
      { class: "small" },
      "Made by primefourier. This page is one file: nothing is loaded from elsewhere, and nothing leaves it.",
    ),
    h("div", { id: "announcer", class: "visually-hidden", role: "status", "aria-live": "polite" }),
  );
document.addEventListener("click", followLinks);
keepAddress();
document.documentElement.dataset.ready = "true";
performance.mark("ready"); // everything is there and can be used

function navigation() {
  return h(
    "nav",
    { "aria-label": "Parts of the page" },
    sections.map(({ id }) => h("a", { href: `#${id}` }, NAMES[id])),
  );
}

// Follow links within the page, but leave the address alone, which holds what is played with.
function followLinks(event) {
  const link = event.target.closest('a[href^="#"]');
  if (!link) return;
  event.preventDefault();
  const target = document.getElementById(link.hash.slice(1)) ?? document.body;
  target.scrollIntoView();
  const heading = target.querySelector("h1, h2") ?? target;
  heading.tabIndex = -1; // so that the keyboard goes on from there
  heading.focus({ preventScroll: true });
}

function introduction() {
  return h(
    "header",
    { class: "introduction" },
    h("h1", {}, "Prime Fourier Embeddings"),
    h(
      "p",
      { class: "prose" },
      "An integer a becomes pairs (cos, sin) of 2πa/p^(d+1): places on prime circles. Adding turns them, " +
        "and arithmetic modulo N is reading the right ones.",
    ),
  );
}
