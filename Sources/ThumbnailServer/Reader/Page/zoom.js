// A picture in a view: how large it is shown and where; no document, clock or network.

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

/** How much a small picture is enlarged at most. */
const enlargement = 2.5;

/** The sides of a picture that fits into a view. */
export function fitted(picture, view) {
  const scale = Math.min(enlargement, view.width / Math.max(picture.width, 1), view.height / Math.max(picture.height, 1));
  return { width: picture.width * scale, height: picture.height * scale };
}

/** How far one can come near. */
const largest = 8;

/** Lengths are CSS pixels, places are seen from the middle of the view. */
export class Zoom {
  scale = 1;
  x = 0;
  y = 0;

  /** @param picture its sides as it fits */
  constructor(picture = { width: 0, height: 0 }, view = { width: 0, height: 0 }) {
    this.picture = picture;
    this.view = view;
  }

  get isWhole() { return this.scale <= 1.001; }

  /** Comes nearer by a factor; what is at a place stays there. */
  by(factor, x = 0, y = 0) {
    const scale = clamp(this.scale * factor, 1, largest);
    const change = scale / this.scale;
    this.scale = scale;
    this.x = x - (x - this.x) * change;
    this.y = y - (y - this.y) * change;
    this.settle();
  }

  /** From the whole picture near to a place, or back. */
  toggle(x, y) {
    if (this.isWhole) this.by(3, x, y);
    else this.by(1 / largest);
  }

  move(x, y) {
    this.x += x;
    this.y += y;
    this.settle();
  }

  /** No side of the picture comes farther in than the side of the view. */
  settle() {
    const room = (side) => Math.max(0, (this.picture[side] * this.scale - this.view[side]) / 2);
    this.x = clamp(this.x, -room('width'), room('width'));
    this.y = clamp(this.y, -room('height'), room('height'));
  }
}

/** How far a finger has to go for the next picture, or to close. */
const swipeDistance = 56;

/** What a finger meant that moved so far over a whole picture: -1, 1, `close`, or null. */
export function swipe(x, y) {
  if (Math.abs(x) > swipeDistance && Math.abs(x) > 1.5 * Math.abs(y)) return x < 0 ? 1 : -1;
  return y > 2 * swipeDistance && y > 1.5 * Math.abs(x) ? 'close' : null;
}
