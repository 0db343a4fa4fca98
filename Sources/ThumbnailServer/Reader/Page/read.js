// The stories that were opened: their identifiers, the newest first, kept by the browser.
import { keep, kept } from './storage.js';

const name = 'read';
const most = 5000;

export function all() {
  const stories = kept(name);
  return Array.isArray(stories) ? stories.filter((id) => typeof id === 'string') : [];
}

export const has = (story) => all().includes(String(story.id));

/** @param ids the newest first */
export const add = (ids) => keep(name, [...new Set([...ids.map(String), ...all()])].slice(0, most));
