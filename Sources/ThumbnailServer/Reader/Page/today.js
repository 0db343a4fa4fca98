// Today: the banner, the newest day or the one that was chosen, and the days before it as one scrolls down.
import { addressOf, dayInAddress } from './address.js';
import { Failure, ask, base, feed, isPlainClick, make, say, whenNearlyIdle } from './dom.js';
import { Carousel } from './carousel.js';
import { emptyPanel, firstRunPanel, panelOf, reasonOf, textOf } from './empty.js';
import { StoryList } from './list.js';
import { LoadBefore, emptyReason } from './model.js';
import { refresh } from './refresh.js';

/** Where the middle of a heading meets the lower edge of the bar. */
const barEdge = 42;

async function dayAt(address) {
  const day = await ask(address);
  if (!Array.isArray(day?.stories)) throw new Failure('unreadable');
  return day;
}

export class TodayPage {
  carousel = null;
  lists = [];
  older = new LoadBefore();
  /** The address of the day before the last one that is shown. */
  previous = null;
  shownDay = null;
  /** The day that was chosen; null for the newest one. */
  chosen = dayInAddress();
  loading = null;
  /** Why the newest day could not be fetched, as a text. */
  failure = null;

  /**
   * @param label of a day in words @param fetchDay asks the origin for the newest day @param changed called when
   * another day is shown
   */
  constructor(element, { actions, hud, label, fetchDay, changed }) {
    Object.assign(this, { element, actions, hud, label, fetchDay, changed });
    this.feed = element.querySelector('.feed');
    this.more = element.querySelector('.more');
    this.spinner = document.getElementById('spinner');
    this.more.addEventListener('click', () => {
      if (this.older.isLoading || !this.previous) return;
      this.older.isLoading = true;
      this.loadOlder();
    });
    this.showOlder();
  }

  section(day) {
    const name = this.label(day.day);
    const list = new StoryList(day.stories, this.actions, this.element);
    this.lists.push(list);
    return make('section', { class: 'day', 'data-day': day.day, 'aria-label': name },
      make('h2', {}, name), list.element);
  }

  /** Puts a whole day in place of what is shown, in one step: never half of one and half of another. */
  show(day) {
    for (const list of this.lists) list.end();
    this.lists = [];
    this.carousel = new Carousel(day.top_stories ?? [], this.actions.open, this.element);
    this.element.querySelector('.banner').replaceWith(this.carousel.element);
    this.feed.replaceChildren(this.section(day));
    // A day in the past says so, and how to come back.
    if (day.next && this.chosen) this.feed.prepend(this.wayBack());
    this.carousel.begin();
    this.shownDay = day;
    this.previous = day.previous;
    this.element.classList.toggle('without-banner', this.carousel.count === 0);
    this.changed();
    this.older.finished(!this.previous);
    this.showOlder();
    const reason = emptyReason(day.stories.length, null);
    if (reason && this.carousel.count === 0) this.feed.replaceChildren(emptyPanel(reason, () => this.load()));
    this.element.removeAttribute('aria-busy');
    whenNearlyIdle(() => this.loadOlderIfNeeded());
  }

  wayBack() {
    return make('a', {
      class: 'to-newest', href: addressOf(0, null), onclick: (event) => {
        if (!isPlainClick(event)) return;
        event.preventDefault();
        history.pushState({}, '', addressOf(0, null));
        this.visit(null);
      },
    }, `↑ ${say('toNewest')}`);
  }

  showFailure(error) {
    if (this.shownDay) {
      // What is there stays: a reader with a day is better off than one with an excuse.
      this.hud.showText(textOf(error));
      return;
    }
    this.element.querySelector('.banner').hidden = true;
    this.element.classList.add('without-banner');
    this.changed();
    this.feed.replaceChildren(reasonOf(error) === 404 && !feed ? firstRunPanel(this.fetchDay, this.failure)
      : panelOf(error, () => this.load()));
    this.element.removeAttribute('aria-busy');
  }

