// The stories that the reader marked, kept by the browser.
import { keep, kept } from './storage.js';

const name = 'favourites';

export const keyOf = (story) => String(story.id);

export function all() {
  const stories = kept(name);
  return Array.isArray(stories) ? stories.filter((story) => story && story.id) : [];
}

export const has = (story) => all().some((other) => keyOf(other) === keyOf(story));

/** Adds stories behind those that are there; returns whether they are kept. */
export function add(stories) {
  const known = all();
  const keys = new Set(known.map(keyOf));
  return keep(name, [...known, ...stories.filter((story) => !keys.has(keyOf(story)))]);
}

/** Marks a story or takes its mark away; returns whether it is marked now. */
export function toggle(story) {
  const stories = all();
  const rest = stories.filter((other) => keyOf(other) !== keyOf(story));
  const isNew = rest.length === stories.length;
  return keep(name, isNew ? [story, ...rest] : rest) ? isNew : !isNew;
}
