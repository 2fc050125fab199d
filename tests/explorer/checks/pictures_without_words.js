// Pictures without a text that stands for them.
() => [...document.querySelectorAll("svg")].filter((svg) => !svg.closest("[aria-hidden=true]") &&
  !(svg.getAttribute("role") === "img" && svg.getAttribute("aria-label")) &&
  !(svg.getAttribute("role") === "group" && svg.getAttribute("aria-label"))
).map((svg) => svg.outerHTML.slice(0, 200))
