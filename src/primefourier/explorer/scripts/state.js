// What the page shows now, in one place; parts of the page watch the values they depend on.

const values = {};
const watchers = [];

// Return the value of a name.
export function get(name) {
  return values[name];
}

// Change values, and tell everyone who watches one that is not what it was.
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
