// How far a story is read: shown by the line below its bar, and kept by the browser until it is read to its end.
import { keep, kept } from './storage.js';

const name = 'places';
/** Stories whose places are kept, the newest first. */
const most = 200;

const root = document.documentElement;
const room = () => Math.max(root.scrollHeight - innerHeight, 1);
const share = () => Math.min(Math.max(scrollY / room(), 0), 1);

const places = () => {
  const value = kept(name);
  return Array.isArray(value) ? value.filter(Array.isArray) : [];
};

/** Goes to where a story was left, and notes where it is left next. */
export function followPlace(id) {
  const show = () => {
    root.style.setProperty('--read', String(share()));
    root.classList.toggle('scrolled', scrollY > 80);
  };
  const note = () => {
    const others = places().filter(([story]) => story !== id);
    const isBetween = share() > 0.02 && share() < 0.98;
    keep(name, [...(isBetween ? [[id, share()]] : []), ...others].slice(0, most));
  };
  const left = places().find(([story]) => story === id)?.[1];
  // To a page that is shown again the browser returns by itself.
  const isNew = performance.getEntriesByType('navigation')[0]?.type === 'navigate';
  if (isNew && left > 0 && scrollY === 0) scrollTo({ top: left * room(), behavior: 'instant' });
  addEventListener('scroll', show, { passive: true });
  addEventListener('resize', show);
  addEventListener('pagehide', note);
  document.addEventListener('visibilitychange', () => { if (document.hidden) note(); });
  show();
}
