// What the browser keeps for the reader: values by their names. Where it keeps nothing, nothing is known.

/** Servers below other paths of the host have their own. */
const keyOf = (name) => `imgcache${new URL('..', import.meta.url).pathname.slice(0, -1)}.${name}`;

/** @returns null for what is not kept or cannot be read */
export function kept(name) {
  try {
    return JSON.parse(localStorage.getItem(keyOf(name)));
  } catch {
    return null;
  }
}

/** @returns whether it is kept now */
export function keep(name, value) {
  try {
    localStorage.setItem(keyOf(name), JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}
