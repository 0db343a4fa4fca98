// Pictures: the server's own addresses, a colour and then a blurred picture before they come, a sign where they do
// not come, and let go while their page is out of sight.
import { make, say, whenNearlyIdle } from './dom.js';
import { shadeAlpha } from './model.js';
import { thumbHashAddress } from './thumbhash.js';

const colorOf = (hex) => (/^#[0-9a-f]{6}$/i.test(hex ?? '')
  ? [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)) : null);

/** From which width of the window on a picture is larger, and its set then; as in reader.css and ReaderPage.swift. */
const wider = {
  list: ['56.25em', ({ list, hero }) => ({ '1x': list?.['2x'], '2x': hero?.['1x'] })],
  hero: ['37.5em', ({ page }) => page],
};

const setOf = (thumb) => [[thumb['1x'], '1x'], [thumb['2x'], '2x']]
  .filter(([address]) => address).map((pair) => pair.join(' ')).join(', ');

/**
 * @param preset 'list' or 'hero'
 * @param wide whether it is larger on wide screens
 * @param page that will contain it: out of sight, it is not fetched before that is shown
 */
export function picture(image, preset, { alt = '', lazy = true, wide = true, page = null } = {}) {
  const thumb = image.thumbs?.[preset] ?? {};
  const frame = make('span', { class: `picture ${preset}` });
  const color = colorOf(image.dominant_color);
  if (color) frame.style.backgroundColor = `rgb(${color.join(' ')})`;
  const element = make('img', {
    alt, width: thumb.width || null, height: thumb.height || null, decoding: 'async',
    loading: lazy ? 'lazy' : null,
  });
  element.addEventListener('error', () => die(frame));
  element.addEventListener('load', () => {
    revive(frame);
    if (image.cached === false) lookForStandIn(frame, element);
  });
  if (image.thumb_hash) whenNearlyIdle(() => blur(frame, element, image.thumb_hash));
  element.dataset.srcset = setOf(thumb);
  element.dataset.src = thumb['1x'] ?? image.image ?? '';
  const [width, choose] = wider[preset];
  const larger = setOf(choose(image.thumbs ?? {}) ?? {});
  const source = wide && larger
    ? make('source', { media: `(min-width: ${width})`, 'data-srcset': larger }) : null;
  frame.append(make('picture', {}, source, element));
  if (!page?.classList.contains('unseen')) show(element);
  return frame;
}

/** Shows what the picture will be like, until it is there: one that is there at once needs none. */
function blur(frame, element, hash) {
  const isThere = () => element.complete && element.naturalWidth > 0;
  if (isThere() || !frame.isConnected || frame.classList.contains('dead')) return;
  const address = thumbHashAddress(hash);
  if (!address) return;
  frame.style.backgroundImage = `url(${address})`;
  // It must not shine through a picture with transparent parts.
  const end = () => { frame.style.backgroundImage = ''; };
  element.addEventListener('load', end, { once: true });
  element.addEventListener('error', end, { once: true });
}

const sourcesOf = (element) => element.parentElement?.querySelectorAll('source') ?? [];

function show(element) {
  if (!element.dataset.src || element.hasAttribute('src')) return;
  for (const source of sourcesOf(element)) source.srcset = source.dataset.srcset;
  if (element.dataset.srcset) element.srcset = element.dataset.srcset;
  element.src = element.dataset.src;
}

function die(frame) {
  frame.classList.add('dead');
  name(frame);
}

function name(frame) {
  frame.setAttribute('role', 'img');
  frame.setAttribute('aria-label', say('deadImage'));
}

/** A picture that failed once may load later. */
function revive(frame) {
  frame.classList.remove('dead');
  frame.removeAttribute('role');
  frame.removeAttribute('aria-label');
}

/** An unavailable picture is answered by a placeholder, which loads like any picture: only the response head tells. */
async function lookForStandIn(frame, element) {
  try {
    const { headers } = await fetch(element.currentSrc, { method: 'HEAD' });
    if (headers.get('cache-status')?.includes('detail=placeholder')) name(frame);
  } catch {
    // Nothing is known, so nothing is said.
  }
}

/** Gives the pictures of a page back to the browser, or has them shown again. */
export function setShown(page, isShown) {
  page.classList.toggle('unseen', !isShown);
  for (const element of page.querySelectorAll('img[data-src]')) {
    if (isShown) show(element);
    else {
      for (const source of sourcesOf(element)) source.removeAttribute('srcset');
      element.removeAttribute('srcset');
      element.removeAttribute('src');
    }
  }
}

/** What is seen beside a picture that does not fill its place: the same, blurred. */
export function setBackdrop(element, image) {
  if (!image?.thumb_hash) return;
  whenNearlyIdle(() => {
    const address = thumbHashAddress(image.thumb_hash);
    if (address) element.style.backgroundImage = `url(${address})`;
  });
}

export function setShade(element, story) {
  const color = colorOf(story.hue) ?? colorOf(story.images?.[0]?.dominant_color);
  element.style.setProperty('--shade', String(shadeAlpha(color)));
}
