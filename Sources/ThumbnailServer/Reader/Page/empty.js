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

export const reasonOf = (error) => (error instanceof Failure ? error.reason : 'unreadable');

export const panelOf = (error, reload) => emptyPanel(emptyReason(null, reasonOf(error)), reload);

export const textOf = (error) => say(texts[emptyReason(null, reasonOf(error))] ?? 'badAnswer');
