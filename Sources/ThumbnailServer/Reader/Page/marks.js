// Favourites and read marks: shown in the rows of stories, written to a file, and read back from one.
import { Failure, make } from './dom.js';
import * as favourites from './favourites.js';
import * as read from './read.js';

/** Shows in every row whether its story is a favourite and whether it was read. */
export function showMarks() {
  const opened = new Set(read.all());
  const starred = new Set(favourites.all().map(favourites.keyOf));
  for (const row of document.querySelectorAll('[data-story]')) {
    const { story } = row.dataset;
    row.classList.toggle('read', opened.has(story));
    row.querySelector('.mark')?.setAttribute('aria-pressed', String(starred.has(story)));
  }
}

const format = 'imgcache marks';

export function saveMarks() {
  const text = JSON.stringify({ format, version: 1, favourites: favourites.all(), read: read.all() }, null, 1);
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  make('a', { href: address, download: `imgcache-marks-${new Date().toISOString().slice(0, 10)}.json` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

const text = (value) => (typeof value === 'string' ? value : undefined);
const ours = (address) => (/^\/(?!\/)/.test(address) ? address : undefined);

function imageOf({ image, thumbs, dominant_color: color, thumb_hash: hash }) {
  const thumb = (one) => ({
    '1x': ours(one?.['1x']), '2x': ours(one?.['2x']), width: Number(one?.width) || 0, height: Number(one?.height) || 0,
  });
  return {
    image: ours(image), dominant_color: text(color), thumb_hash: text(hash),
    thumbs: Object.fromEntries(['list', 'hero', 'page'].map((name) => [name, thumb(thumbs?.[name])])),
  };
}

/** What the page knows of a story, of what a file of unknown origin says. */
function storyOf(value) {
  const { id, title, images } = value ?? {};
  if (!['string', 'number'].includes(typeof id) || typeof title !== 'string') return null;
  const known = Object.fromEntries(['label', 'lang', 'hint', 'url', 'hue'].map((name) => [name, text(value[name])]));
  return {
    ...known, id: String(id), title, multipic: value.multipic === true, page: ours(value.page),
    images: Array.isArray(images) ? images.filter((image) => image && typeof image === 'object').map(imageOf) : [],
  };
}

/** Adds the marks in a file to those that are there. @returns how many there were of each kind */
export async function loadMarks(file) {
  let value = null;
  try {
    value = JSON.parse(await file.text());
  } catch {
    throw new Failure('unreadable');
  }
  if (value?.format !== format || !Array.isArray(value.favourites) || !Array.isArray(value.read)) {
    throw new Failure('unreadable');
  }
  const stories = value.favourites.map(storyOf).filter(Boolean);
  const ids = value.read.filter((id) => typeof id === 'string');
  if (!favourites.add(stories) || !read.add([...read.all(), ...ids])) throw new Failure('unkept');
  return { favourites: stories.length, read: ids.length };
}
