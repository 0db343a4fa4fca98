// Making elements, asking the server, and saying things in the reader's language.
import tables from './tables.js';

export const language = document.documentElement.lang.startsWith('en') ? 'en' : 'zh';
/** The path that the routes of the server are below; empty for the root. */
export const base = new URL('..', import.meta.url).pathname.slice(0, -1);
export const say = (name) => tables.texts[language][name] ?? name;
export const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');

/** make('button', { class: 'a', onclick: f, 'aria-label': 'b' }, child, 'text') */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Whether a click on a link asks for no window or tab of its own. */
export const isPlainClick = (event) => !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);

/** Why a request failed: a status, 'unreachable' or 'unreadable'. */
export class Failure extends Error {
  constructor(reason, message) {
    super(message ?? String(reason));
    this.reason = reason;
  }
}

/** The address of the feed whose stories alone are shown; null for all. */
export const feed = new URLSearchParams(location.search).get('feed');

function ofFeed(address) {
  if (!feed || !address.startsWith(`${base}/days`)) return address;
  const url = new URL(address, location.href);
  url.searchParams.set('feed', feed);
  return url.pathname + url.search;
}

/** This page with another value in its query; null takes it out. */
export function withQuery(name, value) {
  const query = new URLSearchParams(location.search);
  if (value) query.set(name, value);
  else query.delete(name);
  return `?${query}`;
}

export async function ask(address, options = {}) {
  let response;
  try {
    response = await fetch(ofFeed(address), { headers: { accept: 'application/json' }, ...options });
  } catch {
    throw new Failure('unreachable');
  }
  let value = null;
  try {
    value = await response.json();
  } catch {
    if (response.ok) throw new Failure('unreadable');
  }
  if (!response.ok) throw new Failure(response.status, value?.detail ?? value?.title);
  return value;
}

/** Only addresses of this server or of the web; anything else is none. */
export function safeLink(text) {
  if (!text) return null;
  try {
    const url = new URL(text, location.href);
    return ['http:', 'https:'].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/** Whether the language was chosen here, so that the next page is to keep it, or is the browser's. */
const isChosen = new URLSearchParams(location.search).get('lang') === language;

/** Our own page of a story; null where there is none. */
export function pageLink(story) {
  const link = safeLink(story.page);
  if (!link || !isChosen) return link;
  const url = new URL(link);
  url.searchParams.set('lang', language);
  return url.href;
}

/**
 * The attributes of a link to a story: its page here, or its own on the web in a tab of its own. The page here is
 * told whence it was opened, so that its way back leads there.
 */
export function linkTo(story) {
  const page = pageLink(story);
  if (page) return { href: page, referrerpolicy: 'same-origin' };
  const url = safeLink(story.url);
  return url ? { href: url, rel: 'noopener noreferrer', target: '_blank' } : { href: '#' };
}

/** What a story is called; one that was marked long ago has its title alone. */
export const titleOf = (story) => story.label ?? story.title;

export function whenNearlyIdle(action) {
  if (window.requestIdleCallback) requestIdleCallback(action, { timeout: 500 });
  else setTimeout(action, 0);
}
