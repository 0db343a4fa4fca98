// Searching the stories of all kept days while one types.
import { addressOf } from './address.js';
import { ask, base, isPlainClick, language, linkTo, make, say, titleOf } from './dom.js';
import { textOf } from './empty.js';
import { Layer } from './layer.js';
import { awayMark, hintOf } from './list.js';
import { picture } from './pictures.js';
import * as read from './read.js';
import { counted } from './words.js';

/** How long no key is pressed before the server is asked, in milliseconds. */
const pause = 200;
const limit = 50;
/** How often a search goes on that the server could not finish. */
const attempts = 60;

export class Search {
  /** @param label of a day in words @param jump called when the address names the day that was chosen */
  constructor({ label, jump }) {
    Object.assign(this, { label, jump });
    this.layer = new Layer('search-layer', say('search'), { closed: () => this.cancel() });
    this.input = make('input', {
      type: 'search', maxlength: 200, autocomplete: 'off', enterkeyhint: 'search', spellcheck: 'false',
      'aria-label': say('searchStories'), placeholder: say('searchStories'), 'aria-controls': 'hits',
    });
    this.status = make('p', { class: 'status', role: 'status' });
    this.hits = make('ul', { id: 'hits', class: 'hits' });
    this.layer.element.append(
      make('div', { class: 'field' }, this.input, this.layer.closeButton()), this.status, this.hits);
    this.input.addEventListener('input', () => this.typed());
    this.layer.element.addEventListener('keydown', (event) => this.key(event));
  }

  open(query = '') {
    this.layer.open({ query });
    if (query) this.input.value = query;
    this.input.focus();
    this.input.select();
    this.run();
  }

  typed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.run(), pause);
  }

  cancel() {
    clearTimeout(this.timer);
    this.running?.abort();
    this.running = null;
  }

  say(text, state) {
    this.status.textContent = text;
    this.layer.element.dataset.state = state;
  }

  async run() {
    this.cancel();
    const query = this.input.value.trim();
    this.layer.keep({ query });
    if (!query) {
      this.hits.replaceChildren();
      this.say(say('searchHint'), 'blank');
      return;
    }
    const running = new AbortController();
    this.running = running;
    this.layer.element.dataset.state = 'searching';
    // What is found at once needs no word before it.
    const notice = setTimeout(() => this.say(say('searching'), 'searching'), pause);
    const address = `${base}/days?q=${encodeURIComponent(query)}&limit=${limit}`;
    try {
      for (let attempt = 0; attempt < attempts; attempt += 1) {
        const { stories, complete } = await ask(address, { signal: running.signal });
        if (running.signal.aborted) return;
        if (complete || stories.length > 0) this.show(stories, complete);
        if (complete || stories.length >= limit) break;
      }
    } catch (error) {
      if (running.signal.aborted) return;
      this.hits.replaceChildren();
      this.say(textOf(error), 'failed');
    } finally {
      clearTimeout(notice);
    }
  }

  show(stories, isComplete) {
    this.hits.replaceChildren(...stories.map((story) => this.hit(story)));
    const { length } = stories;
    const name = length >= limit ? 'firstResults' : 'results';
    const count = counted(say(name), length, language);
    if (isComplete || length >= limit) this.say(length === 0 ? say('noResults') : count, 'done');
    else this.say(`${count} · ${say('searching')}`, 'searching');
  }

  hit(story) {
    const image = story.images?.[0];
    const link = linkTo(story);
    // What leads nowhere else leads to its day.
    const day = link.href === '#' ? addressOf(0, story.day) : null;
    if (day) link.href = day;
    return make('li', {}, make('a', {
      class: read.has(story) ? 'hit read' : 'hit', ...link, onclick: (event) => {
        if (!day || !isPlainClick(event)) return;
        event.preventDefault();
        this.layer.leave(day);
        this.jump();
      },
    },
    image ? picture(image, 'list', { wide: null }) : make('span', { class: 'picture list none' }),
    make('span', { class: 'words' },
      make('span', { class: 'title', lang: story.lang, dir: 'auto' }, titleOf(story), awayMark(story)),
      hintOf(story, this.label(story.day)))));
  }

  /** Arrows go from the field through the results and back. */
  key(event) {
    if (event.key === 'Enter' && event.target === this.input) this.run();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || event.isComposing) return;
    const places = [this.input, ...this.hits.querySelectorAll('a')];
    const to = places[places.indexOf(document.activeElement) + step];
    event.preventDefault();
    to?.focus();
  }
}
