// A story's page: its way back, to where the reader was left, and its pictures in full.
import { make, say } from './dom.js';
import { Viewer } from './viewer.js';

const back = document.querySelector('nav a');
const isFromReader = () => {
  if (!document.referrer || history.length < 2) return false;
  const { origin, pathname } = new URL(document.referrer);
  return origin === location.origin && pathname === '/';
};

back.addEventListener('click', (event) => {
  const wantsOwnTab = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  if (wantsOwnTab || !isFromReader()) return;
  event.preventDefault();
  history.back();
});

/** The largest picture that an element names. */
const largest = (image) => image.srcset.split(', ').pop()?.split(' ')[0] || image.src;

let viewer = null;
const heading = document.querySelector('h1');
const { lang } = document.querySelector('main');
// Where the text has a link, that stays; small avatars of authors are not pictures.
const images = [...document.querySelectorAll('main img:not(.avatar)')].filter((image) => !image.closest('a'));
const items = images.map((image) => ({
  source: largest(image), title: image.alt || heading.textContent, lang,
}));
images.forEach((image, index) => {
  const number = images.length > 1 ? ` ${index + 1} / ${images.length}` : '';
  const frame = make('button', {
    class: `zoom${image.classList.contains('header') ? ' header' : ''}`, type: 'button',
    lang: document.documentElement.lang, 'aria-label': `${say('viewPicture')}${number}`,
    onclick: () => {
      viewer ??= new Viewer();
      viewer.open(items, index);
    },
  });
  image.replaceWith(frame);
  frame.append(image);
});
