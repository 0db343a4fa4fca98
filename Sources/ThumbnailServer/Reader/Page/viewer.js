// Pictures in full, one after the other: zoomed by wheel, two fingers, a double tap, keys or buttons.
import { linkTo, make, say, titleOf } from './dom.js';
import { Layer } from './layer.js';
import { Zoom, fitted, swipe } from './zoom.js';

/** What the viewer shows of stories. @returns { source, whole, title, lang, link, story } for each picture */
export const picturesOf = (stories) => stories.flatMap((story) => (story.images ?? []).map((image) => {
  const page = image.thumbs?.page ?? {};
  return {
    source: page['2x'] ?? page['1x'] ?? image.image, whole: image.image,
    title: titleOf(story), lang: story.lang, link: linkTo(story), story,
  };
}));

/** Two taps are one double tap within this time and distance. */
const [tapTime, tapDistance] = [320, 30];

export class Viewer {
  items = [];
  index = 0;
  zoom = new Zoom();
  /** Fingers on the picture, by their numbers: where each was last. */
  fingers = new Map();

  constructor() {
    this.layer = new Layer('viewer', say('viewer'), { closed: () => this.clear() });
    this.picture = make('img', { alt: '', draggable: 'false' });
    this.stage = make('div', { class: 'stage', tabindex: -1, autofocus: true }, this.picture,
      make('p', { class: 'failed' }, say('deadImage')));
    this.name = make('span', { class: 'name', dir: 'auto' });
    this.place = make('span', { class: 'place', role: 'status' });
    this.read = make('a', { class: 'read' }, say('readStory'));
    const button = (name, label, sign, action) => make('button', {
      class: name, type: 'button', 'aria-label': say(label), onclick: action,
    }, sign);
    this.before = button('before', 'previousPicture', '‹', () => this.step(-1));
    this.after = button('after', 'nextPicture', '›', () => this.step(1));
    this.smaller = button('smaller', 'zoomOut', '−', () => this.zoomBy(1 / 1.5));
    this.larger = button('larger', 'zoomIn', '+', () => this.zoomBy(1.5));
    this.layer.element.append(this.stage, this.before, this.after,
      make('div', { class: 'tools' }, this.smaller, this.larger, this.layer.closeButton()),
      make('div', { class: 'caption' }, this.name, make('div', {}, this.place, this.read)));
    this.picture.addEventListener('load', () => this.fit());
    this.picture.addEventListener('error', () => this.failed());
    new ResizeObserver(() => this.fit()).observe(this.stage);
    this.layer.element.addEventListener('keydown', (event) => this.key(event));
    this.listen();
  }

  /** The picture as the page shows it may be there where the server is not. */
  failed() {
    const { shown } = this.items[this.index];
    if (shown && this.picture.src !== shown) this.picture.src = shown;
    else this.stage.dataset.state = 'failed';
  }

  open(items, index) {
    if (items.length === 0) return;
    this.items = items;
    this.layer.open();
    this.show(Math.max(0, index));
  }

  show(index) {
    const { length } = this.items;
    this.index = (index + length) % length;
    const item = this.items[this.index];
    this.isWhole = !item.whole || item.whole === item.source;
    this.stage.dataset.state = 'loading';
    this.fingers.clear();
    this.zoom = new Zoom();
    this.picture.removeAttribute('src');
    this.picture.removeAttribute('style');
    this.picture.src = item.source;
    this.picture.alt = item.title;
    this.name.textContent = item.title;
    this.name.lang = item.lang ?? document.documentElement.lang;
    this.place.textContent = `${this.index + 1} / ${length}`;
    for (const one of [this.before, this.after, this.place]) one.hidden = length < 2;
    const isLink = item.link && item.link.href !== '#';
    this.read.hidden = !isLink;
    for (const key of ['href', 'rel', 'target', 'referrerpolicy']) {
      if (isLink && item.link[key]) this.read.setAttribute(key, item.link[key]);
      else this.read.removeAttribute(key);
    }
    this.place.parentElement.hidden = this.place.hidden && this.read.hidden;
    if (length > 1) new Image().src = this.items[(this.index + 1) % length].source;
    this.draw();
  }

  step(by) { if (this.items.length > 1) this.show(this.index + by); }

  /** A late picture must not be seen when the viewer opens again. */
  clear() {
    this.picture.removeAttribute('src');
    this.items = [];
  }

  /** The picture has come, or the view has another size: it is shown whole. */
  fit() {
    const { naturalWidth: width, naturalHeight: height } = this.picture;
    if (!width || this.items.length === 0) return;
    this.stage.dataset.state = 'shown';
    // The original of a picture that is looked at from near is in the place of the smaller one.
    if (!this.zoom.isWhole && this.isWhole) return;
    const view = { width: this.stage.clientWidth, height: this.stage.clientHeight };
    this.zoom = new Zoom(fitted({ width, height }, view), view);
    this.draw();
  }