  load() {
    this.loading ??= (async () => {
      try {
        const { chosen } = this;
        try {
          this.show(await dayAt(`${base}/days/${chosen ?? 'latest'}`));
        } catch (error) {
          if (!chosen) throw error;
          // The day that was asked for is not there; the newest one may be.
          this.hud.showText(textOf(error));
          this.chosen = null;
          if (!this.shownDay) this.show(await dayAt(`${base}/days/latest`));
          this.changed();
        }
      } catch (error) {
        this.showFailure(error);
      } finally {
        this.loading = null;
      }
    })();
    return this.loading;
  }

  /** Shows a day from its top; the newest one for null. */
  async visit(day) {
    this.chosen = day;
    if (this.shownDay && (day === null ? !this.shownDay.next : day === this.shownDay.day)) return;
    await this.loading;
    await this.load();
    this.element.scrollTo({ top: 0, behavior: 'instant' });
    this.element.focus({ preventScroll: true });
  }

  /** Has the origin asked for the newest day and shows it. @param report called with each progress */
  async renew(report) {
    await refresh(this.shownDay?.day, report);
    const day = await dayAt(`${base}/days/latest`);
    if (this.chosen) history.pushState({}, '', addressOf(0, null));
    this.chosen = null;
    this.show(day);
  }

  /** Only where the end is seen: what loads ahead needs no notice. */
  showSpinner() { this.spinner.hidden = !this.older.isLoading || !this.isEndSeen; }

  showOlder() {
    const { older, more } = this;
    this.showSpinner();
    // Not disabled: that would take the focus from it.
    more.setAttribute('aria-disabled', String(older.isLoading || older.isAtEnd));
    more.textContent = say(older.isAtEnd ? 'noOlderDays' : 'olderDays');
    more.hidden = !this.shownDay || this.shownDay.stories.length === 0;
  }

  // The button below the last story is not part of the list: reaching it is going beyond the end.
  get end() { return this.feed.offsetTop + this.feed.offsetHeight; }
  get isEndSeen() { return this.element.scrollTop + this.element.clientHeight > this.end; }

  /** Asks for the day before a screen ahead of the end, so that it is there when the reader comes to it. */
  loadOlderIfNeeded() {
    if (!this.shownDay || !this.previous) return;
    const { scrollTop, clientHeight } = this.element;
    if (this.older.scrolled(scrollTop, clientHeight, this.end - clientHeight)) this.loadOlder();
  }

  /** Marks the days whose headings have come up to the bar. @returns the last of them; null where there is none */
  showDay() {
    const limit = this.element.getBoundingClientRect().top + barEdge;
    let last = null;
    for (const day of this.feed.querySelectorAll('.day')) {
      const isUp = day.getBoundingClientRect().top < limit;
      day.classList.toggle('up', isUp);
      if (isUp) last = day;
    }
    return last;
  }

  async loadOlder() {
    const newest = this.shownDay;
    this.showOlder();
    try {
      const day = await dayAt(this.previous);
      // What was refreshed meanwhile has days before it of its own.
      if (this.shownDay !== newest) return;
      this.feed.append(this.section(day));
      this.putMoreLast();
      this.previous = day.previous;
      this.older.finished(!this.previous);
      whenNearlyIdle(() => this.loadOlderIfNeeded());
    } catch (error) {
      if (this.shownDay !== newest) return;
      if (reasonOf(error) === 404) this.previous = null;
      else this.hud.showText(textOf(error));
      this.older.finished(!this.previous);
    }
    this.showOlder();
  }

  /** A button that is inserted again did not move: nothing under the reader's eyes jumps. */
  putMoreLast() {
    const hadFocus = document.activeElement === this.more;
    this.more.parentElement.append(this.more);
    if (hadFocus) this.more.focus({ preventScroll: true });
  }
}
