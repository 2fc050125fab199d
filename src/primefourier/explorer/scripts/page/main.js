// The page: its first state, and its parts in order.

import { channelsSection } from "../channels/channels.js";
import { circlesSection } from "../circles/circles.js";
import { keepFactors } from "../numbers/plan.js";
import { claimsSection } from "../results/claims.js";
import { resultsSection } from "../results/results.js";
import { failuresSection, runHeader } from "../results/run_header.js";
import { h } from "./dom.js";
import { keepAddress, readAddress, set } from "./state.js";
import { themeButton } from "./theme.js";

const NAMES = {
  results: "Results",
  claims: "Claims",
  failures: "Failures",
  circles: "Circles",
  channels: "Channels",
};
const INTRODUCTION =
  "An integer a becomes pairs (cos, sin) of 2πa/p^(d+1): positions on prime circles. Adding turns " +
  "the circles, and arithmetic modulo N reads the relevant ones.";
const FOOTER =
  "Made by primefourier. This page is one file: it loads nothing from elsewhere and sends nothing.";

const { start, basis, run } = JSON.parse(document.getElementById("data").textContent);

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
  run && resultsSection(run),
  run && claimsSection(run),
  run && failuresSection(run),
  circlesSection(),
  channelsSection(),
].filter(Boolean);
const links = sections.map(({ id }) => h("a", { href: `#${id}` }, NAMES[id]));

document.getElementById("app").replaceChildren(
  h(
    "header",
    { class: "bar" },
    h("a", { class: "brand", href: "#top" }, "primefourier"),
    h("nav", { "aria-label": "Parts of the page" }, links),
    themeButton(),
  ),
  h("main", { id: "main" }, run ? runHeader(run) : introduction(), sections),
  h("footer", { class: "small" }, FOOTER),
  h("div", { id: "announcer", class: "visually-hidden", role: "status", "aria-live": "polite" }),
);
document.addEventListener("click", followLinks);
keepAddress();
document.documentElement.dataset.ready = "true";
performance.mark("ready"); // the page is complete and can be used

// Follow links within the page without changing the address, which keeps the state.
function followLinks(event) {
  const link = event.target.closest('a[href^="#"]');
  if (!link) return;
  event.preventDefault();
  const target = document.getElementById(link.hash.slice(1)) ?? document.body;
  target.scrollIntoView();
  const heading = target.querySelector("h1, h2") ?? target;
  heading.tabIndex = -1; // the next Tab continues from there
  heading.focus({ preventScroll: true });
}

function introduction() {
  return h(
    "header",
    { class: "introduction" },
    h("h1", {}, "Prime Fourier Embeddings"),
    h("p", { class: "prose" }, INTRODUCTION),
  );
}
