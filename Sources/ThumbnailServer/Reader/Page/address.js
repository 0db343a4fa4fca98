// The addresses of the page: `/` is the newest day, `/days/20200616` a day, `/days` the list of days, `/#favourites` what
// is marked.
import { base } from './dom.js';

const path = () => location.pathname.slice(base.length).replace(/(.)\/+$/, '$1');

/** The day that the address names; null for the newest one. */
export const dayInAddress = () => /^\/days\/(\d{8})$/.exec(path())?.[1] ?? null;

/** The number of the tab that the address names. */
export const tabInAddress = () => (location.hash === '#favourites' ? 2 : path() === '/days' ? 1 : 0);

/** The text that the address searches for; empty for none. */
export const searchInAddress = () => new URLSearchParams(location.search).get('q') ?? '';

/** @param tab its number @param day of the first one; null for the newest */
export function addressOf(tab, day) {
  const asked = new URLSearchParams(location.search);
  const chosen = ['lang', 'feed'].filter((name) => asked.has(name)).map((name) => [name, asked.get(name)]);
  const query = chosen.length > 0 ? `?${new URLSearchParams(chosen)}` : '';
  const place = [day ? `/days/${day}` : '/', '/days', '/'][tab];
  return `${base}${place}${query}${tab === 2 ? '#favourites' : ''}`;
}
