// Pages under tabs, side by side: swiped or tapped, the indicator follows, pages out of sight let their pictures go.
import { isPlainClick, reducedMotion } from './dom.js';
import { setShown } from './pictures.js';
import { indicatorOffset, keptPages, pageAction, pageAt } from './model.js';

export class Tabs {
  current = 0;

  /**
   * @param start the number of the page that is shown first @param prepare called with the number of a page that comes
   * into view @param changed called with the number of the page that is now the current one
   */
  constructor(bar, container, start, { prepare, changed }) {
    this.bar = bar;
    this.container = container;
    Object.assign(this, { prepare, changed });
    this.buttons = [...bar.querySelectorAll('[role=tab]')];
    this.pages = [...container.querySelectorAll('[role=tabpanel]')];
    this.indicator = bar.querySelector('.indicator');
    this.buttons.forEach((button, index) => {
      button.addEventListener('click', (event) => {
        if (!isPlainClick(event)) return;
        event.preventDefault();
        this.tap(index);
      });
    });
    bar.addEventListener('keydown', (event) => this.key(event));
    container.addEventListener('scroll', () => this.follow(), { passive: true });
    container.addEventListener('scrollend', () => this.rest());
    // The tab that was tapped last is where the pages belong, until a finger or a wheel moves them.
    for (const kind of ['pointerdown', 'wheel']) {
      container.addEventListener(kind, () => { this.target = undefined; }, { passive: true });
    }
    new ResizeObserver(() => {
      container.scrollTo({ left: (this.target ?? this.current) * this.width, behavior: 'instant' });
      this.follow();
    }).observe(container);
    if (start > 0) prepare(start);
    this.select(start);
    // Until now that page alone was there.
    delete document.documentElement.dataset.shows;
    container.scrollTo({ left: start * this.width, behavior: 'instant' });
  }

  get width() { return this.container.clientWidth || 1; }

  tap(index) {
    // Where the pages are going counts, not where they still are: the way back is a way too.
    const action = pageAction(this.target ?? this.current, index);
    if (action === 'top') {
      this.pages[index].scrollTo({ top: 0, behavior: reducedMotion.matches ? 'instant' : 'smooth' });
    } else {
      // Through every page on the way: one scroll passes over all of them.
      for (const page of action) {
        setShown(this.pages[page], true);
        this.prepare(page);
      }
    }
    this.target = index;
    this.scrollToTarget();
  }

  scrollToTarget() {
    this.container.scrollTo({
      left: this.target * this.width, behavior: reducedMotion.matches ? 'instant' : 'smooth',
    });
  }

  key(event) {
    const last = this.buttons.length - 1;
    const focused = this.buttons.indexOf(document.activeElement);
    const to = {
      ArrowLeft: Math.max(0, focused - 1), ArrowRight: Math.min(last, focused + 1), Home: 0, End: last, ' ': focused,
    }[event.key];
    if (to === undefined || focused < 0) return;
    event.preventDefault();
    this.buttons[to].focus();
    this.tap(to);
  }

  follow() {
    const start = (this.current * this.width) / this.pages.length;
    const offset = this.width + this.container.scrollLeft - this.current * this.width;
    const x = indicatorOffset(start, offset, this.width, this.pages.length);
    // As a part of its own width: the bar need not be as wide as the pages.
    this.indicator.style.transform = `translateX(${(100 * x * this.pages.length) / this.width}%)`;
    this.lookAside(offset - this.width);
    const page = pageAt(this.container.scrollLeft, this.width, this.pages.length);
    // On the way to a tab that was tapped, the pages between are not selected.
    if (page !== this.current && page === (this.target ?? page)) this.select(page);
  }

  /** A finger that moves the pages sees the neighbour's content, not an empty page. */
  lookAside(moved) {
    const beside = Math.abs(moved) > 1 ? this.current + Math.sign(moved) : this.current;
    if (beside !== this.beside && this.pages[beside]) this.prepare(beside);
    this.beside = beside;
  }

  rest() {
    // A swipe that was still settling when the tab was tapped takes the pages away again, even after they came.
    const isElsewhere = Math.abs(this.container.scrollLeft - this.target * this.width) > 1;
    if (this.target !== undefined && isElsewhere) this.scrollToTarget();
    else this.select(pageAt(this.container.scrollLeft, this.width, this.pages.length));
  }

  select(index) {
    const isNew = index !== this.current || !this.isReady;
    this.current = index;
    this.isReady = true;
    const kept = keptPages(index, this.pages.length);
    this.pages.forEach((page, number) => {
      this.buttons[number].setAttribute('aria-selected', String(number === index));
      this.buttons[number].tabIndex = number === index ? 0 : -1;
      page.inert = number !== index;
      setShown(page, kept.includes(number));
    });
    if (isNew) this.changed(index);
  }
}
