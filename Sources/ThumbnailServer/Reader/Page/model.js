// How the page behaves: state machines and geometry without document, clock or network. Times are milliseconds,
// lengths CSS pixels.
import tables from './tables.js';

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

// The carousel: n pictures in n + 2 slots, the last once more before the first and the first once more after the
// last. The two ghosts replace the picture inside, to which the strip moves once it is at rest.

export function carouselSlots(count) {
  if (count <= 0) return [];
  const pictures = Array.from({ length: count }, (_, index) => index);
  return count === 1 ? pictures : [count - 1, ...pictures, 0];
}

export function carouselSettledSlot(count, slot) {
  if (count <= 1) return 0;
  if (slot <= 0) return count;
  return slot > count ? 1 : slot;
}

export function carouselDotAtSlot(count, slot) {
  if (count <= 0) return null;
  return carouselSettledSlot(count, slot) - (count > 1 ? 1 : 0);
}

export function carouselDotAtOffset(count, offset, width) {
  const slot = Math.floor(offset / width + 0.5);
  return carouselDotAtSlot(count, clamp(slot, 0, Math.max(count, 0) + 1));
}

export function carouselNext(count, slot, backwards = false) {
  if (count <= 1) return 0;
  return carouselSettledSlot(count, slot) + (backwards ? -1 : 1);
}

/** When the carousel moves by itself: every four seconds, and first 4.4 s after a finger let go of it. */
export class CarouselTimer {
  interval = 4000;
  nextStep = null;

  constructor(count) { this.count = count; }

  start(now) { this.nextStep = this.count > 1 ? now + this.interval : null; }
  stop() { this.nextStep = null; }
  cameToRest(now) { this.start(now + 400); }

  /** Returns whether to take one step now; after a long sleep that is still one. */
  takesStep(now) {
    if (this.nextStep === null || this.nextStep > now) return false;
    this.nextStep = now + this.interval;
    return true;
  }
}

/** The opacity of the gradient's dark ends where the colour below is unknown. */
const usualShade = 0.6;

/**
 * The opacity of the gradient's dark ends over a colour of red, green and blue: as much as white text needs for a
 * contrast of 4.5 (WCAG 2.2), 0.6 through 0.95.
 */
export function shadeAlpha(color) {
  if (!color || color.length !== 3) return usualShade;
  for (let step = 12; step <= 19; step += 1) {
    const alpha = step / 20;
    const shaded = color.map((sample) => sample * (1 - alpha) + 51 * alpha);
    if (1.05 / (luminance(shaded) + 0.05) >= 4.5) return alpha;
  }
  return 0.95;
}

