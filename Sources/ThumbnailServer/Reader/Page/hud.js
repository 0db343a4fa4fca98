// The notice over the page: a moving picture while something runs, or a text for a moment.
import tables from './tables.js';
import { make, reducedMotion } from './dom.js';
import { HUDDisplay, animationFrame, hudSeconds } from './model.js';

/** The width and height of the moving picture. */
const side = 60;

export class HUD {
  display = new HUDDisplay();
  /** Whether the page below can be used while the notice is shown. */
  isPageUsable = true;
  frame = -1;
  /** Counts notices: code that showed one may change or hide it, but not a later one. */
  showing = 0;

  constructor() {
    this.canvas = make('canvas', {
      width: side * 2, height: side * 2, 'aria-hidden': 'true', class: 'loading',
    });
    this.text = make('span');
    this.panel = make('div', { class: 'panel', role: 'status', 'aria-live': 'polite' },
      this.canvas, this.text);
    this.element = make('div', { class: 'hud', hidden: true, 'data-mask': 'none' }, this.panel);
    document.body.append(this.element);
    this.strip = new Image();
    this.strip.src = new URL('loading.png', import.meta.url).href;
    // A touch outside takes it away, where the page can be used; what it stands for goes on.
    document.addEventListener('pointerdown', (event) => {
      if (this.isShown && this.isPageUsable && !this.panel.contains(event.target)) {
        this.hide(this.showing);
      }
    }, { capture: true });
  }

  get isShown() { return this.display.opacity(performance.now()) > 0; }

  /** @returns what update and hide want to know */
  showLoading(text, isPageUsable) {
    this.begin(text, isPageUsable, true);
    this.display.show(performance.now());
    this.run();
    return this.showing;
  }

  showText(text) {
    this.begin(text, true, false);
    // Long enough to be read: half a second is for "loading" alone.
    this.display.showText(hudSeconds([...text].length, 1.5, 5) * 1000, performance.now());
    this.run();
  }

  /** Changes what a shown notice says; one that was taken away stays away. */
  update(showing, text) {
    if (showing === this.showing && this.isShown) this.text.textContent = text;
  }

  hide(showing) {
    if (showing !== this.showing) return;
    this.display.finish(performance.now());
    this.setPageUsable(true);
    this.run();
  }

  begin(text, isPageUsable, moves) {
    this.showing += 1;
    this.text.textContent = text;
    this.canvas.hidden = !moves;
    this.startedAt = performance.now();
    this.setPageUsable(isPageUsable);
  }

  setPageUsable(isUsable) {
    this.isPageUsable = isUsable;
    this.element.dataset.mask = isUsable ? 'none' : 'black';
    if (!isUsable && document.activeElement !== document.body) this.focused = document.activeElement;
    // Nothing below can be reached by keyboard either while the page cannot be used.
    for (const id of ['bar', 'pages', 'tabs']) document.getElementById(id).inert = !isUsable;
    if (isUsable) this.giveFocusBack();
  }

  /** A disabled element loses the focus, and the keyboard would begin at the top again. */
  giveFocusBack() {
    const isNowhere = [null, document.body].includes(document.activeElement);
    if (isNowhere || document.activeElement === this.focused) this.focused?.focus({ preventScroll: true });
    this.focused = null;
  }

  run() {
    if (!this.isRunning) {
      this.isRunning = true;
      this.draw();
    }
  }

  draw() {
    const now = performance.now();
    const opacity = this.display.opacity(now);
    const isOver = opacity === 0 && this.display.fadesAt !== null && now >= this.display.fadesAt;
    this.element.hidden = isOver;
    this.element.style.opacity = opacity;
    if (isOver) {
      this.isRunning = false;
      return;
    }
    if (!this.canvas.hidden && this.strip.complete && this.strip.naturalWidth > 0) {
      const elapsed = reducedMotion.matches ? 0 : now - this.startedAt;
      const frame = animationFrame(tables.loading, elapsed);
      if (frame !== this.frame) {
        this.frame = frame;
        this.canvas.dataset.frame = frame;
        const context = this.canvas.getContext('2d');
        const { side: from } = tables.loading;
        context.clearRect(0, 0, this.canvas.width, this.canvas.height);
        context.drawImage(this.strip, frame * from, 0, from, from, 0, 0, side * 2, side * 2);
      }
    }
    requestAnimationFrame(() => this.draw());
  }
}
