// Single keys: what they do, and the list of them.
import { make, say } from './dom.js';
import { Layer } from './layer.js';
import { keep, kept } from './storage.js';

// Whoever dictates to the browser can turn them off (WCAG 2.1.4).
const areUsed = () => kept('keys') !== false;

/** Calls actions by the names of keys, unless a text is written or a dialog is open. */
export function onKeys(actions, isUsable = () => true) {
  document.addEventListener('keydown', (event) => {
    const action = actions[event.key];
    const isElsewhere = event.target.closest?.('input, select, dialog') || event.isComposing;
    if (!action || isElsewhere || event.ctrlKey || event.metaKey || event.altKey || !isUsable() || !areUsed()) return;
    event.preventDefault();
    action();
  });
}

const rowOf = (element) => element?.closest('.row[data-story]');

/** The row with the focus. */
export const focusedRow = () => rowOf(document.activeElement);

/**
 * Gives the focus to the story after or before the one that has it, else to the first in sight.
 *
 * @returns whether there is one
 */
export function stepStory(page, by) {
  const rows = [...page.querySelectorAll('.row[data-story]')].filter((row) => row.checkVisibility());
  const at = rows.indexOf(focusedRow());
  const top = page.getBoundingClientRect().top + parseFloat(getComputedStyle(page).scrollPaddingTop);
  const inSight = rows.findIndex((row) => row.getBoundingClientRect().top >= top - 1);
  const row = rows[at >= 0 ? at + by : inSight];
  row?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  row?.querySelector('.open').focus({ preventScroll: true });
  return Boolean(row);
}

/** Arrows go through what a row has: its story, its picture, its star. One stop of the Tab key is enough for a row. */
export function moveInRow(event) {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const row = rowOf(event.target);
  if (!by || !row || event.ctrlKey || event.metaKey || event.altKey) return;
  const places = ['.open', '.zoom', '.mark'].map((name) => row.querySelector(name)).filter(Boolean);
  const to = places[places.indexOf(event.target) + by];
  event.preventDefault();
  to?.focus({ preventScroll: true });
}

/** The list of keys. @param keys [key, name of a text] for each */
export class Help {
  constructor(keys) {
    this.layer = new Layer('help-layer', say('keys'));
    const choice = make('button', { class: 'choice', type: 'button', onclick: () => {
      keep('keys', !areUsed());
      show();
    } });
    const show = () => { choice.textContent = say(areUsed() ? 'keysOff' : 'keysOn'); };
    show();
    this.layer.element.append(
      make('div', { class: 'field' }, make('h2', {}, say('keys')), this.layer.closeButton()),
      make('dl', {}, ...keys.map(([key, text]) =>
        make('div', {}, make('dt', {}, make('kbd', {}, key)), make('dd', {}, say(text))))),
      make('div', { class: 'setting' }, choice));
  }

  open() { this.layer.open(); }
}
