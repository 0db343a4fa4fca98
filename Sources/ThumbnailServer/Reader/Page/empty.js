// What is shown in place of a list or of figures that are not there. It is part of the page, so pulling still works.
import { Failure, make, say } from './dom.js';
import { emptyReason } from './model.js';

const texts = {
  noDay: 'noDay', noStories: 'noStories', network: 'networkFailed', badAnswer: 'badAnswer',
  noFavourites: 'noFavourites',
};

/** @param reload what the button does; null for none */
export function emptyPanel(reason, reload) {
  return make('div', { class: 'empty', 'data-reason': reason, role: 'status' },
    make('span', { class: 'empty-picture', 'aria-hidden': 'true' }),
    make('p', {}, say(texts[reason])),
    reload ? make('button', { type: 'button', class: 'reload', onclick: reload }, say('reload')) : null);
}

/**
 * Where no day is kept yet: what to do.
 *
 * @param fetchDay asks the origin for the newest day @param failure why that failed, as a text, or null
 */
export const firstRunPanel = (fetchDay, failure = null) => make('div', {
  class: 'empty', 'data-reason': 'firstRun', role: 'status',
}, make('span', { class: 'empty-picture', 'aria-hidden': 'true' }), make('h2', {}, say('firstRun')),
failure ? make('p', { class: 'why' }, failure) : null, make('p', {}, say('firstRunHint')),
make('button', { type: 'button', class: 'reload', onclick: fetchDay }, say('fetchToday')));

export const reasonOf = (error) => (error instanceof Failure ? error.reason : 'unreadable');

export const panelOf = (error, reload) => emptyPanel(emptyReason(null, reasonOf(error)), reload);

export const textOf = (error) => say(texts[emptyReason(null, reasonOf(error))] ?? 'badAnswer');
