// What the browser keeps for the reader: values by their names. Where it keeps nothing, nothing is known.

/** @returns null for what is not kept or cannot be read */
export function kept(name) {
  try {
    return JSON.parse(localStorage.getItem(`imgcache.${name}`));
  } catch {
    return null;
  }
}

/** @returns whether it is kept now */
export function keep(name, value) {
  try {
    localStorage.setItem(`imgcache.${name}`, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}
