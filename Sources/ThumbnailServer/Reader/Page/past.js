// Past: all days, newest first; one opens in its place.
import { Failure, ask, base, feed, language, make, say, withQuery } from './dom.js';
import { emptyPanel, firstRunPanel, panelOf, textOf } from './empty.js';
import { StoryList } from './list.js';
import { emptyReason } from './model.js';
import { PullHeader } from './pull.js';
import { daySummary } from './words.js';

export class PastPage {
  isLoaded = false;
  /** Whether a day was refreshed since they were loaded. */
  isStale = false;
  loading = null;

  /** @param label of a day in words @param renew what pulling does before the days are loaded again */
  constructor(element, { actions, hud, label, fetchDay, renew }) {
    Object.assign(this, { element, actions, hud, label, fetchDay });
    this.list = element.querySelector('.days');
    this.header = new PullHeader(element, async () => {
      await renew();
      await this.load();
    });
    this.feeds = element.querySelector('.feeds');
    element.querySelector('.pull-place').append(this.header.element);
  }

  shown() {
    if (!this.isLoaded || this.isStale) this.load();
  }

  load() {
    this.loading ??= this.loadDays().finally(() => { this.loading = null; });
    return this.loading;
  }

  async loadDays() {
    try {
      const { days, feeds = [] } = await ask(`${base}/days`);
      if (!Array.isArray(days)) throw new Failure('unreadable');
      this.isLoaded = true;
      this.isStale = false;
      this.feeds.replaceChildren(...(feeds.length > 1 || feed ? [this.choice(feeds)] : []));
      this.list.replaceChildren(...days.map((day) => this.row(day)));
      this.header.setUpdated(days.map((day) => day.refreshed_at).filter(Boolean).sort().pop());
      if (days.length === 0) this.list.replaceChildren(feed ? emptyPanel('noDay', null) : firstRunPanel(this.fetchDay));
    } catch (error) {
      if (this.isLoaded) this.hud.showText(textOf(error));
      else this.list.replaceChildren(panelOf(error, () => this.load()));
    }
  }

  /** Shows the stories of one feed alone, at an address of its own. */
  choice(feeds) {
    const options = [{ title: say('allFeeds'), url: '' }, ...feeds].map(({ title, url }) => make('option', {
      value: url, selected: url === (feed ?? ''), dir: 'auto',
    }, title ?? url));
    return make('label', { class: 'feed-choice' }, make('span', { class: 'said' }, say('feed')), make('select', {
      onchange: ({ target }) => { location.assign(location.pathname + withQuery('feed', target.value)); },
    }, ...options));
  }

  row(day) {
    const id = `day-${day.day}`;
    const body = make('div', { id, hidden: true });
    const head = make('button', {
      class: 'day-head', type: 'button', 'aria-expanded': 'false', 'aria-controls': id,
      onclick: () => this.toggle(day, head, body),
    }, make('span', { class: 'title' }, this.label(day.day)),
    make('span', { class: 'hint' }, daySummary(day, language)));
    return make('section', { class: 'past-day', 'data-day': day.day }, head, body);
  }

  async toggle(day, head, body) {
    const opens = body.hidden;
    if (opens && !body.firstChild) {
      // Reading changes nothing: the page can be used meanwhile, and a tap takes the notice away, not the load.
      const notice = this.hud.showLoading(say('loading'), true);
      try {
        const whole = await ask(day.href);
        const reason = emptyReason(whole.stories.length, null);
        body.replaceChildren(reason ? emptyPanel(reason, null)
          : new StoryList(whole.stories, this.actions, this.element).element);
        this.hud.hide(notice);
      } catch (error) {
        this.hud.hide(notice);
        this.hud.showText(textOf(error));
        return;
      }
    }
    body.hidden = !opens;
    head.setAttribute('aria-expanded', String(opens));
  }
}
