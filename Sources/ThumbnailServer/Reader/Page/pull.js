// Pull to refresh: a touch becomes an offset, the two machines decide, the page shows it.
import { language, make, say } from './dom.js';
import { PullRefresh, RefreshRing, ringClamped } from './model.js';
import { lastUpdated } from './words.js';

/** How far the page follows the finger: as rubber does, half as far. */
const resistance = 0.5;
/** How long the room above a list takes to open and to close, in milliseconds. */
const openingTime = 200;
const closingTime = 300;

const momentOf = (text) => {
  const date = text ? new Date(text) : null;
  if (!date || Number.isNaN(date.getTime())) return null;
  return [date.getFullYear(), date.getMonth() + 1, date.getDate(), date.getHours(), date.getMinutes()];
};

/** Reports how far a page is pulled: moved(offset), released(offset). */
export function followPull(scroller, { moved, released }) {
  let start = null;
  let offset = 0;
  scroller.addEventListener('touchstart', (event) => {
    // A second finger ends the pull of the first; the page must not stay open.
    if (start?.isPull) released(0);
    offset = 0;
    start = event.touches.length === 1 && scroller.scrollTop <= 0
      ? { x: event.touches[0].clientX, y: event.touches[0].clientY, isPull: null } : null;
  }, { passive: true });
  scroller.addEventListener('touchmove', (event) => {
    if (!start) return;
    const down = event.touches[0].clientY - start.y;
    const aside = Math.abs(event.touches[0].clientX - start.x);
    if (start.isPull === null && (Math.abs(down) > 4 || aside > 4)) start.isPull = down > aside;
    if (!start.isPull) return;
    offset = -Math.max(0, down * resistance);
    if (event.cancelable) event.preventDefault();
    moved(offset);
  }, { passive: false });
  const end = () => {
    if (start?.isPull) released(offset);
    start = null;
    offset = 0;
  };
  scroller.addEventListener('touchend', end, { passive: true });
  scroller.addEventListener('touchcancel', end, { passive: true });
}

/** The header of EGOTableViewPullRefresh: arrow, texts, "last updated". */
export class PullHeader {
  machine = new PullRefresh();

  constructor(scroller, load) {
    this.scroller = scroller;
    this.load = load;
    this.status = make('span', { class: 'status', role: 'status' });
    this.updated = make('span', { class: 'updated' });
    this.element = make('div', { class: 'pull-header', 'aria-hidden': 'true' },
      make('span', { class: 'arrow' }), make('span', { class: 'small spinner' }),
      this.status, this.updated);
    followPull(scroller, {
      moved: (offset) => {
        this.machine.scrolled(offset, true, this.isLoading);
        this.place(Math.max(-offset, this.machine.inset));
        this.show();
      },
      released: (offset) => {
        if (this.machine.released(offset, this.isLoading)) this.trigger();
        else this.settle();
      },
    });
    this.show();
  }

  async trigger() {
    this.show();
    this.place(this.machine.inset, openingTime);
    this.isLoading = true;
    try {
      await this.load();
    } finally {
      this.isLoading = false;
      this.machine.finished();
      this.show();
      this.settle();
    }
  }

  settle() { this.place(this.machine.inset, closingTime); }

  place(room, time = 0) {
    this.scroller.style.setProperty('--pull-time', `${time}ms`);
    this.scroller.style.setProperty('--pull', `${room}px`);
  }

  setUpdated(text) {
    const line = lastUpdated(momentOf(text), language);
    this.updated.textContent = line ?? '';
    this.updated.hidden = line === null;
  }

  show() {
    this.status.textContent = say(this.machine.text);
    this.element.dataset.state = this.machine.state;
  }
}

/** The ring of WSDZhihuDaily in the top bar, and the banner that stretches. */
export class PullRing {
  machine = new RefreshRing();

  constructor(scroller, ring, load) {
    this.scroller = scroller;
    this.ring = ring;
    this.load = load;
    followPull(scroller, {
      moved: (offset) => {
        this.machine.scrolled(ringClamped(offset), true, performance.now());
        this.place(-ringClamped(offset));
        this.showProgress(this.machine.progress(offset));
      },
      released: (offset) => {
        if (this.machine.scrolled(ringClamped(offset), false, performance.now())) this.run();
        this.place(0, closingTime);
        if (!this.machine.isRefreshing) this.showProgress(0);
      },
    });
  }

  /** Begins without a pull: the button. It may load in a way of its own. */
  trigger(load = this.load) {
    if (this.machine.isRefreshing) return Promise.resolve();
    this.machine.startedAt = performance.now();
    return this.run(load);
  }

  async run(load = this.load) {
    this.ring.dataset.state = 'refreshing';
    this.showProgress(0);
    try {
      await load((progress) => this.showProgress(progress));
    } finally {
      const now = performance.now();
      await new Promise((resolve) => { setTimeout(resolve, this.machine.end(now) - now); });
      this.machine.stopped();
      this.ring.dataset.state = 'rest';
      this.showProgress(0);
    }
  }

  place(room, time = 0) {
    this.scroller.style.setProperty('--pull-time', `${time}ms`);
    this.scroller.style.setProperty('--pull', `${room}px`);
  }

  showProgress(progress) {
    this.ring.style.setProperty('--progress', String(progress));
    this.ring.dataset.progress = progress;
  }
}
