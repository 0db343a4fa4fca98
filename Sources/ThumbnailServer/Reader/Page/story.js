// A story's page: its way back, to where the reader was left, its star, and its pictures in full.
import './size.js';
import * as favourites from './favourites.js';
import { ask, base, isPlainClick, make, say } from './dom.js';
import { Help, onKeys } from './keys.js';
import { keepForLater } from './offline.js';
import { followPlace } from './place.js';
import * as read from './read.js';
import { sizeButtons } from './settings.js';
import { Viewer } from './viewer.js';

const { story: id, day } = document.querySelector('main').dataset;

// The way back, also from the stories beside it: those take its place in the history.

const session = 'imgcache.beside';
const isReader = (path) => /^\/?(days(\/\d{8})?)?$/.test(path);
const isFromReader = (() => {
  if (history.length < 2) return false;
  // In the place of a story that was opened from the reader.
  if (history.state?.isFromReader || sessionStorage.getItem(session) === location.href) return true;
  if (!document.referrer) return false;
  const { origin, pathname } = new URL(document.referrer);
  return origin === location.origin && isReader(pathname.slice(base.length));
})();
sessionStorage.removeItem(session);
history.replaceState({ ...history.state, isFromReader }, '');

document.querySelector('.back').addEventListener('click', (event) => {
  if (!isPlainClick(event) || !isFromReader) return;
  event.preventDefault();
  history.back();
});

for (const link of document.querySelectorAll('.beside a')) {
  link.addEventListener('click', (event) => {
    if (!isPlainClick(event)) return;
    event.preventDefault();
    if (isFromReader) sessionStorage.setItem(session, link.href);
    location.replace(link.href);
  });
}

// The tools in the bar.

/** The star of this story. What the list shows of it comes from its day. */
function star() {
  const mark = make('button', { class: 'mark', type: 'button', 'aria-label': say('favourite') });
  const show = () => mark.setAttribute('aria-pressed', String(favourites.has({ id })));
  mark.addEventListener('click', async () => {
    try {
      const { stories, top_stories: topStories } = favourites.has({ id }) ? { stories: [{ id }], top_stories: [] }
        : await ask(`${base}/days/${day}`);
      const known = [...stories, ...topStories].find((story) => favourites.keyOf(story) === id);
      if (known) favourites.toggle(known);
    } catch {
      // The star stays as it was.
    }
    show();
  });
  addEventListener('storage', show);
  show();
  return mark;
}

document.querySelector('.tools').append(...[id ? star() : null, ...sizeButtons()].filter(Boolean));
if (id) {
  read.add([id]);
  followPlace(id);
}

const help = new Help([['j  k', 'keyStories'], ['s', 'favourite'], ['?', 'keys'], ['Esc', 'close']]);
const press = (selector) => () => document.querySelector(selector)?.click();
onKeys({
  j: press('[rel="next"]'), k: press('[rel="prev"]'), s: press('.top .mark'), '?': () => help.open(),
});

document.querySelector('.skip').addEventListener('click', (event) => {
  // Without an entry in the history, which the way back would lead to.
  event.preventDefault();
  document.getElementById('text').focus();
});

// The pictures.

/** The largest picture that an element names. */
const largest = (image) => image.srcset.split(', ').pop()?.split(' ')[0] || image.src;

let viewer = null;
const heading = document.querySelector('h1');
const { lang } = document.querySelector('article');
// Where the text has a link, that stays; small avatars of authors are not pictures.
// What is wider than the column is scrolled by keys, too.
for (const wide of document.querySelectorAll('article :is(pre, table)')) {
  if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0;
}
const images = [...document.querySelectorAll('main img:not(.avatar)')].filter((image) => !image.closest('a'));
const items = images.map((image) => ({
  source: largest(image), shown: image.currentSrc, title: image.alt || heading.textContent, lang,
}));
images.forEach((image, index) => {
  const number = images.length > 1 ? ` ${index + 1} / ${images.length}` : '';
  const frame = make('button', {
    class: 'zoom', type: 'button', lang: document.documentElement.lang, 'aria-label': `${say('viewPicture')}${number}`,
    onclick: () => {
      viewer ??= new Viewer();
      viewer.open(items, index);
    },
  });
  image.replaceWith(frame);
  frame.append(image);
});

keepForLater();
