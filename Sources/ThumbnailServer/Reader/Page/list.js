// Stories in rows of one height, beside one another where there is room. Rows far from the viewport have no elements: ten thousand cost as little as fifty.
import { linkTo, make, pageLink, safeLink, say, titleOf } from './dom.js';
import * as favourites from './favourites.js';
import { moveInRow } from './keys.js';
import { picture } from './pictures.js';
import { showsBadge } from './model.js';
import * as read from './read.js';

/** A multiple of each number of columns in reader.css. */
const rowsInChunk = 48;
const mostColumns = 3;

const badge = () => make('span', { class: 'badge' }, say('severalPictures'));

/** The sign of a story that leaves for the web; null for one that is read here. */
export const awayMark = (story) => (!pageLink(story) && safeLink(story.url)
  ? make('span', { class: 'away', role: 'img', 'aria-label': say('opensOnWeb') }, ' ↗') : null);

const namesFeeds = Number(document.documentElement.dataset.feeds) > 1;

/** Its author and the like, and the name of its feed where there are several. */
export function hintOf(story, ...before) {
  const parts = [...before, story.hint, namesFeeds ? story.feed?.title : null].filter(Boolean);
  return parts.length > 0 ? make('span', { class: 'hint', dir: 'auto' }, parts.join(' · ')) : null;
}

export class StoryList {
  /** @param actions open(event, story), toggleFavourite(story), view(stories, story) */
  constructor(stories, actions, scroller) {
    this.stories = stories;
    this.actions = actions;
    this.page = scroller;
    this.element = make('div', { class: 'stories', role: 'list' });
    this.element.addEventListener('keydown', moveInRow);
    this.observer = new IntersectionObserver((entries) => {
      for (const entry of entries) this.setFilled(entry.target, entry.isIntersecting);
    }, { root: scroller, rootMargin: '1200px 0px' });
    for (let start = 0; start < stories.length; start += rowsInChunk) {
      const chunk = make('div', { class: 'chunk', role: 'presentation' });
      chunk.start = start;
      const count = Math.min(rowsInChunk, stories.length - start);
      for (let columns = 1; columns <= mostColumns; columns += 1) {
        chunk.style.setProperty(`--rows-${columns}`, String(Math.ceil(count / columns)));
      }
      if (start === 0) this.fill(chunk);
      this.element.append(chunk);
      this.observer.observe(chunk);
    }
  }

  setFilled(chunk, isNear) {
    if (isNear) this.fill(chunk);
    // What has the focus stays, or the reader would be thrown to the top.
    else if (!chunk.contains(document.activeElement)) chunk.replaceChildren();
  }

  fill(chunk) {
    if (chunk.childElementCount > 0) return;
    const stories = this.stories.slice(chunk.start, chunk.start + rowsInChunk);
    chunk.append(...stories.map((story, index) => this.row(story, chunk.start + index)));
  }

  row(story, index) {
    const images = story.images ?? [];
    const link = make('a', {
      class: 'open', ...linkTo(story), onclick: (event) => this.actions.open(event, story),
    }, make('span', { class: 'title', lang: story.lang, dir: 'auto' }, titleOf(story), awayMark(story)),
    hintOf(story), make('span', { class: 'said' }, say('read')));
    const mark = make('button', {
      class: 'mark', type: 'button', tabindex: -1, 'aria-pressed': String(favourites.has(story)),
      'aria-label': `${say('favourite')}: ${titleOf(story)}`,
      onclick: () => this.actions.toggleFavourite(story, index),
    });
    const row = make('div', {
      class: images.length === 0 ? 'row full' : 'row', role: 'listitem', 'data-story': story.id,
      'aria-setsize': this.stories.length, 'aria-posinset': index + 1,
    }, link, mark);
    row.classList.toggle('read', read.has(story));
    if (images.length > 0) {
      const frame = picture(images[0], 'list', { page: this.page });
      if (showsBadge(images.length, story.multipic === true)) frame.append(badge());
      row.append(make('button', {
        class: 'zoom', type: 'button', tabindex: -1, 'aria-label': `${say('viewPicture')}: ${titleOf(story)}`,
        onclick: () => this.actions.view(this.stories, story),
      }, frame));
    }
    return row;
  }

  /** Gives the focus to the mark of a story, or of the last one. */
  focusMark(index) {
    const place = Math.min(index, this.stories.length - 1);
    const chunk = this.element.children[Math.floor(place / rowsInChunk)];
    this.fill(chunk);
    chunk.children[place % rowsInChunk].querySelector('.mark').focus({ preventScroll: true });
  }

  end() { this.observer.disconnect(); }
}
