// The stories that the reader marked, kept by the browser.
const name = 'imgcache.favourites';

function read() {
  try {
    const value = JSON.parse(localStorage.getItem(name) ?? '[]');
    return Array.isArray(value) ? value.filter((story) => story && story.id) : [];
  } catch {
    return [];
  }
}

export const keyOf = (story) => String(story.id);

export const all = () => read();
export const has = (story) => read().some((other) => keyOf(other) === keyOf(story));

/** Marks a story or takes its mark away; returns whether it is marked now. */
export function toggle(story) {
  const stories = read();
  const rest = stories.filter((other) => keyOf(other) !== keyOf(story));
  const isNew = rest.length === stories.length;
  try {
    localStorage.setItem(name, JSON.stringify(isNew ? [story, ...rest] : rest));
  } catch {
    return !isNew;
  }
  return isNew;
}
