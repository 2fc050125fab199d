// Controls that have no name a screen reader could say.
() => [...document.querySelectorAll("button, input, select, a[href], summary")].filter((element) => {
  const label = element.labels?.[0]?.textContent ?? "";
  const named = element.getAttribute("aria-labelledby");
  const words = element.getAttribute("aria-label") ?? (named && document.getElementById(named)?.textContent);
  return !(words || label || element.textContent).trim();
}).map((element) => element.outerHTML.slice(0, 200))
