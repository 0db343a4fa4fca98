// The page of favourites.
import { emptyPanel } from './empty.js';
import { StoryList } from './list.js';
import * as favourites from './favourites.js';

export class MarkedPage {
  stories = null;

  constructor(element, actions) {
    this.element = element;
    this.actions = actions;
    this.place = element.querySelector('.marked');
  }

  /** @param focused which of the marks had the focus; the one in its place has it then */
  show(focused = null) {
    const stories = favourites.all();
    this.stories?.end();
    this.stories = stories.length === 0 ? null : new StoryList(stories, this.actions, this.element);
    this.place.replaceChildren(this.stories?.element ?? emptyPanel('noFavourites', null));
    // An empty page holds nothing that can be reached, so it is reached itself.
    this.element.tabIndex = this.stories ? -1 : 0;
    if (focused === null) return;
    if (this.stories) this.stories.focusMark(focused);
    else this.element.focus({ preventScroll: true });
  }
}
