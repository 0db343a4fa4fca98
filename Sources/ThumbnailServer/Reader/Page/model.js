// How the page behaves: the values of the Swift module ReaderModel once more, with the same numbers (tables.js
// is made from them) and tested against the same vectors. No document, no clock, no network in here.
import tables from './tables.js';

const n = tables.numbers;
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

// The carousel: n pictures in n + 2 slots.

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

export function carouselSettledOffset(count, offset, width) {
  if (count <= 1) return 0;
  if (offset <= 0) return count * width;
  return offset >= (count + 1) * width ? width : offset;
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

/** When the carousel moves by itself; moments in milliseconds. */
export class CarouselTimer {
  nextStep = null;

  constructor(count, interval = n['carousel.interval']) {
    this.count = count;
    this.interval = interval;
  }

  start(now) { this.nextStep = this.count > 1 ? now + this.interval : null; }
  stop() { this.nextStep = null; }
  cameToRest(now) { this.start(now + n['carousel.resumeDelay']); }

  takesStep(now) {
    if (this.nextStep === null || this.nextStep > now) return false;
    this.nextStep = now + this.interval;
    return true;
  }
}

export function bannerFrame(offset) {
  const held = ringClamped(offset);
  return [held > 0 ? -held : 0, n['banner.height'] - Math.min(held, 0)];
}

/** How dark the ends of the gradient are, over a colour of red, green, blue. */
export function shadeAlpha(color) {
  if (!color || color.length !== 3) return n['shade.alpha'];
  for (let step = 12; step <= 19; step += 1) {
    const alpha = step / 20;
    const shaded = color.map((sample) => sample * (1 - alpha) + 51 * alpha);
    if (1.05 / (luminance(shaded) + 0.05) >= 4.5) return alpha;
  }
  return 0.95;
}

function luminance(color) {
  const [red, green, blue] = color.map((sample) => {
    const part = sample / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

// Refreshing.

/** Pulling down as EGOTableViewPullRefresh has it: 0 pulling, 1 normal, 2 loading. */
export class PullRefresh {
  state = 1;
  inset = 0;

  scrolled(offset, isDragging, sourceIsLoading = false) {
    const threshold = n['pull.threshold'];
    if (this.state === 2) {
      this.inset = clamp(-offset, 0, n['pull.loadingInset']);
    } else if (isDragging) {
      if (this.state === 0 && offset > -threshold && offset < 0 && !sourceIsLoading) {
        this.state = 1;
      } else if (this.state === 1 && offset < -threshold && !sourceIsLoading) {
        this.state = 0;
      }
      this.inset = 0;
    }
  }

  released(offset, sourceIsLoading = false) {
    if (offset > -n['pull.threshold'] || sourceIsLoading || this.state === 2) return false;
    this.state = 2;
    this.inset = n['pull.loadingInset'];
    return true;
  }

  finished() {
    this.state = 1;
    this.inset = 0;
  }

  get arrowAngle() { return this.state === 0 ? 180 : 0; }
  get hidesArrow() { return this.state === 2; }
  get text() { return ['releaseToRefresh', 'pullToRefresh', 'loading'][this.state]; }
}

export const ringProgress = (offset) => clamp(-offset / n['ring.distance'], 0, 1);
export const ringProgressOf = (done, total) => (total <= 0 ? 1 : clamp(done / total, 0, 1));
export const ringClamped = (offset) => Math.max(offset, -n['ring.farthestPull']);

/** The ring of WSDZhihuDaily; moments in milliseconds. */
export class RefreshRing {
  startedAt = null;

  get isRefreshing() { return this.startedAt !== null; }

  progress(offset) { return this.isRefreshing ? 0 : ringProgress(offset); }

  scrolled(offset, isDragging, now) {
    if (offset >= -n['ring.distance'] || isDragging || this.isRefreshing) return false;
    this.startedAt = now;
    return true;
  }

  end(now) {
    return this.isRefreshing ? Math.max(this.startedAt + n['ring.minimumShown'], now) : now;
  }

  stopped() { this.startedAt = null; }
}

/** @param moment year, month, day, hour, minute; null where nothing is known. */
export function lastUpdated(moment, language) {
  if (!moment) return null;
  const [year, month, day, hour, minute] = moment;
  const two = (number) => String(number).padStart(2, '0');
  const label = tables.texts[language].lastUpdated;
  if (language === 'zh') return `${label}: ${year}/${month}/${day} ${hour}:${two(minute)}`;
  const half = hour < 12 ? 'AM' : 'PM';
  return `${label}: ${month}/${day}/${two(year % 100)}, ${hour % 12 || 12}:${two(minute)} ${half}`;
}

export const isBeyondEnd = (offset, height, contentHeight) => offset + height > contentHeight;
export const storiesAdded = (count, pageSize = null) =>
  Math.max(0, Math.min(count, pageSize ?? count));

/** The day before, when the end of the list comes into view; one at a time. */
export class LoadBefore {
  isLoading = false;
  isAtEnd = false;

  scrolled(offset, height, contentHeight) {
    if (this.isLoading || this.isAtEnd || !isBeyondEnd(offset, height, contentHeight)) return false;
    this.isLoading = true;
    return true;
  }

  finished(isLast) {
    this.isLoading = false;
    this.isAtEnd = isLast;
  }
}

export const spinnerFrame = (width, height) => [n['spinner.x'] * width, n['spinner.y'] * height];
export const topBarAlpha = (offset) => (offset > 0 ? Math.min(offset / n['bar.height'], 1) : 0);

// Pages.

export function pagePath(from, to) {
  const path = [];
  for (let page = from; page !== to; path.push(page)) page += to > from ? 1 : -1;
  return path;
}

export const pageAction = (current, tapped) =>
  (current === tapped ? 'top' : pagePath(current, tapped));

export const indicatorOffset = (start, contentOffset, width, pageCount) =>
  start - (width - contentOffset) / Math.max(pageCount, 1);

export const keptPages = (current, pageCount) =>
  [current - 1, current, current + 1].filter((page) => page >= 0 && page < pageCount);

export const pageAt = (contentOffset, width, pageCount) =>
  clamp(Math.floor(contentOffset / Math.max(width, 1) + 0.5), 0, Math.max(pageCount - 1, 0));

const ordinal = (day) =>
  Date.UTC(Number(day.slice(0, 4)), Number(day.slice(4, 6)) - 1, Number(day.slice(6))) / 86400000;

/** @param day YYYYMMDD @param today YYYYMMDD in UTC+8 */
export function dayLabel(day, today, language) {
  const texts = tables.texts[language];
  const number = ordinal(day);
  if (number === ordinal(today)) return texts.today;
  if (number === ordinal(today) - 1) return texts.yesterday;
  const weekday = ((number % 7) + 11) % 7;
  const [year, month, date] = [day.slice(0, 4), day.slice(4, 6), day.slice(6)].map(Number);
  const isOtherYear = year !== Number(today.slice(0, 4));
  if (language === 'zh') {
    return `${isOtherYear ? `${year}年` : ''}${month}月${date}日 星期${tables.days.chineseWeekdays[weekday]}`;
  }
  const names = tables.days;
  return `${names.englishWeekdays[weekday]}, ${names.englishMonths[month - 1]} ${date}${isOtherYear ? `, ${year}` : ''}`;
}

/** The day in UTC+8, as days since 1970. @param now milliseconds since 1970 */
export const dayAt = (now) => Math.floor((now + 8 * 3600000) / 86400000);

/** @param day YYYYMMDD */
export const dayLater = (day, days) =>
  new Date((ordinal(day) + days) * 86400000).toISOString().slice(0, 10).replaceAll('-', '');

export const dateIndex = (row, perDay = 6) =>
  (perDay > 0 && row > 1 && (row - 1) % perDay === 0 ? (row - 1) / perDay - 1 : null);

export function storyLink(url, shareURL, id) {
  if (url ?? shareURL) return url ?? shareURL;
  return /^[0-9]+$/.test(id) ? `https://daily.zhihu.com/story/${id}` : null;
}

export const titleTakesFullWidth = (pictureCount) => pictureCount === 0;
export const showsBadge = (pictureCount, isMultipic) => isMultipic || pictureCount > 1;

// Overlays.

export const hudSeconds = (length, minimum = 5, maximum = null) =>
  Math.min(Math.max(0.06 * length + 0.5, minimum), maximum ?? Infinity);
export const hudAllowsInteraction = (mask) => mask === 1;
export const hudIsDismissed = (mask, touchBegins) => touchBegins && hudAllowsInteraction(mask);
export const hudCovers = (level, window) => window <= level;

/** A notice on its way; moments in milliseconds. */
export class HUDDisplay {
  shownAt = null;
  fadesAt = null;

  show(now) {
    if (this.opacity(now) === 0) this.shownAt = now;
    this.fadesAt = null;
  }

  showText(milliseconds, now) {
    this.show(now);
    this.fadesAt = Number.isFinite(milliseconds) ? now + milliseconds : null;
  }

  finish(now) {
    if (this.shownAt !== null) this.fadesAt = Math.min(this.fadesAt ?? now, now);
  }

  opacity(now) {
    if (this.shownAt === null) return 0;
    const coming = (now - this.shownAt) / n['hud.fadeTime'];
    const going = this.fadesAt === null ? 1 : 1 - (now - this.fadesAt) / n['hud.fadeTime'];
    return clamp(Math.min(coming, going), 0, 1);
  }
}

/** The frame that shows so many milliseconds after the first. */
export function animationFrame(delays, milliseconds) {
  const period = delays.reduce((sum, delay) => sum + delay, 0);
  if (delays.length < 2 || period <= 0 || milliseconds <= 0) return 0;
  let rest = milliseconds % period;
  for (let frame = 0; frame < delays.length; frame += 1) {
    if (rest < delays[frame]) return frame;
    rest -= delays[frame];
  }
  return 0;
}

export function isInteractionAllowed(url, forbidden, goesByKeywords = false) {
  const address = url.split(/[?#]/, 1)[0];
  const start = address.lastIndexOf('/api/');
  if (start < 0) return true;
  const path = address.slice(start + 5);
  if (forbidden.includes(path)) return false;
  if (!goesByKeywords) return true;
  const words = path.match(/[A-Z][a-z]*|[a-z]+/g) ?? [];
  return !words.some((word) => tables.keywords.includes(word));
}

/** @param failure a status, 'unreachable', 'unreadable', or null. */
export function emptyReason(storyCount, failure) {
  if (storyCount !== null && storyCount > 0) return null;
  if (failure === 404) return 'noDay';
  if (failure === 'unreachable') return 'network';
  if (failure !== null) return 'badAnswer';
  return storyCount === null ? 'noDay' : 'noStories';
}