/** Relative luminance as in WCAG 2.2: 0 for black through 1 for white. */
export function luminance(color) {
  const [red, green, blue] = color.map((sample) => {
    const part = sample / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

// Refreshing.

/** How far to pull until letting go loads, and the room that the header keeps while it does. */
const pullThreshold = 65;
const loadingInset = 60;

/**
 * Pulling a list down to load it again, as EGOTableViewPullRefresh does it: `pulling` (letting go loads), `normal` or
 * `loading`. Offsets are negative while the list is pulled below its beginning.
 */
export class PullRefresh {
  state = 'normal';
  /** The room above the list. */
  inset = 0;

  /** The list moved; at exactly the threshold nothing changes. */
  scrolled(offset, isDragging, sourceIsLoading = false) {
    if (this.state === 'loading') {
      this.inset = clamp(-offset, 0, loadingInset);
    } else if (isDragging) {
      if (this.state === 'pulling' && offset > -pullThreshold && offset < 0 && !sourceIsLoading) {
        this.state = 'normal';
      } else if (this.state === 'normal' && offset < -pullThreshold && !sourceIsLoading) {
        this.state = 'pulling';
      }
      this.inset = 0;
    }
  }

  /** The finger let go; returns whether to load now. */
  released(offset, sourceIsLoading = false) {
    if (offset > -pullThreshold || sourceIsLoading || this.state === 'loading') return false;
    this.state = 'loading';
    this.inset = loadingInset;
    return true;
  }

  finished() {
    this.state = 'normal';
    this.inset = 0;
  }

  /** The name of the text that the header shows. */
  get text() {
    return { pulling: 'releaseToRefresh', normal: 'pullToRefresh', loading: 'loading' }[this.state];
  }
}

/** How far to pull for the ring to close; letting go beyond it loads. */
export const ringDistance = 40;
/** As far as the list can be pulled. */
const farthestPull = 60;
/** How long loading is shown at least. */
const minimumShown = 2000;

const ringProgress = (offset) => clamp(-offset / ringDistance, 0, 1);
/** The part of the ring that is closed when `done` of `total` are done; of nothing all is done. */
export const ringProgressOf = (done, total) => (total <= 0 ? 1 : clamp(done / total, 0, 1));
/** The offset that a list is held at when it is pulled farther than it can be. */
export const ringClamped = (offset) => Math.max(offset, -farthestPull);

/** The ring that closes while a list is pulled down, as in WSDZhihuDaily. */
export class RefreshRing {
  startedAt = null;

  get isRefreshing() { return this.startedAt !== null; }

  progress(offset) { return this.isRefreshing ? 0 : ringProgress(offset); }

  /** The list moved; returns whether to load now. */
  scrolled(offset, isDragging, now) {
    if (offset >= -ringDistance || isDragging || this.isRefreshing) return false;
    this.startedAt = now;
    return true;
  }

  /** Loading ended; returns when to stop showing it. */
  end(now) {
    return this.isRefreshing ? Math.max(this.startedAt + minimumShown, now) : now;
  }

  stopped() { this.startedAt = null; }
}

/** Loading the day before when the end of the list comes into view; one at a time. */
export class LoadBefore {
  isLoading = false;
  isAtEnd = false;

  scrolled(offset, height, contentHeight) {
    if (this.isLoading || this.isAtEnd || offset + height <= contentHeight) return false;
    this.isLoading = true;
    return true;
  }

  finished(isLast) {
    this.isLoading = false;
    this.isAtEnd = isLast;
  }
}

/** How much of the bar above a list is seen: it comes in over its own height, 64. */
export const topBarAlpha = (offset) => (offset > 0 ? Math.min(offset / 64, 1) : 0);

// Pages.

/** The pages on the way, without the first and with the last. */
function pagePath(from, to) {
  const path = [];
  for (let page = from; page !== to; path.push(page)) page += to > from ? 1 : -1;
  return path;
}

/** What a tap on a tab does: `top` where its page is shown, else the pages to go through. */
export const pageAction = (current, tapped) =>
  (current === tapped ? 'top' : pagePath(current, tapped));

/**
 * Where the indicator under the tabs is while a page is swiped.
 *
 * @param start where it rests for the current page
 * @param contentOffset the width at rest, 0 with the page before shown whole, twice the width with the next one
 */
export const indicatorOffset = (start, contentOffset, width, pageCount) =>
  start - (width - contentOffset) / Math.max(pageCount, 1);

/** The pages that keep their pictures: the current one and its neighbours. */
export const keptPages = (current, pageCount) =>
  [current - 1, current, current + 1].filter((page) => page >= 0 && page < pageCount);

/** The page of which most is seen. */
export const pageAt = (contentOffset, width, pageCount) =>
  clamp(Math.floor(contentOffset / Math.max(width, 1) + 0.5), 0, Math.max(pageCount - 1, 0));

/** Whether a story of so many pictures has the badge for several. */
export const showsBadge = (pictureCount, isMultipic) => isMultipic || pictureCount > 1;

// Overlays.

/** How long a text shows, in seconds: 0.06 a character and 0.5, within the limits. */
export const hudSeconds = (length, minimum, maximum) =>
  Math.min(Math.max(0.06 * length + 0.5, minimum), maximum);

/** How long the notice takes to come and to go. */
const fadeTime = 150;

/** When the notice is seen and how strongly. Hiding it never ends what it stands for. */
export class HUDDisplay {
  shownAt = null;
  fadesAt = null;

  /** Shows it until `finish`. */
  show(now) {
    if (this.opacity(now) === 0) this.shownAt = now;
    this.fadesAt = null;
  }

  /** Shows a text for its time. */
  showText(milliseconds, now) {
    this.show(now);
    this.fadesAt = now + milliseconds;
  }

  finish(now) {
    if (this.shownAt !== null) this.fadesAt = Math.min(this.fadesAt ?? now, now);
  }

  opacity(now) {
    if (this.shownAt === null) return 0;
    const coming = (now - this.shownAt) / fadeTime;
    const going = this.fadesAt === null ? 1 : 1 - (now - this.fadesAt) / fadeTime;
    return clamp(Math.min(coming, going), 0, 1);
  }
}

/** The frame of a loop that shows so many milliseconds after the first. */
export const animationFrame = ({ frameCount, delay }, elapsed) =>
  Math.floor(Math.max(elapsed, 0) / delay) % frameCount;

/**
 * Why a list shows nothing; null where it has something to show.
 *
 * @param storyCount null where the day is not available @param failure a status, 'unreachable', 'unreadable', or null
 */
export function emptyReason(storyCount, failure) {
  if (storyCount !== null && storyCount > 0) return null;
  if (failure === 404) return 'noDay';
  if (failure === 'unreachable') return 'network';
  if (failure !== null) return 'badAnswer';
  return storyCount === null ? 'noDay' : 'noStories';
}