  /** @param place from the middle of the view */
  zoomBy(factor, place = { x: 0, y: 0 }) {
    this.zoom.by(factor, place.x, place.y);
    this.draw();
  }

  draw() {
    const { zoom, picture } = this;
    if (zoom.picture.width > 0) {
      picture.style.width = `${zoom.picture.width}px`;
      picture.style.height = `${zoom.picture.height}px`;
    }
    picture.style.transform = `translate(${zoom.x}px, ${zoom.y}px) scale(${zoom.scale})`;
    this.stage.dataset.zoomed = String(!zoom.isWhole);
    this.smaller.setAttribute('aria-disabled', String(zoom.isWhole));
    if (!zoom.isWhole) this.loadWhole();
  }

  /** From near the original is shown, once it has come. */
  async loadWhole() {
    if (this.isWhole) return;
    this.isWhole = true;
    const { whole, source } = this.items[this.index];
    const image = new Image();
    image.src = whole;
    try {
      await image.decode();
      if (this.picture.getAttribute('src') === source) this.picture.src = whole;
    } catch {
      // The smaller one stays.
    }
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    const action = {
      '+': () => this.zoomBy(1.5), '=': () => this.zoomBy(1.5), '-': () => this.zoomBy(1 / 1.5),
      0: () => this.zoomBy(0), Home: () => this.show(0), End: () => this.show(-1),
    }[event.key];
    if (!arrow && !action) return;
    event.preventDefault();
    if (action) action();
    else if (this.zoom.isWhole) this.step(arrow[0]);
    else {
      this.zoom.move(-80 * arrow[0], -80 * arrow[1]);
      this.draw();
    }
  }

  /** A place of an event, from the middle of the view. */
  placeOf({ clientX, clientY }) {
    const { left, top, width, height } = this.stage.getBoundingClientRect();
    return { x: clientX - left - width / 2, y: clientY - top - height / 2 };
  }

  listen() {
    const { stage } = this;
    stage.addEventListener('wheel', (event) => {
      event.preventDefault();
      // Two fingers on a pad come as a wheel with this key.
      const speed = event.ctrlKey ? 0.01 : 0.002;
      this.zoomBy(Math.exp(-event.deltaY * speed * (event.deltaMode === 1 ? 30 : 1)), this.placeOf(event));
    }, { passive: false });
    stage.addEventListener('pointerdown', (event) => {
      if (event.pointerType === 'mouse' && event.button !== 0) return;
      stage.setPointerCapture(event.pointerId);
      this.fingers.set(event.pointerId, this.placeOf(event));
      this.moved = this.fingers.size > 1 ? null : { x: 0, y: 0 };
    });
    stage.addEventListener('pointermove', (event) => {
      if (this.fingers.has(event.pointerId)) this.drag(event.pointerId, this.placeOf(event));
    });
    stage.addEventListener('pointerup', (event) => {
      if (!this.fingers.delete(event.pointerId)) return;
      if (this.fingers.size === 0) this.released(event);
    });
    stage.addEventListener('pointercancel', (event) => {
      this.fingers.delete(event.pointerId);
      this.draw();
    });
  }

  drag(finger, to) {
    const from = this.fingers.get(finger);
    const other = [...this.fingers].find(([number]) => number !== finger)?.[1];
    this.fingers.set(finger, to);
    if (other) {
      const apart = ({ x, y }) => Math.max(Math.hypot(x - other.x, y - other.y), 1);
      this.zoom.move((to.x - from.x) / 2, (to.y - from.y) / 2);
      this.zoomBy(apart(to) / apart(from), { x: (to.x + other.x) / 2, y: (to.y + other.y) / 2 });
      return;
    }
    if (this.moved) this.moved = { x: this.moved.x + to.x - from.x, y: this.moved.y + to.y - from.y };
    if (!this.zoom.isWhole) {
      this.zoom.move(to.x - from.x, to.y - from.y);
      this.draw();
    } else if (this.moved) {
      // A whole picture follows the finger, to show that there is another.
      this.picture.style.transform = `translate(${this.moved.x}px, ${Math.max(0, this.moved.y)}px)`;
    }
  }

  /** The last finger has left the picture. */
  released(event) {
    const { moved } = this;
    const place = this.placeOf(event);
    const isTap = moved && Math.hypot(moved.x, moved.y) < 8;
    const meant = moved && this.zoom.isWhole ? swipe(moved.x, moved.y) : null;
    const last = this.lastTap;
    this.lastTap = isTap ? { ...place, time: event.timeStamp } : null;
    if (meant === 'close') this.layer.close();
    else if (meant) this.step(meant);
    else if (isTap && last && event.timeStamp - last.time < tapTime
      && Math.hypot(place.x - last.x, place.y - last.y) < tapDistance) {
      this.lastTap = null;
      this.zoom.toggle(place.x, place.y);
    }
    this.draw();
  }
}
